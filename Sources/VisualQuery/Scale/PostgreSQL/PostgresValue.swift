/// A parameter of a statement, or a column of a row that is copied.
enum PostgresValue: Sendable {
  case null
  case integer(Int)
  case int32(Int32)
  case text(String)
  case bytes([UInt8])

  /// The number of the type in PostgreSQL: `int8`, `int4`, `text`, `bytea`.
  var type: UInt32 {
    switch self {
    case .null, .text: 25
    case .integer: 20
    case .int32: 23
    case .bytes: 17
    }
  }

  /// The value in the binary format, or `nil` for `NULL`.
  var encoded: [UInt8]? {
    switch self {
    case .null: nil
    case .integer(let number): Self.bigEndian(UInt64(bitPattern: Int64(number)), count: 8)
    case .int32(let number): Self.bigEndian(UInt64(UInt32(bitPattern: number)), count: 4)
    case .text(let text): Array(text.utf8)
    case .bytes(let bytes): bytes
    }
  }

  /// Returns the last bytes of a number, the highest first.
  static func bigEndian(_ number: UInt64, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64((count - 1 - $0) * 8)) }
  }
}

/// The columns of a query to PostgreSQL, in their order: a column of the table is the case of its name, `last_key` is
/// `lastKey`.
protocol PostgresColumns: RawRepresentable<Int>, CaseIterable, Sendable {}

extension PostgresColumns {
  /// The names with commas between them.
  static var list: String { list(of: "") }

  /// The names with commas between them, each with the short name of its table and a point before it.
  static func list(of table: String) -> String {
    allCases.map { column in
      table
        + "\(column)".reduce(into: "") { name, letter in
          name += letter.isUppercase ? "_" + letter.lowercased() : String(letter)
        }
    }.joined(separator: ", ")
  }
}

/// A row in the binary format.
struct PostgresRow: Sendable {
  /// The columns, `nil` for `NULL`.
  let columns: [[UInt8]?]

  /// The only column, as an integer.
  var onlyInteger: Int { integer(0) }

  /// The only column, as text.
  var onlyText: String { text(0) }

  /// The only column, as bytes.
  var onlyBytes: [UInt8] { bytes(0) }

  func isNull(_ column: some PostgresColumns) -> Bool { isNull(column.rawValue) }

  func integer(_ column: some PostgresColumns) -> Int { integer(column.rawValue) }

  func text(_ column: some PostgresColumns) -> String { text(column.rawValue) }

  func bytes(_ column: some PostgresColumns) -> [UInt8] { bytes(column.rawValue) }

  // MARK: Columns by their numbers

  func isNull(_ column: Int) -> Bool { value(column) == nil }

  /// Returns an integer of any length, or a Boolean value as 0 or 1; 0 for `NULL`.
  func integer(_ column: Int) -> Int {
    guard let bytes = value(column), let first = bytes.first else { return 0 }
    let sign: UInt64 = first & 0x80 != 0 && bytes.count > 1 ? .max : 0
    let bits = bytes.reduce(sign) { $0 << 8 | UInt64($1) }
    return Int(Int64(bitPattern: bits))
  }

  func text(_ column: Int) -> String { String(decoding: bytes(column), as: UTF8.self) }

  func bytes(_ column: Int) -> [UInt8] { value(column) ?? [] }

  /// Returns a column; `nil` for `NULL`, and if another server than PostgreSQL sent fewer of them.
  private func value(_ column: Int) -> [UInt8]? {
    columns.indices.contains(column) ? columns[column] : nil
  }
}

/// The binary format of `COPY` (PostgreSQL's documentation of the command, "Binary Format").
enum PostgresCopyFormat {
  /// The signature, flags without a bit set, and an empty extension.
  static let header: [UInt8] =
    Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)
  static let trailer: [UInt8] = [0xFF, 0xFF]

  /// Appends a row.
  static func append(_ values: [PostgresValue], to buffer: inout [UInt8]) {
    buffer += PostgresValue.bigEndian(UInt64(values.count), count: 2)
    for value in values {
      guard let encoded = value.encoded else {
        buffer += [0xFF, 0xFF, 0xFF, 0xFF]
        continue
      }
      buffer += PostgresValue.bigEndian(UInt64(encoded.count), count: 4)
      buffer += encoded
    }
  }

  /// Decodes a message: a row, or `nil` for the trailer. The first message has the header before it.
  ///
  /// - Returns: The row, and whether the message was valid.
  static func row(_ message: [UInt8], isFirst: Bool) -> (row: PostgresRow?, isValid: Bool) {
    var rest = message[...]
    if isFirst {
      guard rest.starts(with: header) else { return (nil, false) }
      rest = rest.dropFirst(header.count)
    }
    func number(_ count: Int) -> Int? {
      guard rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }
    guard let count = number(2) else { return (nil, false) }
    if count == 0xFFFF { return (nil, rest.isEmpty) }
    var columns: [[UInt8]?] = []
    for _ in 0..<count {
      guard let length = number(4) else { return (nil, false) }
      if length == 0xFFFF_FFFF {
        columns.append(nil)
        continue
      }
      guard rest.count >= length else { return (nil, false) }
      columns.append(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return (PostgresRow(columns: columns), rest.isEmpty)
  }
}
