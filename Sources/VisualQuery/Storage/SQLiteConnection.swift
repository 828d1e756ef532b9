internal import CSQLite

/// A connection to an SQLite file: the one place that calls the C library.
///
/// Not `Sendable`: whoever shares one puts it behind a mutex.
@safe final class SQLiteConnection<Failure: StorageFailure> {
  private let handle: OpaquePointer
  private let path: String
  /// The shared memory of the file's write-ahead log, which lives as long as the connection.
  private let sharedMemory: OpaquePointer?
  private var statements: [String: SQLiteStatement<Failure>] = [:]
  private let stopSign = StopSign()
  /// Whether a statement that reads a whole table that grows with the catalogue is a mistake.
  private let refusesScans: Bool

  /// Steps of SQLite's virtual machine between two questions whether to stop: some 20 microseconds.
  private static var stepsBetweenLooks: Int32 { 1000 }

  init(path: String, mode: SQLiteMode, refusesScans: Bool = false) throws(Failure) {
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
      throw Failure(StorageError(sqlite: code, "cannot open", path))
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
      { sign in
        guard let sign = unsafe sign else { return 0 }
        return unsafe Unmanaged<StopSign>.fromOpaque(sign).takeUnretainedValue()
          .shouldStop?() == true ? 1 : 0
      }, Unmanaged.passUnretained(stopSign).toOpaque())
  }

  /// Calls `body`, whose statements fail with the code `interrupted` once `shouldStop` says
  /// so. What they have read until then stays valid, and the connection can be used again.
  func stopping<Result>(
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

  /// Opens a file to read, also in a directory that may not be written, which has no place for SQLite's
  /// shared memory.
  ///
  /// - Parameter begin: SQL that is run at once, and that reads.
  convenience init(
    reading path: String, refusesScans: Bool = false,
    begin: String = "SELECT 1 FROM sqlite_schema LIMIT 1"
  ) throws(Failure) {
    do throws(Failure) {
      try self.init(path: path, mode: .read, refusesScans: refusesScans)
      try execute(begin)
    } catch  where error.isRefusedAccess && !FileStatus.exists(path + "-wal") {
      try self.init(path: path, mode: .immutable, refusesScans: refusesScans)
      try execute(begin)
    }
  }

  /// Runs SQL that gives no rows; several statements may follow each other.
  func execute(_ sql: String) throws(Failure) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw failure(code) }
    try checkReads()
  }

  /// Checks that what was read came from shared memory that is whole.
  ///
  /// - Throws: A failure if another program has truncated it; the connection is then of no more use.
  func checkReads() throws(Failure) {
    if let memory = unsafe sharedMemory, unsafe csqlite_is_damaged(memory) {
      throw truncatedSharedMemory
    }
  }

  /// Checks that the file of the shared memory is as long as what is mapped of it.
  ///
  /// - Throws: A failure if another program has truncated it, even if no read has noticed.
  func checkSharedMemory() throws(Failure) {
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

  /// A statement, prepared at its first use and kept. It must not be used within its own rows.
  ///
  /// - Parameter isScan: Whether the statement may read whole tables although the connection refuses
  ///   that.
  func statement(_ sql: String, isScan: Bool = false) throws(Failure) -> SQLiteStatement<Failure> {
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
  func scans(of sql: String) throws(Failure) -> [String] {
    let plan = try prepared("EXPLAIN QUERY PLAN " + sql)
    var scans: [String] = []
    while try plan.step() {
      let step = plan.text(3)
      let words = step.split(separator: " ")
      guard words.count > 1, words[0] == "SCAN" else { continue }
      // A full-text index that is asked for a text has an `M` in its plan.
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

  /// The row id of the last row that was inserted.
  var lastInsertedRow: Int { unsafe Int(sqlite3_last_insert_rowid(handle)) }

  /// What the last call that failed with `code` means.
  func failure(_ code: Int32) -> Failure {
    if let memory = unsafe sharedMemory, unsafe csqlite_is_truncated(memory) {
      return truncatedSharedMemory
    }
    let message = unsafe String(cString: sqlite3_errmsg(handle))
    return Failure(StorageError(sqlite: code, message, path))
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

/// Asked while a statement runs whether it is to stop.
private final class StopSign {
  var shouldStop: (@Sendable () -> Bool)?
}

/// The way to open an SQLite file.
enum SQLiteMode {
  /// To read only; waits for no writer.
  case read
  /// To read a file that nobody writes, in a directory that may not be written.
  case immutable
  /// To read and write; made if it is not there.
  case write
}

/// Tables that do not grow with the number of entities.
private let boundedTables: Set<String> = [
  "state", "settings", "segments", "deadRows", "sqlite_master", "CONSTANT",
]
