/// The number of a visual word's least certain bits that are tried both ways. Each further bit doubles the number of
/// lists that are read.
package enum WordDepth: Sendable, Hashable {
  /// This number of bits, at most 5.
  case bits(Int)
  /// For lists that are fetched from a database: two bits for words of up to 22 bits, one more for each further bit of
  /// the word, and at most four, since a longer word has a wrong bit more often. For mirrored images, which are rare, one.
  case fetched

  func doubts(wordBits: Int, isMirrored: Bool) -> Int {
    switch self {
    case .bits(let count): count
    case .fetched: isMirrored ? 1 : max(2, min(4, wordBits - 20))
    }
  }
}
