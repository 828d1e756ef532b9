package import PixelMatch

/// The part of an image that a query is about.
public struct PictureRegion: Sendable, Hashable {
  /// The unit of a region.
  public enum Unit: Sendable, Hashable {
    /// Shares of the image's width and height.
    case fractions
    /// Pixels of the image.
    case pixels
  }

  /// The left edge.
  package let x: Double
  /// The upper edge.
  package let y: Double
  /// The width, above zero.
  package let width: Double
  /// The height, above zero.
  package let height: Double
  /// The unit of the numbers.
  package let unit: Unit

  /// Makes a region.
  public init(x: Double, y: Double, width: Double, height: Double, unit: Unit = .fractions) {
    (self.x, self.y, self.width, self.height, self.unit) = (x, y, width, height, unit)
  }

  /// The whole image.
  package static let whole = PictureRegion(x: 0, y: 0, width: 1, height: 1)

  /// Returns the part of the region within an image, in shares of the image's sides.
  ///
  /// - Throws: ``MatchError`` with the code `regionOutside` if the region lies outside the image.
  package func fractions(
    ofWidth pixelWidth: Int, height pixelHeight: Int
  ) throws(MatchError) -> PictureRegion {
    let scale =
      unit == .fractions ? (1, 1) : (1 / Double(pixelWidth), 1 / Double(pixelHeight))
    let left = max(0, x * scale.0)
    let upper = max(0, y * scale.1)
    let right = min(1, (x + width) * scale.0)
    let lower = min(1, (y + height) * scale.1)
    guard left < right, upper < lower else {
      throw MatchError(
        code: .regionOutside,
        message: "the region lies outside the image of \(pixelWidth) × \(pixelHeight) pixels")
    }
    return PictureRegion(x: left, y: upper, width: right - left, height: lower - upper)
  }
}

extension PixelBuffer {
  /// Returns the pixels of a region, at least one.
  ///
  /// - Throws: ``MatchError`` with the code `regionOutside`.
  package func cropped(to region: PictureRegion) throws(MatchError) -> PixelBuffer {
    let part = try region.fractions(ofWidth: width, height: height)
    func pixels(_ start: Double, _ length: Double, of side: Int) -> Range<Int> {
      let first = min(side - 1, Int((start * Double(side)).rounded()))
      let end = Int(((start + length) * Double(side)).rounded())
      return first..<min(side, max(first + 1, end))
    }
    return cropped(
      x: pixels(part.x, part.width, of: width), y: pixels(part.y, part.height, of: height))
  }
}
