/// How many of the least certain bits of a visual word are tried both ways. Each further bit doubles the number of lists
/// that are read.
package enum WordDepth: Sendable, Hashable {
  /// This number of bits, at most 5.
  case bits(Int)
  /// For lists that come from a database and have to be transferred. Larger segments have longer words, in which one of
  /// the bits is wrong more often, so more of them are tried; mirrored images are rare, so fewer are tried for them.
  case fetched

  func doubts(wordBits: Int, isMirrored: Bool) -> Int {
    switch self {
    case .bits(let count): count
    case .fetched: isMirrored ? 1 : max(2, min(4, wordBits - 20))
    }
  }
}
