/// The tables `segments` and `deadRows`: the files with signatures, and their rows that no image has any more.
package struct SegmentList {
  let connection: CatalogueConnection

  /// A segment file that is part of the generation.
  package struct Record: Sendable, Hashable {
    package let id: Int
    package let file: String
    package let type: EntityType
    package let rows: Int
    package let byteCount: Int

    package init(id: Int, file: String, type: EntityType, rows: Int, byteCount: Int) {
      self.id = id
      self.file = file
      self.type = type
      self.rows = rows
      self.byteCount = byteCount
    }

    /// The beginning of the name of a file that has no signatures.
    package static let headPrefix = "head-"

    /// The name of the segment in PostgreSQL, which is that of a file with signatures.
    var name: String {
      file.hasPrefix(Self.headPrefix) ? String(file.dropFirst(Self.headPrefix.count)) : file
    }
  }

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
        $0.onlyInteger
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

  /// Adds a segment with the number that another catalogue has given to it, or replaces the one that has it.
  ///
  /// - Parameter generation: The generation in which it came.
  package func put(_ record: Record, generation: Int) throws(CatalogueError) {
    try connection.statement("INSERT OR REPLACE INTO segments VALUES(?, ?, ?, ?, ?, ?)").bind(
      .integer(record.id), .text(record.file), .text(record.type.rawValue),
      .integer(record.rows), .integer(record.byteCount), .integer(generation)
    ).run()
  }

  /// Marks the row of a segment as dead.
  package func addDeadRow(_ row: Int, of segment: Int) throws(CatalogueError) {
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
