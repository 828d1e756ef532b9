internal import CSQLite

/// A connection to an SQLite file: the one place that calls the C library.
///
/// Not `Sendable`: whoever shares one puts it behind a mutex.
@safe final class SQLiteConnection {
  private let handle: OpaquePointer
  private let path: String
  /// The shared memory of the file's write-ahead log, which lives as long as the connection.
  private let sharedMemory: OpaquePointer?
  private var statements: [String: SQLiteStatement] = [:]
  /// Asked while a statement runs whether it is to stop.
  private var shouldStop: (@Sendable () -> Bool)?
  /// Whether a statement that reads a whole table that grows with the catalogue is a mistake.
  private let refusesScans: Bool

  /// Steps of SQLite's virtual machine between two questions whether to stop: some 20 microseconds.
  private static let stepsBetweenLooks: Int32 = 1000

  /// How to open a file.
  enum Mode {
    /// To read only; waits for no writer.
    case read
    /// To read a file that nobody writes, in a directory that may not be written.
    case immutable
    /// To read and write; made if it is not there.
    case write
  }

  init(path: String, mode: Mode, refusesScans: Bool = false) throws(CatalogueError) {
    var handle: OpaquePointer?
    let name = mode == .immutable ? "file:\(Self.escaped(path))?immutable=1" : path
    let flags =
      switch mode {
      case .read: SQLITE_OPEN_READONLY
      case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      case .write: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    // Sound: without a mutex of SQLite's own, since one thread at a time uses a connection.
    let code = unsafe sqlite3_open_v2(
      name, &handle, flags | SQLITE_OPEN_NOMUTEX, csqlite_guarded_vfs())
    guard code == SQLITE_OK, let opened = unsafe handle else {
      unsafe sqlite3_close_v2(handle)
      throw Self.error(code, "cannot open", path)
    }
    unsafe self.handle = opened
    self.path = path
    unsafe sharedMemory = csqlite_shared_memory(opened)
    self.refusesScans = refusesScans
    unsafe sqlite3_busy_timeout(opened, 2000)
    // Sound: SQLite calls back only while one of this connection's statements runs, and the
    // connection outlives its statements.
    unsafe sqlite3_progress_handler(
      opened, Self.stepsBetweenLooks,
      { connection in
        guard let connection = unsafe connection else { return 0 }
        return unsafe Unmanaged<SQLiteConnection>.fromOpaque(connection).takeUnretainedValue()
          .shouldStop?() == true ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Calls `body`, whose statements fail with ``CatalogueError/Code/timedOut`` once `shouldStop` says
  /// so. What they have read until then stays valid, and the connection can be used again.
  func stopping<Result>(
    when shouldStop: @escaping @Sendable () -> Bool,
    _ body: () throws(CatalogueError) -> Result
  ) throws(CatalogueError) -> Result {
    self.shouldStop = shouldStop
    defer { self.shouldStop = nil }
    return try body()
  }

  deinit {
    statements = [:]
    unsafe sqlite3_close_v2(handle)
  }

  /// Opens a file to read where a directory may not be written too, which has no place for SQLite's
  /// shared memory.
  convenience init(reading path: String) throws(CatalogueError) {
    do throws(CatalogueError) {
      try self.init(path: path, mode: .read)
      try execute("SELECT 1 FROM sqlite_schema LIMIT 1")
    } catch  where error.code == .notPermitted && !FileStatus.exists(path + "-wal") {
      try self.init(path: path, mode: .immutable)
    }
  }

  /// Runs SQL that gives no rows; several statements may follow each other.
  func execute(_ sql: String) throws(CatalogueError) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw failure(code) }
    try checkReads()
  }

  /// Checks that what was read came from shared memory that is whole.
  ///
  /// - Throws: ``CatalogueError`` if another program has truncated it; the connection is then of no more use.
  fileprivate func checkReads() throws(CatalogueError) {
    if let memory = unsafe sharedMemory, unsafe csqlite_is_damaged(memory) {
      throw truncatedSharedMemory
    }
  }

  /// Checks that the file of the shared memory is as long as what is mapped of it.
  ///
  /// - Throws: ``CatalogueError`` if another program has truncated it, even if no read has noticed.
  func checkSharedMemory() throws(CatalogueError) {
    if let memory = unsafe sharedMemory, unsafe csqlite_is_truncated(memory) {
      throw truncatedSharedMemory
    }
  }

  private var truncatedSharedMemory: CatalogueError {
    let file = path.split(separator: "/").last.map { String($0) + "-shm" }
    return CatalogueError(
      code: .truncated,
      message: "'\(path)-shm' was truncated by another program while in use; try again",
      file: file)
  }

  /// A statement, prepared at its first use and kept. It must not be used within its own rows.
  ///
  /// - Parameter isScan: Whether the statement may read whole tables although the connection refuses
  ///   that.
  func statement(_ sql: String, isScan: Bool = false) throws(CatalogueError) -> SQLiteStatement {
    if let known = statements[sql] {
      known.reset()
      return known
    }
    let statement = try prepared(sql)
    // Only in debug builds, so that a test fails that reaches such a statement by any way.
    assert(
      !refusesScans || isScan || (try? scans(of: sql)) == [], "'\(sql)' reads a whole table")
    statements[sql] = statement
    return statement
  }

  /// All statements that were prepared.
  var preparedSQL: [String] { statements.keys.sorted() }

  /// The steps of a statement's plan that read a whole table that grows with the catalogue.
  func scans(of sql: String) throws(CatalogueError) -> [String] {
    let plan = try prepared("EXPLAIN QUERY PLAN " + sql)
    var scans: [String] = []
    while try plan.step() {
      let step = plan.text(3)
      let words = step.split(separator: " ")
      guard words.count > 1, words[0] == "SCAN" else { continue }
      // A full-text index that is asked for a text has an `M` in its plan.
      if step.contains("VIRTUAL TABLE INDEX"), words.last?.contains("M") == true { continue }
      if !Self.boundedTables.contains(String(words[1])) { scans.append(step) }
    }
    return scans
  }

  /// Tables that do not grow with the number of entities.
  private static let boundedTables: Set<String> = [
    "state", "settings", "segments", "deadRows", "sqlite_master", "CONSTANT",
  ]

  private func prepared(_ sql: String) throws(CatalogueError) -> SQLiteStatement {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared = unsafe prepared else { throw failure(code) }
    return unsafe SQLiteStatement(prepared, of: self)
  }

  /// The row id of the last row that was inserted.
  var lastInsertedRow: Int { unsafe Int(sqlite3_last_insert_rowid(handle)) }

  /// What the last call that failed with `code` means.
  func failure(_ code: Int32) -> CatalogueError {
    if let memory = unsafe sharedMemory, unsafe csqlite_is_truncated(memory) {
      return truncatedSharedMemory
    }
    let message = unsafe String(cString: sqlite3_errmsg(handle))
    return Self.error(code, message, path)
  }

  /// Codes of SQLite as ours (<https://www.sqlite.org/rescode.html>).
  private static func error(_ code: Int32, _ message: String, _ path: String) -> CatalogueError {
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED:
      CatalogueError(
        code: .locked, message: "'\(path)' is locked by another process; try again when it is done")
    case SQLITE_INTERRUPT:
      CatalogueError(
        code: .timedOut,
        message: "'\(path)' was not read in time; ask for less, or allow more time")
    case SQLITE_NOTADB:
      CatalogueError(code: .notACatalogue, message: "'\(path)' is no SQLite file")
    case SQLITE_CORRUPT:
      CatalogueError(
        code: .corrupt, message: "'\(path)' is damaged (\(message)); index the catalogue again")
    case SQLITE_FULL:
      CatalogueError(code: .diskFull, message: "no room is left to write '\(path)'")
    case SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_AUTH:
      CatalogueError(
        code: .notPermitted, message: "'\(path)' cannot be opened or written: \(message)")
    default:
      CatalogueError(code: .io, message: "'\(path)': \(message) (SQLite \(code))")
    }
  }

  /// A path as part of a URI: all bytes but letters and digits of ASCII, `/`, `-`, `.`, `_` and `~` as
  /// `%` and two digits (<https://www.sqlite.org/uri.html>, 3.1).
  private static func escaped(_ path: String) -> String {
    path.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "~"):
        String(UnicodeScalar(byte))
      default: (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}

/// A prepared statement.
///
/// Sound: its connection keeps it and outlives it, and SQLite checks the numbers of parameters and columns.
@safe final class SQLiteStatement {
  private let handle: OpaquePointer
  private unowned let connection: SQLiteConnection

  fileprivate init(_ handle: OpaquePointer, of connection: SQLiteConnection) {
    unsafe self.handle = handle
    self.connection = connection
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Gives up the rows that are left, and what was bound.
  func reset() {
    unsafe sqlite3_reset(handle)
    unsafe sqlite3_clear_bindings(handle)
  }

  /// Binds the parameters in their order, from 1.
  @discardableResult
  func bind(_ values: SQLiteValue...) throws(CatalogueError) -> SQLiteStatement {
    try bind(values)
  }

  /// Binds the parameters in their order, from 1.
  @discardableResult
  func bind(_ values: [SQLiteValue]) throws(CatalogueError) -> SQLiteStatement {
    for (index, value) in values.enumerated() {
      let place = Int32(index + 1)
      let code: Int32
      switch value {
      case .null: code = unsafe sqlite3_bind_null(handle, place)
      case .integer(let number): code = unsafe sqlite3_bind_int64(handle, place, Int64(number))
      case .number(let number): code = unsafe sqlite3_bind_double(handle, place, number)
      case .text(let text):
        // SQLITE_TRANSIENT, which is not imported: SQLite copies the text before it returns.
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        code = unsafe sqlite3_bind_text(handle, place, text, Int32(text.utf8.count), transient)
      case .blob(let bytes):
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        code = unsafe bytes.withUnsafeBytes {
          unsafe sqlite3_bind_blob64(handle, place, $0.baseAddress, UInt64($0.count), transient)
        }
      }
      if code != SQLITE_OK { throw connection.failure(code) }
    }
    return self
  }

  /// Goes to the next row; `false` after the last.
  func step() throws(CatalogueError) -> Bool {
    let code = unsafe sqlite3_step(handle)
    if code == SQLITE_ROW {
      try connection.checkReads()
      return true
    }
    let failure = code == SQLITE_DONE ? nil : connection.failure(code)
    unsafe sqlite3_reset(handle)
    if let failure { throw failure }
    try connection.checkReads()
    return false
  }

  /// Runs a statement that gives no rows.
  func run() throws(CatalogueError) { while try step() {} }

  /// A column of the current row as a number.
  func integer(_ column: Int) -> Int { unsafe Int(sqlite3_column_int64(handle, Int32(column))) }

  /// A column of the current row as a number with decimals.
  func number(_ column: Int) -> Double { unsafe sqlite3_column_double(handle, Int32(column)) }

  /// A column of the current row as text.
  func text(_ column: Int) -> String {
    unsafe sqlite3_column_text(handle, Int32(column)).map { unsafe String(cString: $0) } ?? ""
  }

  /// A column of the current row as a value to compare, or `nil` if it holds nothing.
  func sortValue(_ column: Int) -> SortValue? {
    switch unsafe sqlite3_column_type(handle, Int32(column)) {
    case SQLITE_NULL: nil
    case SQLITE_INTEGER, SQLITE_FLOAT: .number(number(column))
    default: .text(text(column))
    }
  }

  /// A column of the current row as bytes.
  func blob(_ column: Int) -> [UInt8] {
    // Sound: SQLite lends as many bytes as it says until the next step.
    unsafe Array(
      UnsafeRawBufferPointer(
        start: sqlite3_column_blob(handle, Int32(column)),
        count: Int(sqlite3_column_bytes(handle, Int32(column)))))
  }

  /// Whether a column of the current row holds nothing.
  func isNull(_ column: Int) -> Bool {
    unsafe sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
  }
}

/// What a statement's parameter holds.
enum SQLiteValue: Sendable {
  case null
  case integer(Int)
  case number(Double)
  case text(String)
  case blob([UInt8])
}
