/// The tables `labels` and `labelFrequencies`: the normalized labels of entities, and how many have each.
package struct LabelTable {
  let connection: CatalogueConnection

  private enum LabelAndWords: Int, SQLiteColumns { case label, words }
  private enum Frequency: Int, SQLiteColumns { case label, frequency }

  /// Returns the normalized labels of some entities, as ``LabelText/indexed(_:)`` does.
  package func labels(ofKeys keys: [UInt32]) throws(CatalogueError) -> [UInt32: [String: Int]] {
    var labels: [UInt32: [String: Int]] = [:]
    for key in keys {
      try connection.forEachRow(Self.ofKey, [.integer(Int(key))]) { row in
        labels[key, default: [:]][row.text(LabelAndWords.label)] = row.integer(LabelAndWords.words)
      }
    }
    return labels
  }

  private static let ofKey = "SELECT \(LabelAndWords.list) FROM labels WHERE entity = ?"

  /// Returns the number of entities for each of some normalized labels, 0 for unknown ones.
  func frequencies(of labels: [String]) throws(CatalogueError) -> [String: Int] {
    var frequencies: [String: Int] = [:]
    for label in labels {
      let frequency = try connection.first(
        "SELECT frequency FROM labelFrequencies WHERE label = ?", [.text(label)]
      ) { $0.onlyInteger }
      frequencies[label] = frequency ?? 0
    }
    return frequencies
  }

  /// Returns all labels with their numbers of entities, the most frequent first.
  func all() throws(CatalogueError) -> [(label: String, frequency: Int)] {
    try connection.rows(
      """
      SELECT \(Frequency.list) FROM labelFrequencies WHERE frequency > 0
      ORDER BY frequency DESC, label
      """, isScan: true
    ) { ($0.text(Frequency.label), $0.integer(Frequency.frequency)) }
  }

  /// Inserts the keys in a range that have a normalized label.
  ///
  /// - Complexity: O(log *n* + number of keys).
  func insertKeys(
    with label: String, in range: Range<UInt32>, into keys: inout KeySet
  ) throws(CatalogueError) {
    let types = EntityType.allCases.map { SQLiteValue.text($0.rawValue) }
    let marks = types.map { _ in "?" }.joined(separator: ", ")
    // Naming all types lets SQLite use the whole primary key instead of scanning.
    try connection.forEachRow(
      "SELECT entity FROM labels WHERE label = ? AND type IN (\(marks)) AND entity >= ? AND entity < ?",
      [.text(label)] + types
        + [.integer(Int(range.lowerBound)), .integer(Int(range.upperBound))]
    ) { row in keys.insert(UInt32(clamping: row.onlyInteger)) }
  }

  /// Returns the first keys of a type after a key, in ascending order, that have a normalized
  /// label.
  func keys(
    with label: String, type: EntityType, after key: UInt32, limit: Int
  ) throws(CatalogueError) -> [UInt32] {
    try connection.rows(
      """
      SELECT entity FROM labels WHERE label = ? AND type = ? AND entity > ?
      ORDER BY entity LIMIT ?
      """, [.text(label), .text(type.rawValue), .integer(Int(key)), .integer(limit)]
    ) { UInt32(clamping: $0.onlyInteger) }
  }

  // MARK: Writing

  /// Adds the labels of an entity.
  func insert(_ value: EntityValue, key: Int) throws(CatalogueError) {
    for (label, words) in LabelText.indexed(value.labels).sorted(by: { $0.key < $1.key }) {
      try connection.statement("INSERT INTO labels VALUES(?, ?, ?, ?)")
        .bind(.text(label), .text(value.id.type.rawValue), .integer(key), .integer(words)).run()
    }
  }

  /// Removes the labels of an entity.
  func remove(key: Int) throws(CatalogueError) {
    try connection.statement("DELETE FROM labels WHERE entity = ?").bind(.integer(key)).run()
  }
}
