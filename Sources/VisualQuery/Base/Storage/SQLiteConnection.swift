internal import CSQLite
internal import PixelMatch

/// A connection to an SQLite file. Only this type and ``SQLiteStatement`` call the C library.
///
/// Not `Sendable`: protect a shared connection with a mutex.
@safe package final class SQLiteConnection<Failure: StorageFailure> {
  private let handle: OpaquePointer
  private let path: String
  /// The shared memory of the file's write-ahead log, which exists as long as the connection.
  private let sharedMemory: OpaquePointer?
  private var statements: [String: SQLiteStatement<Failure>] = [:]
  private let stopSign = StopSign()
  /// True if the file was opened as immutable: without locks, so that changes by a writer go unnoticed.
  package let isImmutable: Bool
  /// True if statements must not read a whole table that grows with the catalogue.
  private let refusesScans: Bool
  /// True if the file was opened for writing.
  private let isWriting: Bool

  /// The number of steps of SQLite's virtual machine between two calls of `shouldStop`: some 20
  /// microseconds.
  private static var stepsBetweenLooks: Int32 { 1000 }

  package init(path: String, mode: SQLiteMode, refusesScans: Bool = false) throws(Failure) {
    var handle: OpaquePointer?
    let name = mode == .immutable ? "file:\(Self.escaped(path))?immutable=1" : path
    let flags =
      switch mode {
      case .read: SQLITE_OPEN_READONLY
      case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      case .write: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    // SQLite creates the log with the permissions of this file.
    let refusal = mode == .write && path != ":memory:" ? PrivateFile.prepare(path) : nil
    // Sound: SQLite's own mutex is not required, since one thread at a time uses a connection.
    let code = unsafe sqlite3_open_v2(
      FileName.systemName(name), &handle, flags | SQLITE_OPEN_NOMUTEX, csqlite_guarded_vfs())
    guard code == SQLITE_OK, let opened = unsafe handle else {
      // SQLite tries to read what it cannot create, and has then the reason of that.
      let number = unsafe refusal ?? handle.map { unsafe sqlite3_system_errno($0) } ?? 0
      unsafe sqlite3_close_v2(handle)
      let reason = number == 0 ? "cannot open" : systemMessage(number)
      throw Failure(StorageError(sqlite: code, reason, path, number: number))
    }
    unsafe self.handle = opened
    self.path = path
    unsafe sharedMemory = csqlite_shared_memory(opened)
    isImmutable = mode == .immutable
    isWriting = mode == .write
    self.refusesScans = refusesScans
    unsafe sqlite3_busy_timeout(opened, 2000)
    // Sound: SQLite calls back only while one of this connection's statements runs, and the
    // connection outlives its statements.
    unsafe sqlite3_progress_handler(
      opened, Self.stepsBetweenLooks,
      { sign in
        guard let sign = unsafe sign else { return 0 }
        return unsafe Unmanaged<StopSign>.fromOpaque(sign).takeUnretainedValue()
          .shouldStop?() == true ? 1 : 0
      }, Unmanaged.passUnretained(stopSign).toOpaque())
  }

  /// Calls `body`, whose statements fail with the code `interrupted` once `shouldStop` returns
  /// `true`. The values read so far stay valid, and the connection can be used again.
  package func stopping<Result>(
    when shouldStop: @escaping @Sendable () -> Bool,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    stopSign.shouldStop = shouldStop
    defer { stopSign.shouldStop = nil }
    return try body()
  }

  deinit {
    statements = [:]
    unsafe sqlite3_close_v2(handle)
  }

  /// Opens a file for reading, also in a directory that is not writable or on a full disk, which have no place for
  /// SQLite's shared memory.
  ///
  /// - Parameter begin: SQL that is run first and that reads from the file.
  package convenience init(
    reading path: String, refusesScans: Bool = false,
    begin: String = "SELECT 1 FROM sqlite_schema LIMIT 1"
  ) throws(Failure) {
    do throws(Failure) {
      try self.init(path: path, mode: .read, refusesScans: refusesScans)
      try execute(begin)
    } catch
    // The first attempt may have made an empty log.
      where (error.isRefusedAccess || error.isFullDisk)
      && FileStatus(path + "-wal")?.byteCount ?? 0 == 0
    {
      try self.init(path: path, mode: .immutable, refusesScans: refusesScans)
      try execute(begin)
    }
  }

  /// Runs SQL that returns no rows; it may consist of several statements.
  package func execute(_ sql: String) throws(Failure) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw failure(code) }
    try checkReads()
  }

  /// Writes the contents to another file, completely or not at all.
  package func copy(to path: String) throws(Failure) {
    PrivateFile.prepare(path)
    try statement("VACUUM INTO ?").bind(.text(path)).run()
  }

  /// Makes the file as small as its contents, and empties its log.
  package func shrink() throws(Failure) {
    try execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Attaches another file while `body` runs.
  package func attaching(
    _ path: String, as name: String, _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    try statement("ATTACH ? AS \(name)").bind(.text(path)).run()
    do throws(Failure) {
      try body()
    } catch {
      try? execute("DETACH \(name)")
      throw error
    }
    try execute("DETACH \(name)")
  }

  /// Checks that everything read so far came from intact shared memory.
  ///
  /// - Throws: A failure if another program has truncated it; the connection is then unusable.
  func checkReads() throws(Failure) {
    if let memory = unsafe sharedMemory, unsafe csqlite_is_damaged(memory) {
      throw truncatedSharedMemory
    }
  }

  /// Checks that the file of the shared memory is as long as its mapping.
  ///
  /// - Throws: A failure if another program has truncated it, even if no read has noticed.
  package func checkSharedMemory() throws(Failure) {
    if let memory = unsafe sharedMemory, unsafe csqlite_is_truncated(memory) {
      throw truncatedSharedMemory
    }
  }

  private var truncatedSharedMemory: Failure {
    Failure(
      StorageError(
        code: .truncated, path: path + "-shm",
        message: "'\(path)-shm' was truncated by another program while in use; try again"))
  }

  /// Returns the value that `read` makes of a query's first row, or `nil` if the query has no rows.
  ///
  /// - Parameters:
  ///   - values: The values of the parameters, in their order.
  ///   - isScan: True if the query may read whole tables even if the connection refuses that.
  ///   - read: Reads the row. It must not run the same query.
  package func first<Value>(
    _ sql: String, _ values: [SQLiteValue] = [], isScan: Bool = false,
    read: (SQLiteStatement<Failure>) throws(Failure) -> Value
  ) throws(Failure) -> Value? {
    let statement = try statement(sql, isScan: isScan)
    defer { statement.reset() }
    guard try statement.bind(values).step() else { return nil }
    let value = try read(statement)
    // A long column is only read on demand, after the check of the step.
    try checkReads()
    return value
  }

  /// Returns the values that `read` makes of a query's rows, without the rows for which it returns
  /// `nil`.
  ///
  /// - Parameters:
  ///   - values: The values of the parameters, in their order.
  ///   - isScan: True if the query may read whole tables even if the connection refuses that.
  ///   - read: Reads a row. It must not run the same query.
  package func rows<Value>(
    _ sql: String, _ values: [SQLiteValue] = [], isScan: Bool = false,
    read: (SQLiteStatement<Failure>) throws(Failure) -> Value?
  ) throws(Failure) -> [Value] {
    var rows: [Value] = []
    try forEachRow(sql, values, isScan: isScan) { row throws(Failure) in
      if let value = try read(row) { rows.append(value) }
    }
    return rows
  }

  /// Calls `body` with each row of a query.
  ///
  /// - Parameters:
  ///   - values: The values of the parameters, in their order.
  ///   - isScan: True if the query may read whole tables even if the connection refuses that.
  ///   - body: Reads a row. It must not run the same query.
  package func forEachRow(
    _ sql: String, _ values: [SQLiteValue] = [], isScan: Bool = false,
    _ body: (SQLiteStatement<Failure>) throws(Failure) -> Void
  ) throws(Failure) {
    let statement = try statement(sql, isScan: isScan)
    defer { statement.reset() }
    try statement.bind(values)
    while try statement.step() { try body(statement) }
  }

  /// Returns a statement, which is prepared at its first use and then cached. It must not be used
  /// within its own rows.
  ///
  /// - Parameter isScan: True if the statement may read whole tables even if the connection refuses
  ///   that.
  package func statement(_ sql: String, isScan: Bool = false) throws(Failure) -> SQLiteStatement<
    Failure
  > {
    if let statement = statements[sql] {
      assert(!statement.isRunning, "'\(sql)' is used within its own rows")
      statement.reset()
      return statement
    }
    let statement = try prepared(sql)
    // Only in debug builds, so that a test fails if it reaches such a statement.
    assert(
      !refusesScans || isScan || (try? scans(of: sql)) == [], "'\(sql)' reads a whole table")
    statements[sql] = statement
    return statement
  }

  /// The SQL of all cached statements.
  package var preparedSQL: [String] { statements.keys.sorted() }

  /// Returns the steps of a statement's plan that read a whole table that grows with the catalogue.
  func scans(of sql: String) throws(Failure) -> [String] {
    let plan = try prepared("EXPLAIN QUERY PLAN " + sql)
    var scans: [String] = []
    while try plan.step() {
      let step = plan.text(3)
      let words = step.split(separator: " ")
      guard words.count > 1, words[0] == "SCAN" else { continue }
      // Skips full-text queries, whose plan contains an `M`: they use their index.
      if step.contains("VIRTUAL TABLE INDEX"), words.last?.contains("M") == true { continue }
      if !boundedTables.contains(String(words[1])) { scans.append(step) }
    }
    return scans
  }

  private func prepared(_ sql: String) throws(Failure) -> SQLiteStatement<Failure> {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared = unsafe prepared else { throw failure(code) }
    return unsafe SQLiteStatement<Failure>(prepared, of: self)
  }

  /// The row id of the last inserted row.
  package var lastInsertedRow: Int { unsafe Int(sqlite3_last_insert_rowid(handle)) }

  /// The number of rows that the last `INSERT`, `UPDATE` or `DELETE` changed.
  package var changedRowCount: Int { unsafe Int(sqlite3_changes(handle)) }

  /// Returns the failure of the last call, which returned `code`.
  func failure(_ code: Int32) -> Failure {
    if let memory = unsafe sharedMemory, unsafe csqlite_is_truncated(memory) {
      return truncatedSharedMemory
    }
    var message = unsafe String(cString: sqlite3_errmsg(handle))
    let isRefusedWrite =
      code & 0xFF == SQLITE_READONLY || (code & 0xFF == SQLITE_CANTOPEN && isWriting)
    if isRefusedWrite, let reason = PrivateFile.refusal(ofWriting: path) {
      message = systemMessage(reason)
    }
    return Failure(
      StorageError(
        sqlite: code, message, path, number: unsafe sqlite3_system_errno(handle)))
  }

  /// Returns a path as part of a URI: all bytes except ASCII letters and digits, `/`, `-`, `.`, `_`
  /// and `~` as `%` and two digits (<https://www.sqlite.org/uri.html>, 3.1).
  private static func escaped(_ path: String) -> String {
    FileName.bytes(path).map { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "~"):
        String(UnicodeScalar(byte))
      default: (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}

/// The holder of the function that tells a running statement whether to stop.
private final class StopSign {
  var shouldStop: (@Sendable () -> Bool)?
}

/// The mode in which an SQLite file is opened.
package enum SQLiteMode {
  /// For reading only, without waiting for a writer.
  case read
  /// For reading a file that no process writes, in a directory that is not writable.
  case immutable
  /// For reading and writing; created if it does not exist.
  case write
}

/// Tables that do not grow with the number of entities.
private let boundedTables: Set<String> = [
  "state", "settings", "segments", "deadRows", "sqlite_master", "CONSTANT",
]
