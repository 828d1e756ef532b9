#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

internal import PixelMatch
package import Reading

/// The words of a catalogue's entities, by the pieces of three letters that they consist of: those of titles, of brands, of the text
/// that a feed has, and of what was read in images.
///
/// A misread letter loses three pieces and not the word, in any language and script. Pieces weigh by their rarity among the
/// entities, and words by the size of their letters and the certainty of their reading.
package struct PieceIndex: Sendable {
  /// An entity with a word and its weight, `0...1`.
  struct Word: Sendable {
    let key: UInt32
    let text: String
    let weight: Double
  }

  /// The share of a word's pieces, by rarity, that an entity must have for the word to be known.
  fileprivate static let knownCover: Float = 0.5
  /// The most words of one text.
  private static let wordLimit = 256
  /// The most pieces of a word: longer ones are cut.
  private static let pieceLimit = 40
  /// The number of postings that are read between two questions whether to stop.
  private static let postingsPerQuestion = 1 << 14

  /// The keys of the entities with words, in ascending order.
  fileprivate let keys: [UInt32]
  /// The pieces in ascending order.
  private let pieces: [UInt64]
  /// The place of the first posting of each piece, and the number of postings.
  private let starts: [Int]
  /// The index of an entity in `keys`, and 255 times the weight of the piece.
  private let postings: [(entity: UInt32, weight: UInt8)]
  /// The square root of the sum of the weighted rarities of an entity's pieces, and 1.
  private let norms: [Float]

  /// Makes an index of words.
  ///
  /// - Complexity: O(*n* log *n*) for *n* pieces, 16 bytes each while it is made and 8 afterwards.
  init(_ words: [Word]) {
    let keys = Set(words.lazy.map(\.key)).sorted()
    var found: [(piece: UInt64, entity: UInt32, weight: UInt8)] = []
    for word in words {
      let weight = UInt8((255 * max(0, min(1, word.weight))).rounded())
      guard weight > 0, let entity = Self.index(of: word.key, in: keys) else { continue }
      for piece in Self.pieces(of: word.text) { found.append((piece, UInt32(entity), weight)) }
    }
    // For each piece of an entity, sorts the largest weight first: the loop below keeps only
    // the first one.
    found.sort { ($0.piece, $0.entity, $1.weight) < ($1.piece, $1.entity, $0.weight) }
    var (pieces, starts) = ([UInt64](), [Int]())
    var postings: [(entity: UInt32, weight: UInt8)] = []
    for (piece, entity, weight) in found {
      if pieces.last != piece {
        pieces.append(piece)
        starts.append(postings.count)
      } else if postings.last?.entity == entity {
        continue
      }
      postings.append((entity, weight))
    }
    starts.append(postings.count)
    var sums = [Float](repeating: 1, count: keys.count)
    for index in pieces.indices {
      let range = starts[index]..<starts[index + 1]
      let rarity = Self.rarity(count: range.count, of: keys.count)
      for posting in postings[range] {
        sums[Int(posting.entity)] += rarity * Float(posting.weight) / 255
      }
    }
    self.keys = keys
    self.pieces = pieces
    self.starts = starts
    self.postings = postings
    norms = sums.map { $0.squareRoot() }
  }

  private static func rarity(count: Int, of total: Int) -> Float {
    Float(log((Double(total) + 1) / (Double(count) + 0.5)))
  }

  /// Returns the place of a value in an ascending list.
  private static func index<Value: Comparable>(of value: Value, in list: [Value]) -> Int? {
    var (low, high) = (0, list.count)
    while low < high {
      let middle = (low + high) / 2
      if list[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low < list.count && list[low] == value ? low : nil
  }

  // MARK: Words

  /// Returns the words of a text: in lower case without diacritics, of three characters, or two if there is a digit or a character
  /// of a script without letters.
  static func words(of text: String) -> [String] {
    LabelText.folded(text).split { !$0.isLetter && !$0.isNumber }.lazy.filter { word in
      let count = word.unicodeScalars.count
      return count >= 3
        || count == 2
          && word.unicodeScalars.contains { $0.value >= 0x2E80 || $0.properties.numericType != nil }
    }.prefix(wordLimit).map(String.init)
  }

  /// Returns the pieces of a word between marks of its beginning and its end, each once.
  static func pieces(of word: String) -> Set<UInt64> {
    let mark: UInt64 = 1
    let scalars = [mark] + word.unicodeScalars.prefix(pieceLimit).map { UInt64($0.value) } + [mark]
    guard scalars.count >= 3 else { return [] }
    return Set(
      (0...scalars.count - 3).map { scalars[$0] << 42 | scalars[$0 + 1] << 21 | scalars[$0 + 2] })
  }

  /// Returns the words of lines of text, each once with its largest weight: that of the certainty of its line, and of the root of the
  /// size of its letters in relation to the largest.
  ///
  /// - Returns: The words in alphabetical order, each with the index of the line that gives it its weight.
  static func words(of lines: [TextLine]) -> [(text: String, weight: Double, line: Int)] {
    let heights = lines.map(height)
    let highest = heights.max() ?? 0
    var best: [String: (weight: Double, line: Int)] = [:]
    for (index, height) in heights.enumerated() {
      let size = highest > 0 && height > 0 ? (height / highest).squareRoot() : 1
      let weight = size * max(0, min(1, lines[index].certainty))
      for word in words(of: lines[index].text) where best[word].map({ $0.weight < weight }) ?? true
      {
        best[word] = (weight, index)
      }
    }
    return best.sorted { $0.key < $1.key }.map { ($0.key, $0.value.weight, $0.value.line) }
  }

  /// Returns the height of a line's letters, or 0 if its place is unknown.
  private static func height(of line: TextLine) -> Double {
    guard line.corners.count == 4 else { return 0 }
    let (top, bottom) = (line.corners[0], line.corners[3])
    return ((top.x - bottom.x) * (top.x - bottom.x) + (top.y - bottom.y) * (top.y - bottom.y))
      .squareRoot()
  }

  // MARK: Comparing

  /// Compares lines of text with those of all entities.
  ///
  /// - Parameter shouldStop: Asked for each word and its many postings.
  /// - Returns: The agreement with each, or `nil` if no entity has any piece of them, or if it was told to stop.
  /// - Complexity: O(postings of the lines' pieces), and 8 bytes of memory for each entity.
  package func agreements(of lines: [TextLine], shouldStop: () -> Bool) -> TextAgreements? {
    var pace = AskingPace(steps: Self.postingsPerQuestion)
    var agreed = [Float](repeating: 0, count: keys.count)
    var explained = [Float](repeating: 0, count: keys.count)
    var known: Float = 0
    var cover = [Float](repeating: 0, count: keys.count)
    var knownWords: [TextAgreements.KnownWord] = []
    // A piece that occurs in several words counts once, with the largest weight.
    var weights: [UInt64: Float] = [:]
    for (word, size, line) in Self.words(of: lines) {
      let weight = Float(size)
      var total: Float = 0
      var touched: [Int] = []
      for piece in Self.pieces(of: word).sorted() {
        weights[piece] = max(weights[piece] ?? 0, weight)
        guard let place = Self.index(of: piece, in: pieces) else {
          total += Self.rarity(count: 0, of: keys.count)
          continue
        }
        let range = starts[place]..<starts[place + 1]
        if pace.isTime(after: range.count), shouldStop() { return nil }
        let rarity = Self.rarity(count: range.count, of: keys.count)
        total += rarity
        for posting in postings[range] {
          let entity = Int(posting.entity)
          if cover[entity] == 0 { touched.append(entity) }
          cover[entity] += rarity
        }
      }
      let best = touched.lazy.map { cover[$0] }.max() ?? 0
      let isKnown = total > 0 && best >= Self.knownCover * total
      if isKnown {
        known += weight * best
        knownWords.append(
          TextAgreements.KnownWord(
            text: word, weight: weight, total: total, best: best, corners: lines[line].corners))
      }
      for entity in touched {
        if isKnown { explained[entity] += weight * cover[entity] }
        cover[entity] = 0
      }
    }
    var isAnyKnown = false
    for (piece, weight) in weights.sorted(by: { $0.key < $1.key }) {
      guard let place = Self.index(of: piece, in: pieces) else { continue }
      let range = starts[place]..<starts[place + 1]
      if pace.isTime(after: range.count), shouldStop() { return nil }
      let rarity = Self.rarity(count: range.count, of: keys.count)
      for posting in postings[range] {
        agreed[Int(posting.entity)] += rarity * weight * Float(posting.weight) / 255
        isAnyKnown = true
      }
    }
    guard isAnyKnown else { return nil }
    for entity in agreed.indices { agreed[entity] /= norms[entity] }
    return TextAgreements(
      index: self, words: knownWords, agreed: agreed, explained: explained, known: known)
  }

  /// Returns the sum of the rarities of the pieces of a word that an entity has.
  ///
  /// - Parameter entity: The index of the entity in `keys`.
  fileprivate func cover(of word: String, by entity: Int) -> Float {
    Self.pieces(of: word).sorted().reduce(0) { sum, piece in
      guard let place = Self.index(of: piece, in: pieces) else { return sum }
      let range = starts[place]..<starts[place + 1]
      // A binary search, because the postings of a piece are sorted by entity.
      var (low, high) = (range.lowerBound, range.upperBound)
      while low < high {
        let middle = (low + high) / 2
        if postings[middle].entity < entity { low = middle + 1 } else { high = middle }
      }
      guard low < range.upperBound, postings[low].entity == entity else { return sum }
      return sum + Self.rarity(count: range.count, of: keys.count)
    }
  }

  /// The agreement of lines of text with the entities of a catalogue.
  package struct TextAgreements: Sendable {
    /// A word of the lines that some entity has.
    fileprivate struct KnownWord: Sendable {
      let text: String
      let weight: Float
      /// The sum of the rarities of its pieces.
      let total: Float
      /// The largest sum of the rarities of these pieces that a single entity has.
      let best: Float
      let corners: [ReadPoint]

      /// True if the middle of the line with the word lies in a part of the image, or is not known.
      func lies(in part: PictureRegion) -> Bool {
        guard corners.count == 4 else { return true }
        let (x, y) = (corners.reduce(0) { $0 + $1.x } / 4, corners.reduce(0) { $0 + $1.y } / 4)
        return (part.x...part.x + part.width).contains(x)
          && (part.y...part.y + part.height).contains(y)
      }
    }

    /// The most words that are compared with one entity.
    private static let wordLimit = 32

    fileprivate let index: PieceIndex
    /// The known words, in alphabetical order.
    fileprivate let words: [KnownWord]
    fileprivate let agreed: [Float]
    fileprivate let explained: [Float]
    /// The weight of all words of the lines that some entity has.
    fileprivate let known: Float

    /// Returns the sum of the rarities of the pieces that the lines and an entity have in common, in relation to the root of that
    /// of all its pieces; 0 for an entity without text.
    package func agreement(with key: UInt32) -> Double {
      PieceIndex.index(of: key, in: index.keys).map { Double(agreed[$0]) } ?? 0
    }

    /// Returns the share of the known words that an entity lacks, by weight, `0...1`: of siblings that share most words, the one that
    /// is shown lacks none.
    package func contradiction(with key: UInt32) -> Double {
      let explained = PieceIndex.index(of: key, in: index.keys).map { self.explained[$0] } ?? 0
      return Double(max(0, known - explained) / (known + 1))
    }

    /// Returns ``contradiction(with:)`` of the words in a part of the image: that in which the entity's image lies. Words elsewhere are of
    /// other things, or of the app in a screenshot.
    package func contradiction(with key: UInt32, within part: PictureRegion) -> Double {
      let entity = PieceIndex.index(of: key, in: index.keys)
      var (known, explained): (Float, Float) = (0, 0)
      for word in words where word.lies(in: part) {
        known += word.weight * word.best
        explained += word.weight * (entity.map { index.cover(of: word.text, by: $0) } ?? 0)
      }
      return Double(max(0, known - explained) / (known + 1))
    }

    /// Returns the words of the lines that some entity has, and whether this one has them: those that weigh most, at most 32.
    package func words(comparedWith key: UInt32) -> [ReadWord] {
      let entity = PieceIndex.index(of: key, in: index.keys)
      let heaviest = words.sorted { ($1.weight, $0.text) < ($0.weight, $1.text) }
      return heaviest.prefix(Self.wordLimit).map { word in
        let cover = entity.map { index.cover(of: word.text, by: $0) } ?? 0
        return ReadWord(
          text: word.text, agrees: cover >= PieceIndex.knownCover * word.total,
          corners: word.corners.map { [$0.x, $0.y] })
      }
    }

    /// Returns the keys of the entities that agree best, at most `limit`, the best first.
    package func best(_ limit: Int) -> [UInt32] {
      let keys = index.keys
      return keys.indices.filter { explained[$0] > 0 }
        .sorted { (agreed[$1], keys[$0]) < (agreed[$0], keys[$1]) }.prefix(limit).map { keys[$0] }
    }
  }
}

package typealias TextAgreements = PieceIndex.TextAgreements

extension CatalogueTables {
  /// Returns the words of all entities.
  ///
  /// - Parameter models: The models whose readings count, or `nil` for those of any.
  func pieceWords(readBy models: [ModelFile]?) throws(CatalogueError) -> [PieceIndex.Word] {
    var words: [PieceIndex.Word] = []
    try text.forEachName { key, title, brand in
      for text in Set(PieceIndex.words(of: title) + PieceIndex.words(of: brand)).sorted() {
        words.append(PieceIndex.Word(key: key, text: text, weight: 1))
      }
    }
    if let property = try printedText() {
      try properties.forEachValue(of: property, in: 0..<UInt32.max) { key, value in
        guard case .text(let text) = value else { return }
        // A list is stored as JSON. Earlier versions stored a plain text.
        var lines = [text]
        if let json = try? JSONValue(stored: text), case .array = json {
          lines = EntityValue.lines(json)
        }
        for text in Set(lines.flatMap(PieceIndex.words)).sorted() {
          words.append(PieceIndex.Word(key: key, text: text, weight: 1))
        }
      }
    }
    try readings.forEach(by: models) { key, reading in
      for (text, weight, _) in PieceIndex.words(of: reading.lines) {
        words.append(PieceIndex.Word(key: key, text: text, weight: weight))
      }
    }
    return words
  }

  /// Returns the number of the property with the text on things, or `nil` if no feed ever had it.
  func printedText() throws(CatalogueError) -> Int? {
    guard let name = EntityProperty.storedExtra(EntityValue.textField) else { return nil }
    return try properties.number(of: name)
  }
}
