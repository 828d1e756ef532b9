internal import CKernels

/// The votes of keypoints in an index of visual words.
extension Kernels {
  /// The numbers of an index of visual words.
  struct WordIndex {
    /// The number of bits of a word, `1...24`.
    let wordBits: Int
    /// The number of rows of the segment.
    let rowCount: Int
    /// The length above which the list of a word is skipped.
    let longest: Int
  }

  /// The largest number of bits of a word that are tried both ways.
  static let doubtLimit = Int(CK_DOUBTS)

  /// The number of bits of a hash whose order of certainty is known: the least certain ones.
  static let knownDoubts = Int(CK_KNOWN_DOUBTS)

  /// The keypoints of one view of a query.
  struct VoteSource {
    /// The first 56 bits of each keypoint's hash.
    let hashes: [UInt64]
    let angles: [UInt8]
    /// The least certain bits of each hash, the least certain first, ``Kernels/knownDoubts`` each.
    let doubts: [UInt8]
    let isMirrored: Bool
  }

  /// The votes of a row.
  struct Vote {
    let row: Int
    let weight: Int
    let isMirrored: Bool
  }

  /// Returns the hits of keypoints: postings near them in their words and in those that differ in the
  /// least certain bits.
  ///
  /// - Parameters:
  ///   - sources: The keypoints, fewer than 1024 each.
  ///   - words: The words that the index has, in ascending order, or `nil` if it has all of them.
  ///   - starts: The first posting of each word, and the end of the last one's.
  ///   - postings: The postings. Wrong starts and rows are skipped.
  ///   - depth: The number of bits of a word that are tried both ways, at most ``doubtLimit``.
  ///   - willRead: A function that is called with words before their lists are read, or `nil`.
  ///   - shouldStop: A function that is called between keypoints; `true` ends the search.
  /// - Returns: The hits in an order that ``rankedVotes(_:limit:dead:)`` needs.
  func hits(
    of sources: [VoteSource], words: [UInt32]? = nil, starts: Span<UInt32>,
    postings: Span<UInt64>, index: WordIndex, depth: WordDepth = .bits(doubtLimit),
    willRead: ((_ words: [UInt32]) -> Void)? = nil, shouldStop: () -> Bool = { false }
  ) -> [UInt64] {
    precondition(
      (1...Int(CK_WORD_BIT_LIMIT)).contains(index.wordBits)
        && starts.count == (words?.count ?? 1 << index.wordBits) + 1,
      "the starts are not those of the words")
    let doubts = sources.map { Self.doubts(depth, of: $0, wordBits: index.wordBits) }
    precondition(sources.allSatisfy(\.isWhole), "the keypoints of a view do not fit together")
    guard !postings.isEmpty, index.longest > 0 else { return [] }
    var hits: [UInt64] = []
    // Sound: the counts passed are those of the spans and arrays, and no word has more hits than
    // `longest`.
    let room = Int(CK_VOTE_BATCH) << (doubts.max() ?? 0) * index.longest
    unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: room) { found in
      unsafe starts.withUnsafeBufferPointer { starts in
        unsafe postings.withUnsafeBufferPointer { postings in
          unsafe (words ?? []).withUnsafeBufferPointer { known in
            var words = unsafe ck_word_index(
              words: words == nil ? nil : known.baseAddress, word_count: known.count,
              starts: starts.baseAddress!, postings: postings.baseAddress!,
              posting_count: postings.count, word_bits: UInt32(index.wordBits),
              row_count: UInt32(index.rowCount), longest: UInt32(index.longest), doubts: 0)
            for (source, doubts) in zip(sources, doubts) {
              unsafe words.doubts = UInt32(doubts)
              for first in stride(from: 0, to: source.hashes.count, by: Int(CK_VOTE_BATCH)) {
                if shouldStop() { return }
                if let willRead {
                  let end = min(first + Int(CK_VOTE_BATCH), source.hashes.count)
                  willRead(
                    Self.probedWords(
                      of: source, first..<end, wordBits: index.wordBits, doubts: doubts))
                }
                let count = unsafe source.withView { view in
                  unsafe ck_collect_votes(&words, view, first, found.baseAddress!, level)
                }
                unsafe hits.append(contentsOf: found.prefix(count))
              }
            }
          }
        }
      }
    }
    return hits
  }

  /// Returns the words that keypoints look up.
  ///
  /// - Parameter depth: The number of bits of a word that are tried both ways, at most ``doubtLimit``.
  static func probedWords(
    of source: VoteSource, wordBits: Int, depth: WordDepth = .bits(doubtLimit)
  ) -> [UInt32] {
    precondition(
      source.isWhole && (1...Int(CK_WORD_BIT_LIMIT)).contains(wordBits),
      "the keypoints of a view do not fit together")
    return probedWords(
      of: source, source.hashes.indices, wordBits: wordBits,
      doubts: doubts(depth, of: source, wordBits: wordBits))
  }

  /// - Parameter keypoints: The keypoints of a whole view.
  private static func probedWords(
    of source: VoteSource, _ keypoints: Range<Int>, wordBits: Int, doubts count: Int
  ) -> [UInt32] {
    var words: [UInt32] = []
    var probed = [UInt32](repeating: 0, count: 1 << count)
    for index in keypoints {
      // Sound: the span has `knownDoubts` numbers for each keypoint, and `probed` has room for `1
      // << count` words.
      let count = unsafe source.doubts.withUnsafeBufferPointer { doubts in
        unsafe ck_probed_words(
          source.hashes[index], doubts.baseAddress! + index * knownDoubts, UInt32(count),
          UInt32(wordBits), &probed)
      }
      words += probed.prefix(count)
    }
    return words
  }

  private static func doubts(
    _ depth: WordDepth, of source: VoteSource, wordBits: Int
  ) -> Int {
    let count = depth.doubts(wordBits: wordBits, isMirrored: source.isMirrored)
    precondition((0...doubtLimit).contains(count), "\(count) doubtful bits")
    return count
  }

  /// Adds up hits by row and view: over the best two neighboring turns, each keypoint once a turn.
  ///
  /// - Parameters:
  ///   - hits: The hits of whole views, in the order in which they were found.
  ///   - limit: The largest number of votes returned, at least 1.
  ///   - dead: One bit per row, set if the row does not count; empty if all count.
  /// - Returns: The votes, the highest first, ties by row, original before mirrored.
  /// - Complexity: O(*n* log `limit`) for *n* hits.
  func rankedVotes(_ hits: [UInt64], limit: Int, dead: [UInt64]) -> [Vote] {
    precondition(limit >= 1, "a limit of \(limit) votes")
    if !dead.isEmpty {
      let lastRow = hits.lazy.map { Int($0 >> 40) }.max() ?? 0
      precondition(lastRow / 64 < dead.count, "there is no bit for row \(lastRow)")
    }
    var hits = hits
    guard !hits.isEmpty else { return [] }
    let kept = min(limit, hits.count)
    // Sound: both buffers have room for all hits, `dead` has a bit for every row, and `best` has
    // room for every vote.
    let votes = unsafe [ck_vote](unsafeUninitializedCapacity: kept) { best, bestCount in
      bestCount = unsafe hits.withUnsafeMutableBufferPointer { hits in
        unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: hits.count) { scratch in
          unsafe dead.withUnsafeBufferPointer { dead in
            unsafe ck_rank_votes(
              hits.baseAddress!, scratch.baseAddress!, hits.count,
              dead.isEmpty ? nil : dead.baseAddress, best.baseAddress!, kept)
          }
        }
      }
    }
    return votes.map {
      Vote(row: Int($0.row), weight: Int($0.weight), isMirrored: $0.is_mirrored == 1)
    }
  }
}

extension Kernels.VoteSource {
  /// True if the parts are those of fewer than 1024 keypoints.
  fileprivate var isWhole: Bool {
    let count = hashes.count
    return count < 1024 && angles.count == count && doubts.count == count * Kernels.knownDoubts
      && hashes.allSatisfy { $0 >> UInt64(CK_POSTING_HASH_BITS) == 0 }
      && doubts.allSatisfy { $0 < CK_WORD_BIT_LIMIT }
  }

  /// Lends the keypoints as the kernel takes them.
  fileprivate func withView<Result>(
    _ body: (UnsafePointer<ck_vote_source>) -> Result
  ) -> Result {
    // Sound: the pointers are used during the call only.
    unsafe hashes.withUnsafeBufferPointer { hashes in
      unsafe angles.withUnsafeBufferPointer { angles in
        unsafe doubts.withUnsafeBufferPointer { doubts in
          var view = unsafe ck_vote_source(
            hashes: hashes.baseAddress!, angles: angles.baseAddress!, doubts: doubts.baseAddress!,
            count: hashes.count, is_mirrored: isMirrored ? 1 : 0)
          return unsafe body(&view)
        }
      }
    }
  }
}
