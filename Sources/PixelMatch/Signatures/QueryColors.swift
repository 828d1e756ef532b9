/// The colors of a query image at their positions: the mean Oklab colors of 24 × 24 cells, few enough to be
/// sent in place of the image.
struct QueryColors: Sendable, Hashable {
  /// The number of cells along each side.
  static let side = 24
  /// The number of bytes of the cells.
  static let byteCount = 3 * side * side

  /// Row-major cells of three bytes each, as in ``ColorLayout/bytes``.
  let bytes: [UInt8]
  /// The 99th percentile of the chroma of the image in thousandths.
  let chroma: UInt16

  /// - Precondition: `bytes` has ``byteCount`` elements.
  init(bytes: [UInt8], chroma: UInt16) {
    precondition(
      bytes.count == Self.byteCount, "the colors of a query have \(Self.byteCount) bytes")
    (self.bytes, self.chroma) = (bytes, chroma)
  }

  /// Averages an image.
  ///
  /// - Complexity: O(pixels).
  init(_ picture: OklabPicture) {
    bytes = ColorLayout.cells(of: picture, side: Self.side)
    chroma = Self.chroma(picture.pixels)
  }

  /// The chroma up to which an image has no color, and how much more all but the palest hundredth of colored images exceed.
  private static let (leastChroma, chromaSpan) = (0.004, 0.012)

  /// The degree to which the image has color, `0...1`.
  var colorfulness: Double {
    max(0, min(1, (Double(chroma) / 1000 - Self.leastChroma) / Self.chromaSpan))
  }

  /// Takes the cells of a layout as the colors of a whole image.
  init(_ layout: ColorLayout) {
    let side = ColorLayout.side
    let colors = (0..<side * side).map { layout.color($0 / side, $0 % side) }
    self.init(OklabPicture(width: side, height: side, pixels: colors))
  }

  /// The color of each cell in Oklab.
  var cells: [SIMD3<Float>] {
    (0..<Self.side * Self.side).map { ColorLayout.color(of: bytes, at: $0) }
  }

  private static func chroma(_ pixels: [SIMD3<Float>]) -> UInt16 {
    var counts = [Int](repeating: 0, count: 512)
    for pixel in pixels {
      let chroma = (pixel[1] * pixel[1] + pixel[2] * pixel[2]).squareRoot()
      counts[min(511, Int(chroma * 1000))] += 1
    }
    var above = 0
    let limit = pixels.count / 100
    for bin in counts.indices.reversed() {
      above += counts[bin]
      if above > limit { return UInt16(bin) }
    }
    return 0
  }
}
