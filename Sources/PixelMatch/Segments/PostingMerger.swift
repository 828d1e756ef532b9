/// Merges the posting lists of segments, and reads each list once.
///
/// A word of the merged index has mostly more bits than those of its sources, so the postings of one list
/// belong to words that lie far apart. Words are therefore merged in batches that have the same last bits:
/// these are neighbors in the sources, and one range of neighbors for each value of the first bits in the
/// merged index.
struct PostingMerger {
  /// The merged lists of a batch.
  struct Batch {
    /// The lists of words that are neighbors in the merged index, too.
    struct Run {
      /// The index of the first posting in the merged index.
      let start: Int
      /// The place of the postings in those of the batch.
      let range: Range<Int>
    }

    let runs: [Run]
    /// The postings, in the order of bytes of a file.
    fileprivate let postings: [UInt64]

    /// Lends the bytes of a run's postings, 8 for each.
    func withBytes<Failure: Error>(
      of run: Run, _ body: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
      try postings.span.extracting(run.range).withOctets(body)
    }
  }

  /// The numbers of postings and of words in a batch, unless a single range of neighbors has more.
  private static let (postingLimit, wordLimit) = (1 << 22, 1 << 19)
  /// The number of bits by which the words of a source may be shorter and its lists are still read once.
  /// Of a source with shorter words, which has less than a hundredth of all postings, they are read again.
  private static let furtherBits = 8

  private let sources: [LiveSegment]
  private let newRows: [[UInt32]]
  private let starts: [UInt32]
  private let bits: Int
  /// The number of bits by which words are put into batches.
  private let lowBits: Int
  /// True if a source has longer words, so that several of its lists become one.
  private let joinsLists: Bool

  /// Prepares to merge lists.
  ///
  /// - Parameters:
  ///   - newRows: The new number of each row of each source; `UInt32.max` for dead rows.
  ///   - starts: The index of the first posting of each word of the merged index, and the end of the last
  ///     one's.
  ///   - bits: The number of bits of a word of the merged index.
  init(_ sources: [LiveSegment], newRows: [[UInt32]], starts: [UInt32], bits: Int) {
    self.sources = sources
    self.newRows = newRows
    self.starts = starts
    self.bits = bits
    let own = sources.map(\.segment.wordBits)
    lowBits = max(min(bits, own.min() ?? bits), bits - Self.furtherBits)
    joinsLists = own.contains { $0 > bits }
  }

  /// The batches: ranges of the last bits of words, in ascending order.
  var batches: [Range<Int>] {
    var batches: [Range<Int>] = []
    let ranges = 1 << (bits - lowBits)
    var (start, postings) = (0, 0)
    for low in 0..<1 << lowBits {
      let own = (0..<ranges).reduce(0) { $0 + count(ofWord: $1 << lowBits | low) }
      if low > start,
        postings + own > Self.postingLimit || (low - start + 1) * ranges > Self.wordLimit
      {
        batches.append(start..<low)
        (start, postings) = (low, 0)
      }
      postings += own
    }
    batches.append(start..<1 << lowBits)
    return batches
  }

  private func count(ofWord word: Int) -> Int { Int(starts[word + 1] - starts[word]) }

  /// Returns the merged lists of a batch.
  func postings(of batch: Range<Int>) -> Batch {
    let ranges = 1 << (bits - lowBits)
    var ends: [Int] = []
    ends.reserveCapacity(ranges * batch.count + 1)
    ends.append(0)
    for range in 0..<ranges {
      for low in batch { ends.append(ends[ends.count - 1] + count(ofWord: range << lowBits | low)) }
    }
    var postings = [UInt64](repeating: 0, count: ends[ends.count - 1])
    var next = ends
    for (live, numbers) in zip(sources, newRows) {
      place(live.segment, numbers, batch, in: &postings, at: &next, until: ends)
      // Each list that is read makes the system map 64 KB around it, which would add up over
      // many sources.
      live.segment.releaseMemory()
    }
    if joinsLists {
      let mask = UInt64(1) << UInt64(bits) - 1
      for word in 0..<ends.count - 1 {
        postings[ends[word]..<ends[word + 1]].sort { ($0 & mask, $0) < ($1 & mask, $1) }
      }
    }
    if UInt64(1).littleEndian != 1 {
      for index in postings.indices { postings[index] = postings[index].littleEndian }
    }
    let runs = (0..<ranges).map { range in
      Batch.Run(
        start: Int(starts[range << lowBits | batch.lowerBound]),
        range: ends[range * batch.count]..<ends[(range + 1) * batch.count])
    }
    return Batch(runs: runs, postings: postings)
  }

  /// Puts the postings of a source into the lists of a batch, each behind those that are there.
  ///
  /// - Parameters:
  ///   - next: The index of the next posting of each word of the batch.
  ///   - ends: The index of the first posting of each word of the batch, and the end of the last one's.
  private func place(
    _ segment: SignatureSegment, _ numbers: [UInt32], _ batch: Range<Int>,
    in merged: inout [UInt64], at next: inout [Int], until ends: [Int]
  ) {
    let own = segment.wordBits
    let lowMask = 1 << min(own, lowBits) - 1
    segment.withWordIndex { ownStarts, postings in
      for first in stride(from: 0, to: 1 << own, by: 1 << lowBits) {
        // If the words of the source have fewer bits, each is the prefix of several words
        // of the batch, and is read once.
        for low in batch.prefix(1 << own) {
          let word = first | low & lowMask
          let (start, end) = (Int(ownStarts[word]), min(Int(ownStarts[word + 1]), postings.count))
          guard start < end else { continue }
          for index in start..<end {
            let posting = VisualWord.Posting(postings[index], word: word, bits: own)
            let newWord = posting.word(bits: bits)
            let newLow = newWord & (1 << lowBits - 1)
            guard batch.contains(newLow), posting.row < numbers.count,
              numbers[posting.row] != .max
            else { continue }
            let list = (newWord >> lowBits) * batch.count + newLow - batch.lowerBound
            // The lists were counted before. If the file has changed since, there may be more
            // postings than were counted. They must not be written beyond the end of their list.
            guard next[list] < ends[list + 1] else { continue }
            merged[next[list]] = posting.encoded(row: Int(numbers[posting.row]), bits: bits)
            next[list] += 1
          }
        }
      }
    }
  }
}
