/// The budget of one row of a feed, from which every reader draws the bytes and steps that it makes.
///
/// A row can state two counts whose product is gigabytes, although the row is small: cells that share a text, fields in deep
/// elements that have their paths, variants that repeat the texts of their product. So a reader draws the bytes from the allowance
/// of the row *before* it makes them. A step of a loop over two such counts costs as much as a byte.
struct FeedAllowance: Sendable {
  let limits: FeedLimits
  /// The number of bytes that may be made.
  private let byteLimit: Int
  /// The number of bytes and steps so far.
  private(set) var byteCount = 0

  /// Makes the allowance of one row.
  ///
  /// - Parameter most: The most bytes that the caller accepts, if those are fewer than a row may become.
  init(_ limits: FeedLimits, most: Int = .max) {
    self.limits = limits
    byteLimit = min(most, limits.rowByteCount)
  }

  /// Draws bytes or steps. Returns `false`, and draws nothing, if fewer are left.
  mutating func draw(_ count: Int) -> Bool {
    guard count <= byteLimit - byteCount else { return false }
    byteCount += count
    return true
  }

  /// Draws the steps of a loop over two counts.
  mutating func draw(_ count: Int, times: Int) -> Bool {
    let (steps, overflows) = count.multipliedReportingOverflow(by: times)
    return !overflows && draw(steps)
  }

  /// Draws bytes or steps.
  ///
  /// - Throws: ``FieldError`` about the field if fewer are left.
  mutating func draw(_ count: Int, for field: String?) throws(FieldError) {
    guard !draw(count) else { return }
    let option = byteLimit < limits.rowByteCount ? "" : " (--max-row-bytes)"
    throw FieldError(
      field: field,
      reason: "would become more than \(byteLimit) bytes, which is the limit of a row\(option)")
  }

  /// The most bytes of a name in a row. Names are searched for the words of many languages, and a field may have that of the element
  /// around it, too.
  static let nameByteLimit = 256

  /// Checks the length of a name.
  ///
  /// - Throws: ``FieldError`` if it is too long.
  static func check(name: String) throws(FieldError) {
    let count = name.utf8.count
    if count <= nameByteLimit { return }
    throw FieldError(
      field: String(name.unicodeScalars.prefix(40)),
      reason: "has a name of \(count) bytes; the limit is \(nameByteLimit)")
  }

  /// Checks the number of levels at which a part of the row is.
  ///
  /// - Throws: ``FieldError`` if they are too many.
  func check(level: Int) throws(FieldError) {
    if level <= limits.levelCount { return }
    throw FieldError(
      field: nil,
      reason: "nests elements deeper than \(limits.levelCount) levels, which is the limit of a row "
        + "(--max-row-levels)")
  }

  /// Returns about as many bytes as a value has as a text of JSON.
  static func size(of value: JSONValue) -> Int {
    switch value {
    case .null, .bool: 5
    case .integer, .number: 16
    case .string(let text): size(of: text)
    case .array(let values): values.reduce(2) { $0 + size(of: $1) + 1 }
    case .object(let fields): size(of: fields)
    }
  }

  static func size(of fields: [String: JSONValue]) -> Int {
    fields.reduce(2) { $0 + size(of: $1.key) + size(of: $1.value) + 2 }
  }

  /// Returns about as many bytes as a text takes, in JSON and in a list: short texts are not free.
  static func size(of text: String) -> Int { text.utf8.count + 16 }

  static func size(of texts: [String]) -> Int { texts.reduce(0) { $0 + size(of: $1) } }
}
