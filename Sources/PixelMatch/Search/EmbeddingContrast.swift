/// Tells how far the embeddings of a catalogue stand out by their similarity to that of a query.
///
/// What a cosine means depends on the model: among the vectors of one, those of unrelated images have 0.3, of another
/// 0.9. So a similarity is measured against those of a sample of the catalogue, in standard deviations.
public struct EmbeddingContrast: Sendable {
  /// The number of images, evenly spaced in the catalogue, that the query is compared with.
  static let sampleCount = 1024
  /// The fewest of them with an embedding of the query's model that say what is usual.
  public static let leastCount = 16
  /// The standard deviations beyond which nothing stands out further: an embedding may not outvote keypoints.
  public static let limit = 4.0

  private let query: ImageEmbedding
  private let mean: Double
  private let deviation: Double

  /// Compares a query with a sample of the rows of some segments, whether they are live or not.
  ///
  /// - Returns: `nil` if fewer than ``leastCount`` of them have an embedding of the query's model, or if all are equally
  ///   similar.
  /// - Complexity: O(1).
  public init?(_ query: ImageEmbedding, in segments: [LiveSegment]) {
    let rowCount = segments.reduce(0) { $0 + $1.segment.count }
    let step = max(1, rowCount / Self.sampleCount)
    var (count, sum, squares) = (0.0, 0.0, 0.0)
    var first = 0
    for live in segments {
      for row in stride(from: first, to: live.segment.count, by: step) {
        guard let similarity = live.segment.embedding(at: row)?.similarity(to: query) else {
          continue
        }
        count += 1
        sum += similarity
        squares += similarity * similarity
      }
      let passed = max(0, live.segment.count - first + step - 1) / step
      first += passed * step - live.segment.count
    }
    guard count >= Double(Self.leastCount) else { return nil }
    let mean = sum / count
    let deviation = max(0, squares / count - mean * mean).squareRoot()
    guard deviation > 1e-6 else { return nil }
    (self.query, self.mean, self.deviation) = (query, mean, deviation)
  }

  /// Returns by how many standard deviations an embedding is more similar to the query's than those of the catalogue are
  /// on average, `0...4`; 0 if there is none of the query's model.
  public func distinction(of embedding: ImageEmbedding?) -> Double {
    guard let similarity = embedding?.similarity(to: query) else { return 0 }
    return max(0, min(Self.limit, (similarity - mean) / deviation))
  }
}
