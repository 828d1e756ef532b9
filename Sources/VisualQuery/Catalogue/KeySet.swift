/// Entity keys, one bit each.
struct KeySet: Sendable, Hashable {
  private var words: [UInt64] = []

  mutating func insert(_ key: UInt32) {
    let word = Int(key / 64)
    if word >= words.count {
      words += [UInt64](repeating: 0, count: max(words.count, word + 1 - words.count))
    }
    words[word] |= 1 << UInt64(key % 64)
  }

  func contains(_ key: UInt32) -> Bool {
    let word = Int(key / 64)
    return word < words.count && words[word] >> UInt64(key % 64) & 1 == 1
  }

  var isEmpty: Bool { words.allSatisfy { $0 == 0 } }
}
