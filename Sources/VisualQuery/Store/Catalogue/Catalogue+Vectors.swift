package import PixelMatch
internal import Synchronization

extension Catalogue {
  /// Returns how near strangers come by the vectors of a model; it is worked out once.
  ///
  /// - Parameters:
  ///   - segments: The segments of products, or samples of them.
  ///   - groups: True if the variants of a product are one thing.
  ///   - shouldStop: Asked between vectors; `true` makes the result `nil`, and the next question works it out.
  /// - Complexity: O(1).
  package func strangerNearness(
    of model: UInt64, in segments: [LiveSegment], groups: Bool, shouldStop: () -> Bool
  ) throws(CatalogueError) -> StrangerNearness? {
    if let known = strangers.withLock({ $0[model] }), known.groups == groups {
      return known.nearness
    }
    let rows = EmbeddingContrast.rows(of: segments.map(\.segment), with: model)
    let keys = Set(rows.map { $0.segment.key(at: $0.row) }).sorted()
    let names =
      groups
      ? try read { database throws(CatalogueError) in
        try database.properties.groups(ofKeys: keys)
      } : [:]
    var numbers: [String: Int] = [:]
    let vectors = rows.compactMap { segment, row -> (thing: Int, vector: ImageEmbedding)? in
      guard let vector = segment.embedding(at: row) else { return nil }
      let key = segment.key(at: row)
      guard let name = names[key] else { return (Int(key), vector) }
      let number = numbers[name] ?? -1 - numbers.count
      numbers[name] = number
      return (number, vector)
    }
    let count = segments.reduce(0) { $0 + $1.segment.count }
    let nearness = StrangerNearness(of: vectors, among: count, shouldStop: shouldStop)
    if !shouldStop() { strangers.withLock { $0 = [model: (groups, nearness)] } }
    return nearness
  }
}
