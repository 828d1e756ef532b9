/// The columns of a query's rows, in the order of its `SELECT`, so that they are read by their names.
///
/// The cases of a query of one table are the names of its columns, and ``list`` is the text of its `SELECT`.
protocol SQLiteColumns: RawRepresentable<Int>, CaseIterable, Sendable {}

extension SQLiteColumns {
  /// The names with commas between them.
  static var list: String { allCases.map { "\($0)" }.joined(separator: ", ") }
}

extension SQLiteStatement {
  /// Returns a column of the current row as an integer.
  func integer(_ column: some SQLiteColumns) -> Int { integer(column.rawValue) }

  /// Returns a column of the current row as a floating-point number.
  func number(_ column: some SQLiteColumns) -> Double { number(column.rawValue) }

  /// Returns a column of the current row as text.
  func text(_ column: some SQLiteColumns) -> String { text(column.rawValue) }

  /// Returns a column of the current row.
  func value(_ column: some SQLiteColumns) -> SQLiteValue { value(column.rawValue) }

  /// Returns a column of the current row as bytes.
  func blob(_ column: some SQLiteColumns) -> [UInt8] { blob(column.rawValue) }

  /// Returns whether a column of the current row is `NULL`.
  func isNull(_ column: some SQLiteColumns) -> Bool { isNull(column.rawValue) }
}
