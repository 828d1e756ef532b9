internal import CImage

/// The brightness of a picture at sizes of 1, 2/3, 1/2, 1/3, 1/4 and 1/6.
///
/// Steps of 1.5 and 1.33 come from whole-pixel averages alone, so that every size is exact in
/// integers (the octaves and intra-octaves of Leutenegger, Chli, Siegwart, "BRISK: Binary robust
/// invariant scalable keypoints", ICCV 2011, <https://doi.org/10.1109/ICCV.2011.6126542>).
struct LumaPyramid {
  /// One size of the picture.
  struct Plane {
    let width: Int
    let height: Int
    /// Row-major, one byte a pixel.
    let luma: [UInt8]
  }

  /// How many times smaller each level is, in sixths of one.
  static let reductions = [6, 9, 12, 18, 24, 36]
  /// A level with a shorter side than this holds no corner worth keeping.
  private static let leastSide = 24

  /// From the largest on; a small picture has fewer than ``reductions``.
  let planes: [Plane]

  /// Reduces a picture, at most 2048 pixels wide and high.
  ///
  /// - Complexity: O(pixels).
  init(_ picture: PixelBuffer) {
    var builder = LumaPyramidBuilder(width: picture.width, height: picture.height)
    picture.forEachRGBARow { row, _ in builder.append(rgba: row) }
    self = builder.finish()
  }

  fileprivate init(_ first: Plane) {
    var planes = [first]
    // Two thirds and one half of the picture, then halves of those.
    for level in 1..<Self.reductions.count {
      let next = level == 1 ? planes[0].reducedBy3to2() : planes[max(0, level - 2)].reducedBy2()
      guard min(next.width, next.height) >= Self.leastSide else { break }
      planes.append(next)
    }
    self.planes = planes
  }
}

/// Collects the brightness of a picture row by row.
struct LumaPyramidBuilder {
  private let width: Int
  private let height: Int
  private var luma: [UInt8]
  private var rows = 0

  /// - Precondition: No side is longer than 2048 pixels.
  init(width: Int, height: Int) {
    precondition(max(width, height) <= 2048, "reduce the picture first")
    (self.width, self.height) = (width, height)
    luma = [UInt8](repeating: 0, count: width * height)
  }

  /// Adds the next row from the top.
  ///
  /// Sound: the row has four bytes for each pixel that is written, and the plane has room for it.
  mutating func append(rgba row: Span<UInt8>) {
    precondition(row.count == 4 * width && rows < height, "a row lies outside the plane")
    let (start, count) = (rows * width, width)
    unsafe row.withUnsafeBufferPointer { row in
      unsafe luma.withUnsafeMutableBufferPointer { luma in
        unsafe ci_luma(row.baseAddress!, count, luma.baseAddress! + start, ci_kernel_level())
      }
    }
    rows += 1
  }

  /// The pyramid of all rows.
  consuming func finish() -> LumaPyramid {
    LumaPyramid(LumaPyramid.Plane(width: width, height: height, luma: luma))
  }
}

extension LumaPyramid.Plane {
  /// Sound: the C function writes exactly as many pixels as the new plane has.
  fileprivate func reducedBy2() -> Self {
    let (width, height) = (self.width, self.height)
    let pixels = unsafe [UInt8](unsafeUninitializedCapacity: width / 2 * (height / 2)) {
      buffer, count in
      if let out = buffer.baseAddress {
        unsafe ci_reduce_by_2(luma, width, height, out, ci_kernel_level())
      }
      count = width / 2 * (height / 2)
    }
    return Self(width: width / 2, height: height / 2, luma: pixels)
  }

  /// Sound: the same.
  fileprivate func reducedBy3to2() -> Self {
    let (width, height) = (self.width, self.height)
    let size = (width: width / 3 * 2, height: height / 3 * 2)
    let pixels = unsafe [UInt8](unsafeUninitializedCapacity: size.width * size.height) {
      buffer, count in
      if let out = buffer.baseAddress {
        unsafe ci_reduce_by_3_2(luma, width, height, out, ci_kernel_level())
      }
      count = size.width * size.height
    }
    return Self(width: size.width, height: size.height, luma: pixels)
  }

  /// The sum of the 5 × 5 pixels around each; the picture's edge goes on outwards.
  ///
  /// Sound: `columns` has room for the two columns more on each side that the C function asks for.
  func boxSums() -> [UInt16] {
    var columns = [UInt16](repeating: 0, count: width + 2 * Int(CI_BOX_RADIUS))
    return unsafe [UInt16](unsafeUninitializedCapacity: width * height) { buffer, count in
      unsafe ci_box_sums(
        luma, width, height, &columns, buffer.baseAddress!, ci_kernel_level())
      count = width * height
    }
  }
}
