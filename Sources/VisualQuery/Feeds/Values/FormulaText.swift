/// The text of a formula that a spreadsheet wrote in place of its value.
enum FormulaText {
  /// Returns the value of a formula that consists of a text, such as `="00123"`, `=T("00123")` or `=HYPERLINK("https://…","open")`,
  /// and any other text unchanged.
  static func value(_ text: String) -> String {
    guard text.utf8.first == UInt8(ascii: "="), text.utf8.last != UInt8(ascii: "=") else {
      return text
    }
    let formula = text.dropFirst().trimmed
    if let value = quoted(formula[...]), value.rest.isEmpty { return value.text }
    for name in ["T(", "HYPERLINK("] where formula.uppercased().hasPrefix(name) {
      guard formula.hasSuffix(")"), let value = quoted(formula.dropFirst(name.count)),
        value.rest == ")" || [",", ";"].contains(value.rest.first)
      else { continue }
      return value.text
    }
    return text
  }

  /// Returns the text in quotes at the beginning of a formula, and what follows it.
  private static func quoted(_ formula: Substring) -> (text: String, rest: Substring)? {
    guard formula.first == "\"" else { return nil }
    var text = ""
    var rest = formula.dropFirst()
    while let end = rest.firstIndex(of: "\"") {
      text += rest[..<end]
      rest = rest[rest.index(after: end)...]
      guard rest.first == "\"" else { return (text, rest.drop { $0 == " " }) }
      text.append("\"")
      rest.removeFirst()
    }
    return nil
  }
}
