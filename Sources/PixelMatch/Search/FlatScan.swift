/// Compares a query with every row of a list of segments, exactly.
///
/// Whole-picture codes have no structure that an approximate index could use, and the exact scan
/// runs at the speed of memory. It goes in chunks of a few thousand rows and looks at `shouldStop`
/// between them.
public struct FlatScan: Sendable {
  /// What the scan compares.
  public enum Query: Sendable {
    /// Hamming distance to the nearest of some hashes, such as the variants of one picture.
    case hashes([PDQHash])
    /// Sum of absolute differences of the bins of both histograms.
    case appearance(ColorHistogram, TextureHistogram)
  }

  /// What was found, and how far the scan came.
  public struct Result: Sendable {
    /// The nearest rows.
    public var top: TopCandidates
    /// Rows compared, of all that there are.
    public var scannedRows: Int

    /// Makes a result to which parts are added.
    public init(top: TopCandidates, scannedRows: Int = 0) {
      self.top = top
      self.scannedRows = scannedRows
    }
  }

  /// Rows between two looks at `shouldStop`: 128 KB of hashes, about 7 µs.
  static let chunk = 4096

  private let segments: [LiveSegment]
  private let kernels: Kernels

  /// Prepares to scan `segments` in their order.
  public init(_ segments: [LiveSegment]) {
    self.init(segments, kernels: .native)
  }

  /// Prepares to scan with the kernels of a given instruction set.
  init(_ segments: [LiveSegment], kernels: Kernels) {
    self.segments = segments
    self.kernels = kernels
  }

  /// Number of rows in all segments.
  public var rowCount: Int { segments.reduce(0) { $0 + $1.segment.count } }

  /// Returns the live rows nearest to `query`.
  ///
  /// - Parameters:
  ///   - query: What to compare with.
  ///   - maximumDistance: The largest accepted distance, inclusive.
  ///   - limit: The largest number of candidates returned, at least 1.
  ///   - anyBits: Where not empty, only rows count whose filter bits hold all bits of one of these.
  ///   - part: Which part of the rows to scan, of how many; the parts' results merge to the same
  ///     candidates whatever their number.
  ///   - shouldStop: Asked between chunks; `true` ends the scan with what it has.
  /// - Returns: At most `limit` candidates, ties by place.
  /// - Complexity: O(*n*) for *n* rows; no allocation grows with *n*.
  public func nearest(
    to query: Query, maximumDistance: Int = .max, limit: Int, anyBits: [UInt64] = [],
    part: (index: Int, count: Int) = (0, 1), shouldStop: () -> Bool = { Task.isCancelled }
  ) -> Result {
    var result = Result(top: TopCandidates(limit: limit))
    let scan = ChunkScan(query, kernels)
    var hits = HitBuffer(capacity: Self.chunk)
    var number = 0
    for (place, live) in segments.enumerated() {
      for start in stride(from: 0, to: live.segment.count, by: Self.chunk) {
        defer { number += 1 }
        guard number % part.count == part.index else { continue }
        if shouldStop() { return result }
        let rows = start..<min(start + Self.chunk, live.segment.count)
        // Rows are offered in ascending order, so that one as far as the worst kept comes too late.
        let bound = min(maximumDistance, result.top.worstDistance.map { $0 - 1 } ?? .max)
        if bound >= 0 { scan.run(live.segment, rows: rows, bound: bound, into: &hits) }
        for hit in 0..<(bound >= 0 ? hits.count : 0) {
          let row = start + Int(hits.indices[hit])
          // A block of hashes is filled up with zeros behind the last row.
          guard row < rows.upperBound, live.isLive(row) else { continue }
          if !anyBits.isEmpty {
            let bits = live.segment.filterBits(at: row)
            guard anyBits.contains(where: { bits & $0 == $0 }) else { continue }
          }
          result.top.offer(
            Candidate(distance: Int(hits.distances[hit]), segment: place, row: row))
        }
        result.scannedRows += rows.count
      }
    }
    return result
  }
}

/// The rows of one chunk that are near enough.
private struct HitBuffer {
  var indices: [UInt32]
  var distances: [UInt32]
  var count = 0

  init(capacity: Int) {
    indices = [UInt32](repeating: 0, count: capacity)
    distances = indices
  }
}

/// The comparison of a query with the rows of one chunk.
private struct ChunkScan {
  private let kernels: Kernels
  private var words: [UInt64] = []
  private var bins: [UInt8] = []

  init(_ query: FlatScan.Query, _ kernels: Kernels) {
    self.kernels = kernels
    switch query {
    case .hashes(let hashes):
      precondition(!hashes.isEmpty, "a scan needs at least one hash")
      for hash in hashes { for word in 0..<4 { words.append(hash.words[word]) } }
    case .appearance(let color, let texture): bins = color.bins + texture.bins
    }
  }

  /// Replaces the hits by those of a chunk, whose first row is a multiple of eight.
  func run(_ segment: SignatureSegment, rows: Range<Int>, bound: Int, into hits: inout HitBuffer) {
    let limit = UInt32(clamping: bound)
    hits.count =
      if bins.isEmpty {
        segment.withColumn(.pdq, rows: rows, as: UInt64.self) { blocks in
          kernels.hammingScan(
            blocks, queries: words.span, limit: limit, indices: &hits.indices,
            distances: &hits.distances)
        }
      } else {
        segment.withColumn(.appearance, rows: rows, as: UInt8.self) { column in
          kernels.l1Scan(
            column, query: bins.span, limit: limit, indices: &hits.indices,
            distances: &hits.distances)
        }
      }
  }
}
