/// Tells how far the embeddings of a catalogue stand out by their similarity to that of a query.
///
/// The cosine of two unrelated images depends on the model: 0.3 with one, 0.9 with another. So a similarity is measured
/// against those of a sample of the catalogue, in standard deviations.
package struct EmbeddingContrast: Sendable {
  /// The most rows, evenly spaced in the catalogue, that are looked at for an embedding of the query's model.
  static let rowLimit = 4096
  /// The most embeddings that the query is compared with.
  package static let sampleCount = 1024
  /// The most of these if they are compared in fitted directions, which takes longer.
  private static let fittedSampleCount = 256
  /// The fewest of them with an embedding of the query's model that say what is usual.
  package static let leastCount = 16
  /// The standard deviations beyond which nothing stands out further: an embedding may not outvote keypoints.
  package static let limit = 4.0

  private let query: ImageEmbedding
  /// The directions in which embeddings are compared, and the query's coordinates in them; `nil` if they are compared as they are.
  private let fitted: (directions: EmbeddingDirections, query: [Float])?
  private let mean: Double
  /// The standard deviation of the similarities.
  package let deviation: Double

  /// Compares a query with a sample of the rows of some segments, whether they are live or not.
  ///
  /// - Parameters:
  ///   - query: The embedding of the query.
  ///   - segments: The segments that are searched.
  ///   - directions: The directions in which embeddings are compared, or `nil` to compare them as they are.
  ///   - shouldStop: Asked between rows; `true` makes the result `nil`.
  /// - Returns: `nil` if fewer than ``leastCount`` of the rows that are looked at have an embedding of the query's model, if all are
  ///   equally similar, or if the directions are of another model.
  /// - Complexity: O(1).
  package init?(
    _ query: ImageEmbedding, in segments: [LiveSegment],
    by directions: EmbeddingDirections? = nil, shouldStop: () -> Bool = { false }
  ) {
    self.query = query
    if let directions {
      guard let coordinates = directions.coordinates(of: query) else { return nil }
      fitted = (directions, coordinates)
    } else {
      fitted = nil
    }
    let rows = Self.rows(of: segments.map(\.segment), with: query.model)
    let limit = directions == nil ? Self.sampleCount : Self.fittedSampleCount
    let step = max(1, (rows.count + limit - 1) / limit)
    var (count, sum, squares) = (0.0, 0.0, 0.0)
    for (number, place) in stride(from: 0, to: rows.count, by: step).enumerated() {
      if number % 64 == 0, shouldStop() { return nil }
      let (segment, row) = rows[place]
      guard let embedding = segment.embedding(at: row),
        let similarity = Self.similarity(of: embedding, to: query, fitted)
      else { continue }
      count += 1
      sum += similarity
      squares += similarity * similarity
    }
    guard count >= Double(Self.leastCount) else { return nil }
    let mean = sum / count
    let deviation = max(0, squares / count - mean * mean).squareRoot()
    guard deviation > 1e-6 else { return nil }
    (self.mean, self.deviation) = (mean, deviation)
  }

  /// Returns the cosine of the angle between two embeddings, in fitted directions if there are some.
  private static func similarity(
    of embedding: ImageEmbedding, to query: ImageEmbedding,
    _ fitted: (directions: EmbeddingDirections, query: [Float])?
  ) -> Double? {
    guard let fitted else { return embedding.similarity(to: query) }
    return fitted.directions.coordinates(of: embedding).map { coordinates in
      Double(zip(coordinates, fitted.query).reduce(0) { $0 + $1.0 * $1.1 })
    }
  }

  /// Returns evenly spaced rows, those of a model among at most ``rowLimit``.
  package static func rows(
    of segments: [SignatureSegment], with model: UInt64
  ) -> [(segment: SignatureSegment, row: Int)] {
    let embedded = segments.filter { $0.embeddingByteCount > 0 }
    let rowCount = embedded.reduce(0) { $0 + $1.count }
    // The step is odd. An even one would sample only the first image of each entity in a
    // catalogue with two images an entity.
    let step = rowCount <= rowLimit ? 1 : rowCount / rowLimit + 1 | 1
    var rows: [(segment: SignatureSegment, row: Int)] = []
    var first = 0
    for segment in embedded {
      for row in stride(from: first, to: segment.count, by: step)
      where segment.embeddingModel(at: row) == model { rows.append((segment, row)) }
      let passed = max(0, segment.count - first + step - 1) / step
      first += passed * step - segment.count
    }
    return rows
  }

  /// Returns by how many standard deviations an embedding is more similar to the query's than those of the catalogue are
  /// on average, `0...4`; 0 if there is none of the query's model.
  package func distinction(of embedding: ImageEmbedding?) -> Double {
    min(Self.limit, unlimitedDistinction(of: embedding))
  }

  /// Returns the same number without its limit.
  package func unlimitedDistinction(of embedding: ImageEmbedding?) -> Double {
    guard let embedding, let similarity = Self.similarity(of: embedding, to: query, fitted) else {
      return 0
    }
    return max(0, (similarity - mean) / deviation)
  }
}
