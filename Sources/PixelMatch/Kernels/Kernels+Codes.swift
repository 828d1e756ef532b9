internal import CKernels

/// Comparison of 256-bit codes, which are stored in blocks of eight: word *w* of code *c* is at `8
/// w + c`.
extension Kernels {
  private static let wordsPerBlock = Int(CK_WORDS_PER_BLOCK)
  private static let codesPerBlock = Int(CK_CODES_PER_BLOCK)

  /// Finds the codes whose smallest Hamming distance to any of the queries is at most `limit`.
  ///
  /// - Parameters:
  ///   - blocks: Whole blocks of codes.
  ///   - queries: Four words for each query; at least one query.
  ///   - indices: Receives the hits in ascending order; has room for all codes of the blocks.
  ///   - distances: Receives the distance of each hit; has room for all codes of the blocks.
  /// - Returns: The number of hits.
  func hammingScan(
    _ blocks: Span<UInt64>, queries: Span<UInt64>, limit: UInt32,
    indices: inout [UInt32], distances: inout [UInt32]
  ) -> Int {
    let blockCount = Self.blockCount(blocks)
    precondition(!queries.isEmpty && queries.count % 4 == 0, "a query has four words")
    precondition(
      min(indices.count, distances.count) >= Self.codesPerBlock * blockCount,
      "there is no room for every hit")
    guard blockCount > 0 else { return 0 }
    // Sound: the counts passed are those of the spans, and each code is at most one hit.
    return unsafe blocks.withUnsafeBufferPointer { blocks in
      unsafe queries.withUnsafeBufferPointer { queries in
        unsafe indices.withUnsafeMutableBufferPointer { indices in
          unsafe distances.withUnsafeMutableBufferPointer { distances in
            unsafe ck_hamming_scan(
              blocks.baseAddress!, blockCount, queries.baseAddress!, queries.count / 4, limit,
              indices.baseAddress!, distances.baseAddress!, level)
          }
        }
      }
    }
  }

  /// Keeps those of some rows of histogram bins whose sum of absolute differences to the query is at most `limit`.
  ///
  /// - Parameters:
  ///   - rows: Whole rows of the grades of as many bins as the query has, two a byte.
  ///   - query: The bins of a color and a texture histogram.
  ///   - indices: The rows in its first `count` places, of which those that are kept move to the front in their order.
  ///   - distances: Receives the distance of each kept row; has room for `count`.
  /// - Returns: The number of rows that are kept.
  func l1Filter(
    _ rows: Span<UInt8>, query: Span<UInt8>, limit: UInt32, indices: inout [UInt32], count: Int,
    distances: inout [UInt32]
  ) -> Int {
    let (rowCount, rest) = rows.count.quotientAndRemainder(dividingBy: Int(CK_L1_ROW_BYTES))
    precondition(
      rest == 0 && query.count == 2 * CK_L1_ROW_BYTES,
      "a row has \(2 * CK_L1_ROW_BYTES) bins in \(CK_L1_ROW_BYTES) bytes")
    precondition(
      min(indices.count, distances.count) >= count, "there is no room for every hit")
    guard count > 0 else { return 0 }
    precondition(
      indices[..<count].allSatisfy { $0 < rowCount }, "there is no row of one of the indices")
    // Sound: each index is that of a row, and the places read and written are below `count`.
    return unsafe rows.withUnsafeBufferPointer { rows in
      unsafe query.withUnsafeBufferPointer { query in
        unsafe indices.withUnsafeMutableBufferPointer { indices in
          unsafe distances.withUnsafeMutableBufferPointer { distances in
            unsafe ck_l1_filter(
              rows.baseAddress!, query.baseAddress!, limit, indices.baseAddress!, count,
              distances.baseAddress!, level)
          }
        }
      }
    }
  }

  /// Finds the rows of sums of bins whose sum of absolute differences to the query is at most `limit`.
  ///
  /// - Parameters:
  ///   - rows: Whole rows (see ``AppearanceSums``).
  ///   - query: A row.
  ///   - indices: Receives the hits in ascending order; has room for all rows.
  /// - Returns: The number of hits.
  func sumScan(
    _ rows: Span<UInt8>, query: Span<UInt8>, limit: UInt32, indices: inout [UInt32]
  ) -> Int {
    let (rowCount, rest) = rows.count.quotientAndRemainder(dividingBy: Int(CK_SUM_ROW_BYTES))
    precondition(
      rest == 0 && query.count == CK_SUM_ROW_BYTES, "a row of sums has \(CK_SUM_ROW_BYTES) bytes")
    precondition(indices.count >= rowCount, "there is no room for every hit")
    guard rowCount > 0 else { return 0 }
    // Sound: the count passed is that of the span, and each row is at most one hit.
    return unsafe rows.withUnsafeBufferPointer { rows in
      unsafe query.withUnsafeBufferPointer { query in
        unsafe indices.withUnsafeMutableBufferPointer { indices in
          unsafe ck_sum_scan(
            rows.baseAddress!, rowCount, query.baseAddress!, limit, indices.baseAddress!, level)
        }
      }
    }
  }

  /// Finds the rows of embeddings of the query's model whose cosine distance is at most `limit`.
  ///
  /// - Parameters:
  ///   - rows: Whole rows of stored embeddings.
  ///   - rowByteCount: The number of bytes of a row, a multiple of eight, at least that of the query.
  ///   - query: A stored embedding.
  ///   - limit: The largest distance, in 2²⁰ths.
  ///   - indices: Receives the hits in ascending order; has room for all rows.
  ///   - distances: Receives the distance of each hit; has room for all rows.
  /// - Returns: The number of hits.
  func cosineScan(
    _ rows: Span<UInt8>, rowByteCount: Int, query: Span<UInt8>, limit: UInt32,
    indices: inout [UInt32], distances: inout [UInt32]
  ) -> Int {
    precondition(
      query.count > Int(CK_EMBEDDING_HEAD_BYTES) && query.count <= rowByteCount
        && query.count % 8 == 0 && query.count <= Int(CK_EMBEDDING_BYTES),
      "a query has a head and components, and a row has room for them")
    let (rowCount, rest) = rows.count.quotientAndRemainder(dividingBy: rowByteCount)
    precondition(rest == 0, "a row has \(rowByteCount) bytes")
    precondition(
      min(indices.count, distances.count) >= rowCount, "there is no room for every hit")
    guard rowCount > 0 else { return 0 }
    // Sound: the counts passed are those of the spans, a row has as many bytes as the query or more, and each row is
    // at most one hit.
    return unsafe rows.withUnsafeBufferPointer { rows in
      unsafe query.withUnsafeBufferPointer { query in
        unsafe indices.withUnsafeMutableBufferPointer { indices in
          unsafe distances.withUnsafeMutableBufferPointer { distances in
            unsafe ck_cosine_scan(
              rows.baseAddress!, rowCount, rowByteCount, query.baseAddress!, query.count, limit,
              indices.baseAddress!, distances.baseAddress!, level)
          }
        }
      }
    }
  }

  /// Finds the hash of a keypoint nearest to each query. The first of several equally near hashes
  /// wins.
  ///
  /// - Parameters:
  ///   - queries: Three words for each query.
  ///   - blocks: Whole blocks of hashes.
  ///   - count: The number of hashes in the blocks, 1 to 65 535; the last block may hold fewer than
  ///     eight.
  /// - Returns: For each query, 65 536 times the distance plus the index of the hash.
  func nearestCodes(
    to queries: Span<UInt32>, in blocks: Span<UInt32>, count: Int
  ) -> [UInt32] {
    let (blockCount, rest) = blocks.count.quotientAndRemainder(
      dividingBy: Int(CK_KEYPOINT_BLOCK_WORDS))
    precondition(rest == 0, "a block of keypoints has \(CK_KEYPOINT_BLOCK_WORDS) words")
    let queryCount = queries.count / Int(CK_KEYPOINT_WORDS)
    precondition(
      queries.count == queryCount * Int(CK_KEYPOINT_WORDS),
      "a keypoint's hash has \(CK_KEYPOINT_WORDS) words")
    precondition(
      (1...Int(UInt16.max)).contains(count) && count <= Self.codesPerBlock * blockCount,
      "the blocks do not hold \(count) codes")
    guard queryCount > 0 else { return [] }
    // Sound: the counts passed are those of the spans, and every query gets a result.
    return unsafe [UInt32](unsafeUninitializedCapacity: queryCount) { best, bestCount in
      unsafe queries.withUnsafeBufferPointer { queries in
        unsafe blocks.withUnsafeBufferPointer { blocks in
          unsafe ck_nearest_codes(
            queries.baseAddress!, queryCount, blocks.baseAddress!, blockCount, count,
            best.baseAddress!, level)
        }
      }
      bestCount = queryCount
    }
  }

  private static func blockCount(_ blocks: Span<UInt64>) -> Int {
    precondition(blocks.count % wordsPerBlock == 0, "a block has \(wordsPerBlock) words")
    return blocks.count / wordsPerBlock
  }
}
