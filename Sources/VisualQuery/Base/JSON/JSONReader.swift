/// Reads one JSON text of RFC 8259 within limits, without recursion.
///
/// Each byte is read once, and each value is moved once into its list or object, so the time is
/// linear in the number of bytes, whatever the nesting.
package struct JSONReader {
  /// The number of steps between two calls of `shouldStop`; a power of two.
  static let stopInterval = 4096
  /// The largest number of bytes in a number; no 64-bit number requires more.
  private static let numberLimit = 1024

  /// A list or an object that is not complete yet.
  private struct Container {
    let isObject: Bool
    let firstValue: Int
    let firstName: Int
  }

  private let bytes: [UInt8]
  private let limits: JSONLimits
  private var position = 0
  private var valueCount = 0
  /// The number of values that were read or moved into their list or object.
  private(set) var stepCount = 0
  private var containers: [Container] = []
  /// The values of all open containers, outermost first.
  private var values: [JSONValue] = []
  /// The names of all open objects, outermost first.
  private var names: [String] = []
  /// The names that occur several times in one object, each once, and no more than
  /// ``repeatedNameLimit`` of them.
  package private(set) var repeatedNames: [String] = []
  private static let repeatedNameLimit = 8

  package init(_ bytes: [UInt8], limits: JSONLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  /// Reads the whole text.
  package mutating func read(shouldStop: () -> Bool) throws(JSONError) -> JSONValue {
    guard bytes.count <= limits.byteCount else {
      throw failure(
        .tooLong, "has \(bytes.count) bytes; the limit is \(limits.byteCount)",
        at: limits.byteCount)
    }
    // RFC 8259, 8.1: a byte order mark may be ignored.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    while true {
      try count(1, shouldStop)
      guard let value = try valueOrOpening() else { continue }
      guard let whole = try placed(value, shouldStop) else { continue }
      skipBlanks()
      guard position == bytes.count else { throw unexpected("the end of the text") }
      return whole
    }
  }

  private mutating func count(_ steps: Int, _ shouldStop: () -> Bool) throws(JSONError) {
    let before = stepCount / Self.stopInterval
    stepCount += steps
    if stepCount / Self.stopInterval != before, shouldStop() {
      throw failure(.cancelled, "was not read completely: the caller asked to stop", at: position)
    }
  }

  // MARK: Lists and objects

  /// Reads a value without elements, or opens a list or object that has elements and returns `nil`.
  private mutating func valueOrOpening() throws(JSONError) -> JSONValue? {
    skipBlanks()
    guard position < bytes.count else { throw unexpected("a value") }
    valueCount += 1
    guard valueCount <= limits.valueCount else {
      throw failure(
        .tooManyValues, "has more than \(limits.valueCount) values, which is the limit",
        at: position)
    }
    switch bytes[position] {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "{"): return try opened(isObject: true) ? nil : .object([:])
    case UInt8(ascii: "["): return try opened(isObject: false) ? nil : .array([])
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: throw unexpected("a value")
    }
  }

  /// Opens a list or object, and reads the first name of an object.
  ///
  /// - Returns: `false` if it is empty and therefore complete.
  private mutating func opened(isObject: Bool) throws(JSONError) -> Bool {
    guard containers.count < limits.depth else {
      throw failure(
        .tooDeep, "nests lists and objects deeper than \(limits.depth) levels, which is the limit",
        at: position)
    }
    position += 1
    skipBlanks()
    if position < bytes.count, bytes[position] == UInt8(ascii: isObject ? "}" : "]") {
      position += 1
      return false
    }
    containers.append(
      Container(isObject: isObject, firstValue: values.count, firstName: names.count))
    if isObject { try name() }
    return true
  }

  /// Adds a value to the innermost open container, and closes all containers that end after it.
  ///
  /// - Returns: The outermost value once it is complete, or `nil` if another value follows.
  private mutating func placed(
    _ value: JSONValue, _ shouldStop: () -> Bool
  ) throws(JSONError) -> JSONValue? {
    var value = value
    while let container = containers.last {
      values.append(value)
      skipBlanks()
      let end = UInt8(ascii: container.isObject ? "}" : "]")
      guard position < bytes.count, bytes[position] == end || bytes[position] == UInt8(ascii: ",")
      else { throw unexpected(container.isObject ? "',' or '}'" : "',' or ']'") }
      position += 1
      if bytes[position - 1] != end {
        if container.isObject { try name() }
        return nil
      }
      try count(values.count - container.firstValue, shouldStop)
      value = try closed(container)
    }
    return value
  }

  private mutating func closed(_ container: Container) throws(JSONError) -> JSONValue {
    containers.removeLast()
    let value = complete(container)
    if case .object(let object) = value, object.count < names.count - container.firstName {
      try noteRepeatedNames(since: container.firstName)
    }
    values.removeLast(values.count - container.firstValue)
    names.removeLast(names.count - container.firstName)
    return value
  }

  /// Records the names of an object that occur several times in it.
  private mutating func noteRepeatedNames(since first: Int) throws(JSONError) {
    var seen: Set<String> = []
    for name in names[first...] where !seen.insert(name).inserted {
      guard limits.allowsRepeatedNames else {
        throw failure(
          .repeatedName,
          "has the name '\(String(name.unicodeScalars.prefix(40)))' several times in one object",
          at: position)
      }
      guard repeatedNames.count < Self.repeatedNameLimit else { return }
      if !repeatedNames.contains(name) { repeatedNames.append(name) }
    }
  }

  /// Returns the list or object that consists of the values since its first one. This is a function of its own so
  /// that the slice of `values` ends before the caller removes them; otherwise, all values would be copied.
  private func complete(_ container: Container) -> JSONValue {
    let parts = values[container.firstValue...]
    guard container.isObject else { return .array(Array(parts)) }
    // RFC 8259, 4 leaves the meaning of repeated names open: the first one counts.
    return .object(
      Dictionary(zip(names[container.firstName...], parts), uniquingKeysWith: { first, _ in first })
    )
  }

  /// Reads the next name in an object, and the colon after it.
  private mutating func name() throws(JSONError) {
    skipBlanks()
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
      throw unexpected("a name in quotes")
    }
    let start = position
    let name = try string()
    guard name.utf8.count <= limits.nameByteCount else {
      throw failure(
        .nameTooLong,
        "has a name of \(name.utf8.count) bytes at byte \(start); the limit is \(limits.nameByteCount)",
        at: start)
    }
    names.append(name)
    skipBlanks()
    guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else {
      throw unexpected("':'")
    }
    position += 1
  }

  private mutating func skipBlanks() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  private mutating func word(
    _ word: StaticString, _ value: JSONValue
  ) throws(JSONError) -> JSONValue {
    for byte in word.description.utf8 {
      guard position < bytes.count, bytes[position] == byte else { throw unexpected("'\(word)'") }
      position += 1
    }
    return value
  }

  // MARK: Texts

  /// Reads a string from its opening to its closing quote.
  private mutating func string() throws(JSONError) -> String {
    position += 1
    let start = position
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        position += 1
        return try text(start..<position - 1)
      }
      if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
      guard byte >= 0x20 else { throw controlCharacter() }
      position += 1
    }
    throw unexpected("'\"'")
  }

  /// Reads the rest of a string whose first escape is at the position.
  private mutating func escapedString(from start: Int) throws(JSONError) -> String {
    var text = try text(start..<position)
    var plain = position
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        text += try self.text(plain..<position)
        position += 1
        return text
      }
      guard byte >= 0x20 else { throw controlCharacter() }
      position += 1
      if byte == UInt8(ascii: "\\") {
        text += try self.text(plain..<position - 1)
        text.unicodeScalars.append(try escape())
        plain = position
      }
    }
    throw unexpected("'\"'")
  }

  private func text(_ range: Range<Int>) throws(JSONError) -> String {
    do throws(UTF8.ValidationError) {
      return String(copying: try UTF8Span(validating: bytes.span.extracting(range)))
    } catch {
      throw failure(.notUTF8, "is not UTF-8", at: range.lowerBound + error.byteOffsets.lowerBound)
    }
  }

  /// Reads the character after a backslash.
  private mutating func escape() throws(JSONError) -> Unicode.Scalar {
    guard position < bytes.count else { throw unexpected("an escape") }
    position += 1
    switch bytes[position - 1] {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try codePoint()
    default:
      position -= 1
      throw unexpected(#"one of " \ / b f n r t u"#)
    }
  }

  /// Reads the four digits after `\u`, and the second half of a surrogate pair.
  private mutating func codePoint() throws(JSONError) -> Unicode.Scalar {
    let start = position - 2
    let first = try fourDigits()
    if let scalar = Unicode.Scalar(first) { return scalar }
    if first < 0xDC00, bytes[position...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) {
      position += 2
      let second = try fourDigits()
      if (0xDC00...0xDFFF).contains(second),
        let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
      {
        return scalar
      }
    }
    throw failure(.invalid, "is not JSON: unpaired surrogate at byte \(start)", at: start)
  }

  private mutating func fourDigits() throws(JSONError) -> UInt32 {
    var number: UInt32 = 0
    for _ in 0..<4 {
      guard position < bytes.count, let digit = Self.hexDigit(bytes[position]) else {
        throw unexpected("a hexadecimal digit")
      }
      number = number << 4 | digit
      position += 1
    }
    return number
  }

  private static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  // MARK: Numbers

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = position
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    let firstDigit = position
    try digits()
    guard bytes[firstDigit] != UInt8(ascii: "0") || position == firstDigit + 1 else {
      position = firstDigit + 1
      throw unexpected("no digit after a leading 0")
    }
    var isWhole = true
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      isWhole = false
      position += 1
      try digits()
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      position += 1
      if position < bytes.count, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[position]) {
        position += 1
      }
      try digits()
    }
    if isWhole, position - firstDigit <= 18 { return .integer(smallInteger(start..<position)) }
    return try largeNumber(start..<position)
  }

  private mutating func digits() throws(JSONError) {
    let start = position
    while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
    guard position > start else { throw unexpected("a digit") }
  }

  /// Returns the value of at most 18 digits with an optional minus sign.
  private func smallInteger(_ range: Range<Int>) -> Int64 {
    var number: Int64 = 0
    let isNegative = bytes[range.lowerBound] == UInt8(ascii: "-")
    for index in (isNegative ? range.dropFirst() : range) {
      number = number * 10 + Int64(bytes[index] & 0x0F)
    }
    return isNegative ? -number : number
  }

  /// Returns the value of any number. An integer that fits 64 bits stays exact however it is
  /// written; below 2⁵³ also one that is only an integer after rounding to floating point.
  private func largeNumber(_ range: Range<Int>) throws(JSONError) -> JSONValue {
    guard range.count <= Self.numberLimit else {
      throw failure(
        .numberOutOfRange,
        "has a number of \(range.count) bytes; the limit is \(Self.numberLimit)",
        at: range.lowerBound)
    }
    let text = String(decoding: bytes[range], as: UTF8.self)
    guard let number = Double(text), number.isFinite else {
      throw failure(
        .numberOutOfRange, "has a number beyond ±1.8e308 at byte \(range.lowerBound)",
        at: range.lowerBound)
    }
    if number.magnitude < 0x1p53, let whole = Int64(exactly: number) { return .integer(whole) }
    return Self.exactInteger(text).map(JSONValue.integer) ?? .number(number)
  }

  /// Returns the value of a number such as `1.5e3` if it is an integer that fits 64 bits.
  private static func exactInteger(_ text: String) -> Int64? {
    let parts = text.split { $0 == "e" || $0 == "E" }
    guard let mantissa = parts.first, var exponent = parts.count > 1 ? Int(parts[1]) : 0 else {
      return nil
    }
    let halves = mantissa.split(separator: ".")
    var digits = halves.joined()
    // The exponent has at most 1024 digits, so a large one may be replaced by any large Int.
    guard (-2 * numberLimit...2 * numberLimit).contains(exponent) else { return nil }
    exponent -= halves.count > 1 ? halves[1].count : 0
    while exponent < 0, digits.last == "0" {
      digits.removeLast()
      exponent += 1
    }
    guard (0...19).contains(exponent) else { return nil }
    return Int64(digits + String(repeating: "0", count: exponent))
  }

  // MARK: Failures

  private func failure(_ code: JSONError.Code, _ message: String, at offset: Int) -> JSONError {
    JSONError(code: code, offset: offset, message: message)
  }

  private func controlCharacter() -> JSONError {
    failure(
      .invalid,
      "is not JSON: unescaped control character in a string at byte \(position)",
      at: position)
  }

  /// Returns the error of an unexpected byte, or of a text that ends too early.
  private func unexpected(_ expected: String) -> JSONError {
    guard position < bytes.count else {
      return failure(
        .truncated, "is not JSON: expected \(expected) at byte \(position), found the end",
        at: position)
    }
    let byte = bytes[position]
    let found =
      (0x21...0x7E).contains(byte)
      ? "'\(Unicode.Scalar(byte))'" : "byte 0x" + String(byte, radix: 16, uppercase: true)
    return failure(
      .invalid, "is not JSON: expected \(expected) at byte \(position), found \(found)",
      at: position)
  }
}
