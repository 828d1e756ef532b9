extension FlatScan {
  /// The plain twin of `nearest(to:)`, which defines its correct result.
  func referenceNearest(
    to query: Query, maximumDistance: Int = .max, limit: Int, anyBits: [UInt64] = [],
    in segments: [LiveSegment]
  ) -> [Candidate] {
    var all: [Candidate] = []
    for (place, live) in segments.enumerated() {
      for row in 0..<live.segment.count where live.isLive(row) {
        let bits = live.segment.filterBits(at: row)
        guard anyBits.isEmpty || anyBits.contains(where: { bits & $0 == $0 }) else { continue }
        let signature = live.segment.signature(at: row)
        let distance =
          switch query {
          case .hashes(let hashes): hashes.map { $0.hammingDistance(to: signature.pdq) }.min()!
          case .appearance(let color, let texture):
            color.distance(to: signature.color) + texture.distance(to: signature.texture)
          }
        if distance <= maximumDistance {
          all.append(Candidate(distance: distance, segment: place, row: row))
        }
      }
    }
    return Array(all.sorted().prefix(limit))
  }
}
