/// The table `keptValues`: the entities that have old values, since the last row of theirs lacked them and too many other
/// rows did, too.
package struct KeptTable {
  let connection: CatalogueConnection

  /// What is kept of an entity.
  package struct Mark: Sendable, Hashable {
    /// The fields whose old values are kept.
    package let fields: CoverageFields
    /// The JSON form of the entity as its row has it, which takes the place of the stored one once the loss is accepted.
    package let json: String
    /// The hash of that row, or `nil` if it is not to be recognized.
    package let rowHash: Int?

    package init(fields: CoverageFields, json: String, rowHash: Int?) {
      self.fields = fields
      self.json = json
      self.rowHash = rowHash
    }
  }

  /// Returns whether anything is kept. A catalogue that an earlier version wrote has no table.
  package func hasAny() throws(CatalogueError) -> Bool {
    guard try exists() else { return false }
    return try connection.first("SELECT 1 FROM keptValues WHERE entity > 0 LIMIT 1") { _ in true }
      ?? false
  }

  private func exists() throws(CatalogueError) -> Bool {
    try connection.first(
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'keptValues'"
    ) { _ in true } ?? false
  }

  private enum Column: Int, SQLiteColumns { case fields, json, rowHash }

  /// Returns what is kept of an entity.
  package func mark(of key: UInt32) throws(CatalogueError) -> Mark? {
    try connection.first(
      "SELECT \(Column.list) FROM keptValues WHERE entity = ?", [.integer(Int(key))]
    ) { row in
      Mark(
        fields: CoverageFields(rawValue: row.integer(Column.fields)),
        json: row.text(Column.json),
        rowHash: row.isNull(Column.rowHash) ? nil : row.integer(Column.rowHash))
    }
  }

  private enum Owned: Int, SQLiteColumns { case type, id, fields, feed }

  /// Returns the entities with kept values and the numbers of their feeds, in the order of their keys.
  package func all() throws(CatalogueError) -> [(id: EntityID, fields: CoverageFields, feed: Int?)]
  {
    guard try exists() else { return [] }
    return try connection.rows(
      """
      SELECT \(Owned.list) FROM keptValues JOIN entities ON key = entity LEFT JOIN entityFeeds USING(entity)
      ORDER BY entity
      """, isScan: true
    ) { row in
      EntityType(rawValue: row.text(Owned.type)).map {
        (
          EntityID(type: $0, value: row.text(Owned.id)),
          CoverageFields(rawValue: row.integer(Owned.fields)),
          row.isNull(Owned.feed) ? nil : row.integer(Owned.feed)
        )
      }
    }
  }

  /// Returns the number of entities of each type that have an old value of each field.
  ///
  /// - Parameter isCounted: Returns whether an entity counts, by its id and the number of its feed.
  package func counts(
    of isCounted: (EntityID, Int?) -> Bool
  ) throws(CatalogueError) -> Coverage {
    var counts = Coverage()
    for (id, fields, feed) in try all() where isCounted(id, feed) {
      for field in fields.fields { counts[id.type, field] += 1 }
    }
    return counts
  }

  // MARK: Writing

  /// Replaces what is kept of an entity; `nil` for nothing.
  package func set(_ mark: Mark?, of key: Int) throws(CatalogueError) {
    guard let mark else {
      try connection.statement("DELETE FROM keptValues WHERE entity = ?").bind(.integer(key)).run()
      return
    }
    try connection.statement("INSERT OR REPLACE INTO keptValues VALUES(?, ?, ?, ?)").bind(
      .integer(key), .integer(mark.fields.rawValue), .text(mark.json),
      mark.rowHash.map(SQLiteValue.integer) ?? .null
    ).run()
  }
}
