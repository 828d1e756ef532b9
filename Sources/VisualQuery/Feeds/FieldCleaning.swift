/// Gives the fields of a row the form that the native form has: texts without HTML, ids and titles
/// as strings.
enum FieldCleaning {
  /// The fields whose HTML becomes text.
  private static let titles = ["title", "subtitle", "brand"]
  private static let descriptions = [
    "description", "shortDescription", "longDescription", "body", "bodyHtml",
  ]

  /// Returns a row with clean fields.
  static func cleaned(_ json: JSONValue) -> JSONValue {
    guard case .object(var fields) = json else { return json }
    for name in ["id", "title", "group"] {
      if case .integer(let number)? = fields[name] { fields[name] = .string("\(number)") }
    }
    if case .string(let text)? = fields["id"] { fields["id"] = .string(cleanID(text)) }
    // Set to null instead of being removed, so that a row that changes an entity removes its
    // group.
    if case .string(let text)? = fields["group"], !FeedText.isGroup(text) {
      fields["group"] = .null
    }
    if case .string(let text)? = fields["brand"], !FeedText.isValue(text) {
      fields["brand"] = .null
    }
    for name in titles {
      guard case .string(let text)? = fields[name] else { continue }
      let clean = withoutMarks(withoutControls(PlainText.text(text)))
      fields[name] = .string(name == "brand" ? clean.trimmed : clean)
    }
    for name in descriptions {
      guard case .string(let text)? = fields[name] else { continue }
      fields[name] = .string(PlainText.description(text))
    }
    for (name, value) in fields where ProductCode.isField(name) {
      guard case .string(let text) = value else { continue }
      // Spreadsheets mark a number that is to stay text with a leading apostrophe, and write other numbers as decimal ones.
      if text.hasPrefix("'") {
        fields[name] = .string(String(text.dropFirst()))
      } else if text.hasSuffix(".0"), ProductCode(String(text.dropLast(2))) != nil {
        fields[name] = .string(String(text.dropLast(2)))
      }
    }
    // A single image or label needs no list.
    for (name, list) in [
      ("image", "images"), ("images", "images"), ("label", "labels"), ("labels", "labels"),
    ] {
      guard case .string(let text)? = fields[name], name == list || fields[list] == nil else {
        continue
      }
      fields[name] = nil
      let parts = list == "images" ? ImageList.names(in: text) : [text].filter { !$0.isEmpty }
      fields[list] = .array(parts.map(JSONValue.string))
    }
    if case .array(let images)? = fields["images"] {
      fields["images"] = .array(images.map { withScheme(withoutReferences($0)) })
    }
    if let url = fields["url"] { fields["url"] = withoutReferences(url) }
    return .object(fields)
  }

  /// Returns an address in which `&` is not written as HTML writes it, which some programs do once too often. Names of files stay.
  private static func withoutReferences(_ address: JSONValue) -> JSONValue {
    guard case .string(var text) = address, text.utf8.contains(UInt8(ascii: "&")),
      text.contains("://") || text.hasPrefix("//")
    else { return address }
    for _ in 0..<3 where text.contains(";") {
      for reference in ["&amp;", "&#38;", "&#038;", "&#x26;"] {
        text = text.replacing(reference, with: "&")
      }
    }
    return .string(text)
  }

  /// Returns the name of an image, of which an address such as `//cdn.example/a.jpg` is one of https.
  private static func withScheme(_ image: JSONValue) -> JSONValue {
    guard case .string(let name) = image, name.hasPrefix("//"),
      name.dropFirst(2).prefix(while: { $0 != "/" }).contains(".")
    else { return image }
    return .string("https:" + name)
  }

  /// Returns an id without blanks around it, and without characters that cannot be seen, which programs do not compare alike.
  static func cleanID(_ text: String) -> String {
    let isPlain = text.utf8.first.map { $0 > 0x20 && $0 < 0x80 } ?? true
    if isPlain, text.utf8.last != 0x20, !hasOtherBytes(text) { return text }
    let text = text.trimmed
    return String(String.UnicodeScalarView(text.unicodeScalars.filter { !isInvisible($0) })).trimmed
  }

  /// Returns the lines of a text, without control characters and marks of direction; empty ones are left out.
  static func lines(of text: String) -> [String] {
    text.split(whereSeparator: \.isNewline).compactMap { line in
      let clean = withoutMarks(withoutControls(String(line))).trimmed
      return clean.isEmpty ? nil : clean
    }
  }

  /// Returns a text without marks of direction and of line breaks, which would reorder what stands beside it.
  private static func withoutMarks(_ text: String) -> String {
    if !hasOtherBytes(text) || !text.unicodeScalars.contains(where: isMark) { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.filter { !isMark($0) })).trimmed
  }

  /// Returns whether a text has bytes beyond ASCII.
  private static func hasOtherBytes(_ text: String) -> Bool {
    for byte in text.utf8 where byte >= 0x80 { return true }
    return false
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Removes invisible characters, but not joiners, which shape letters in some scripts and
    // are parts of emoji.
    case 0x200B, 0x200E...0x200F, 0x202A...0x202E, 0x2060...0x2069, 0xFEFF, 0xAD: true
    default: false
    }
  }

  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    isMark(scalar) || (0x200C...0x200D).contains(scalar.value)
  }

  /// Returns a text in which control characters are blanks.
  private static func withoutControls(_ text: String) -> String {
    func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x0A && byte != 0x09 }
    guard text.utf8.contains(where: isControl) else { return text }
    let bytes = text.utf8.map { isControl($0) ? 0x20 : $0 }
    return String(decoding: bytes, as: UTF8.self).trimmed
  }
}
