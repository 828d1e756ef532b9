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
        var distance = 0
        switch query {
        case .hashes(let hashes):
          let own = live.segment.pdq(at: row)
          distance = hashes.map { $0.hammingDistance(to: own) }.min()!
        case .appearance(let color, let texture):
          let own = live.segment.appearance(at: row)
          distance = color.distance(to: own.color) + texture.distance(to: own.texture)
        case .embedding(let embedding):
          guard let own = live.segment.embedding(at: row), own.model == embedding.model,
            own.components.count == embedding.components.count
          else { continue }
          let dot = zip(own.components, embedding.components).reduce(0) {
            $0 + Int($1.0) * Int($1.1)
          }
          let cosine = Float(dot) * own.inverseLength * embedding.inverseLength
          distance = Int((1 - min(1, cosine)) * 1_048_576)
        }
        if distance <= maximumDistance {
          all.append(Candidate(distance: distance, segment: place, row: row))
        }
      }
    }
    return Array(all.sorted().prefix(limit))
  }
}
