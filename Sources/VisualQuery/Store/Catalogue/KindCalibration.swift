#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The probability that a person would call two things the same kind, by the likeness of the vectors of their images.
///
/// How far cosines spread depends on the model, and photos are less like a shop's images than these are like each other. So the likeness is
/// the cosine times its distinction (`EmbeddingContrast`) from those of the catalogue, and the catalogue itself is the measure: each of its images is looked up among those of
/// others, once as it is, and once as if the catalogue had nothing of its kind. The likeness of what is then found first is that of
/// another kind, which a photo of a thing that the shop does not sell shows, too.
package struct KindCalibration: Sendable, Hashable, Encodable {
  /// The log-odds at a likeness of zero.
  package let prior: Double
  /// The addition to the log-odds for a likeness of one.
  package let slope: Double

  /// The fewest images of known kinds, and the fewest neighbors of the same and of another kind, that tell anything.
  private static let (leastImages, leastPairs) = (16, 24)
  /// The neighbors of each image that count.
  package static let neighbors = 4
  /// The steps of Newton's method, and the strength of the prior that keeps the fit finite.
  private static let (steps, ridge) = (40, 0.01)

  /// The neighbor of an image.
  package struct Neighbor: Sendable {
    let likeness: Double
    package let isSameKind: Bool

    package init(likeness: Double, isSameKind: Bool) {
      self.likeness = likeness
      self.isSameKind = isSameKind
    }
  }

  /// Fits the probability by maximum likelihood.
  ///
  /// - Parameter images: The nearest images of other things of each image, as it is and without its kind.
  /// - Returns: `nil` if there are too few, or if the likeness says nothing about the kind.
  package init?(_ images: [[Neighbor]]) {
    let pairs = images.joined()
    let same = pairs.count { $0.isSameKind }
    guard images.count >= Self.leastImages, same >= Self.leastPairs,
      pairs.count - same >= Self.leastPairs
    else { return nil }
    let mean = pairs.reduce(0) { $0 + $1.likeness } / Double(pairs.count)
    var (a, b) = (0.0, 0.0)
    for _ in 0..<Self.steps {
      var (ga, gb) = (0.0, -Self.ridge * b)
      var (haa, hab, hbb) = (1e-9, 0.0, Self.ridge)
      for pair in pairs {
        let x = pair.likeness - mean
        let p = 1 / (1 + exp(-(a + b * x)))
        let (error, weight) = ((pair.isSameKind ? 1 : 0) - p, p * (1 - p))
        ga += error
        gb += error * x
        haa += weight
        hab += weight * x
        hbb += weight * x * x
      }
      let determinant = haa * hbb - hab * hab
      guard determinant > 0 else { return nil }
      a += max(-2, min(2, (hbb * ga - hab * gb) / determinant))
      b += max(-20, min(20, (haa * gb - hab * ga) / determinant))
    }
    guard a.isFinite, b.isFinite, b > 0 else { return nil }
    // The last digits of a vector differ between processors. Rounding makes the result the same on
    // all.
    prior = ((a - b * mean) * 100).rounded() / 100
    slope = (b * 100).rounded() / 100
  }

  init?(_ json: JSONValue) {
    func number(_ name: String) -> Double? {
      guard case .object(let fields) = json else { return nil }
      return switch fields[name] {
      case .number(let number)?: number
      case .integer(let number)?: Double(number)
      default: nil
      }
    }
    guard let prior = number("prior"), let slope = number("slope") else { return nil }
    (self.prior, self.slope) = (prior, slope)
  }

  var json: JSONValue { .object(["prior": .number(prior), "slope": .number(slope)]) }

  /// Returns the likeness of a cosine, and the number of standard deviations by which it exceeds those of the catalogue.
  package static func likeness(cosine: Double, distinction: Double) -> Double {
    max(0, cosine) * distinction
  }
}
