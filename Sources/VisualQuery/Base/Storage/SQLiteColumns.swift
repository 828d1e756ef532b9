/// The columns of a query's rows, in the order of its `SELECT`, so that they are read by their names.
///
/// The cases of a query of one table are the names of its columns, and ``list`` is the text of its `SELECT`.
package protocol SQLiteColumns: RawRepresentable<Int>, CaseIterable, Sendable {}

extension SQLiteColumns {
  /// The names with commas between them.
  package static var list: String { allCases.map { "\($0)" }.joined(separator: ", ") }
}

extension SQLiteStatement {
  /// Returns a column of the current row as an integer.
  package func integer(_ column: some SQLiteColumns) -> Int { integer(column.rawValue) }

  /// Returns a column of the current row as a floating-point number.
  package func number(_ column: some SQLiteColumns) -> Double { number(column.rawValue) }

  /// Returns a column of the current row as text.
  package func text(_ column: some SQLiteColumns) -> String { text(column.rawValue) }

  /// Returns a column of the current row.
  package func value(_ column: some SQLiteColumns) -> SQLiteValue { value(column.rawValue) }

  /// Returns a column of the current row as bytes.
  package func blob(_ column: some SQLiteColumns) -> [UInt8] { blob(column.rawValue) }

  /// Returns whether a column of the current row is `NULL`.
  package func isNull(_ column: some SQLiteColumns) -> Bool { isNull(column.rawValue) }

  /// The only column of the current row, as an integer.
  package var onlyInteger: Int { integer(0) }

  /// The only column of the current row, as text.
  package var onlyText: String { text(0) }

  /// The only column of the current row, as bytes.
  package var onlyBlob: [UInt8] { blob(0) }
}
