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
      let pattern = step.pattern?.String?.unicodeScalars.count ?? 0
      guard max(content.count, pattern) <= Self.replacementLimit else {
        throw Tokenizer.unsupported(
          "replaces \(pattern) characters by \(content.count); at most \(Self.replacementLimit) are read"
        )
      }
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

  /// The most scalars of a text that is replaced, and of its replacement.
  private static let replacementLimit = 256
  /// The most scalars of a text after a step. Several replacements in a row could multiply it without end.
  static let scalarLimit = 4 * Tokenizer.scalarLimit

  /// Returns the text after a step, which is cut off at ``scalarLimit``.
  ///
  /// - Complexity: O(*n*) for *n* scalars.
  func applied(to text: [Unicode.Scalar]) -> [Unicode.Scalar] {
    switch self {
    case .composing: return Self.composed(text)
    case .lowercasing:
      return Array(
        text.lazy.flatMap { $0.properties.lowercaseMapping.unicodeScalars }.prefix(Self.scalarLimit)
      )
    case .stripping(let left, let right):
      var part = text[...]
      if left { part = part.drop { $0.properties.isWhitespace } }
      if right { while part.last?.properties.isWhitespace == true { part.removeLast() } }
      return Array(part)
    case .replacingSpaces(let content):
      var result: [Unicode.Scalar] = []
      var wasSpace = false
      for scalar in text where result.count < Self.scalarLimit {
        let isSpace = scalar.properties.isWhitespace
        if !isSpace {
          result.append(scalar)
        } else if !wasSpace {
          result += content
        }
        wasSpace = isSpace
      }
      return Array(result.prefix(Self.scalarLimit))
    case .replacing(let wanted, let content):
      var result: [Unicode.Scalar] = []
      var place = 0
      while place < text.count, result.count < Self.scalarLimit {
        if text[place...].starts(with: wanted) {
          result += content
          place += wanted.count
        } else {
          result.append(text[place])
          place += 1
        }
      }
      return Array(result.prefix(Self.scalarLimit))
    }
  }

  /// Composes letters and their marks: NFC of <https://www.unicode.org/reports/tr15/>, which the standard library has, but not for everyone.
  private static func composed(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] {
    text.allSatisfy(\.isASCII) ? text : Array(String(String.UnicodeScalarView(text))._nfc)
  }
}
