/// An upright sRGB image in memory: row-major, `height × width`, 3 bytes RGB, top-left first.
public struct PixelImage: Sendable, Hashable {
  /// The order of the bytes of a pixel.
  public enum PixelOrder: Sendable, Hashable {
    /// Red, green, blue.
    case rgb
    /// Red, green, blue, and one byte that is ignored.
    case rgba
    /// Blue, green, red, and one byte that is ignored, as in `kCVPixelFormatType_32BGRA`.
    case bgra

    var offsets: (red: Int, green: Int, blue: Int, count: Int) {
      switch self {
      case .rgb: (0, 1, 2, 3)
      case .rgba: (0, 1, 2, 4)
      case .bgra: (2, 1, 0, 4)
      }
    }
  }

  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int
  /// The bytes.
  public let rgb: [UInt8]

  /// Makes an image of the bytes of a buffer.
  ///
  /// Returns `nil` if a side is not positive, or the bytes do not suffice.
  ///
  /// - Parameter bytesPerRow: The distance between rows, which may have padding; `nil` if there is none.
  public init?(
    width: Int, height: Int, order: PixelOrder = .rgb, bytesPerRow: Int? = nil,
    bytes: some RandomAccessCollection<UInt8>
  ) {
    let offsets = order.offsets
    guard width > 0, height > 0, width <= 1 << 15, height <= 1 << 15 else { return nil }
    let stride = bytesPerRow ?? width * offsets.count
    guard stride >= width * offsets.count, stride <= 1 << 20,
      bytes.count >= stride * (height - 1) + width * offsets.count
    else { return nil }
    var rgb: [UInt8] = []
    rgb.reserveCapacity(width * height * 3)
    for row in 0..<height {
      var index = bytes.index(bytes.startIndex, offsetBy: row * stride)
      for _ in 0..<width {
        rgb.append(bytes[bytes.index(index, offsetBy: offsets.red)])
        rgb.append(bytes[bytes.index(index, offsetBy: offsets.green)])
        rgb.append(bytes[bytes.index(index, offsetBy: offsets.blue)])
        index = bytes.index(index, offsetBy: offsets.count)
      }
    }
    self.init(width: width, height: height, rgb: rgb)
  }

  private init(width: Int, height: Int, rgb: [UInt8]) {
    (self.width, self.height, self.rgb) = (width, height, rgb)
  }

  /// Returns the sides of an image whose longer side is at most `longSide`; neither becomes 0.
  public static func size(
    width: Int, height: Int, longSide: Int
  ) -> (width: Int, height: Int) {
    let longer = max(width, height)
    guard longer > longSide, longSide > 0 else { return (width, height) }
    func scaled(_ side: Int) -> Int { max(1, (side * longSide + longer / 2) / longer) }
    return (scaled(width), scaled(height))
  }

  /// Returns the image with its longer side at most `longSide`, each pixel the mean of those that it covers.
  ///
  /// - Complexity: O(pixels).
  public func scaled(toLongSide longSide: Int) -> PixelImage {
    let size = Self.size(width: width, height: height, longSide: longSide)
    guard size != (width, height) else { return self }
    var result: [UInt8] = []
    result.reserveCapacity(size.width * size.height * 3)
    for y in 0..<size.height {
      let rows = Self.covered(y, of: size.height, height)
      for x in 0..<size.width {
        let columns = Self.covered(x, of: size.width, width)
        var sums = (0, 0, 0)
        for row in rows {
          for column in columns {
            let index = (row * width + column) * 3
            sums.0 += Int(rgb[index])
            sums.1 += Int(rgb[index + 1])
            sums.2 += Int(rgb[index + 2])
          }
        }
        let count = rows.count * columns.count
        for sum in [sums.0, sums.1, sums.2] { result.append(UInt8((sum + count / 2) / count)) }
      }
    }
    return PixelImage(width: size.width, height: size.height, rgb: result)
  }

  /// The pixels along one side that a pixel of the smaller image covers.
  private static func covered(_ index: Int, of count: Int, _ side: Int) -> Range<Int> {
    let first = index * side / count
    return first..<max(first + 1, (index + 1) * side / count)
  }
}
