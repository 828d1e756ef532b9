/// The tokens of byte-pair encoding, and the pairs that become one.
struct BytePairs: Sendable {
  private struct Merged {
    let rank: Int32
    let token: Int32
  }

  /// The token of each byte within a word, and at its end; `nil` for those that the vocabulary lacks.
  private let inner: [Int32?]
  private let last: [Int32?]
  /// The merges by both tokens.
  private let merges: [UInt64: Merged]
  /// The tokens of whole words, if these are not merged.
  private let words: [[UInt8]: Int32]
  private let unknown: Int32?
  private let fusesUnknown: Bool
  let largestToken: Int32

  /// - Throws: ``ReadingError`` with the code `otherShape` or `tooLarge`.
  init(_ model: TokenizerFile.Model) throws(ReadingError) {
    let vocabulary = model.vocab ?? [:]
    let pairs = model.merges ?? []
    let count = max(vocabulary.count, pairs.count)
    guard count <= Tokenizer.vocabularyLimit else {
      throw ReadingError(
        code: .tooLarge,
        message: """
          \(TextEncoder.tokenizerName) has \(count) tokens or merges; at most \(Tokenizer.vocabularyLimit) are read
          """)
    }
    guard !vocabulary.isEmpty else { throw Tokenizer.unsupported("has no vocabulary ('vocab')") }
    guard model.dropout ?? 0 == 0, model.byte_fallback != true,
      model.continuing_subword_prefix ?? "" == ""
    else {
      throw Tokenizer.unsupported(
        "has 'dropout', 'byte_fallback' or 'continuing_subword_prefix', which are not known")
    }
    for id in vocabulary.values { _ = try Tokenizer.token(id) }
    func token(_ text: String) -> Int32? { vocabulary[text].map { Int32($0) } }
    let suffix = model.end_of_word_suffix ?? ""
    inner = (0..<256).map { token(Self.text(of: UInt8($0))) }
    last = (0..<256).map { token(Self.text(of: UInt8($0)) + suffix) }
    var merges: [UInt64: Merged] = [:]
    merges.reserveCapacity(pairs.count)
    for (rank, merge) in pairs.enumerated() {
      guard merge.parts.count == 2, let a = token(merge.parts[0]), let b = token(merge.parts[1]),
        let both = token(merge.parts[0] + merge.parts[1])
      else {
        throw Tokenizer.unsupported(
          "has the merge '\(merge.parts.joined(separator: " ").prefix(64))', whose tokens are not in the vocabulary"
        )
      }
      // As in the tokenizers of Hugging Face, the last of equal merges counts.
      merges[Self.key(a, b)] = Merged(rank: Int32(rank), token: both)
    }
    self.merges = merges
    if model.ignore_merges == true {
      let bytes = Dictionary(
        uniqueKeysWithValues: (0..<256).map { (Self.scalar(of: UInt8($0)), UInt8($0)) })
      words = Dictionary(
        vocabulary.compactMap { text, id in
          let mapped = text.unicodeScalars.map { bytes[$0] }
          return mapped.contains(nil) ? nil : (mapped.compactMap { $0 }, Int32(id))
        }, uniquingKeysWith: { min($0, $1) })
    } else {
      words = [:]
    }
    unknown = model.unk_token.flatMap(token)
    fusesUnknown = model.fuse_unk ?? false
    largestToken = vocabulary.values.max().map { Int32($0) } ?? 0
  }

  private static func key(_ a: Int32, _ b: Int32) -> UInt64 {
    UInt64(UInt32(bitPattern: a)) << 32 | UInt64(UInt32(bitPattern: b))
  }

  /// The character by which files write a byte: itself if it can be seen, otherwise one of those from U+0100 on.
  private static func scalar(of byte: UInt8) -> Unicode.Scalar {
    func isSeen(_ byte: UInt8) -> Bool {
      (33...126).contains(byte) || (161...172).contains(byte) || byte >= 174
    }
    if isSeen(byte) { return Unicode.Scalar(byte) }
    let hidden = (0..<byte).count { !isSeen($0) }
    return Unicode.Scalar(UInt32(256 + hidden)) ?? "?"
  }

  private static func text(of byte: UInt8) -> String { String(scalar(of: byte)) }

  /// Returns the tokens of a word.
  ///
  /// - Complexity: O(*n* log *n*) for *n* bytes.
  func tokens(of word: [UInt8]) -> [Int32] {
    if let whole = words[word] { return [whole] }
    var symbols: [Int32] = []
    var wasUnknown = false
    for (index, byte) in word.enumerated() {
      let known = index == word.count - 1 ? last[Int(byte)] : inner[Int(byte)]
      if known == nil, wasUnknown, fusesUnknown { continue }
      wasUnknown = known == nil
      if let symbol = known ?? unknown { symbols.append(symbol) }
    }
    return merged(symbols)
  }

  /// Merges pairs in the order of their ranks; of pairs with the same rank, the leftmost first.
  private func merged(_ symbols: [Int32]) -> [Int32] {
    var symbols = symbols
    // The neighbors of each symbol that is left; -1 at the ends, and -2 for symbols that are gone.
    var before = symbols.indices.map { $0 - 1 }
    var after = symbols.indices.map { $0 + 1 < symbols.count ? $0 + 1 : -1 }
    var heap = PairHeap()
    func offer(_ place: Int) {
      guard place >= 0, after[place] >= 0,
        let merge = merges[Self.key(symbols[place], symbols[after[place]])]
      else { return }
      heap.add(.init(rank: merge.rank, place: Int32(place), token: merge.token))
    }
    for place in symbols.indices { offer(place) }
    while let pair = heap.removeFirst() {
      let place = Int(pair.place)
      guard before[place] > -2, after[place] >= 0 else { continue }
      let next = after[place]
      // An earlier merge may have replaced one of the two symbols since the pair was offered.
      guard let merge = merges[Self.key(symbols[place], symbols[next])], merge.token == pair.token
      else { continue }
      symbols[place] = merge.token
      after[place] = after[next]
      if after[next] >= 0 { before[after[next]] = place }
      before[next] = -2
      offer(before[place])
      offer(place)
    }
    return symbols.indices.filter { before[$0] > -2 }.map { symbols[$0] }
  }
}

/// A heap of pairs, the lowest rank first, of equal ones the leftmost.
private struct PairHeap {
  struct Pair {
    let rank: Int32
    let place: Int32
    let token: Int32

    func isBefore(_ other: Pair) -> Bool { (rank, place) < (other.rank, other.place) }
  }

  private var pairs: [Pair] = []

  mutating func add(_ pair: Pair) {
    pairs.append(pair)
    var child = pairs.count - 1
    while child > 0, pairs[child].isBefore(pairs[(child - 1) / 2]) {
      pairs.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func removeFirst() -> Pair? {
    guard let first = pairs.first, let last = pairs.popLast() else { return nil }
    if pairs.isEmpty { return first }
    pairs[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < pairs.count && pairs[child].isBefore(pairs[least]) {
        least = child
      }
      if least == parent { return first }
      pairs.swapAt(parent, least)
      parent = least
    }
  }
}
