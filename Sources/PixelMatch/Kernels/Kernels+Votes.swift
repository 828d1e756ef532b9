internal import CKernels

/// The votes of keypoints in an index of visual words.
extension Kernels {
  /// The number of keypoints whose hits ``appendHits(of:from:starts:postings:index:to:)`` collects.
  static let voteBatch = Int(CK_VOTE_BATCH)

  /// The numbers of an index of visual words.
  struct WordIndex {
    /// The number of bits of a word, `1...24`.
    let wordBits: Int
    /// The number of rows of the segment.
    let rowCount: Int
    /// The length above which the list of a word is skipped.
    let longest: Int
  }

  /// The keypoints of one view of a query.
  struct VoteSource {
    /// The first 56 bits of each keypoint's hash.
    let hashes: [UInt64]
    let angles: [UInt8]
    /// The bits of each word, the least certain first, 24 each.
    let doubts: [UInt8]
    let isMirrored: Bool
  }

  /// The votes of a row.
  struct Vote {
    let row: Int
    let weight: Int
    let isMirrored: Bool
  }

  /// Appends the hits of some keypoints: postings near them in their words and in those that differ
  /// in the least certain bits.
  ///
  /// - Parameters:
  ///   - source: The keypoints, fewer than 1024.
  ///   - first: The first keypoint; ``voteBatch`` of them are looked up, or those that are left.
  ///   - starts: The first posting of each word, and the end of the last one's.
  ///   - postings: The postings. Wrong starts and rows are skipped.
  ///   - hits: Receives the hits in an order that ``rankedVotes(_:limit:dead:)`` needs.
  func appendHits(
    of source: VoteSource, from first: Int, starts: Span<UInt32>, postings: Span<UInt64>,
    index: WordIndex, to hits: inout [UInt64]
  ) {
    let count = source.hashes.count
    precondition(
      (1...Int(CK_WORD_BIT_LIMIT)).contains(index.wordBits)
        && starts.count == 1 << index.wordBits + 1, "the starts are not those of the words")
    precondition(
      count < 1024 && source.angles.count == count
        && source.doubts.count == count * Int(CK_WORD_BIT_LIMIT)
        && source.hashes.allSatisfy { $0 >> UInt64(CK_POSTING_HASH_BITS) == 0 }
        && source.doubts.allSatisfy { $0 < CK_WORD_BIT_LIMIT },
      "the keypoints of a view do not fit together")
    guard (0..<count).contains(first), !postings.isEmpty, index.longest > 0 else { return }
    // Sound: the counts passed are those of the spans and arrays, and no word has more hits than
    // `longest`.
    let room = Self.voteBatch << Int(CK_DOUBTS) * index.longest
    unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: room) { found in
      let foundCount = unsafe starts.withUnsafeBufferPointer { starts in
        unsafe postings.withUnsafeBufferPointer { postings in
          unsafe source.withView { view in
            var words = unsafe ck_word_index(
              starts: starts.baseAddress!, postings: postings.baseAddress!,
              posting_count: postings.count, word_bits: UInt32(index.wordBits),
              row_count: UInt32(index.rowCount), longest: UInt32(index.longest))
            return unsafe ck_collect_votes(&words, view, first, found.baseAddress!, level)
          }
        }
      }
      unsafe hits.append(contentsOf: found.prefix(foundCount))
    }
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
    let lastRow = hits.lazy.map { Int($0 >> 40) }.max() ?? 0
    precondition(dead.isEmpty || lastRow / 64 < dead.count, "there is no bit for row \(lastRow)")
    var hits = hits
    var scratch = hits
    guard !hits.isEmpty else { return [] }
    let kept = min(limit, hits.count)
    // Sound: both buffers hold all hits, there is a bit for every row, and room for every vote.
    let votes = unsafe [ck_vote](unsafeUninitializedCapacity: kept) { best, bestCount in
      bestCount = unsafe hits.withUnsafeMutableBufferPointer { hits in
        unsafe scratch.withUnsafeMutableBufferPointer { scratch in
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
