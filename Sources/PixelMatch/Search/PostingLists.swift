/// The posting lists of some visual words of a segment, as they are kept outside its file.
package struct PostingLists: Sendable {
  /// The words, in ascending order.
  let words: [UInt32]
  /// The index of the first posting of each word, and the end of the last one's.
  let starts: [UInt32]
  let postings: [UInt64]

  /// Puts lists together.
  ///
  /// - Parameter lists: The bytes of the list of each word, as ``SignatureSegment/forEachList(_:)``
  ///   gives them. Several lists of a word, in any order, are parts of one.
  package init(_ lists: [(word: UInt32, bytes: [UInt8])]) {
    var words: [UInt32] = []
    var starts: [UInt32] = []
    var postings: [UInt64] = []
    postings.reserveCapacity(lists.reduce(0) { $0 + $1.bytes.count / 8 })
    for (word, bytes) in lists.sorted(by: { $0.word < $1.word }) {
      if words.last != word {
        words.append(word)
        starts.append(UInt32(postings.count))
      }
      for place in 0..<bytes.count / 8 {
        postings.append(bytes.littleEndian(at: 8 * place, as: UInt64.self))
      }
    }
    starts.append(UInt32(postings.count))
    self.words = words
    self.starts = starts
    self.postings = postings
  }

  /// Returns the postings of a word.
  func postings(of word: UInt32) -> ArraySlice<UInt64> {
    var (first, end) = (0, words.count)
    while first < end {
      let middle = (first + end) / 2
      if words[middle] < word { first = middle + 1 } else { end = middle }
    }
    guard first < words.count, words[first] == word else { return [] }
    return postings[Int(starts[first])..<Int(starts[first + 1])]
  }
}

/// The limits of the posting lists of a segment, by which lists from a database are checked.
package struct PostingBounds: Sendable, Hashable {
  /// The number of rows of the segment.
  package let rowCount: Int
  private let wordBits: Int
  private let longestList: Int

  package init(of segment: SignatureSegment) {
    rowCount = segment.count
    wordBits = segment.wordBits
    longestList = segment.longestList
  }

  /// The most bytes of any list.
  package var byteLimit: Int { 8 * max(longestList, HashChunk.longestList(rows: rowCount)) }

  /// Returns what is wrong with the list of a word, or `nil` if nothing is.
  ///
  /// - Parameter isWanted: Returns whether a row of the segment may be in the list.
  package func fault(
    of bytes: [UInt8], word: UInt32, ofRows isWanted: (_ row: Int) -> Bool
  ) -> String? {
    let isHash = word >= HashChunk.firstWord
    let longest = isHash ? HashChunk.longestList(rows: rowCount) : longestList
    guard bytes.count.isMultiple(of: 8), !bytes.isEmpty else {
      return "it has \(bytes.count) bytes, where each posting has 8"
    }
    guard bytes.count <= 8 * longest else {
      return "it has \(bytes.count / 8) postings of at most \(longest)"
    }
    for place in stride(from: 0, to: bytes.count, by: 8) {
      // The posting of a keypoint stores bits of its hash above the bits of the row.
      let row =
        isHash
        ? Int(clamping: bytes.littleEndian(at: place, as: UInt64.self))
        : (Int(bytes[place]) | Int(bytes[place + 1]) << 8 | Int(bytes[place + 2]) << 16)
          & (1 << wordBits - 1)
      guard row < rowCount, isWanted(row) else {
        return "it names row \(row), which is not one of its rows"
      }
    }
    return nil
  }
}

extension SignatureSegment {
  /// The length above which the list of a word is skipped.
  var longestList: Int { VisualWord.longestList(bits: wordBits, keypoints: keypointCount) }

  /// Calls `body` with the posting list of each word that is looked up, in ascending order: 8 bytes a
  /// posting, little-endian. First come the words of keypoints, then those of hashes, whose postings
  /// are rows. Words without postings and those whose lists are skipped are left out.
  ///
  /// - Parameter isWanted: Returns whether to keep the postings of a row.
  package func forEachList<Failure: Error>(
    ofRows isWanted: (_ row: Int) -> Bool,
    _ body: (_ word: UInt32, _ bytes: [UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    let longest = longestList
    let check = listCheck(longest: longest)
    let mask = UInt64(1) << UInt64(wordBits) - 1
    for word in 0..<1 << wordBits {
      check?([UInt32(word)])
      let list = withWordIndex { starts, postings -> [UInt8] in
        let (from, end) = (Int(starts[word]), Int(starts[word + 1]))
        guard from < end, end <= postings.count, end - from <= longest else { return [] }
        var bytes: [UInt8] = []
        for place in from..<end where isWanted(Int(postings[place] & mask)) {
          bytes.append(littleEndian: postings[place])
        }
        return bytes
      }
      if !list.isEmpty { try body(UInt32(word), list) }
    }
    let (starts, rows) = hashLists(ofRows: isWanted)
    for word in 0..<HashChunk.wordCount {
      var bytes: [UInt8] = []
      for row in rows[starts[word]..<starts[word + 1]] { bytes.append(littleEndian: UInt64(row)) }
      if !bytes.isEmpty { try body(HashChunk.firstWord + UInt32(word), bytes) }
    }
  }

  /// Returns the wanted rows of each word of the hashes that can be trusted: the index of the first one of
  /// each word and the end of the last one's, and all rows. Lists that are skipped are empty.
  private func hashLists(
    ofRows isWanted: (_ row: Int) -> Bool
  ) -> (starts: [Int], rows: [UInt32]) {
    func forEachPlace(_ body: (_ row: Int, _ word: Int) -> Void) {
      for row in 0..<count where pdqQuality(at: row) >= Signature.trustedQuality {
        for word in HashChunk.words(of: pdq(at: row)) {
          body(row, Int(word - HashChunk.firstWord))
        }
      }
    }
    var lengths = [Int](repeating: 0, count: HashChunk.wordCount)
    forEachPlace { _, word in lengths[word] += 1 }
    let longest = HashChunk.longestList(rows: count)
    let isSkipped = lengths.map { $0 > longest }
    var starts = [Int](repeating: 0, count: HashChunk.wordCount + 1)
    forEachPlace { row, word in
      if !isSkipped[word], isWanted(row) { starts[word + 1] += 1 }
    }
    for word in 0..<HashChunk.wordCount { starts[word + 1] += starts[word] }
    var rows = [UInt32](repeating: 0, count: starts[HashChunk.wordCount])
    var next = starts
    forEachPlace { row, word in
      guard !isSkipped[word], isWanted(row) else { return }
      rows[next[word]] = UInt32(row)
      next[word] += 1
    }
    return (starts, rows)
  }
}
