import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The service that answers for the shop: a server of your own over VisualQuery. The paths are yours
/// to choose; `vq serve` is to have these.
struct ShopService: Sendable {
  /// Where it is.
  static let shared = ShopService(base: URL(string: "https://search.shop.example/v1/")!)

  let base: URL

  /// What of the shop's a picture shows; `continuation` goes on from an earlier answer instead.
  func match(
    jpeg: Data?, labels: [String], continuation: String? = nil
  ) async throws -> MatchAnswer {
    var query = [URLQueryItem(name: "labels", value: labels.joined(separator: ","))]
    query.append(URLQueryItem(name: "locale", value: Locale.current.identifier))
    var request = URLRequest(url: url("match", query))
    request.httpMethod = "POST"
    if let continuation {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = try JSONEncoder().encode(["continuation": continuation])
    } else {
      request.setValue("image/jpeg", forHTTPHeaderField: "Content-Type")
      request.httpBody = jpeg
    }
    return try await answer(to: request)
  }

  /// The entities of some ids, in their order; unknown ones are left out.
  func entities(_ type: String, ids: [String]) async throws -> [ShopEntity] {
    let names = ids.map { "\(type):\($0)" }.joined(separator: ",")
    return try await list("entities", [URLQueryItem(name: "ids", value: names)])
  }

  /// The entities that have some words.
  func entities(_ type: String, matching text: String) async throws -> [ShopEntity] {
    try await list(
      "entities", [URLQueryItem(name: "q", value: text), URLQueryItem(name: "type", value: type)])
  }

  /// What to show before anything is asked.
  func suggestedEntities(_ type: String) async throws -> [ShopEntity] {
    try await list("entities/suggested", [URLQueryItem(name: "type", value: type)])
  }

  /// The entities for which some conditions hold.
  func entities(_ question: PropertyQuestion) async throws -> [ShopEntity] {
    var request = URLRequest(url: url("entities:query", []))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = try JSONEncoder().encode(question)
    let page: EntityPage = try await answer(to: request)
    return page.entities
  }

  private func list(_ path: String, _ query: [URLQueryItem]) async throws -> [ShopEntity] {
    let page: EntityPage = try await answer(to: URLRequest(url: url(path, query)))
    return page.entities
  }

  private func url(_ path: String, _ query: [URLQueryItem]) -> URL {
    var parts = URLComponents(
      url: base.appendingPathComponent(path), resolvingAgainstBaseURL: false)!
    if !query.isEmpty { parts.queryItems = query }
    return parts.url!
  }

  private func answer<Answer: Decodable>(to request: URLRequest) async throws -> Answer {
    let (data, response) = try await URLSession.shared.data(for: request)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else {
      throw URLError(.badServerResponse)
    }
    return try JSONDecoder().decode(Answer.self, from: data)
  }
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
  let image: URL?
  let synonyms: [String]?
}

/// An entity as the service gives it.
struct ShopEntity: Decodable, Sendable {
  struct Price: Decodable, Sendable {
    let amount: String
    let currency: String
  }

  let type: String
  let id: String
  let title: String
  let subtitle: String?
  let url: URL?
  let brand: String?
  let price: Price?
}

/// A page of entities.
struct EntityPage: Decodable, Sendable {
  let entities: [ShopEntity]
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
