import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The service that answers for the shop: `vq serve`, or a server of your own with the same paths.
struct ShopService: Sendable {
  /// Where it is.
  static let shared = ShopService(base: URL(string: "https://search.shop.example/v1/")!)

  let base: URL
  /// What the service lets in, where it asks for a key.
  var key: String?

  /// What of the shop's a picture or some labels show; `continuation` goes on from an earlier answer.
  func match(
    jpeg: Data?, labels: [String], continuation: String? = nil
  ) async throws -> MatchAnswer {
    let locale = Locale.current.identifier(.bcp47)
    if let jpeg, continuation == nil {
      let words = labels.map(Self.encoded).joined(separator: ",")
      return try await post("match?labels=\(words)&locale=\(locale)", jpeg, type: "image/jpeg")
    }
    let question =
      continuation.map { MatchQuestion(continuation: $0) }
      ?? MatchQuestion(labels: labels, locale: locale)
    return try await post("match", JSONEncoder().encode(question), type: "application/json")
  }

  /// The entities of some ids, in their order; unknown ones are left out.
  func entities(_ type: String, ids: [String]) async throws -> [ShopEntity] {
    if ids.isEmpty { return [] }
    let names = ids.map { "\(type):\(Self.encoded($0))" }.joined(separator: ",")
    return try await list("entities?ids=\(names)")
  }

  /// The entities that have some words.
  func entities(_ type: String, matching text: String) async throws -> [ShopEntity] {
    try await list("entities?q=\(Self.encoded(text))&type=\(type)")
  }

  /// What to show before anything is asked.
  func suggestedEntities(_ type: String) async throws -> [ShopEntity] {
    try await list("entities/suggested?type=\(type)")
  }

  /// The entities for which some conditions hold.
  func entities(_ question: PropertyQuestion) async throws -> [ShopEntity] {
    let body = try JSONEncoder().encode(question)
    let page: EntityPage = try await post("entities:query", body, type: "application/json")
    return page.entities
  }

  private func list(_ path: String) async throws -> [ShopEntity] {
    let page: EntityPage = try await answer(to: URLRequest(url: url(path)))
    return page.entities
  }

  private func post<Answer: Decodable>(
    _ path: String, _ body: Data, type: String
  ) async throws -> Answer {
    var request = URLRequest(url: url(path))
    request.httpMethod = "POST"
    request.setValue(type, forHTTPHeaderField: "Content-Type")
    request.httpBody = body
    return try await answer(to: request)
  }

  /// The path as it is: a colon in it begins no scheme.
  private func url(_ path: String) -> URL { URL(string: base.absoluteString + path)! }

  /// Encodes what would end a value, commas among it: those that divide a list are put between.
  private static func encoded(_ text: String) -> String {
    let unreserved = CharacterSet(charactersIn: "-._~").union(.alphanumerics)
    return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }

  private func answer<Answer: Decodable>(to request: URLRequest) async throws -> Answer {
    var request = request
    if let key { request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization") }
    request.setValue(Locale.current.identifier(.bcp47), forHTTPHeaderField: "Accept-Language")
    let (data, response) = try await URLSession.shared.data(for: request)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else {
      throw URLError(.badServerResponse)
    }
    let decoder = JSONDecoder()
    decoder.userInfo[.serviceBase] = base
    return try decoder.decode(Answer.self, from: data)
  }
}

extension CodingUserInfoKey {
  /// The address that the URLs of images are relative to.
  static let serviceBase = CodingUserInfoKey(rawValue: "serviceBase")!
}

/// `vq.match/1`, as far as the app needs it.
struct MatchAnswer: Decodable, Sendable {
  struct Value: Decodable, Sendable {
    let type: String
    let id: String
    let url: URL?
    let display: Display
  }

  let values: [Value]
  let continuation: String?
}

/// How an entity is shown.
struct Display: Decodable, Sendable {
  let title: String
  let subtitle: String?
  /// An image of the shop's own server, or a thumbnail of the service.
  let image: URL?
  let synonyms: [String]?

  private enum CodingKeys: CodingKey { case title, subtitle, image, synonyms }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    title = try values.decode(String.self, forKey: .title)
    subtitle = try values.decodeIfPresent(String.self, forKey: .subtitle)
    synonyms = try values.decodeIfPresent([String].self, forKey: .synonyms)
    let base = decoder.userInfo[.serviceBase] as? URL
    image = try values.decodeIfPresent(String.self, forKey: .image)
      .flatMap { URL(string: $0, relativeTo: base)?.absoluteURL }
  }
}

/// An entity as the service gives it.
struct ShopEntity: Decodable, Sendable {
  struct Price: Decodable, Sendable {
    let amount: String
    let currency: String
  }

  struct Product: Decodable, Sendable {
    let brand: String?
    let price: Price?
  }

  let type: String
  let id: String
  let url: URL?
  let display: Display
  let product: Product?
}

/// A page of entities.
struct EntityPage: Decodable, Sendable {
  let entities: [ShopEntity]
}

/// A question without a picture, as `POST /v1/match` takes it.
struct MatchQuestion: Encodable, Sendable {
  var labels: [String]?
  var locale: String?
  var continuation: String?
}

/// Conditions on properties, as `POST /v1/entities:query` takes them.
struct PropertyQuestion: Encodable, Sendable {
  struct Comparator: Encodable, Sendable {
    let property: String
    let comparison: String
    let value: String
  }

  struct Sort: Encodable, Sendable {
    let property: String
    let order: String
  }

  let type: String
  let comparators: [Comparator]
  let mode: String
  let sortedBy: [Sort]
  let limit: Int?
}
