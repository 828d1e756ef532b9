package import PixelMatch

/// The question that a statement is about: its image, by the image's signature, or its labels if it
/// has no image.
///
/// Two images are the same question if one is the other, saved again: the proportions are equal, the
/// PDQ hashes differ in at most `hashDistance` bits, and the mean color of each of 8 × 8 cells by at
/// most `cellDifference` of 255 levels. Of the sample shop's images, saved as JPEG of quality 40 to
/// 95 and as PNG, the hashes differ by at most 8 bits and the cells by at most 3 levels; scaled to a
/// half, a third and a quarter, by at most 44 bits and 6 levels. The hash ignores color: the images of
/// a red and a blue mug differ by 6 bits, and their cells by 54 levels. Of all pairs of different images
/// there, the nearest by cells, two views of one lantern, differ by 56 bits and 12 levels; of 326 photos
/// and shop images of groceries, by 36 levels. Another photo of the same thing is another
/// question. An image that is too flat for its hash to be trusted is only the same question if its
/// signature is the same, byte for byte. Labels and filters beside an image do not matter.
///
/// Without an image, two questions are the same if their normalized labels are.
package struct FeedbackQuery: Sendable, Hashable {
  /// The largest number of different bits of the hashes. It is above Meta's bound for the same image (31) because of
  /// scaled copies; the cells tell other images apart.
  static let hashDistance = 46
  /// The largest difference of a cell's color, in levels of 255.
  static let cellDifference = 6
  /// The largest relative difference of the proportions.
  static let proportionDifference = 0.02

  /// The labels, normalized, without repetitions, in order.
  package let labels: [String]
  /// The compact form of the image's signature; empty without an image.
  package let signature: [UInt8]

  /// True if the question has an image.
  package var hasImage: Bool { !signature.isEmpty }

  package init(labels: [String], signature: [UInt8]) {
    self.labels = Set(labels.map(LabelText.normalized)).filter { !$0.isEmpty }.sorted()
    self.signature = signature
  }
}

/// The parts of an image's signature that tell whether another image is the same.
package struct ImageFingerprint: Sendable {
  private let hash: PDQHash
  private let cells: [UInt8]
  private let size: SIMD2<Double>
  /// The signature of a flat image; empty for others.
  private let flatSignature: [UInt8]

  package init(_ signature: QuerySignature) {
    let view = signature.views[0]
    hash = view.variants[0]
    cells = view.layout.bytes
    size = SIMD2(Double(signature.size.x), Double(signature.size.y))
    flatSignature = view.pdqQuality < Signature.trustedQuality ? signature.compactBytes : []
  }

  /// Returns whether the images are the same question.
  package func isSame(as other: ImageFingerprint) -> Bool {
    flatSignature == other.flatSignature
      && hash.hammingDistance(to: other.hash) <= FeedbackQuery.hashDistance
      && hasProportions(of: other)
      && zip(cells, other.cells).allSatisfy {
        abs(Int($0) - Int($1)) <= FeedbackQuery.cellDifference
      }
  }

  private func hasProportions(of other: ImageFingerprint) -> Bool {
    let (a, b) = (size.x * other.size.y, size.y * other.size.x)
    return abs(a - b) <= FeedbackQuery.proportionDifference * max(a, b)
  }
}
