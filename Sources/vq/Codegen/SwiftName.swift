/// Names and literals of Swift source.
enum SwiftName {
  /// The words that cannot be names without backticks, as far as a field or a value may have them.
  private static let reserved: Set<String> = [
    "as", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else",
    "enum", "extension", "fallthrough", "false", "for", "func", "guard", "if", "import", "in",
    "init", "inout", "internal", "is", "let", "nil", "operator", "private", "protocol", "public",
    "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch",
    "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]

  /// Returns a name in lower camel case made of a text's letters and digits of ASCII.
  ///
  /// - Parameters:
  ///   - text: The text, such as the name of a field.
  ///   - fallback: The beginning if the text has no letter at its beginning.
  static func lower(_ text: String, fallback: String) -> String {
    let words = words(of: text)
    let joined =
      (words.first.map { $0.prefix(1).lowercased() + $0.dropFirst() } ?? "")
      + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    let name = joined.first?.isLetter == true ? joined : fallback + joined
    return reserved.contains(name) ? "`\(name)`" : name
  }

  /// Returns a name in upper camel case.
  static func upper(_ text: String, fallback: String) -> String {
    let name = lower(text, fallback: fallback).filter { $0 != "`" }
    return name.prefix(1).uppercased() + name.dropFirst()
  }

  private static func words(of text: String) -> [Substring] {
    text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
  }

  /// Returns the names without repetitions: the second one of the same name gets a 2, and so on.
  static func distinct(_ names: [String], besides taken: Set<String> = []) -> [String] {
    var used = Set(taken.map { $0.lowercased() })
    return names.map { name in
      var (candidate, number) = (name, 2)
      while !used.insert(candidate.lowercased()).inserted {
        candidate = name.filter { $0 != "`" } + "\(number)"
        number += 1
      }
      return candidate
    }
  }

  /// Returns a text as a literal.
  static func literal(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\\", "\"": "\\\(scalar)"
      case _
      where scalar.value < 0x20 || scalar.value == 0x7F || scalar.value == 0x2028
        || scalar.value == 0x2029:
        "\\u{\(String(scalar.value, radix: 16))}"
      default: "\(scalar)"
      }
    }
    return "\"\(escaped.joined())\""
  }
}
