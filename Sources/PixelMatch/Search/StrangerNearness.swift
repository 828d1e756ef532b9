#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The distribution of the nearness between vectors of a catalogue that show different things.
///
/// Each vector of a sample is looked up as if the catalogue lacked its thing, so that a stranger answers. How near that one is, in standard
/// deviations (``EmbeddingContrast``), has the distribution of a greatest value, which two numbers describe (Gumbel, "Statistics of Extremes", 1958).
/// So a vector earns what it says: one that is nearer to a thing than strangers come there speaks for it, whatever model computed it, and with a model
/// to which all things are alike nothing is.
package struct StrangerNearness: Sendable, Hashable {
  /// The most vectors that are looked up, and the most among which each of them is.
  private static let (lookups, others) = (128, 512)
  /// The fewest things that tell how near strangers come.
  private static let leastThings = 16
  /// The logarithm of the odds against a stranger from which on a vector speaks for a thing: one in 150 comes that near.
  private static let doubted = 5.0
  /// The most that a vector says, in log-odds.
  private static let most = 6.0
  /// The least scale, in standard deviations: a few strangers that are equally near do not tell how near the next one comes.
  private static let leastScale = 0.15

  /// The nearness that strangers come to most often, in standard deviations of the others.
  package let location: Double
  /// The standard deviations by which a stranger is rarer by a factor of *e*.
  package let scale: Double
  /// The number of the catalogue's vectors.
  private let count: Int

  /// Looks up vectors of a catalogue.
  ///
  /// - Parameters:
  ///   - vectors: Vectors of one model, evenly spaced in the catalogue, with the things that they show.
  ///   - count: The number of its vectors.
  ///   - shouldStop: Asked between vectors; `true` makes the result `nil`.
  /// - Returns: `nil` if they are of too few things.
  /// - Complexity: O(1), no more than 128 × 512 comparisons.
  package init?(
    of vectors: [(thing: Int, vector: ImageEmbedding)], among count: Int, shouldStop: () -> Bool
  ) {
    let compared = Self.evenly(vectors, Self.others)
    guard Set(compared.lazy.map(\.thing)).count >= Self.leastThings else { return nil }
    var (number, sum, squares) = (0.0, 0.0, 0.0)
    for own in Self.evenly(compared, Self.lookups) {
      if shouldStop() { return nil }
      guard let nearest = Self.nearestStranger(of: own, among: compared) else { continue }
      number += 1
      sum += nearest
      squares += nearest * nearest
    }
    guard number >= Double(Self.leastThings) else { return nil }
    let mean = sum / number
    let deviation = max(0, squares / number - mean * mean).squareRoot()
    let scale = max(Self.leastScale, deviation * Double(6).squareRoot() / .pi)
    (self.scale, self.count) = (scale, count)
    // Among more of them, the nearest is nearer.
    location =
      mean - Self.eulerGamma * scale
      + scale * log(max(1, Double(count) / Double(compared.count)))
  }

  /// The mean of a greatest value of location 0 and scale 1.
  private static let eulerGamma = 0.577215664901532861

  /// Returns at most `limit` elements, evenly spaced.
  private static func evenly<Element>(_ elements: [Element], _ limit: Int) -> [Element] {
    guard elements.count > limit else { return elements }
    return (0..<limit).map { elements[$0 * elements.count / limit] }
  }

  /// Returns by how many standard deviations the nearest vector of another thing is nearer than those of other things are on average.
  private static func nearestStranger(
    of own: (thing: Int, vector: ImageEmbedding),
    among others: [(thing: Int, vector: ImageEmbedding)]
  ) -> Double? {
    var (number, sum, squares, nearest) = (0.0, 0.0, 0.0, -1.0)
    for other in others where other.thing != own.thing {
      guard let similarity = own.vector.similarity(to: other.vector) else { continue }
      number += 1
      sum += similarity
      squares += similarity * similarity
      nearest = max(nearest, similarity)
    }
    guard number >= Double(leastThings - 1) else { return nil }
    let mean = sum / number
    let deviation = max(0, squares / number - mean * mean).squareRoot()
    return deviation > 1e-6 ? alone((nearest - mean) / deviation, of: Int(number)) : nil
  }

  /// Returns the standard deviations of the others by which a number exceeds the mean of the others: among a few, one that is far off makes
  /// their deviation large (the externally studentized residual: Cook and Weisberg, "Residuals and Influence in Regression", 1982).
  ///
  /// - Parameters:
  ///   - distinction: The same by the mean and the deviation of all.
  ///   - count: The number of all.
  private static func alone(_ distinction: Double, of count: Int) -> Double {
    let others = Double(max(2, count) - 1)
    return distinction * ((others + 1) / others).squareRoot()
      / max(leastRest, 1 - distinction * distinction / others).squareRoot()
  }

  /// The least share of the variance that is left to the others.
  private static let leastRest = 0.01

  /// Returns the log-odds, zero or more, with which a vector speaks for the thing that it is near to.
  ///
  /// - Parameter distinction: The standard deviations by which it is nearer to it than to the catalogue's things on average.
  package func say(_ distinction: Double) -> Double {
    let alone = Self.alone(distinction, of: count)
    return max(0, min(Self.most, (alone - location) / scale - Self.doubted))
  }
}
