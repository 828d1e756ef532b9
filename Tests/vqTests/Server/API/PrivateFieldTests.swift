import Foundation
import HTTPServer
import TestSupport
import Testing
import VisualQuery

@testable import vq

/// Questions of strangers to two shops that differ only in fields which are not public: whoever may only read gets the same answers from
/// both, so no guess tells a right value from a wrong one.
@Suite struct PrivateFieldTests {
  private static let guesses = ["lead", "evil"]
  /// Fields of a shop's own whose names have a meaning somewhere, and one that has none.
  private static let fields = [
    "capacity", "material", "color", "supplier", "description", "category", "productType", "size",
    "longDescription", "unit_pricing_measure", "vendor",
  ]
  private static let reader = APIKeys.made(role: .read, name: "app")
  private static let writer = APIKeys.made(role: .write, name: "shop")

  /// Serves a shop of two variants, one of which has a word in its private fields.
  private static func shop(_ word: String, public shown: Set<String> = []) async throws
    -> ServedShop
  {
    let own = fields.map { "\"\($0)\":\"\(word)\"" }.joined(separator: ",")
    let lines = [reader.line, writer.line].joined(separator: "\n")
    return try await ServedShop(
      feed: { folder in
        _ = try folder.copy(SampleShop.image("mug-red.jpg"), to: "red.jpg")
        _ = try folder.copy(SampleShop.image("mug-blue.jpg"), to: "blue.jpg")
        return try folder.write(
          """
          {"type":"product","id":"red","title":"Camp mug","labels":["mug"],"images":["red.jpg"],"group":"mug"}
          {"type":"product","id":"blue","title":"Camp mug","labels":["mug"],"images":["blue.jpg"],"group":"mug",\(own)}
          {"type":"store","id":"market","title":"Market","labels":["stall"],"stock":["red"],"supplier":"\(word)"}

          """, to: "feed.jsonl")
      }, shop: ShopSettings(publicFields: shown), imagesRoot: ".",
      keys: try APIKeys(lines: lines, file: "keys.txt"))
  }

  /// A request with its body.
  private struct Request {
    let line: String
    var type: String?
    var body: [UInt8] = []
  }

  private static func json(_ line: String, _ fields: [String: JSONValue]) -> Request {
    Request(
      line: line, type: "application/json", body: Array(JSONValue.object(fields).text.utf8))
  }

  /// The values of a field with a guess, for the fields whose values strangers choose from many.
  private static func values(
    of field: any AnyQuestionField, _ guess: String
  ) -> [JSONValue] {
    if field.name == Question.conditions.name {
      return fields.flatMap { name in ["=", "!=", "~", "^=", "<"].map { "\(name)\($0)\(guess)" } }
        .map { .array([.string($0)]) }
    }
    return switch field.shape {
    case .words, .texts: [.array([.string(guess)])]
    case .text: [.string(guess)]
    default: []
    }
  }

  /// Every field of a question with a guess, by an image and by labels, and all other routes that may be read.
  private static func requests(_ guess: String) throws -> [Request] {
    let photo = [UInt8](
      try #require(FileManager.default.contents(atPath: SampleShop.image("mug-red.jpg"))))
    var requests: [Request] = []
    for field in Question.fields where field.role != .continuation {
      for value in values(of: field, guess) {
        if field.doors.contains(.query) {
          let text: String
          if case .array(let elements) = value, case .string(let first)? = elements.first {
            text = first
          } else if case .string(let first) = value {
            text = first
          } else {
            continue
          }
          let query = LinkTemplate.percentEncoded(text)
          requests.append(
            Request(line: "POST /v1/match?\(field.name)=\(query)", type: "image/jpeg", body: photo))
        }
        var question: [String: JSONValue] = [field.name: value]
        if question["labels"] == nil { question["labels"] = .array([.string("mug")]) }
        requests.append(json("POST /v1/match", question))
        question["labels"] = .array([.string(guess)])
        requests.append(json("POST /v1/match", question))
      }
    }
    for name in fields {
      func condition(_ comparison: String) -> JSONValue {
        .object([
          "property": .string(name), "comparison": .string(comparison), "value": .string(guess),
        ])
      }
      for comparison in ["equalTo", "contains", "hasPrefix", "notEqualTo", "lessThan"] {
        requests.append(
          json("POST /v1/entities:query", ["comparators": .array([condition(comparison)])]))
        requests.append(
          json(
            "POST /v1/entities:query",
            ["comparators": .array([condition(comparison)]), "cursor": .string("")]))
      }
      requests.append(
        json(
          "POST /v1/entities:query",
          ["sortedBy": .array([.object(["property": .string(name)])])]))
      let condition = "where=\(name)%3D\(guess)"
      requests += [
        "/v1/facets?facets=\(name)", "/v1/facets?facets=\(name)&facetPrefix=\(guess)",
        "/v1/facets?facets=labels&\(condition)", "/v1/entities/product/red/neighbors?\(condition)",
        "/v1/entities/product/red/neighbors?relation=bought&\(condition)",
      ].map { Request(line: "GET " + $0) }
      requests.append(
        json(
          "POST /v1/match", ["labels": .array([.string("mug")]), "facets": .array([.string(name)])])
      )
    }
    requests += [
      "/v1/entities?q=\(guess)", "/v1/entities?q=mug+\(guess)", "/v1/entities?q=\(guess.prefix(3))",
      "/v1/entities?q=\(guess)s&format=model", "/v1/entities/suggested",
      "/v1/entities?ids=product:blue", "/v1/entities/product/blue?format=text",
      "/v1/facets?facets=labels&withLabel=\(guess)",
      "/v1/facets?facets=labels&facetPrefix=\(guess)",
      "/v1/entities/product/red/neighbors", "/v1/entities/product/red/neighbors?withLabel=\(guess)",
      "/v1/entities/product/blue/history", "/v1/catalogue", "/v1/settings", "/v1/schema",
      "/v1/phrases", "/v1/sync", "/v1/route?url=https://shop.example/p/\(guess)",
    ].map { Request(line: "GET " + $0) }
    return requests
  }

  /// Asks, and returns the answer without what names the index, the time, and the request.
  private static func answer(
    _ shop: ServedShop, _ request: Request, _ key: String
  ) async throws -> String {
    let fields =
      ["Authorization: Bearer \(key)"] + (request.type.map { ["Content-Type: \($0)"] } ?? [])
    let response = try await shop.ask(request.line, fields, request.body)
    return "\(response.status) "
      + ServedShop.plain(response.body)
      .replacing(/"(continuation|requestId|cursor|state|date|time)":"[^"]*"/, with: "")
  }

  /// Would break if an answer depended on a field that is not public, through whatever field of a question or route.
  @Test func `no guess tells a right value of a private field from a wrong one`() async throws {
    let shops = [
      try await Self.shop(Self.guesses[0]), try await Self.shop(Self.guesses[1]),
    ]
    for guess in Self.guesses {
      for request in try Self.requests(guess) {
        let first = try await Self.answer(shops[0], request, Self.reader.key)
        let second = try await Self.answer(shops[1], request, Self.reader.key)
        #expect(
          first == second,
          "\(request.line) \(String(decoding: request.body.prefix(200), as: UTF8.self))"
        )
        #expect(!first.hasPrefix("5"), "\(request.line): \(first)")
      }
    }
  }

  /// Would break if what the shop made public, or what it asks itself, were not found any more.
  @Test func `public fields are found by everybody, private ones with a key that may write`()
    async throws
  {
    let hidden = try await Self.shop("lead")
    let shown = try await Self.shop("lead", public: ["capacity", "description"])
    let photo = try #require(FileManager.default.contents(atPath: SampleShop.image("mug-red.jpg")))
    func first(_ shop: ServedShop, _ key: String, _ word: String) async throws -> String? {
      let response = try await shop.ask(
        "POST /v1/match?text=\(word)",
        ["Authorization: Bearer \(key)", "Content-Type: image/jpeg"], [UInt8](photo))
      let answer = try #require(
        JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
      return ServedShop.ids(answer, "values").first
    }
    func found(_ shop: ServedShop, _ key: String) async throws -> [String] {
      ServedShop.ids(
        try await shop.json("GET /v1/entities?q=lead", ["Authorization: Bearer \(key)"]))
    }
    #expect(try await first(hidden, Self.reader.key, "lead") == "red")
    #expect(try await first(hidden, Self.writer.key, "lead") == "blue")
    #expect(try await first(shown, Self.reader.key, "lead") == "blue")
    #expect(try await found(hidden, Self.reader.key) == [])
    #expect(try await found(hidden, Self.writer.key) == ["blue"])
    #expect(try await found(shown, Self.reader.key) == ["blue"])
  }

  /// Would break if a field were added that filters by properties which nobody checks.
  @Test func `a search checks the filters that it has, whichever field made them`() async throws {
    let shop = try await Self.shop("lead")
    let catalogue = try shop.service.shop.catalogue.newest()
    var matcher = Matcher(catalogue: catalogue)
    var lookup = EntityLookup(catalogue: catalogue)
    let comparators = [EntityComparator("supplier", .equalTo("lead"))]
    let filter = EntityFilter(comparators: comparators)
    let options = MatchOptions(filters: [.store: filter], timeout: nil)
    let content = SemanticContent(labels: ["mug", "stall"])
    let ids = try await matcher.values(for: content, options: options).entityIDs
    #expect(ids.contains(EntityID(type: .store, value: "market")))
    matcher.fields = catalogue.fields(forStrangers: true)
    lookup.fields = matcher.fields
    let strangers = matcher
    await #expect(throws: MatchError.self) {
      _ = try await strangers.values(for: content, options: options)
    }
    let (readers, id) = (lookup, EntityID(type: .product, value: "red"))
    await #expect(throws: MatchError.self) {
      _ = try await readers.entities(matching: comparators)
    }
    await #expect(throws: MatchError.self) {
      _ = try await readers.entities(matching: [], sortedBy: [EntitySort(by: "supplier")])
    }
    await #expect(throws: MatchError.self) {
      _ = try await readers.page(after: nil, matching: comparators)
    }
    await #expect(throws: MatchError.self) {
      _ = try await readers.facets(FacetQuestion(["supplier"]))
    }
    await #expect(throws: MatchError.self) {
      _ = try await readers.related(to: id, by: .bought, limit: 1, filter: filter)
    }
    await #expect(throws: MatchError.self) {
      _ = try await strangers.nearestEntities(to: id, limit: 1, filter: filter)
    }
    // The check before the image is decoded knows the fields by the same table.
    let named = Question.fields.filter { field in
      field.looksAt.contains { if case .named = $0 { true } else { false } }
    }
    #expect(named.map(\.name) == ["where", "facets"])
  }
}
