/// The statements about answers in PostgreSQL, which copies take into their files of statements.
///
/// A statement is never changed: an accepted one is another row of the same number. Each row, and each
/// change of any row, has a random token, since numbers are given again if a standby that was behind
/// is promoted.
struct PostgresFeedback {
  /// The state that all statements together have.
  struct State {
    /// The number of changes so far.
    let version: Int
    /// The random name of the last change.
    let token: String
    /// The largest number of a statement that was ever given.
    let lastNumber: Int
    /// True if the server is a standby, which may be behind.
    let isStandby: Bool
  }

  private let connection: PostgresConnection

  /// The columns of a row, in the order in which copies read and send them.
  enum Column: Int, PostgresColumns {
    case number, token, state, time, author, labels, signature, chosen, rejected, image
  }

  private enum StateColumn: Int, PostgresColumns {
    case version, token, lastNumber, isStandby

    static let list = "version, token, last_number, pg_is_in_recovery()"
  }

  /// Prepares the exchange of statements, and checks that this build can use the tables.
  init(_ connection: PostgresConnection) throws(CatalogueError) {
    try PostgresSchema.check(connection)
    self.connection = connection
  }

  private func state() throws(CatalogueError) -> State {
    let row = try connection.run(
      "select \(StateColumn.list) from vq.feedback"
    ).first
    guard let row else { return State(version: 0, token: "", lastNumber: 0, isStandby: false) }
    return State(
      version: row.integer(StateColumn.version), token: row.text(StateColumn.token),
      lastNumber: row.integer(StateColumn.lastNumber),
      isStandby: row.integer(StateColumn.isStandby) == 1)
  }

  // MARK: Following

  /// Brings the statements of a copy up to date. A copy without any has no file.
  static func follow(
    _ connection: PostgresConnection, _ directory: String
  ) throws(CatalogueError) {
    let feedback = try PostgresFeedback(connection)
    let newest = try feedback.state()
    if newest.version == 0, !FileStatus.exists(directory + "/" + KeptFeedback.fileName) { return }
    let copy = try FeedbackCopy(try KeptFeedback.connect(directory))
    if try copy.state()?.token == newest.token { return }
    try copy.transaction { () throws(CatalogueError) in
      try connection.transaction(PostgresFollower.snapshot) { () throws(CatalogueError) in
        try feedback.take(into: copy)
      }
    }
  }

  /// Takes what a copy lacks, in a transaction of both sides.
  func take(into copy: FeedbackCopy) throws(CatalogueError) {
    let (newest, own) = (try state(), try copy.state())
    if newest.token == own?.token { return }
    // A standby may be behind this copy, and a copy never goes back to an earlier state.
    if newest.isStandby, let own, newest.version < own.version { return }
    var tokens: [Int: String] = [:]
    try connection.copyOut(
      "copy (select number, token from vq.statement) to stdout (format binary)"
    ) { tokens[$0.integer(Column.number)] = $0.text(Column.token) }
    let missing = try copy.keep(tokens).map(String.init)
    if !missing.isEmpty {
      try connection.copyOut(
        """
        copy (select \(Column.list) from vq.statement \
        where number in (\(missing.joined(separator: ",")))) to stdout (format binary)
        """
      ) { row throws(CatalogueError) in try copy.insert(row) }
    }
    try copy.setState(newest)
  }

  // MARK: Changing

  /// Takes the lock of changes until the end of the transaction.
  func lock() throws(CatalogueError) {
    // If this process ends, the server notices within two seconds.
    try connection.run("set local client_connection_check_interval = 2000")
    try connection.run("set local lock_timeout = 5000")
    try connection.run(
      "select pg_advisory_xact_lock($1)", [.integer(PostgresSchema.Lock.feedback.key)])
  }

  /// Makes statements what they are in a copy, or removes them.
  func put(_ numbers: [Int], from copy: FeedbackCopy) throws(CatalogueError) {
    let condition = "number in (\(numbers.map(String.init).joined(separator: ",")))"
    try connection.run("delete from vq.statement where \(condition)")
    try send(condition, from: copy)
  }

  private func send(_ condition: String, from copy: FeedbackCopy) throws(CatalogueError) {
    try connection.copyIn("copy vq.statement(\(Column.list)) from stdin (format binary)") {
      put throws(CatalogueError) in
      try copy.forEachRow(condition, put)
    }
    try connection.run(
      """
      update vq.feedback
      set version = version + 1, token = $1, last_number = greatest(last_number, $2)
      """, [.text(PostgresGeneration.newToken()), .integer(try copy.lastNumber())])
    try connection.run("select pg_notify('vq_generation', 'feedback')")
    try copy.setState(try state())
  }

  // MARK: Moving a catalogue

  /// Sends the statements of an index of its own, which stays as it is.
  static func send(
    of directory: String, to connection: PostgresConnection
  ) throws(CatalogueError) {
    guard FileStatus.exists(directory + "/" + KeptFeedback.fileName) else { return }
    let file = try KeptFeedback.connect(directory)
    let feedback = try PostgresFeedback(connection)
    try file.execute("BEGIN IMMEDIATE")
    defer { try? file.execute("ROLLBACK") }
    try connection.run("delete from vq.statement")
    try feedback.send("true", from: try FeedbackCopy(file))
  }

  /// Takes the statements into an index of its own.
  static func take(
    from connection: PostgresConnection, into directory: String
  ) throws(CatalogueError) {
    let feedback = try PostgresFeedback(connection)
    guard try feedback.state().version > 0 else { return }
    let copy = try FeedbackCopy(try KeptFeedback.connect(directory))
    try copy.transaction { () throws(CatalogueError) in try feedback.take(into: copy) }
    try copy.forgetOrigin()
  }
}
