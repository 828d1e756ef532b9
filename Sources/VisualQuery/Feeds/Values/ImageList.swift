/// Reads the images of a field: one name or address, or a list of them.
enum ImageList {
  /// Words that programs write if there is no image.
  private static let placeholders: Set<String> = [
    "no_selection", "null", "none", "n/a", "nan", "-", "[]", "undefined", "false",
  ]

  /// Returns the names and addresses in a field, separated by bars, commas, semicolons, blanks or
  /// line breaks.
  ///
  /// A comma, semicolon or blank only separates if it cannot be part of a name: before another
  /// address, or between names that all have an ending.
  static func names(in text: String) -> [String] {
    if let first = text.first, "[{".contains(first), let list = jsonList(text) { return list }
    if text.utf8.contains(where: { [0x22, 0x27, 0x28].contains($0) }), let list = enclosed(text) {
      return list
    }
    return text.split(whereSeparator: { $0 == "|" || $0.isNewline }).flatMap { part in
      let name = part.trimmed
      return isAddress(name) ? addresses(in: name) : files(in: name)
    }.filter { !$0.isEmpty && !placeholders.contains($0.lowercased()) && !isOther($0) }
  }

  /// The endings of documents and videos that feeds list beside images.
  private static let otherEndings: Set<String> = [
    "pdf", "doc", "docx", "xls", "xlsx", "zip", "mp4", "mov", "avi", "webm", "mp3", "txt", "csv",
    "dwg", "stp", "step",
  ]

  private static func isOther(_ name: String) -> Bool {
    guard let dot = name.lastIndex(of: "."), name.distance(from: dot, to: name.endIndex) < 6 else {
      return false
    }
    return otherEndings.contains(name[name.index(after: dot)...].lowercased())
  }

  private static func isAddress(_ text: String) -> Bool {
    text.hasPrefix("//") || text.contains("://")
  }

  private static func jsonList(_ text: String) -> [String]? {
    guard let value = try? JSONValue(json: Array(text.utf8)) else { return nil }
    let items = if case .array(let values) = value { values } else { [value] }
    var names: [String] = []
    for item in items {
      let own = JSONFields.addresses(in: item)
      if own.isEmpty, item != .string("") { return nil }
      names += own
    }
    return names.filter { !$0.isEmpty }
  }

  /// Returns the addresses in a text that has them in quotes or brackets: `<img src="…">` of HTML, `=IMAGE("…")` of a
  /// spreadsheet, and `mug.jpg (https://…)` of a database of tables; `nil` if there is none.
  private static func enclosed(_ text: String) -> [String]? {
    var names: [String] = []
    var rest = text[...]
    while let open = rest.firstIndex(where: { "\"'(".contains($0) }) {
      let close: Character = rest[open] == "(" ? ")" : rest[open]
      rest = rest[rest.index(after: open)...]
      guard rest.hasPrefix("http://") || rest.hasPrefix("https://") else { continue }
      guard let end = rest.firstIndex(of: close) else { break }
      names.append(String(rest[..<end]))
      rest = rest[rest.index(after: end)...]
    }
    return names.isEmpty ? nil : names
  }

  /// Splits before each further address.
  private static func addresses(in text: String) -> [String] {
    var names: [String] = []
    var start = text.startIndex
    var index = text.startIndex
    while index < text.endIndex {
      if ",; \t".contains(text[index]) {
        let next = text[index...].drop { ",; \t".contains($0) }
        if next.hasPrefix("http://") || next.hasPrefix("https://") || next.hasPrefix("//") {
          names.append(String(text[start..<index]))
          start = next.startIndex
        }
        // Continues behind all of the separators: looking at each one again takes quadratic time.
        index = next.startIndex
      } else {
        index = text.index(after: index)
      }
    }
    names.append(String(text[start...].prefix { !$0.isNewline }))
    return names.map(trimmedEnd)
  }

  private static func trimmedEnd(_ text: String) -> String {
    var text = text[...]
    while let last = text.last, ",; ".contains(last) { text.removeLast() }
    return String(text)
  }

  /// Splits a list of file names.
  private static func files(in text: String) -> [String] {
    for separator in [",", ";", " "] as [Character] where text.contains(separator) {
      let parts = text.split(separator: separator).map(\.trimmed)
        .filter { !$0.isEmpty }
      if parts.allSatisfy(hasEnding) { return parts }
    }
    return [text]
  }

  private static func hasEnding(_ name: String) -> Bool {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return false }
    let ending = name[name.index(after: dot)...]
    return (2...5).contains(ending.count)
      && ending.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }
}
