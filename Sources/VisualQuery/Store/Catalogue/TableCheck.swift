/// The search for damage in the file of a catalogue, and for contradictions between its tables.
package struct TableCheck {
  private let connection: CatalogueConnection

  package init(_ database: CatalogueDatabase) { connection = database.connection }

  /// Returns the damage that SQLite finds in the file, and the contradictions between its tables.
  package func findings() throws(CatalogueError) -> [String] {
    var found = try connection.rows("PRAGMA integrity_check(20)") { row in
      row.onlyText == "ok" ? nil : row.onlyText
    }
    found += try connection.rows("PRAGMA foreign_key_check") { row in
      "a row of '\(row.text(ForeignKey.table))' refers to a missing row of '\(row.text(ForeignKey.parent))'"
    }
    for (name, column, query) in Self.storedCounts {
      found += try connection.rows("SELECT \(column), (\(query)) FROM state") { row in
        let (stored, actual) = (row.integer(Count.stored), row.integer(Count.actual))
        return stored == actual ? nil : "\(name) is stored as \(stored) but is \(actual)"
      }
    }
    for (query, fault) in Self.faultCounts {
      let count = try connection.first(query) { $0.onlyInteger } ?? 0
      if count > 0 { found.append("\(count) \(fault)") }
    }
    return found
  }

  private enum ForeignKey: Int, SQLiteColumns { case table, rowid, parent }
  private enum Count: Int, SQLiteColumns { case stored, actual }

  /// The counts in `state`: their names, their columns, and the queries that recount them.
  private static let storedCounts = [
    (
      "the number of products", "productCount",
      "SELECT count(*) FROM entities WHERE type = 'product'"
    ),
    ("the number of stores", "storeCount", "SELECT count(*) FROM entities WHERE type = 'store'"),
    ("the number of images", "imageCount", "SELECT count(*) FROM images"),
  ]

  /// Queries that count errors, 0 in an intact catalogue, with the words that follow the count.
  private static let faultCounts = [
    (
      """
      SELECT count(*) FROM labelFrequencies f WHERE frequency !=
        (SELECT count(*) FROM labels l WHERE l.label = f.label)
      """, "labels have a wrong count"
    ),
    (
      "SELECT count(*) FROM entities WHERE key NOT IN (SELECT rowid FROM entityText)",
      "entities are missing from the full-text index"
    ),
    (
      """
      SELECT count(*) FROM places
      WHERE latitude NOT BETWEEN -90 AND 90 OR longitude NOT BETWEEN -180 AND 180
      """, "stores have a location that is out of range"
    ),
    (
      """
      SELECT
        (SELECT count(*) FROM entities WHERE key NOT IN (SELECT entity FROM properties
          WHERE property = (SELECT number FROM propertyNames WHERE name = 'id')))
        + (SELECT count(*) FROM properties WHERE entity NOT IN (SELECT key FROM entities))
      """, "properties are missing or belong to no entity"
    ),
  ]
}
