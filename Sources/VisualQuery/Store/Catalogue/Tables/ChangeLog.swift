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
        let value = EntityTable.readableEntity(row.text(Column.json))
      {
        return (sequence, .upsert(value))
      }
      return EntityType(rawValue: row.text(Column.type)).map { type in
        (sequence, .removal(EntityID(type: type, value: row.text(Column.id))))
      }
    }
  }

  // MARK: Publication

  /// A change with the row of its entity as it is stored.
  package struct StoredChange {
    package let sequence: Int
    package let type: String
    package let id: String
    /// The key of the entity; `nil` if it was removed.
    package let key: Int?
    package let rowHash: Int?
    package let json: String
  }

  private enum Stored: Int, SQLiteColumns {
    case sequence, type, id, key, rowHash, json

    /// `entities` has a type and an id, too.
    static let list = "sequence, changes.type, changes.id, key, rowHash, json"
  }

  /// Calls `body` with the changes after a sequence number, oldest first.
  package func forEach(
    after sequence: Int, _ body: (StoredChange) throws(CatalogueError) -> Void
  ) throws(CatalogueError) {
    try connection.forEachRow(
      """
      SELECT \(Stored.list) FROM changes LEFT JOIN entities ON key = entity
      WHERE sequence > ? ORDER BY sequence
      """, [.integer(sequence)], isScan: true
    ) { row throws(CatalogueError) in
      try body(
        StoredChange(
          sequence: row.integer(Stored.sequence), type: row.text(Stored.type),
          id: row.text(Stored.id),
          key: row.isNull(Stored.key) ? nil : row.integer(Stored.key),
          rowHash: row.isNull(Stored.rowHash) ? nil : row.integer(Stored.rowHash),
          json: row.text(Stored.json)))
    }
  }

  private enum Image: Int, SQLiteColumns {
    case sequence, position, path, byteCount, modified, contentHash, segment, row
  }

  /// Calls `body` with the images of the entities that changed after a sequence number, in the order of the changes.
  package func forEachImage(
    after sequence: Int,
    _ body: (_ sequence: Int, _ image: ImageTable.Record) throws(CatalogueError) -> Void
  ) throws(CatalogueError) {
    try connection.forEachRow(
      """
      SELECT \(Image.list) FROM changes JOIN images ON images.entity = changes.entity
      WHERE sequence > ? ORDER BY sequence, position
      """, [.integer(sequence)], isScan: true
    ) { row throws(CatalogueError) in
      try body(
        row.integer(Image.sequence),
        ImageTable.Record(
          position: row.integer(Image.position), path: row.text(Image.path),
          byteCount: row.integer(Image.byteCount), modified: row.integer(Image.modified),
          contentHash: row.integer(Image.contentHash), segment: row.integer(Image.segment),
          row: row.integer(Image.row)))
    }
  }

  private enum Picture: Int, SQLiteColumns { case entity, contentHash }

  /// Returns the images of the entities that changed after a sequence number, and of those that got thumbnails since the last
  /// generation, if that is noted.
  package func pictures(
    after sequence: Int, noted: GrowthNotes? = nil
  ) throws(CatalogueError) -> Set<KeptThumbnails.Picture> {
    Set(
      try connection.rows(
        """
        SELECT \(Picture.list) FROM images WHERE entity IN (
          SELECT entity FROM changes WHERE sequence > ? AND entity IS NOT NULL
          \(noted == nil ? "" : "UNION SELECT entity FROM temp.newThumbnails"))
        """, [.integer(sequence)]
      ) { row in
        KeptThumbnails.Picture(
          entity: row.integer(Picture.entity), contentHash: row.integer(Picture.contentHash))
      })
  }

  // MARK: Writing

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
