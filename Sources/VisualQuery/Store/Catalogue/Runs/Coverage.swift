/// The numbers of entities that have each field, by the type of the entity.
package struct Coverage: Sendable, Hashable, Codable {
  /// The numbers by the names of types and fields; 0 is left out.
  private var counts: [String: [String: Int]] = [:]

  package init() {}

  package subscript(_ type: EntityType, _ field: CoverageField) -> Int {
    get { counts[type.rawValue]?[field.rawValue] ?? 0 }
    set { counts[type.rawValue, default: [:]][field.rawValue] = newValue == 0 ? nil : newValue }
  }

  /// Adds the numbers of further entities.
  package mutating func add(_ other: Coverage) {
    counts.merge(other.counts) { $0.merging($1, uniquingKeysWith: +) }
  }

  /// The types of which there are entities.
  package var types: [EntityType] { EntityType.allCases.filter { self[$0, .entities] > 0 } }
}

extension CatalogueTables {
  private enum KeyAndType: Int, SQLiteColumns { case entity, value }

  /// The properties that are stored for a field. An entity has the field if it has one of them.
  private static func properties(of field: CoverageField) -> [String] {
    let own = EntityProperty.storedExtra
    return switch field {
    case .entities, .signature: []
    case .image: ["images"]
    case .price, .availability, .group: [field.rawValue]
    case .link: ["url"]
    case .color: [own("color")].compactMap(\.self)
    case .place: ["latitude"]
    case .text: ["subtitle"] + [own("description"), own("text")].compactMap(\.self)
    }
  }

  /// Counts what the entities of a feed have.
  ///
  /// - Parameters:
  ///   - feed: The number of the feed.
  ///   - includesOthers: True if those of no feed are counted as well.
  /// - Complexity: O(entities · fields): rows of the index of properties are read, and no entity.
  package func coverage(
    of feed: Int, orOfNone includesOthers: Bool
  ) throws(CatalogueError) -> Coverage {
    guard let type = try properties.number(of: "type") else { return Coverage() }
    // The type of the entity of each key, 0 if there is none: keys are dense.
    let types = EntityType.allCases
    var kinds = [UInt8](repeating: 0, count: Int(try entities.lastKey()) + 1)
    try connection.forEachRow(
      "SELECT \(KeyAndType.list) FROM properties WHERE property = ? AND place = 0",
      [.integer(type)]
    ) { row in
      let key = row.integer(KeyAndType.entity)
      guard kinds.indices.contains(key),
        let index = types.firstIndex(where: { $0.rawValue == row.text(KeyAndType.value) })
      else { return }
      kinds[key] = UInt8(index + 1)
    }
    try leaveOut(notOf: feed, orOfNone: includesOthers, from: &kinds)
    var coverage = Coverage()
    for field in CoverageField.allCases {
      var counts = [Int](repeating: 0, count: types.count + 1)
      try forEachKey(having: field, among: kinds) { key in
        if kinds.indices.contains(key) { counts[Int(kinds[key])] += 1 }
      }
      for (index, type) in types.enumerated() where counts[index + 1] > 0 {
        coverage[type, field] = counts[index + 1]
      }
    }
    return coverage
  }

  /// Forgets the entities of other feeds.
  private func leaveOut(
    notOf feed: Int, orOfNone includesOthers: Bool, from kinds: inout [UInt8]
  ) throws(CatalogueError) {
    var isOfFeed = [Bool](repeating: includesOthers, count: kinds.count)
    try feeds.forEach { key, number throws(CatalogueError) in
      if isOfFeed.indices.contains(key) { isOfFeed[key] = number == feed }
    }
    for key in kinds.indices where !isOfFeed[key] { kinds[key] = 0 }
  }

  /// Calls `body` once with the key of each entity that has a field.
  private func forEachKey(
    having field: CoverageField, among kinds: [UInt8], _ body: (Int) -> Void
  ) throws(CatalogueError) {
    switch field {
    case .entities:
      for key in kinds.indices where kinds[key] > 0 { body(key) }
    case .signature:
      try connection.forEachRow("SELECT DISTINCT entity FROM images", isScan: true) {
        body($0.onlyInteger)
      }
    default:
      var numbers: [Int] = []
      for name in Self.properties(of: field) {
        if let number = try properties.number(of: name) { numbers.append(number) }
      }
      guard !numbers.isEmpty else { return }
      let marks = numbers.map { _ in "?" }.joined(separator: ", ")
      // One property has each entity once at the first place. Several may have it several times.
      try connection.forEachRow(
        "SELECT \(numbers.count > 1 ? "DISTINCT " : "")entity FROM properties "
          + "WHERE property IN (\(marks)) AND place = 0", numbers.map(SQLiteValue.integer)
      ) { body($0.onlyInteger) }
    }
  }
}
