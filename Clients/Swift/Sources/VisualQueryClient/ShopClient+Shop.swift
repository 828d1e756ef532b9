public import Foundation

extension ShopClient {
  /// Returns the values of properties among the entities that pass a filter.
  ///
  /// - Parameters:
  ///   - properties: The properties, such as `brand`, at most 16.
  ///   - prefix: The beginning of the values: the options for what a person types.
  ///   - type: The only type.
  ///   - conditions: Conditions such as `price<20`.
  ///   - withLabels: The labels of which entities must have one.
  ///   - limit: The most values of a property.
  public func facets(
    _ properties: [String], prefix: String? = nil, type: EntityType? = nil,
    conditions: [String] = [], withLabels: [String] = [], limit: Int? = nil
  ) async throws -> Facets {
    try await get(
      "facets",
      [
        ("facetPrefix", prefix), ("type", type?.rawValue), ("facetLimit", limit.map { String($0) }),
      ] + properties.map { ("facets", $0) } + conditions.map { ("where", $0) }
        + withLabels.map { ("withLabel", $0) })
  }

  /// The shop as a whole, for an app's unique entity.
  public func settings() async throws -> ShopSettings { try await get("settings") }

  /// The names of types, properties and values in the language of the client.
  public func schema() async throws -> ShopSchema { try await get("schema") }

  /// The phrases for App Shortcuts in the language of the client.
  public func phrases() async throws -> ShopPhrases { try await get("phrases") }

  /// Returns the entity that a link of the shop opens, or `nil` if there is none.
  public func entity(forLink link: URL) async throws -> Entity? {
    do {
      let answer: EntityAnswer = try await get("route", [("url", link.absoluteString)])
      return answer.entity
    } catch let error as ClientError where error.problem?.code == "unknownEntity" {
      return nil
    }
  }

  /// Returns an entity as names and strings, nothing nested: the form for language models.
  public func model(of id: EntityID) async throws -> [String: String] {
    try await get("entities/\(id.type.rawValue)/\(Self.encoded(id.id))", [("format", "model")])
  }

  /// Returns entities as names and strings, nothing nested: the form for language models.
  public func models(
    matching text: String, type: EntityType? = nil, limit: Int? = nil
  ) async throws -> [[String: String]] {
    let list: ModelList = try await get(
      "entities",
      [
        ("q", text), ("type", type?.rawValue), ("limit", limit.map { String($0) }),
        ("format", "model"),
      ])
    return list.entities
  }

  /// Returns the entities that look most like one, the nearest first, among those that meet some conditions: by the vectors of their images if
  /// the service has them, and after these by a search.
  ///
  /// - Parameter relation: A relation of the shop's feed: the entities are then those that it relates to the product, in its order.
  public func neighbors(
    of id: EntityID, limit: Int? = nil, conditions: [String] = [], withLabels: [String] = [],
    relation: EntityRelation? = nil
  ) async throws -> Neighbors {
    try await get(
      "entities/\(id.type.rawValue)/\(Self.encoded(id.id))/neighbors",
      [("limit", limit.map { String($0) })] + conditions.map { ("where", $0) }
        + withLabels.map { ("withLabel", $0) }
        + [("relation", relation?.rawValue)])
  }

  /// Tells what happened to matches of an answer, for the numbers of the shop. At most 100 events of one answer are sent in a request; the
  /// app may collect them, and send them again if that fails: each counts once.
  ///
  /// - Parameter answer: ``MatchAnswer/continuation`` of the answer.
  @discardableResult
  public func count(_ events: [MatchEvent], ofAnswer answer: String) async throws -> CountedEvents {
    struct Question: Encodable {
      let query: String
      let events: [MatchEvent]
    }
    let json = try JSONEncoder().encode(Question(query: answer, events: events))
    return try await post("events", json, type: "application/json")
  }

  /// Returns the generations in which an entity was added and changed.
  public func history(of id: EntityID) async throws -> EntityHistory {
    try await get("entities/\(id.type.rawValue)/\(Self.encoded(id.id))/history")
  }

  /// Sends what a person says about an answer. The key must be allowed to give feedback.
  ///
  /// - Parameters:
  ///   - statement: What is said.
  ///   - image: The whole image file of the question. The service keeps it, reduced, until the statement is removed.
  @discardableResult
  public func give(_ statement: Statement, image: Data? = nil) async throws -> StoredStatement {
    let json = try JSONEncoder().encode(statement)
    guard let image else { return try await post("feedback", json, type: "application/json") }
    let form = MultipartForm([
      MultipartForm.Part(name: "feedback", type: "application/json", content: json),
      MultipartForm.Part(name: "image", type: "application/octet-stream", content: image),
    ])
    return try await post("feedback", form.body, type: form.contentType)
  }
}
