/// A segment as seen by one generation: without the rows that were replaced after it was written.
package struct LiveSegment: Sendable {
  /// The signatures.
  package let segment: SignatureSegment
  /// One bit per row, set if the row is dead; empty if no row is.
  let deadBits: [UInt64]

  /// Makes a view of a segment. Ignores dead rows outside it.
  package init(_ segment: SignatureSegment, deadRows: [Int] = []) {
    self.segment = segment
    var bits: [UInt64] = []
    for row in deadRows where row >= 0 && row < segment.count {
      if bits.isEmpty { bits = [UInt64](repeating: 0, count: (segment.count + 63) / 64) }
      bits[row / 64] |= 1 << UInt64(row % 64)
    }
    deadBits = bits
  }

  private init(_ segment: SignatureSegment, deadBits: [UInt64]) {
    self.segment = segment
    self.deadBits = deadBits
  }

  /// Returns a view without the rows whose key does not satisfy `isWanted`.
  ///
  /// - Complexity: O(rows).
  package func keeping(_ isWanted: (_ key: UInt32) -> Bool) -> LiveSegment {
    var bits =
      deadBits.isEmpty ? [UInt64](repeating: 0, count: (segment.count + 63) / 64) : deadBits
    segment.withColumn(.key, rows: 0..<segment.count, as: UInt32.self) { keys in
      for row in keys.indices where !isWanted(UInt32(littleEndian: keys[row])) {
        bits[row / 64] |= 1 << UInt64(row % 64)
      }
    }
    return LiveSegment(segment, deadBits: bits)
  }

  /// The number of live rows.
  ///
  /// - Complexity: O(rows).
  package var liveCount: Int {
    segment.count - deadBits.reduce(0) { $0 + $1.nonzeroBitCount }
  }

  /// Returns whether a row is live.
  package func isLive(_ row: Int) -> Bool {
    deadBits.isEmpty || deadBits[row / 64] >> UInt64(row % 64) & 1 == 0
  }
}
