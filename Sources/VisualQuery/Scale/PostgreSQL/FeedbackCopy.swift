/// The file of statements of a copy, with what is known of their origin in PostgreSQL.
struct FeedbackCopy {
  private let connection: CatalogueConnection

  init(_ connection: CatalogueConnection) throws(CatalogueError) {
    self.connection = connection
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS originState(version INTEGER NOT NULL, token TEXT NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS originTokens(
        number INTEGER PRIMARY KEY, token TEXT NOT NULL) STRICT;
      """)
  }

  /// Forgets where the statements come from, so that they belong to an index of its own.
  func forgetOrigin() throws(CatalogueError) {
    try connection.execute("DROP TABLE originState; DROP TABLE originTokens")
  }

  /// Runs `body` in a transaction, which is rolled back if it throws.
  func transaction(_ body: () throws(CatalogueError) -> Void) throws(CatalogueError) {
    try connection.execute("BEGIN IMMEDIATE")
    do throws(CatalogueError) {
      try body()
      try connection.execute("COMMIT")
    } catch {
      try? connection.execute("ROLLBACK")
      throw error
    }
  }

  // MARK: Following

  private enum StateColumn: Int, SQLiteColumns { case version, token }

  private enum OwnColumn: Int, SQLiteColumns {
    case number, token

    static let list = "statements.number, token"
  }

  private enum Column: Int, SQLiteColumns {
    case number, state, time, author, labels, signature, chosen, rejected, image
  }

  /// The last change that the copy has, or `nil` if it has none.
  func state() throws(CatalogueError) -> (version: Int, token: String)? {
    try connection.first("SELECT \(StateColumn.list) FROM originState") {
      ($0.integer(StateColumn.version), $0.text(StateColumn.token))
    }
  }

  func setState(_ state: PostgresFeedback.State) throws(CatalogueError) {
    try connection.execute("DELETE FROM originState")
    try connection.statement("INSERT INTO originState VALUES(?, ?)").bind(
      .integer(state.version), .text(state.token)
    ).run()
    try connection.execute("DELETE FROM sqlite_sequence WHERE name = 'statements'")
    try connection.statement("INSERT INTO sqlite_sequence(name, seq) VALUES('statements', ?)").bind(
      .integer(state.lastNumber)
    ).run()
  }

  /// Removes the statements that are not among those of some tokens.
  ///
  /// - Returns: The numbers of the statements that are missing, in their order.
  func keep(_ tokens: [Int: String]) throws(CatalogueError) -> [Int] {
    var missing = Set(tokens.keys)
    let own = try connection.rows(
      "SELECT \(OwnColumn.list) FROM statements LEFT JOIN originTokens USING (number)"
    ) {
      ($0.integer(OwnColumn.number), $0.isNull(OwnColumn.token) ? nil : $0.text(OwnColumn.token))
    }
    for (number, token) in own {
      if let token, token == tokens[number] {
        missing.remove(number)
      } else {
        try connection.statement("DELETE FROM statements WHERE number = ?").bind(.integer(number))
          .run()
      }
    }
    try connection.execute(
      "DELETE FROM originTokens WHERE number NOT IN (SELECT number FROM statements)")
    return missing.sorted()
  }

  /// Adds a row of PostgreSQL.
  func insert(_ row: PostgresRow) throws(CatalogueError) {
    typealias Sent = PostgresFeedback.Column
    func text(_ column: Sent) -> SQLiteValue {
      row.isNull(column) ? .null : .text(row.text(column))
    }
    let number = row.integer(Sent.number)
    try connection.statement("INSERT INTO statements VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)").bind(
      .integer(number), text(.state), .integer(row.integer(Sent.time)), text(.author),
      text(.labels), .blob(row.bytes(Sent.signature)), text(.chosen), text(.rejected),
      row.isNull(Sent.image) ? .null : .blob(row.bytes(Sent.image))
    ).run()
    try setToken(row.text(Sent.token), of: number)
  }

  private func setToken(_ token: String, of number: Int) throws(CatalogueError) {
    try connection.statement("INSERT OR REPLACE INTO originTokens VALUES(?, ?)").bind(
      .integer(number), .text(token)
    ).run()
  }

  // MARK: Changing

  /// The largest number of a statement that was ever given.
  func lastNumber() throws(CatalogueError) -> Int {
    try connection.first("SELECT seq FROM sqlite_sequence WHERE name = 'statements'") {
      $0.onlyInteger
    } ?? 0
  }

  /// Calls `body` with the rows that a condition selects, as PostgreSQL takes them, each with a new token.
  func forEachRow(
    _ condition: String, _ body: ([PostgresValue]) throws(CatalogueError) -> Void
  ) throws(CatalogueError) {
    try connection.forEachRow(
      """
      SELECT \(Column.list)
      FROM statements WHERE \(condition) ORDER BY number
      """
    ) { row throws(CatalogueError) in
      func text(_ column: Column) -> PostgresValue {
        row.isNull(column) ? .null : .text(row.text(column))
      }
      let token = PostgresGeneration.newToken()
      try body([
        .integer(row.integer(Column.number)), .text(token), text(.state),
        .integer(row.integer(Column.time)), text(.author), text(.labels),
        .bytes(row.blob(Column.signature)), text(.chosen), text(.rejected),
        row.isNull(Column.image) ? .null : .bytes(row.blob(Column.image)),
      ])
      try setToken(token, of: row.integer(Column.number))
    }
  }
}
