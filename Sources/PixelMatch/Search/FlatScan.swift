/// Compares a query with every row of a list of segments, exactly.
///
/// Whole-image codes have no structure that an approximate index could use, and the exact scan runs
/// at memory speed. It processes chunks of a few thousand rows and calls `shouldStop` between them.
package struct FlatScan: Sendable {
  /// The value to compare with each row.
  package enum Query: Sendable {
    /// The Hamming distance to the nearest of several hashes, for example the variants of one
    /// image.
    case hashes([PDQHash])
    /// The sum of absolute differences of the bins of both histograms.
    case appearance(ColorHistogram, TextureHistogram)
    /// One minus the cosine of the angle between the embeddings, in 2²⁰ths. Rows without an embedding of the same model
    /// are passed over.
    case embedding(ImageEmbedding)
  }

  /// The candidates found and the progress of the scan.
  package struct Result: Sendable {
    /// The nearest rows.
    package var top: TopCandidates
    /// The number of rows compared, of all rows.
    package var scannedRows: Int

    /// Makes a result to which the results of parts are added.
    package init(top: TopCandidates, scannedRows: Int = 0) {
      self.top = top
      self.scannedRows = scannedRows
    }
  }

  /// One comparison of a scan.
  package struct Pass: Sendable {
    /// The value to compare with.
    package var query: Query
    /// The largest accepted distance, inclusive.
    package var maximumDistance: Int
    /// If not empty, only rows count whose filter bits include all bits of at least one element.
    package var anyBits: [UInt64]

    /// Makes a pass over all rows, or over those that are near enough and have the bits.
    package init(_ query: Query, maximumDistance: Int = .max, anyBits: [UInt64] = []) {
      (self.query, self.maximumDistance, self.anyBits) = (query, maximumDistance, anyBits)
    }
  }

  /// The number of rows between two calls of `shouldStop`: 64 KB of hashes or of sums of histogram bins, which stay in
  /// a processor's second-level cache while several passes compare them.
  static let chunk = 2048

  private let segments: [LiveSegment]
  private let kernels: Kernels

  /// Prepares to scan `segments` in their order.
  package init(_ segments: [LiveSegment]) {
    self.init(segments, kernels: .native)
  }

  /// Prepares to scan with the kernels of a given instruction set.
  init(_ segments: [LiveSegment], kernels: Kernels) {
    self.segments = segments
    self.kernels = kernels
  }

  /// The number of rows in all segments.
  package var rowCount: Int { segments.reduce(0) { $0 + $1.segment.count } }

  /// Returns the live rows nearest to `query`.
  ///
  /// - Parameters:
  ///   - query: The value to compare with.
  ///   - maximumDistance: The largest accepted distance, inclusive.
  ///   - limit: The largest number of candidates returned, at least 1.
  ///   - anyBits: If not empty, only rows count whose filter bits include all bits of at least one
  ///     element.
  ///   - part: The part of the rows to scan and the number of parts. The results of all parts merge
  ///     to the same candidates for any number of parts.
  ///   - shouldStop: A function that is called between chunks; `true` ends the scan with the
  ///     candidates so far.
  /// - Returns: At most `limit` candidates, nearest first, ties by segment and row.
  /// - Complexity: O(*n*) for *n* rows; no allocation grows with *n*.
  package func nearest(
    to query: Query, maximumDistance: Int = .max, limit: Int, anyBits: [UInt64] = [],
    part: (index: Int, count: Int) = (0, 1), shouldStop: () -> Bool = { Task.isCancelled }
  ) -> Result {
    nearest(
      of: [Pass(query, maximumDistance: maximumDistance, anyBits: anyBits)], limit: limit,
      part: part, shouldStop: shouldStop)[0]
  }

  /// Returns the live rows nearest to the query of each pass, as ``nearest(to:maximumDistance:limit:anyBits:part:shouldStop:)``
  /// does for one: all passes compare a chunk of rows before the next chunk is read from memory.
  ///
  /// - Returns: A result for each pass, in their order.
  /// - Complexity: O(*n p*) for *n* rows and *p* passes; no allocation grows with *n*.
  package func nearest(
    of passes: [Pass], limit: Int, part: (index: Int, count: Int) = (0, 1),
    shouldStop: () -> Bool = { Task.isCancelled }
  ) -> [Result] {
    var results = passes.map { _ in Result(top: TopCandidates(limit: limit)) }
    let scans = passes.map { ChunkScan($0, kernels) }
    var hits = HitBuffer(capacity: Self.chunk)
    var number = 0
    for (place, live) in segments.enumerated() {
      for start in stride(from: 0, to: live.segment.count, by: Self.chunk) {
        defer { number += 1 }
        guard number % part.count == part.index else { continue }
        if shouldStop() { return results }
        let rows = start..<min(start + Self.chunk, live.segment.count)
        for (index, scan) in scans.enumerated() {
          scan.offer(rows, of: live, place, to: &results[index].top, &hits)
          results[index].scannedRows += rows.count
        }
      }
    }
    return results
  }
}

/// The rows of one chunk within the distance bound, counted from its first.
private struct HitBuffer {
  var indices: [UInt32]
  var distances: [UInt32]
  var count = 0

  init(capacity: Int) {
    indices = [UInt32](repeating: 0, count: capacity)
    distances = indices
  }

  /// Replaces the hits with all rows of a chunk, without distances.
  mutating func fill(_ rowCount: Int) {
    for row in 0..<rowCount { indices[row] = UInt32(row) }
    count = rowCount
  }

  /// Keeps the hits without distances whose row is wanted.
  mutating func keep(_ isWanted: (_ row: Int) -> Bool) {
    var kept = 0
    for hit in 0..<count where isWanted(Int(indices[hit])) {
      indices[kept] = indices[hit]
      kept += 1
    }
    count = kept
  }
}

/// The comparison of a query with the rows of one chunk.
private struct ChunkScan {
  private let kernels: Kernels
  private let values: Values
  private let maximumDistance: Int
  private let anyBits: [UInt64]

  /// The query in the form that its kernel reads.
  private enum Values {
    case words([UInt64])
    case bins([UInt8], AppearanceSums.Query)
    case embedding([UInt8])
  }

  init(_ pass: FlatScan.Pass, _ kernels: Kernels) {
    self.kernels = kernels
    (maximumDistance, anyBits) = (pass.maximumDistance, pass.anyBits)
    switch pass.query {
    case .hashes(let hashes):
      precondition(!hashes.isEmpty, "a scan needs at least one hash")
      values = .words(hashes.flatMap { hash in (0..<4).map { hash.words[$0] } })
    case .appearance(let color, let texture):
      let bins = color.bins + texture.bins
      values = .bins(bins, AppearanceSums.Query(bins))
    case .embedding(let embedding): values = .embedding(embedding.stored)
    }
  }

  /// Offers the rows of a chunk, whose first row is a multiple of eight.
  ///
  /// - Parameter place: The index of the segment.
  func offer(
    _ rows: Range<Int>, of live: LiveSegment, _ place: Int, to top: inout TopCandidates,
    _ hits: inout HitBuffer
  ) {
    // Ties go to the row that comes first, and rows are offered in ascending order. A row as
    // far away as the worst one kept can therefore be skipped.
    let bound = min(maximumDistance, top.worstDistance.map { $0 - 1 } ?? .max)
    guard bound >= 0 else { return }
    run(live, rows: rows, bound: bound, into: &hits)
    for hit in 0..<hits.count {
      let row = rows.lowerBound + Int(hits.indices[hit])
      guard isWanted(row, rows, live) else { continue }
      top.offer(Candidate(distance: Int(hits.distances[hit]), segment: place, row: row))
    }
  }

  /// Returns whether a row may be a candidate.
  private func isWanted(_ row: Int, _ rows: Range<Int>, _ live: LiveSegment) -> Bool {
    // The last block is padded with zero hashes, which are not rows.
    guard row < rows.upperBound, live.isLive(row) else { return false }
    guard !anyBits.isEmpty else { return true }
    let bits = live.segment.filterBits(at: row)
    return anyBits.contains { bits & $0 == $0 }
  }

  /// Replaces the hits with those of a chunk.
  private func run(
    _ live: LiveSegment, rows: Range<Int>, bound: Int, into hits: inout HitBuffer
  ) {
    let (segment, limit) = (live.segment, UInt32(clamping: bound))
    switch values {
    case .words(let words):
      hits.count = segment.withColumn(.pdq, rows: rows, as: UInt64.self) { blocks in
        kernels.hammingScan(
          blocks, queries: words.span, limit: limit, indices: &hits.indices,
          distances: &hits.distances)
      }
    case .bins(let bins, let sums):
      if segment.hasSums {
        let limit = UInt32(clamping: sums.limit(forBins: bound))
        hits.count = segment.withColumn(.appearanceSum, rows: rows, as: UInt8.self) { column in
          kernels.sumScan(
            column, query: sums.row.span, limit: limit, indices: &hits.indices)
        }
      } else {
        hits.fill(rows.count)
      }
      // Reading the bins costs most of the memory traffic of a scan, so unwanted rows are
      // removed first.
      hits.keep { isWanted(rows.lowerBound + $0, rows, live) }
      hits.count = segment.withColumn(.appearance, rows: rows, as: UInt8.self) { column in
        kernels.l1Filter(
          column, query: bins.span, limit: limit, indices: &hits.indices, count: hits.count,
          distances: &hits.distances)
      }
    case .embedding(let stored):
      let width = segment.embeddingByteCount
      hits.count =
        width < stored.count
        ? 0
        : segment.withColumn(.embedding, rows: rows, as: UInt8.self) { column in
          kernels.cosineScan(
            column, rowByteCount: width, query: stored.span, limit: limit, indices: &hits.indices,
            distances: &hits.distances)
        }
    }
  }
}
