/// A step that divides a text into words, or its words into bytes.
enum TokenSplitting: Sendable {
  /// Each match of a pattern is a word. The text between matches is left out, or is a word as well.
  case matches(TokenPattern, keepsRest: Bool)
  /// A space is put before each word.
  case prefixingSpace
  /// Words are read by their bytes.
  case bytes

  /// The words of GPT-2, by which a step of bytes divides texts unless it says otherwise.
  private static let standard =
    #"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"#

  var mapsBytes: Bool { if case .bytes = self { true } else { false } }

  /// Returns what a step of the file does.
  ///
  /// - Throws: ``ReadingError`` with the code `otherShape`.
  static func steps(_ step: TokenizerFile.Step) throws(ReadingError) -> [TokenSplitting] {
    switch step.type {
    case "ByteLevel":
      let splits: [TokenSplitting] =
        step.use_regex ?? true ? [.matches(try TokenPattern(standard), keepsRest: true)] : []
      return (step.add_prefix_space ?? true ? [.prefixingSpace] : []) + splits + [.bytes]
    case "Split":
      guard let text = step.pattern?.Regex ?? step.pattern?.String.map(TokenPattern.escaped) else {
        throw Tokenizer.unsupported("has a 'Split' without a pattern")
      }
      let pattern = try TokenPattern(text)
      switch (step.behavior?.lowercased(), step.invert ?? false) {
      case ("removed", true): return [.matches(pattern, keepsRest: false)]
      case ("isolated", _): return [.matches(pattern, keepsRest: true)]
      default:
        throw Tokenizer.unsupported(
          "splits with the behavior '\((step.behavior ?? "").prefix(32))', which is not known")
      }
    default:
      throw Tokenizer.unsupported(
        "has the pre_tokenizer '\(step.type.prefix(32))', which is not known")
    }
  }

  /// Divides a word.
  func pieces(of word: [Unicode.Scalar]) -> [[Unicode.Scalar]] {
    switch self {
    case .bytes: return [word]
    case .prefixingSpace: return word.first == " " ? [word] : [[" "] + word]
    case .matches(let pattern, let keepsRest):
      var pieces: [[Unicode.Scalar]] = []
      var rest: [Unicode.Scalar] = []
      var place = 0
      while place < word.count {
        let length = pattern.length(in: word, at: place)
        guard length > 0 else {
          if keepsRest { rest.append(word[place]) }
          place += 1
          continue
        }
        if !rest.isEmpty { pieces.append(rest) }
        rest = []
        pieces.append(Array(word[place..<place + length]))
        place += length
      }
      if !rest.isEmpty { pieces.append(rest) }
      return pieces
    }
  }
}

/// The patterns by which tokenizers split: alternatives of a text, or of characters of some kinds, once or any number of times.
///
/// It is a small part of regular expressions, so that no file can make a text take long: each alternative is tried once at each place.
struct TokenPattern: Sendable {
  /// A set of characters: those of some kinds or, if negated, all others.
  private struct Kinds {
    var (letters, numbers, marks, spaces) = (false, false, false, false)
    var isNegated = false

    func contains(_ scalar: Unicode.Scalar) -> Bool {
      var isIn = spaces && scalar.properties.isWhitespace
      if !isIn, letters || numbers || marks {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
          isIn = letters
        case .decimalNumber, .letterNumber, .otherNumber: isIn = numbers
        case .nonspacingMark, .spacingMark, .enclosingMark: isIn = marks
        default: break
        }
      }
      return isIn != isNegated
    }
  }

  private struct Alternative {
    var text: [Unicode.Scalar] = []
    var kinds: Kinds?
    /// True if the match may begin with a space.
    var takesSpace = false
    var most = 1
    /// True if only white space or the end may follow.
    var isBeforeSpace = false

    /// Returns the length of the match at a place, or 0.
    func length(in word: [Unicode.Scalar], at place: Int) -> Int {
      guard let kinds else { return word[place...].starts(with: text) ? text.count : 0 }
      func run(_ start: Int) -> Int {
        var end = start
        while end < word.count, end - start < most, kinds.contains(word[end]) { end += 1 }
        return end - start
      }
      if takesSpace, word[place] == " " {
        let length = run(place + 1)
        if length > 0 { return length + 1 }
      }
      let length = run(place)
      let end = place + length
      guard isBeforeSpace, end < word.count, !word[end].properties.isWhitespace else {
        return length
      }
      return length - 1
    }
  }

  private static let (lengthLimit, alternativeLimit) = (1024, 64)
  private let alternatives: [Alternative]

  /// - Throws: ``ReadingError`` with the code `otherShape`.
  init(_ pattern: String) throws(ReadingError) {
    var reader = Reader(rest: Array(pattern.unicodeScalars.prefix(Self.lengthLimit + 1))[...])
    var alternatives: [Alternative] = []
    var isSound = reader.rest.count <= Self.lengthLimit
    while isSound {
      guard alternatives.count < Self.alternativeLimit, let next = reader.alternative() else {
        isSound = false
        break
      }
      alternatives.append(next)
      if reader.rest.isEmpty { break }
      isSound = reader.take("|")
    }
    guard isSound else {
      throw Tokenizer.unsupported("splits by '\(pattern.prefix(64))', which is not known")
    }
    self.alternatives = alternatives
  }

  /// Returns the pattern of a text.
  static func escaped(_ text: String) -> String {
    var pattern = ""
    for scalar in text.unicodeScalars {
      if scalar.isASCII, !scalar.properties.isAlphabetic, scalar.properties.numericType == nil {
        pattern += "\\"
      }
      pattern.unicodeScalars.append(scalar)
    }
    return pattern
  }

  /// Returns the length of the first alternative that matches at a place, or 0.
  func length(in word: [Unicode.Scalar], at place: Int) -> Int {
    for alternative in alternatives {
      let length = alternative.length(in: word, at: place)
      if length > 0 { return length }
    }
    return 0
  }

  private struct Reader {
    var rest: ArraySlice<Unicode.Scalar>

    mutating func take(_ text: String) -> Bool {
      guard rest.starts(with: text.unicodeScalars) else { return false }
      rest = rest.dropFirst(text.unicodeScalars.count)
      return true
    }

    /// Reads up to the next bar; `nil` for anything that is not known.
    mutating func alternative() -> Alternative? {
      var alternative = Alternative()
      alternative.takesSpace = take(" ?")
      if let kinds = kinds() {
        alternative.kinds = kinds
        if take("+") {
          alternative.most = .max
        } else if take("{1,3}") {
          alternative.most = 3
        }
        alternative.isBeforeSpace = take(#"(?!\S)"#)
        return alternative
      }
      while let first = rest.first, first != "|" {
        rest = rest.dropFirst()
        if first == "\\" {
          // Escaped letters and digits have meanings of their own.
          guard let escaped = rest.popFirst(), escaped.isASCII,
            !escaped.properties.isAlphabetic, escaped.properties.numericType == nil
          else { return nil }
          alternative.text.append(escaped)
        } else if "()[]{}*+?.^$".unicodeScalars.contains(first) {
          return nil
        } else {
          alternative.text.append(first)
        }
      }
      return alternative.text.isEmpty || alternative.takesSpace ? nil : alternative
    }

    private mutating func kinds() -> Kinds? {
      let start = rest
      var kinds = Kinds()
      if single(&kinds) { return kinds }
      guard take("[") else { return nil }
      kinds.isNegated = take("^")
      while single(&kinds) {}
      if take("]") { return kinds }
      rest = start
      return nil
    }

    private mutating func single(_ kinds: inout Kinds) -> Bool {
      if take(#"\p{L}"#) {
        kinds.letters = true
      } else if take(#"\p{N}"#) {
        kinds.numbers = true
      } else if take(#"\p{M}"#) {
        kinds.marks = true
      } else if take(#"\s"#) {
        kinds.spaces = true
      } else {
        return false
      }
      return true
    }
  }
}
