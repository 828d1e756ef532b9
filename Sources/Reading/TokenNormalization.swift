@_spi(_Unicode) internal import Swift

/// A step that makes texts alike before they are split.
enum TokenNormalization: Sendable {
  case composing, lowercasing
  /// White space at the ends is left out.
  case stripping(left: Bool, right: Bool)
  /// Runs of white space become a text.
  case replacingSpaces([Unicode.Scalar])
  /// A text becomes another one.
  case replacing([Unicode.Scalar], [Unicode.Scalar])

  /// - Throws: ``ReadingError`` with the code `otherShape`.
  init(_ step: TokenizerFile.Step) throws(ReadingError) {
    switch step.type {
    case "NFC": self = .composing
    case "Lowercase": self = .lowercasing
    case "Strip":
      self = .stripping(left: step.strip_left ?? true, right: step.strip_right ?? true)
    case "Replace":
      let content = Array((step.content ?? "").unicodeScalars)
      if let text = step.pattern?.String, !text.isEmpty {
        self = .replacing(Array(text.unicodeScalars), content)
      } else if let pattern = step.pattern?.Regex, pattern == #"\s+"# {
        self = .replacingSpaces(content)
      } else {
        throw Tokenizer.unsupported(
          "replaces '\((step.pattern?.Regex ?? "").prefix(64))', which is not known")
      }
    default:
      throw Tokenizer.unsupported(
        "has the normalizer '\(step.type.prefix(32))', which is not known")
    }
  }

  func applied(to text: [Unicode.Scalar]) -> [Unicode.Scalar] {
    switch self {
    case .composing: return Self.composed(text)
    case .lowercasing: return text.flatMap { Array($0.properties.lowercaseMapping.unicodeScalars) }
    case .stripping(let left, let right):
      var part = text[...]
      if left { part = part.drop { $0.properties.isWhitespace } }
      if right { while part.last?.properties.isWhitespace == true { part.removeLast() } }
      return Array(part)
    case .replacingSpaces(let content):
      var result: [Unicode.Scalar] = []
      var wasSpace = false
      for scalar in text {
        let isSpace = scalar.properties.isWhitespace
        if !isSpace {
          result.append(scalar)
        } else if !wasSpace {
          result += content
        }
        wasSpace = isSpace
      }
      return result
    case .replacing(let wanted, let content):
      var result: [Unicode.Scalar] = []
      var place = 0
      while place < text.count {
        if text[place...].starts(with: wanted) {
          result += content
          place += wanted.count
        } else {
          result.append(text[place])
          place += 1
        }
      }
      return result
    }
  }

  /// Composes letters and their marks: NFC of <https://www.unicode.org/reports/tr15/>, which the standard library has, but not for everyone.
  private static func composed(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] {
    text.allSatisfy(\.isASCII) ? text : Array(String(String.UnicodeScalarView(text))._nfc)
  }
}
