internal import PixelMatch

/// The value of a field of a question as it was given, by an argument, a query string, a form, JSON or a token, and
/// the functions that read it.
package enum GivenValue: Sendable {
  /// The texts of an option of a command line, one each time that it is given; an empty text for a flag.
  case argument([String])
  /// The texts of a parameter of a query, one each time that it is given.
  case parameter([String])
  /// JSON other than `null`.
  case json(JSONValue)

  /// True if numbers and lists are written as text.
  private var isText: Bool { if case .json = self { false } else { true } }

  /// The one value.
  private func single() throws(QuestionError) -> JSONValue {
    switch self {
    case .argument(let texts), .parameter(let texts):
      guard texts.count == 1 else { throw QuestionError(reason: "is not given once") }
      return .string(texts[0])
    case .json(let value): return value
    }
  }

  /// Reads a text.
  ///
  /// - Parameter length: The largest number of Unicode scalars, as JSON Schema counts a text's length; what Swift counts, a
  ///   character, may have any number of bytes.
  func text(length: Int) throws(QuestionError) -> String {
    guard case .string(let text) = try single() else {
      throw QuestionError(reason: "is not a text")
    }
    if case .argument = self, text.isEmpty { throw QuestionError(reason: "is not a text") }
    try Self.check(text, length: length)
    return text
  }

  /// Reads a whole number; `nil` for any other value.
  func integer() throws(QuestionError) -> Int? {
    switch try single() {
    case .integer(let number): Int(number)
    case .number(let number): Int(exactly: number)
    case .string(let text) where isText: Int(text)
    default: nil
    }
  }

  /// Reads a finite number; `nil` for any other value.
  func number() throws(QuestionError) -> Double? { Self.number(try single(), isText: isText) }

  /// Reads `true` or `false`; `nil` for any other value. A flag of a command line is true.
  func flag() throws(QuestionError) -> Bool? {
    if case .argument = self { return true }
    switch try single() {
    case .bool(let flag): return flag
    case .string("true") where isText: return true
    case .string("false") where isText: return false
    default: return nil
    }
  }

  /// Reads numbers: between commas in a text, or a list in JSON; `nil` for any other value.
  func numbers() throws(QuestionError) -> [Double]? {
    let values: [JSONValue]
    switch try single() {
    case .string(let text) where isText:
      values = text.split(separator: ",", omittingEmptySubsequences: false).map {
        .string(String($0))
      }
    case .array(let list): values = list
    default: return nil
    }
    let numbers = values.compactMap { Self.number($0, isText: isText) }
    return numbers.count == values.count ? numbers : nil
  }

  /// Reads words: between commas in texts, which may be several, without empty ones; or a list in JSON.
  func words(count: Int, length: Int) throws(QuestionError) -> [String] {
    let words =
      switch self {
      case .argument(let texts):
        texts.flatMap { $0.split(separator: ",").map(\.trimmed) }.filter { !$0.isEmpty }
      case .parameter(let texts):
        texts.flatMap { $0.split(separator: ",").map(Self.withoutSpaces) }.filter { !$0.isEmpty }
      case .json(let value): try Self.strings(value)
      }
    // A filter of nothing but commas would let everything through.
    if words.isEmpty, case .parameter(let texts) = self, texts.contains(where: { $0.contains(",") })
    {
      throw QuestionError(code: .invalid, reason: "has commas and no word")
    }
    return try Self.bounded(words, count: count, length: length)
  }

  /// Reads texts, commas and all: one each time that a text is given, or a list in JSON.
  func texts(count: Int, length: Int) throws(QuestionError) -> [String] {
    let texts =
      switch self {
      case .argument(let texts), .parameter(let texts): texts
      case .json(let value): try Self.strings(value)
      }
    return try Self.bounded(texts, count: count, length: length)
  }

  /// Reads lines of text: as texts, or in JSON also as objects with a text and its box.
  func lines(count: Int, length: Int) throws(QuestionError) -> [QuestionText] {
    guard case .json(.array(let values)) = self else {
      return try texts(count: count, length: length).map { QuestionText($0) }
    }
    guard values.count <= count else {
      throw QuestionError(
        code: .excess, reason: "has \(values.count) elements; the limit is \(count)", limit: count)
    }
    return try values.map { value throws(QuestionError) in
      let line = try Self.line(value)
      try Self.check(line.text, length: length)
      return line
    }
  }

  private static func line(_ value: JSONValue) throws(QuestionError) -> QuestionText {
    if case .string(let text) = value { return QuestionText(text) }
    guard case .object(let parts) = value, case .string(let text)? = parts["text"] else {
      throw QuestionError(reason: "is not a list of texts, or of objects with a 'text' and a 'box'")
    }
    let names = ["box", "text"]
    if let other = parts.keys.sorted().first(where: { !names.contains($0) }) {
      throw QuestionError(
        field: excerpt(other), reason: "is unknown; a text has 'text' and 'box'")
    }
    guard let box = parts["box"], box != .null else { return QuestionText(text) }
    let numbers: [Double]? =
      if case .array(let sides) = box {
        sides.compactMap { number($0, isText: false) }.filter { (0...1).contains($0) }
      } else { nil }
    guard let numbers, numbers.count == 4, case .array(let sides) = box, sides.count == 4 else {
      throw QuestionError(
        field: "box",
        reason: "is not left, top, width and height, four numbers in 0…1: shares of the image")
    }
    return QuestionText(text, box: numbers)
  }

  /// Reads a location: `latitude,longitude` in a text, an object of both in JSON; `nil` for any other text.
  func location() throws(QuestionError) -> GeoPoint? {
    let value = try single()
    if case .string(let text) = value {
      return text.utf8.count <= 100 ? GeoPoint(text: text) : nil
    }
    guard case .object(let parts) = value else {
      throw QuestionError(reason: "is not a JSON object")
    }
    let names = ["latitude", "longitude"]
    if let other = parts.keys.sorted().first(where: { !names.contains($0) }) {
      throw QuestionError(
        field: Self.excerpt(other), reason: "is unknown; a location has 'latitude' and 'longitude'")
    }
    func degrees(_ name: String, in range: ClosedRange<Double>) throws(QuestionError) -> Double? {
      guard let part = parts[name], part != .null else { return nil }
      guard let number = Self.number(part, isText: false), range.contains(number) else {
        throw QuestionError(
          field: name, reason: "is not a number in \(range.lowerBound)…\(range.upperBound)")
      }
      return number
    }
    let latitude = try degrees("latitude", in: -90...90)
    let longitude = try degrees("longitude", in: -180...180)
    guard let latitude, let longitude else { return nil }
    return GeoPoint(latitude: latitude, longitude: longitude)
  }

  /// Reads the JSON form of an embedding, which no text has.
  func embedding() throws(QuestionError) -> ImageEmbedding {
    do throws(FieldError) {
      return try ImageEmbedding(json: try json())
    } catch {
      throw QuestionError(field: error.field, reason: error.reason)
    }
  }

  private func json() throws(FieldError) -> JSONValue {
    guard case .json(let value) = self else {
      throw FieldError(field: nil, reason: "must be an object")
    }
    return value
  }

  /// Returns whether a text has no control characters.
  package static func isPrintable(_ text: String) -> Bool { text.utf8.allSatisfy(isPrintable) }

  private static func isPrintable(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F }

  private static func check(_ text: String, length: Int) throws(QuestionError) {
    let count = text.unicodeScalars.count
    guard count <= length else {
      throw QuestionError(
        code: .excess, reason: "has a text of \(count) characters; the limit is \(length)",
        limit: length)
    }
    // A control character is a byte of its own in UTF-8.
    guard let index = text.utf8.firstIndex(where: { !isPrintable($0) }) else { return }
    let code = String(text.utf8[index], radix: 16, uppercase: true)
    let place = text.unicodeScalars[..<index].count + 1
    throw QuestionError(
      code: .controlCharacter,
      reason:
        "has the control character U+\(String(repeating: "0", count: 4 - code.count))\(code) as character \(place); "
        + "a text has none, not even line breaks and tabs")
  }

  private static func bounded(
    _ texts: [String], count: Int, length: Int
  ) throws(QuestionError) -> [String] {
    guard texts.count <= count else {
      throw QuestionError(
        code: .excess, reason: "has \(texts.count) elements; the limit is \(count)", limit: count)
    }
    for text in texts { try check(text, length: length) }
    return texts
  }

  private static func strings(_ value: JSONValue) throws(QuestionError) -> [String] {
    guard case .array(let values) = value else {
      throw QuestionError(reason: "is not a list of texts")
    }
    let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    guard texts.count == values.count else { throw QuestionError(reason: "is not a list of texts") }
    return texts
  }

  private static func number(_ value: JSONValue, isText: Bool) -> Double? {
    let number: Double? =
      switch value {
      case .integer(let number): Double(number)
      case .number(let number): number
      case .string(let text) where isText: Double(text)
      default: nil
      }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }

  private static func withoutSpaces(_ text: Substring) -> String {
    let start = text.drop { $0 == " " }
    let end = start.lastIndex { $0 != " " }
    return end.map { String(start[...$0]) } ?? ""
  }

  /// The beginning of a name that somebody sent.
  private static func excerpt(_ name: String) -> String {
    name.unicodeScalars.count <= 64 ? name : String(name.unicodeScalars.prefix(64)) + "…"
  }
}
