/// Keys of entities by property, label, type and text, read in parts of bounded length.
extension CatalogueDatabase {
  /// The number under which a property's values are stored, or `nil` if no entity has it.
  func propertyNumber(_ name: String) throws(CatalogueError) -> Int? {
    let row = try connection.statement("SELECT number FROM propertyNames WHERE name = ?")
      .bind(.text(name))
    guard try row.step() else { return nil }
    defer { row.reset() }
    return row.integer(0)
  }

  /// Inserts the keys within a range whose values of a property pass a test.
  ///
  /// - Complexity: O(values of the property in the range).
  func insertKeys(
    passing test: (sql: String, values: [SQLiteValue]), property: Int, in range: Range<UInt32>,
    into keys: inout KeySet
  ) throws(CatalogueError) {
    let row = try connection.statement(
      """
      SELECT entity FROM properties
      WHERE property = ? AND entity >= ? AND entity < ? AND (\(test.sql))
      """
    ).bind(
      [.integer(property), .integer(Int(range.lowerBound)), .integer(Int(range.upperBound))]
        + test.values)
    while try row.step() { keys.insert(UInt32(clamping: row.integer(0))) }
  }

  /// The values of a property within a range of keys; of a list the first.
  ///
  /// - Parameter bound: The end of the order that is of no use, with the order; `nil` for none.
  func values(
    ofProperty property: Int, in range: Range<UInt32>,
    upTo bound: (value: SortValue, order: EntitySort.Order)? = nil
  ) throws(CatalogueError) -> [UInt32: SortValue] {
    let test = bound.map { $0.order == .ascending ? " AND value <= ?" : " AND value >= ?" } ?? ""
    let row = try connection.statement(
      """
      SELECT entity, value FROM properties
      WHERE property = ? AND entity >= ? AND entity < ? AND place = 0\(test)
      """
    ).bind(
      [.integer(property), .integer(Int(range.lowerBound)), .integer(Int(range.upperBound))]
        + (bound.map { [$0.value.sqlValue] } ?? []))
    var values: [UInt32: SortValue] = [:]
    while try row.step() { values[UInt32(clamping: row.integer(0))] = SortValue(row.value(1)) }
    return values
  }

  /// The first keys of a type behind a key.
  func keys(
    of type: EntityType, after key: UInt32, limit: Int
  ) throws(CatalogueError) -> [UInt32] {
    let row = try connection.statement(
      "SELECT key FROM entities WHERE type = ? AND key > ? ORDER BY key LIMIT ?"
    ).bind(.text(type.rawValue), .integer(Int(key)), .integer(limit))
    var keys: [UInt32] = []
    while try row.step() { keys.append(UInt32(clamping: row.integer(0))) }
    return keys
  }

  /// The first keys of a type, in their order, that have a normalised label and lie behind a key.
  func keys(
    withLabel label: String, type: EntityType, after key: UInt32, limit: Int
  ) throws(CatalogueError) -> [UInt32] {
    let row = try connection.statement(
      """
      SELECT entity FROM labels WHERE label = ? AND type = ? AND entity > ?
      ORDER BY entity LIMIT ?
      """
    ).bind(.text(label), .text(type.rawValue), .integer(Int(key)), .integer(limit))
    var keys: [UInt32] = []
    while try row.step() { keys.append(UInt32(clamping: row.integer(0))) }
    return keys
  }

  /// The first entities of a type behind an id, in the order of their ids.
  func ids(
    of type: EntityType, after id: String, limit: Int
  ) throws(CatalogueError) -> [(key: UInt32, id: EntityID)] {
    let row = try connection.statement(
      "SELECT key, id FROM entities WHERE type = ? AND id > ? ORDER BY id LIMIT ?"
    ).bind(.text(type.rawValue), .text(id), .integer(limit))
    var ids: [(key: UInt32, id: EntityID)] = []
    while try row.step() {
      ids.append((UInt32(clamping: row.integer(0)), EntityID(type: type, value: row.text(1))))
    }
    return ids
  }

  /// The first keys of a type behind a key that have a rank among suggestions, with the group of each
  /// that has one.
  func suggestions(
    of type: EntityType, rank: Int, after key: UInt32, limit: Int
  ) throws(CatalogueError) -> [(key: UInt32, group: String?)] {
    let row = try connection.statement(
      """
      SELECT key, value FROM entities LEFT JOIN properties
        ON property = (SELECT number FROM propertyNames WHERE name = 'group')
          AND entity = key AND place = 0
      WHERE type = ? AND rank = ? AND key > ? ORDER BY key LIMIT ?
      """
    ).bind(.text(type.rawValue), .integer(rank), .integer(Int(key)), .integer(limit))
    var suggestions: [(key: UInt32, group: String?)] = []
    while try row.step() {
      suggestions.append((UInt32(clamping: row.integer(0)), row.isNull(1) ? nil : row.text(1)))
    }
    return suggestions
  }

  /// An entity that has the words of a text, and how well they fit: the less the better.
  typealias TextHit = (key: UInt32, score: Double)

  /// The first entities, by key, that have all of some words in their texts, the last as the beginning
  /// of a word; scored by BM25 with the title counting most.
  ///
  /// - Parameter excluded: A type that is not asked for, or `nil`.
  func hits(
    ofWords words: [String], excluding excluded: EntityType?, limit: Int
  ) throws(CatalogueError) -> [TextHit] {
    guard let last = words.last else { return [] }
    // Folded words have no quotes in them.
    let query = words.dropLast().map { "\"\($0)\"" } + ["\"\(last)\"*"]
    let condition =
      excluded == nil ? "" : " AND +rowid NOT IN (SELECT key FROM entities WHERE type = ?)"
    let row = try connection.statement(
      """
      SELECT rowid, bm25(entityText, 10, 4, 4, 4, 6) FROM entityText
      WHERE entityText MATCH ?\(condition) LIMIT ?
      """
    ).bind(
      [.text(query.joined(separator: " "))]
        + (excluded.map { [.text($0.rawValue)] } ?? []) + [.integer(limit)])
    var hits: [TextHit] = []
    while try row.step() { hits.append((UInt32(clamping: row.integer(0)), row.number(1))) }
    return hits
  }
}
