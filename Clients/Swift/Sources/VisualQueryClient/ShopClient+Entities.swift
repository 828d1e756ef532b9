public import Foundation

extension ShopClient {
  /// The most ids and bytes of one request to resolve ids.
  static let batchLimits = (ids: 1000, bytes: 500_000)

  /// Returns the entities of some ids, in their order; unknown ids are named in
  /// ``ResolvedEntities/missing``. Any number of ids is asked for in batches.
  public func entities(for ids: [EntityID]) async throws -> ResolvedEntities {
    var (entities, missing, generation): ([Entity], [String], Int) = ([], [], 0)
    for batch in Self.batches(ids.map(\.description)) {
      struct Question: Encodable { let ids: [String] }
      let answer: ResolvedEntities = try await post(
        "entities:resolve", Question(ids: Array(batch)))
      entities += answer.entities
      missing += answer.missing
      generation = max(generation, answer.generation)
    }
    return ResolvedEntities(generation: generation, entities: entities, missing: missing)
  }

  /// Divides texts into lists that one request may have.
  static func batches(_ texts: [String]) -> [ArraySlice<String>] {
    var batches: [ArraySlice<String>] = []
    var (start, byteCount) = (0, 0)
    for (index, text) in texts.enumerated() {
      // JSON writes a byte as six at most, and adds quotes and a comma.
      let length = text.utf8.reduce(3) { $0 + ($1 < 0x20 ? 6 : $1 == 0x22 || $1 == 0x5C ? 2 : 1) }
      if index - start == batchLimits.ids || byteCount + length > batchLimits.bytes {
        batches.append(texts[start..<index])
        (start, byteCount) = (index, 0)
      }
      byteCount += length
    }
    if start < texts.count { batches.append(texts[start...]) }
    return batches
  }

  /// Returns the entity of an id, or `nil` if there is none.
  public func entity(for id: EntityID) async throws -> Entity? {
    do {
      let answer: EntityAnswer = try await get(
        "entities/\(id.type.rawValue)/\(Self.encoded(id.id))")
      return answer.entity
    } catch let error as ClientError where error.problem?.code == "unknownEntity" {
      return nil
    }
  }

  /// Returns the entities that have some words, the best first.
  public func entities(
    matching text: String, type: EntityType? = nil, limit: Int? = nil
  ) async throws -> [Entity] {
    let list: EntityList = try await get(
      "entities",
      [("q", text), ("type", type?.rawValue), ("limit", limit.map { String($0) })])
    return list.entities
  }

  /// Returns the entities that the shop suggests before anything is asked.
  public func suggestedEntities(
    type: EntityType? = nil, limit: Int? = nil
  ) async throws -> [Entity] {
    let list: EntityList = try await get(
      "entities/suggested", [("type", type?.rawValue), ("limit", limit.map { String($0) })])
    return list.entities
  }

  /// Returns the entities that meet some conditions.
  public func entities(_ question: PropertyQuestion) async throws -> [Entity] {
    let list: EntityList = try await post("entities:query", question)
    return list.entities
  }

  /// Returns a page of all entities.
  ///
  /// - Parameter cursor: ``EntityPage/cursor`` of the page before; `nil` begins the list.
  public func page(
    after cursor: String? = nil, type: EntityType? = nil, limit: Int = 1000
  ) async throws -> EntityPage {
    try await get(
      "entities",
      [("cursor", cursor ?? ""), ("type", type?.rawValue), ("limit", String(limit))])
  }

  /// Returns all entities, page by page: each once, whatever the shop changes meanwhile.
  public func allEntities(type: EntityType? = nil, pageSize: Int = 1000) -> EntityPages {
    EntityPages(client: self, type: type, pageSize: pageSize)
  }

  /// The limits of the service.
  public func limits() async throws -> ServiceLimits { try await get("limits") }

  /// A size of a thumbnail.
  public enum ThumbnailSize: String, Sendable, CaseIterable {
    /// 160 pixels, for a list.
    case small
    /// 480 pixels, for a card.
    case large
    /// 1024 pixels, for a whole screen.
    case extraLarge
  }

  /// A background that replaces the plain, light one of a packshot, for screens in dark mode.
  public enum ThumbnailBackground: String, Sendable, CaseIterable {
    /// None: a PNG file.
    case transparent
    /// The gray of dark cards: a JPEG file.
    case dark
  }

  /// Returns the URL of a thumbnail of an entity's image.
  ///
  /// ``Display/image`` has the one of a card already, with a name that may be cached forever. A service that needs
  /// a key needs it for thumbnails, too; see ``thumbnail(_:)``.
  public func thumbnailURL(
    of id: EntityID, size: ThumbnailSize = .large, image: Int = 0,
    background: ThumbnailBackground? = nil
  ) -> URL? {
    url(
      "entities/\(id.type.rawValue)/\(Self.encoded(id.id))/thumbnail",
      [
        ("size", size.rawValue), ("image", String(image)), ("background", background?.rawValue),
      ])
  }
}

/// Conditions on properties, as an app's `EntityPropertyQuery` has them.
public struct PropertyQuestion: Encodable, Sendable, Hashable {
  /// A comparison of a property with a value.
  public enum Comparison: String, Encodable, Sendable {
    case equalTo, notEqualTo, lessThan, lessThanOrEqualTo, greaterThan, greaterThanOrEqualTo
    case isBetween, contains, hasPrefix, hasSuffix
  }

  /// One condition.
  public struct Comparator: Encodable, Sendable, Hashable {
    /// The name of the property, such as `price`.
    public let property: String
    /// The comparison.
    public let comparison: Comparison
    /// The value. A text that is a number is compared as one.
    public let value: String
    /// The upper value of `isBetween`.
    public let upperValue: String?

    /// Makes a condition.
    public init(
      _ property: String, _ comparison: Comparison, _ value: String, upperValue: String? = nil
    ) {
      self.property = property
      self.comparison = comparison
      self.value = value
      self.upperValue = upperValue
    }
  }

  /// One sort key.
  public struct Sort: Encodable, Sendable, Hashable {
    /// The name of the property.
    public let property: String
    /// `ascending` or `descending`.
    public let order: String

    /// Makes a sort key.
    public init(_ property: String, ascending: Bool = true) {
      self.property = property
      order = ascending ? "ascending" : "descending"
    }
  }

  /// The type of the entities.
  public let type: EntityType
  /// The conditions.
  public let comparators: [Comparator]
  /// `and` or `or`.
  public let mode: String
  /// The sort keys, the first one first.
  public let sortedBy: [Sort]
  /// The most entities, `1...1000`.
  public let limit: Int?

  /// Makes a question. A limit above 1000 is that of one answer.
  public init(
    type: EntityType, comparators: [Comparator] = [], matchesAny: Bool = false,
    sortedBy: [Sort] = [], limit: Int? = nil
  ) {
    self.type = type
    self.comparators = comparators
    mode = matchesAny ? "or" : "and"
    self.sortedBy = sortedBy
    self.limit = limit.map { min(max($0, 1), 1000) }
  }
}

/// The pages of all entities.
public struct EntityPages: AsyncSequence, Sendable {
  let client: ShopClient
  let type: EntityType?
  let pageSize: Int

  /// Makes an iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

  /// An iterator over the pages.
  public struct Iterator: AsyncIteratorProtocol {
    private let pages: EntityPages
    private var cursor: String?
    private var isAtEnd = false

    init(pages: EntityPages) { self.pages = pages }

    /// Returns the entities of the next page, or `nil` after the last one.
    public mutating func next() async throws -> [Entity]? {
      if isAtEnd { return nil }
      let page = try await pages.client.page(
        after: cursor, type: pages.type, limit: pages.pageSize)
      cursor = page.cursor
      isAtEnd = page.cursor == nil
      return page.entities
    }
  }
}
