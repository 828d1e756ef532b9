/// The tables `segments` and `deadRows`: the files with signatures, and their rows that no image has any more.
package struct SegmentList {
  package typealias Record = CatalogueDatabase.SegmentRecord

  let connection: CatalogueConnection

  private enum Column: Int, SQLiteColumns { case id, file, type, rows, byteCount }
  private enum DeadRow: Int, SQLiteColumns { case segment, row }

  /// Returns the segments of the generation, oldest first.
  package func all() throws(CatalogueError) -> [Record] {
    try connection.rows(
      "SELECT \(Column.list) FROM segments ORDER BY id"
    ) { row throws(CatalogueError) in
      let id = row.integer(Column.id)
      guard let type = EntityType(rawValue: row.text(Column.type)) else {
        throw CatalogueError(
          code: .corrupt, message: "segment \(id) has an unknown type; \(CatalogueError.remedy)")
      }
      return Record(
        id: id, file: row.text(Column.file), type: type, rows: row.integer(Column.rows),
        byteCount: row.integer(Column.byteCount))
    }
  }

  /// Returns the rows of each segment that were replaced after it was written.
  package func deadRows() throws(CatalogueError) -> [Int: [Int]] {
    var dead: [Int: [Int]] = [:]
    try connection.forEachRow(
      "SELECT \(DeadRow.list) FROM deadRows ORDER BY segment, row"
    ) { row in
      dead[row.integer(DeadRow.segment), default: []].append(row.integer(DeadRow.row))
    }
    return dead
  }

  /// Returns the rows of a segment that were replaced after it was written.
  package func deadRows(of id: Int) throws(CatalogueError) -> Set<Int> {
    Set(
      try connection.rows("SELECT row FROM deadRows WHERE segment = ?", [.integer(id)]) {
        $0.integer(0)
      })
  }

  // MARK: Writing

  /// Adds a segment whose file is written and synced.
  ///
  /// - Returns: The number of the segment.
  package func add(
    file: String, type: EntityType, rows: Int, byteCount: Int
  ) throws(CatalogueError) -> Int {
    try connection.statement(
      """
      INSERT INTO segments(file, type, rows, byteCount, generation)
      VALUES(?, ?, ?, ?, (SELECT generation + 1 FROM state))
      """
    ).bind(.text(file), .text(type.rawValue), .integer(rows), .integer(byteCount)).run()
    return connection.lastInsertedRow
  }

  /// Marks the row of a segment as dead.
  func addDeadRow(_ row: Int, of segment: Int) throws(CatalogueError) {
    try connection.statement("INSERT OR IGNORE INTO deadRows VALUES(?, ?)")
      .bind(.integer(segment), .integer(row)).run()
  }

  /// Removes segments that nothing refers to, and their dead rows.
  package func forget(_ ids: [Int]) throws(CatalogueError) {
    for id in ids {
      try connection.statement("DELETE FROM deadRows WHERE segment = ?").bind(.integer(id)).run()
      try connection.statement("DELETE FROM segments WHERE id = ?").bind(.integer(id)).run()
    }
  }
}
