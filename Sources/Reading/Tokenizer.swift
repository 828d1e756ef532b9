/// Turns text into the token numbers of a model by byte-pair encoding, from the files that CLIP and similar models
/// are published with.
///
/// A text is normalized and split into words, and each byte of a word becomes a token. Then the two neighboring
/// tokens that come first in the table of merges are replaced by one, until no two neighbors are in the table (R.
/// Sennrich, B. Haddow, A. Birch, "Neural Machine Translation of Rare Words with Subword Units", 2016,
/// <https://arxiv.org/abs/1508.07909>). Files of other kinds are rejected.
package struct Tokenizer: Sendable {
  /// The most bytes of a file.
  package static let byteLimit = 32 << 20
  /// The most tokens and merges of a vocabulary.
  static let vocabularyLimit = 1 << 18
  /// The most scalars of a text that are looked at.
  static let scalarLimit = 4096
  /// The most tokens that are added, and the most steps of each kind.
  private static let (addedLimit, stepLimit) = (4096, 32)

  private let normalization: [TokenNormalization]
  private let splitting: [TokenSplitting]
  private let pairs: BytePairs
  private let added: AddedTokens
  /// The tokens before and after those of a text.
  let (prefix, suffix): ([Int32], [Int32])
  /// The token that pads a text to a fixed length.
  let padding: Int32
  /// The most tokens that the file allows, or `nil` if it has no limit.
  let lengthLimit: Int?
  /// The largest number of a token.
  let largestToken: Int32

  /// Reads a `tokenizer.json`.
  ///
  /// - Throws: ``ReadingError`` with the code `tooLarge`, `corrupt` or `otherShape`.
  package init(_ bytes: [UInt8]) throws(ReadingError) {
    guard bytes.count <= Self.byteLimit else {
      throw ReadingError(
        code: .tooLarge,
        message:
          "\(TextEncoder.tokenizerName) has \(bytes.count >> 20) MB; at most \(Self.byteLimit >> 20) are read"
      )
    }
    let file = try TokenizerFile(bytes)
    guard file.model.type ?? "BPE" == "BPE" else {
      throw Self.unsupported(
        "is of the type '\((file.model.type ?? "").prefix(32))'; only byte-pair encoding is read: 'BPE'"
      )
    }
    pairs = try BytePairs(file.model)
    normalization = try Self.steps(file.normalizer, \.normalizers) {
      step throws(ReadingError) in try TokenNormalization(step)
    }
    splitting = try Self.steps(file.pre_tokenizer, \.pretokenizers) {
      step throws(ReadingError) in try TokenSplitting.steps(step)
    }.flatMap { $0 }
    guard splitting.contains(where: \.mapsBytes) else {
      throw Self.unsupported("does not split text into bytes: its pre_tokenizer has no 'ByteLevel'")
    }
    let around = try Self.steps(file.post_processor, \.processors) {
      step throws(ReadingError) in try Self.around(step)
    }
    prefix = around.reversed().flatMap(\.before)
    suffix = around.flatMap(\.after)
    let tokens = file.added_tokens ?? []
    guard tokens.count <= Self.addedLimit else {
      throw Self.unsupported(
        "has \(tokens.count) added tokens; at most \(Self.addedLimit) are read")
    }
    added = try AddedTokens(tokens, normalization)
    lengthLimit = file.truncation?.max_length
    padding =
      try file.padding?.pad_id.map { id throws(ReadingError) in try Self.token(id) }
      ?? suffix.last ?? 0
    largestToken = ([pairs.largestToken, added.largestToken, padding] + prefix + suffix).max() ?? 0
  }

  /// Returns an error about something that the file has, or lacks.
  static func unsupported(_ text: String) -> ReadingError {
    ReadingError(code: .otherShape, message: "\(TextEncoder.tokenizerName) \(text)")
  }

  /// Returns a number of the file as that of a token.
  static func token(_ id: Int) throws(ReadingError) -> Int32 {
    guard (0..<8 * vocabularyLimit).contains(id) else {
      throw unsupported("has the token \(id); expected 0 to \(8 * vocabularyLimit - 1)")
    }
    return Int32(id)
  }

  /// Makes the parts of a step: itself, or those of a sequence.
  private static func steps<Part>(
    _ step: TokenizerFile.Step?, _ parts: (TokenizerFile.Step) -> [TokenizerFile.Step]?,
    _ make: (TokenizerFile.Step) throws(ReadingError) -> Part
  ) throws(ReadingError) -> [Part] {
    guard let step else { return [] }
    let list = step.type == "Sequence" ? parts(step) ?? [] : [step]
    guard list.count <= stepLimit else {
      throw unsupported("has \(list.count) steps; at most \(stepLimit) are read")
    }
    var made: [Part] = []
    for step in list { made.append(try make(step)) }
    return made
  }

  /// Returns the tokens that a step puts around those of a text.
  private static func around(
    _ step: TokenizerFile.Step
  ) throws(ReadingError) -> (before: [Int32], after: [Int32]) {
    switch step.type {
    case "RobertaProcessing", "BertProcessing":
      guard let cls = step.cls, let sep = step.sep else {
        throw unsupported("has a post_processor without 'cls' or 'sep'")
      }
      return ([try token(cls.id)], [try token(sep.id)])
    case "TemplateProcessing":
      var (before, after): ([Int32], [Int32]) = ([], [])
      var isAfter = false
      for piece in (step.single ?? []).prefix(stepLimit) {
        if piece.Sequence != nil { isAfter = true }
        guard let name = piece.SpecialToken?.id else { continue }
        guard let ids = step.special_tokens?[name]?.ids else {
          throw unsupported("has a template with the unknown token '\(name.prefix(32))'")
        }
        for id in ids.prefix(stepLimit) {
          if isAfter { after.append(try token(id)) } else { before.append(try token(id)) }
        }
      }
      return (before, after)
    case "ByteLevel": return ([], [])
    default:
      throw unsupported("has the post_processor '\(step.type.prefix(32))', which is not known")
    }
  }

  /// Returns the tokens of a text, with those around it.
  ///
  /// - Parameters:
  ///   - limit: The most tokens in all; those at the end of the text are left out.
  ///   - shouldStop: Asked now and then; `true` leaves the rest of the text out.
  /// - Complexity: O(*n* log *n*) for *n* bytes.
  package func tokens(
    of text: String, limit: Int = .max, shouldStop: () -> Bool = { false }
  ) -> [Int32] {
    let room = max(0, limit - prefix.count - suffix.count)
    var tokens: [Int32] = []
    func add(_ part: AddedTokens.Part, _ normalizing: Bool) {
      switch part {
      case .token(let token): tokens.append(token)
      case .text(let scalars) where normalizing:
        let normalized = normalization.reduce(scalars) { $1.applied(to: $0) }
        for part in added.parts(of: normalized, isNormalized: true) { add(part, false) }
      case .text(let scalars):
        let pieces = splitting.reduce([scalars]) { pieces, step in
          pieces.flatMap(step.pieces)
        }
        for piece in pieces {
          if tokens.count >= room || shouldStop() { return }
          tokens += pairs.tokens(of: Array(String(String.UnicodeScalarView(piece)).utf8))
        }
      }
    }
    let scalars = Array(text.unicodeScalars.prefix(Self.scalarLimit))
    for part in added.parts(of: scalars, isNormalized: false) { add(part, true) }
    return prefix + tokens.prefix(room) + suffix
  }
}

/// The special tokens that are recognized in a text as a whole, such as `<|endoftext|>`, before the rest is encoded.
struct AddedTokens: Sendable {
  enum Part {
    case token(Int32)
    case text([Unicode.Scalar])
  }

  private struct Entry {
    let content: [Unicode.Scalar]
    let token: Int32
    let isNormalized: Bool
    let (isWord, takesLeft, takesRight): (Bool, Bool, Bool)
  }

  /// The longest first.
  private let entries: [Entry]
  let largestToken: Int32

  init(
    _ tokens: [TokenizerFile.AddedToken], _ normalization: [TokenNormalization]
  ) throws(ReadingError) {
    var entries: [Entry] = []
    for token in tokens where !token.content.isEmpty {
      let scalars = Array(token.content.unicodeScalars)
      guard scalars.count <= 256 else {
        throw Tokenizer.unsupported("has an added token of \(scalars.count) characters")
      }
      let isNormalized = token.normalized ?? true
      let content =
        isNormalized ? normalization.reduce(scalars) { $1.applied(to: $0) } : scalars
      guard content.count <= 256 else {
        throw Tokenizer.unsupported(
          "has an added token that its normalizer makes \(content.count) characters long")
      }
      entries.append(
        Entry(
          content: content,
          token: try Tokenizer.token(token.id), isNormalized: isNormalized,
          isWord: token.single_word ?? false, takesLeft: token.lstrip ?? false,
          takesRight: token.rstrip ?? false))
    }
    self.entries = entries.filter { !$0.content.isEmpty }
      .sorted { ($1.content.count, $0.token) < ($0.content.count, $1.token) }
    largestToken = entries.map(\.token).max() ?? 0
  }

  /// Divides a text at the special tokens that apply before or after normalization. At each place, the longest token
  /// counts.
  func parts(of text: [Unicode.Scalar], isNormalized: Bool) -> [Part] {
    let entries = entries.filter { $0.isNormalized == isNormalized }
    if entries.isEmpty { return text.isEmpty ? [] : [.text(text)] }
    let firsts = Set(entries.map { $0.content[0] })
    var parts: [Part] = []
    var rest: [Unicode.Scalar] = []
    var place = 0
    func isPart(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_"
    }
    while place < text.count {
      let entry =
        firsts.contains(text[place])
        ? entries.first { entry in
          let end = place + entry.content.count
          guard end <= text.count, text[place..<end].elementsEqual(entry.content) else {
            return false
          }
          return !entry.isWord
            || (place == 0 || !isPart(text[place - 1])) && (end == text.count || !isPart(text[end]))
        } : nil
      guard let entry else {
        rest.append(text[place])
        place += 1
        continue
      }
      place += entry.content.count
      if entry.takesLeft { while rest.last?.properties.isWhitespace == true { rest.removeLast() } }
      if entry.takesRight {
        while place < text.count, text[place].properties.isWhitespace { place += 1 }
      }
      if !rest.isEmpty { parts.append(.text(rest)) }
      rest = []
      parts.append(.token(entry.token))
    }
    if !rest.isEmpty { parts.append(.text(rest)) }
    return parts
  }
}
