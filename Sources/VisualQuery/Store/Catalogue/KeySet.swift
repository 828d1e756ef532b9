/// A set of entity keys, one bit each: the inserted keys, or all keys except those.
package struct KeySet: Sendable, Hashable {
  /// The bits of the inserted keys.
  private var words: [UInt64] = []
  /// True if the set contains all keys except those in `words`.
  private(set) var isInverted = false

  package init() {}

  /// Makes the set of some keys.
  package init(_ keys: [UInt32]) { for key in keys { insert(key) } }

  /// The set of all keys.
  package static let all = KeySet().inverted

  /// The set of all keys that are not in this set.
  var inverted: KeySet {
    var other = self
    other.isInverted.toggle()
    return other
  }

  /// Inserts a key.
  mutating func insert(_ key: UInt32) {
    precondition(!isInverted, "keys are inserted before a set is inverted")
    let word = Int(key / 64)
    if word >= words.count {
      words += [UInt64](repeating: 0, count: max(words.count, word + 1 - words.count))
    }
    words[word] |= 1 << UInt64(key % 64)
  }

  /// Returns whether the set contains a key.
  package func contains(_ key: UInt32) -> Bool {
    let word = Int(key / 64)
    return (word < words.count && words[word] >> UInt64(key % 64) & 1 == 1) != isInverted
  }

  /// Returns the keys that are in this set, in another, or in both.
  func union(_ other: KeySet) -> KeySet {
    switch (isInverted, other.isInverted) {
    case (false, false): combined(with: other, isInverted: false, |)
    case (true, true): combined(with: other, isInverted: true, &)
    case (true, false): combined(with: other, isInverted: true) { $0 & ~$1 }
    case (false, true): other.combined(with: self, isInverted: true) { $0 & ~$1 }
    }
  }

  /// Returns the keys that are in this set and in another.
  package func intersection(_ other: KeySet) -> KeySet { inverted.union(other.inverted).inverted }

  /// Returns whether the set contains none of `count` entities; every key that was ever inserted
  /// must be one of theirs.
  package func isEmpty(among count: Int) -> Bool { (isInverted ? count - bitCount : bitCount) <= 0 }

  /// The number of keys in the set, or `nil` if the set is inverted.
  var count: Int? { isInverted ? nil : bitCount }

  /// Returns the keys of the set in a range, in ascending order.
  package func keys(in range: Range<UInt32>) -> [UInt32] {
    var keys: [UInt32] = []
    var next = range.lowerBound
    while next < range.upperBound {
      let word = Int(next / 64)
      var bits = word < words.count ? words[word] : 0
      if isInverted { bits = ~bits }
      let first = UInt32(word) * 64
      while bits != 0 {
        let key = first + UInt32(bits.trailingZeroBitCount)
        if range.contains(key) { keys.append(key) }
        bits &= bits - 1
      }
      next = first + 64
    }
    return keys
  }

  /// Returns the range from the first to the last key of the set in a range, or `nil` if there is none.
  func bounds(in range: Range<UInt32>) -> Range<UInt32>? {
    guard let first = range.first(where: contains), let last = range.last(where: contains) else {
      return nil
    }
    return first..<last + 1
  }

  /// The memory of the set.
  var byteCount: Int { words.count * 8 }

  private var bitCount: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  private func combined(
    with other: KeySet, isInverted: Bool, _ operation: (UInt64, UInt64) -> UInt64
  ) -> KeySet {
    var result = KeySet()
    result.isInverted = isInverted
    result.words = (0..<max(words.count, other.words.count)).map { index in
      operation(
        index < words.count ? words[index] : 0, index < other.words.count ? other.words[index] : 0)
    }
    return result
  }
}
