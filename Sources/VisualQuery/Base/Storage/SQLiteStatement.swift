internal import CSQLite

/// A prepared statement.
///
/// Sound: its connection caches and outlives it, and SQLite checks the numbers of parameters and
/// columns.
@safe package final class SQLiteStatement<Failure: StorageFailure> {
  private let handle: OpaquePointer
  private unowned let connection: SQLiteConnection<Failure>

  init(_ handle: OpaquePointer, of connection: SQLiteConnection<Failure>) {
    unsafe self.handle = handle
    self.connection = connection
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// True if a row was read and the statement was not reset since.
  var isRunning: Bool { unsafe sqlite3_stmt_busy(handle) != 0 }

  /// Discards the remaining rows and the values of the parameters.
  package func reset() {
    unsafe sqlite3_reset(handle)
    unsafe sqlite3_clear_bindings(handle)
  }

  /// Binds the parameters in their order, from 1.
  @discardableResult
  package func bind(_ values: SQLiteValue...) throws(Failure) -> SQLiteStatement<Failure> {
    try bind(values)
  }

  /// Binds the parameters in their order, from 1.
  @discardableResult
  package func bind(_ values: [SQLiteValue]) throws(Failure) -> SQLiteStatement<Failure> {
    for (offset, value) in values.enumerated() {
      let index = Int32(offset + 1)
      let code: Int32
      switch value {
      case .null: code = unsafe sqlite3_bind_null(handle, index)
      case .integer(let number): code = unsafe sqlite3_bind_int64(handle, index, Int64(number))
      case .number(let number): code = unsafe sqlite3_bind_double(handle, index, number)
      case .text(let text):
        // SQLITE_TRANSIENT, which is not imported: SQLite copies the text before it returns.
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        code = unsafe sqlite3_bind_text(handle, index, text, Int32(text.utf8.count), transient)
      case .blob(let bytes):
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        code = unsafe bytes.withUnsafeBytes {
          unsafe sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), transient)
        }
      }
      if code != SQLITE_OK { throw connection.failure(code) }
    }
    return self
  }

  /// Moves to the next row; returns `false` after the last one.
  package func step() throws(Failure) -> Bool {
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

  /// Runs a statement that returns no rows.
  package func run() throws(Failure) { while try step() {} }

  /// Returns a column of the current row as an integer.
  func integer(_ column: Int) -> Int {
    unsafe Int(sqlite3_column_int64(handle, Int32(column)))
  }

  /// Returns a column of the current row as a floating-point number.
  func number(_ column: Int) -> Double {
    unsafe sqlite3_column_double(handle, Int32(column))
  }

  /// Returns a column of the current row as text.
  func text(_ column: Int) -> String {
    unsafe sqlite3_column_text(handle, Int32(column)).map { unsafe String(cString: $0) } ?? ""
  }

  /// Returns a column of the current row.
  func value(_ column: Int) -> SQLiteValue {
    switch unsafe sqlite3_column_type(handle, Int32(column)) {
    case SQLITE_NULL: .null
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_FLOAT: .number(number(column))
    case SQLITE_BLOB: .blob(blob(column))
    default: .text(text(column))
    }
  }

  /// Returns a column of the current row as bytes.
  func blob(_ column: Int) -> [UInt8] {
    // Sound: SQLite provides the reported number of bytes until the next step.
    unsafe Array(
      UnsafeRawBufferPointer(
        start: sqlite3_column_blob(handle, Int32(column)),
        count: Int(sqlite3_column_bytes(handle, Int32(column)))))
  }

  /// All columns of the current row, in their order.
  package var values: [SQLiteValue] {
    unsafe (0..<Int(sqlite3_column_count(handle))).map { value($0) }
  }

  /// Returns whether a column of the current row is `NULL`.
  func isNull(_ column: Int) -> Bool {
    unsafe sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
  }
}

/// The value of a parameter or a column.
package enum SQLiteValue: Sendable {
  case null
  case integer(Int)
  case number(Double)
  case text(String)
  case blob([UInt8])
}
