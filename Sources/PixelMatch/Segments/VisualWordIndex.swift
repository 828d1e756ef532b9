/// An inverted index from the visual words of a segment's keypoints to their postings.
struct VisualWordIndex {
  /// The index of the first posting of each word, and the end of the last one's.
  private(set) var starts: [UInt32]
  /// The postings of each word, by row and then by number.
  private(set) var postings: [UInt64]

  /// Sorts the keypoints of all rows by their words.
  init(_ rows: [KeypointSet], wordBits: Int) {
    starts = [UInt32](repeating: 0, count: 1 << wordBits + 1)
    for hash in rows.lazy.flatMap(\.hashes) {
      starts[VisualWord.word(of: hash, bits: wordBits) + 1] += 1
    }
    for word in 0..<1 << wordBits { starts[word + 1] += starts[word] }
    postings = [UInt64](repeating: 0, count: Int(starts[1 << wordBits]))
    var next = starts
    for (row, set) in rows.enumerated() {
      for (keypoint, hash) in zip(set.keypoints, set.hashes) {
        let word = VisualWord.word(of: hash, bits: wordBits)
        postings[Int(next[word])] = VisualWord.posting(
          row: row, angle: keypoint.angle, hash: hash, bits: wordBits)
        next[word] += 1
      }
    }
    for word in 0..<1 << wordBits {
      Self.order(&postings, Int(starts[word])..<Int(starts[word + 1]), wordBits)
    }
  }

  /// Brings the postings of one row and word into the order of their numbers, which does not depend
  /// on how long words are.
  private static func order(_ postings: inout [UInt64], _ list: Range<Int>, _ wordBits: Int) {
    let mask = UInt64(1) << UInt64(wordBits) - 1
    for index in list.dropFirst() {
      var place = index
      while place > list.lowerBound, postings[place - 1] & mask == postings[place] & mask,
        postings[place - 1] > postings[place]
      {
        postings.swapAt(place - 1, place)
        place -= 1
      }
    }
  }
}
