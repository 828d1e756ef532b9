/// The seals of what a store outside its file keeps of a segment, one for each row of the store. A seal depends on
/// the segment and the place of the row in it, so that exchanged rows do not have theirs.
package struct StoredSeals: Sendable, Hashable {
  private let seed: UInt64

  /// The marks that tell the kinds of rows apart, above the bits of a word or a row.
  private enum Kind: UInt64 { case list, signature, record }

  /// - Parameter name: The name of the segment's file, which no other segment ever has.
  package init(of name: String) { seed = Kernels.seal(of: Array(name.utf8).span) }

  /// Returns the seal of the posting list of a word.
  package func seal(ofList bytes: [UInt8], word: UInt32) -> UInt64 {
    seal(of: bytes, .list, UInt64(word))
  }

  /// Returns the seal of an encoded signature.
  package func seal(ofSignature bytes: [UInt8], row: Int) -> UInt64 {
    seal(of: bytes, .signature, UInt64(row))
  }

  /// Returns the seal of a record of what is stored of the segment.
  package func seal(ofRecord bytes: [UInt8]) -> UInt64 { seal(of: bytes, .record, 0) }

  private func seal(of bytes: [UInt8], _ kind: Kind, _ place: UInt64) -> UInt64 {
    Kernels.seal(of: bytes.span, seed: seed ^ (kind.rawValue << 40 | place))
  }
}

/// The words of which a store has posting lists, so that a lost list is told from a word that no image has.
package struct StoredWords: Sendable, Hashable {
  /// One bit for each word of keypoints, and then one for each word of hashes.
  private var bits: [UInt8]
  private let wordBits: Int
  /// The number of words.
  package private(set) var count = 0

  /// The forms of ``encoded``: few words are listed, of many each has a bit.
  private enum Form: UInt8 { case list, bits }

  /// The most bytes of ``encoded``.
  package static let mostEncodedByteCount =
    2 + (1 << VisualWord.bitLimit + HashChunk.wordCount) / 8

  /// No words of a segment.
  package init(of segment: SignatureSegment) { self.init(wordBits: segment.wordBits) }

  private init(wordBits: Int) {
    self.wordBits = wordBits
    bits = [UInt8](repeating: 0, count: (1 << wordBits + HashChunk.wordCount + 7) / 8)
  }

  /// Returns the place of a word among the bits, or `nil` if the segment cannot have it.
  private func place(of word: UInt32) -> Int? {
    let hash = Int(word) - Int(HashChunk.firstWord)
    if hash >= 0 { return hash < HashChunk.wordCount ? 1 << wordBits + hash : nil }
    return word < 1 << UInt32(wordBits) ? Int(word) : nil
  }

  /// Adds a word, once.
  package mutating func insert(_ word: UInt32) {
    guard let place = place(of: word) else { preconditionFailure("\(word) is not a word") }
    bits[place / 8] |= 1 << UInt8(place % 8)
    count += 1
  }

  /// Returns whether there is a list of a word.
  package func contains(_ word: UInt32) -> Bool {
    guard let place = place(of: word) else { return false }
    return bits[place / 8] >> UInt8(place % 8) & 1 == 1
  }

  /// The words as bytes.
  package var encoded: [UInt8] {
    guard 4 * count < bits.count else { return [Form.bits.rawValue, UInt8(wordBits)] + bits }
    var encoded = [Form.list.rawValue, UInt8(wordBits)]
    for (index, byte) in bits.enumerated() where byte != 0 {
      for bit in 0..<8 where byte >> UInt8(bit) & 1 == 1 {
        encoded.append(littleEndian: UInt32(8 * index + bit))
      }
    }
    return encoded
  }

  /// Reads words from ``encoded``; `nil` for other bytes.
  package init?(encoded: [UInt8]) {
    guard encoded.count >= 2, let form = Form(rawValue: encoded[0]),
      (1...VisualWord.bitLimit).contains(Int(encoded[1]))
    else { return nil }
    self.init(wordBits: Int(encoded[1]))
    switch form {
    case .bits:
      guard encoded.count == bits.count + 2 else { return nil }
      bits = Array(encoded[2...])
      count = bits.reduce(0) { $0 + $1.nonzeroBitCount }
    case .list:
      guard encoded.count % 4 == 2 else { return nil }
      for start in stride(from: 2, to: encoded.count, by: 4) {
        let place = Int(encoded.littleEndian(at: start, as: UInt32.self))
        guard place < 8 * bits.count else { return nil }
        bits[place / 8] |= 1 << UInt8(place % 8)
        count += 1
      }
    }
  }
}
