public import Foundation

/// A copy of a shop's entities in memory and in a file, for answers without a connection.
///
/// It holds what the device keeps of a small shop. Larger shops keep theirs in Spotlight's index, with the same
/// ``CopyBatch`` values.
public struct EntityCopy: Codable, Sendable, Hashable {
  /// The stored state, or `nil` if nothing was copied.
  public private(set) var state: Data?
  private var entitiesByID: [EntityID: Entity] = [:]

  private enum CodingKeys: CodingKey { case state, entities }

  /// Makes an empty copy.
  public init() {}

  /// Reads a copy.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    state = try values.decodeIfPresent(Data.self, forKey: .state)
    for entity in try values.decode([Entity].self, forKey: .entities) {
      entitiesByID[entity.entityID] = entity
    }
  }

  /// Writes the copy, the entities in the order of their ids.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(state, forKey: .state)
    try values.encode(entities, forKey: .entities)
  }

  /// Reads the copy in a file; an empty one if there is none that can be read.
  public init(contentsOf file: URL) {
    let stored = (try? Data(contentsOf: file)).flatMap {
      try? JSONDecoder().decode(EntityCopy.self, from: $0)
    }
    self = stored ?? EntityCopy()
  }

  /// Writes the copy to a file, as a whole or not at all. Makes its folder first, which a new installation lacks.
  public func write(to file: URL) throws {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try JSONEncoder().encode(self).write(to: file, options: .atomic)
  }

  /// The number of entities.
  public var count: Int { entitiesByID.count }

  /// All entities, in the order of their ids.
  public var entities: [Entity] {
    entitiesByID.values.sorted { ($0.type.rawValue, $0.id) < ($1.type.rawValue, $1.id) }
  }

  /// The state of the copy, or `nil` if nothing was copied.
  public var copyState: CopyState? { state.flatMap { CopyState($0) } }

  /// Stores the changes of a batch.
  public mutating func apply(_ batch: CopyBatch) {
    if batch.beginsAnew { entitiesByID = [:] }
    for id in batch.removals { entitiesByID[id] = nil }
    for entity in batch.upserts { entitiesByID[entity.entityID] = entity }
    state = batch.state.data
  }

  /// Returns the entities of some ids, in their order, without unknown ids.
  public func entities(for ids: [EntityID]) -> [Entity] { ids.compactMap { entitiesByID[$0] } }

  /// Returns the entities of a type that the shop suggests, those that it features first.
  public func suggestedEntities(type: EntityType, limit: Int) -> [Entity] {
    let all = entities.filter { $0.type == type }
    let (featured, others) = (all.filter(\.isFeatured), all.filter { !$0.isFeatured })
    return Array((featured + others).prefix(limit))
  }

  /// Returns the entities of a type whose texts have words that begin with those of a text, by id.
  public func entities(matching text: String, type: EntityType, limit: Int) -> [Entity] {
    func folded(_ text: String) -> String {
      text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    }
    let words = folded(text).split { !$0.isLetter && !$0.isNumber }
    guard !words.isEmpty else { return [] }
    let found = entities.lazy.filter { entity in
      guard entity.type == type else { return false }
      let display = entity.display
      let texts =
        [display.title, display.subtitle, entity.product?.brand].compactMap { $0 }
        + display.synonyms + entity.labels
      let known = folded(texts.joined(separator: " ")).split { !$0.isLetter && !$0.isNumber }
      return words.allSatisfy { word in known.contains { $0.hasPrefix(word) } }
    }
    return Array(found.prefix(limit))
  }

  /// Returns the entities that have one of some labels: those with more of them first, then by id.
  ///
  /// A device without the service cannot search better than this.
  public func entities(withLabels labels: [String], limit: Int) -> [Entity] {
    let wanted = Set(labels.map { $0.lowercased() })
    let found = entities.compactMap { entity -> (count: Int, entity: Entity)? in
      let count = wanted.intersection(entity.labels.map { $0.lowercased() }).count
      return count > 0 ? (count, entity) : nil
    }
    // A stable order: equal counts keep the order of ids.
    let ranked = found.enumerated().sorted {
      ($1.element.count, $0.offset) < ($0.element.count, $1.offset)
    }
    return ranked.prefix(limit).map(\.element.entity)
  }
}
