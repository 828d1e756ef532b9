/// The brightness of an image at 1, 2/3, 1/2, 1/3, 1/4 and 1/6 of its size.
///
/// Steps of 1.5 and 1.33 are averages over whole pixels, so that every size is exact in integers
/// (the octaves and intra-octaves of Leutenegger, Chli, Siegwart, "BRISK: Binary robust invariant
/// scalable keypoints", ICCV 2011, <https://doi.org/10.1109/ICCV.2011.6126542>).
struct LumaPyramid {
  /// One size of the image.
  struct Plane {
    let width: Int
    let height: Int
    /// The brightness, row-major, one byte per pixel.
    let luma: [UInt8]
  }

  /// The factor by which each level is smaller, in sixths.
  static let reductions = [6, 9, 12, 18, 24, 36]
  /// The shortest side of a level that is searched for corners.
  private static let leastSide = 24

  /// The levels, largest first; a small image has fewer than ``reductions``.
  let planes: [Plane]

  /// Reduces an image of at most 2048 pixels in width and height.
  ///
  /// - Complexity: O(pixels).
  init(_ picture: PixelBuffer) {
    var builder = LumaPyramidBuilder(width: picture.width, height: picture.height)
    picture.forEachRGBARow { row, _ in builder.append(rgba: row) }
    self = builder.finish()
  }

  fileprivate init(_ first: Plane) {
    var planes = [first]
    // Level 1 has two thirds of the size, and level 2 a half. Each further level is half the
    // size of the one two levels before it.
    for level in 1..<Self.reductions.count {
      let next = level == 1 ? planes[0].reducedBy3to2() : planes[max(0, level - 2)].reducedBy2()
      guard min(next.width, next.height) >= Self.leastSide else { break }
      planes.append(next)
    }
    self.planes = planes
  }
}

/// Collects the brightness of an image row by row.
struct LumaPyramidBuilder {
  private let width: Int
  private let height: Int
  private var luma: [UInt8] = []

  /// - Precondition: No side is longer than 2048 pixels.
  init(width: Int, height: Int) {
    precondition(max(width, height) <= Kernels.planeSideLimit, "reduce the image first")
    (self.width, self.height) = (width, height)
    luma.reserveCapacity(width * height)
  }

  /// Adds the next row from the top.
  mutating func append(rgba row: Span<UInt8>) {
    precondition(
      row.count == 4 * width && luma.count < width * height, "a row lies outside the plane")
    Kernels.native.appendLuma(of: row, to: &luma)
  }

  /// Returns the pyramid of all rows.
  ///
  /// - Precondition: As many rows were appended as the image has.
  consuming func finish() -> LumaPyramid {
    precondition(luma.count == width * height, "rows were appended for another height")
    return LumaPyramid(LumaPyramid.Plane(width: width, height: height, luma: luma))
  }
}

extension LumaPyramid.Plane {
  fileprivate func reducedBy2() -> Self {
    Self(
      width: width / 2, height: height / 2,
      luma: Kernels.native.reducedBy2(luma.span, width: width, height: height))
  }

  fileprivate func reducedBy3to2() -> Self {
    Self(
      width: width / 3 * 2, height: height / 3 * 2,
      luma: Kernels.native.reducedBy3To2(luma.span, width: width, height: height))
  }

  /// Returns the sum of the 5 × 5 pixels around each pixel. Pixels of the edge are repeated beyond
  /// it.
  func boxSums() -> [UInt16] { Kernels.native.boxSums(luma.span, width: width, height: height) }
}
