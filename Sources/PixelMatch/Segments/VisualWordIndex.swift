/// An inverted index from visual words, the first bits of keypoint hashes, to the keypoints of a
/// segment.
///
/// A word is just bits, so no vocabulary is trained and segments are independent of each other.
struct VisualWordIndex {
  /// The index of the first posting of each word, and the end of the last one's.
  private(set) var starts: [UInt32]
  /// The keypoints of each word, ascending.
  private(set) var postings: [UInt32]

  /// Sorts the keypoints of all rows by their words.
  init(_ rows: [KeypointSet], wordBits: Int) {
    let mask = UInt64(1) << UInt64(wordBits) - 1
    starts = [UInt32](repeating: 0, count: 1 << wordBits + 1)
    for hash in rows.lazy.flatMap(\.hashes) { starts[Int(hash.words[0] & mask) + 1] += 1 }
    for word in 0..<1 << wordBits { starts[word + 1] += starts[word] }
    postings = [UInt32](repeating: 0, count: Int(starts[1 << wordBits]))
    var next = starts
    var first: UInt32 = 0
    for row in rows {
      for (place, hash) in row.hashes.enumerated() {
        let word = Int(hash.words[0] & mask)
        postings[Int(next[word])] = first + UInt32(place)
        next[word] += 1
      }
      first += UInt32((row.count + 7) / 8 * 8)
    }
  }
}
