/// The table `changes`: the last change of each entity, in the order of the changes.
package struct ChangeLog {
  let connection: CatalogueConnection

  /// One change of an entity.
  package enum Change: Sendable {
    case upsert(EntityValue)
    case removal(EntityID)
  }

  private enum Column: Int, SQLiteColumns {
    case sequence, type, id, json

    /// `entities` has a type and an id, too.
    static let list = "sequence, changes.type, changes.id, json"
  }

  /// Returns the changes after a sequence number, oldest first, with only the last change of each
  /// entity. An unreadable entity counts as removed.
  package func changes(
    after sequence: Int, limit: Int
  ) throws(CatalogueError) -> [(sequence: Int, change: Change)] {
    try connection.rows(
      """
      SELECT \(Column.list) FROM changes LEFT JOIN entities ON key = entity
      WHERE sequence > ? ORDER BY sequence LIMIT ?
      """, [.integer(sequence), .integer(limit)]
    ) { row in
      let sequence = row.integer(Column.sequence)
      if !row.isNull(Column.json),
        let value = CatalogueDatabase.readableEntity(row.text(Column.json))
      {
        return (sequence, .upsert(value))
      }
      return EntityType(rawValue: row.text(Column.type)).map { type in
        (sequence, .removal(EntityID(type: type, value: row.text(Column.id))))
      }
    }
  }

  /// Adds an entity to the list of changes, at its end unless `sequence` is given.
  package func note(_ id: EntityID, key: Int?, sequence: Int? = nil) throws(CatalogueError) {
    try connection.statement(
      "INSERT OR REPLACE INTO changes(sequence, type, id, entity) VALUES(?, ?, ?, ?)"
    ).bind(
      sequence.map(SQLiteValue.integer) ?? .null, .text(id.type.rawValue), .text(id.value),
      key.map(SQLiteValue.integer) ?? .null
    ).run()
  }
}
