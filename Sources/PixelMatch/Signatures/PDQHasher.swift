/// Computes the PDQ hash of a picture whose rows come one by one, top to bottom.
///
/// Bit-compatible with Meta's reference for the same pixels. Time is O(pixels); memory is
/// O(width × height / 128), since rows are dropped once no blur window needs them.
///
/// ```swift
/// var hasher = PDQHasher(width: buffer.width, height: buffer.height)
/// buffer.forEachRGBARow { row, _ in hasher.append(rgba: row) }
/// let coefficients = hasher.finish()
/// ```
public struct PDQHasher {
  /// A picture with a smaller side has no hash of its own.
  private static let minimumSide = 5

  private let width: Int
  private let height: Int
  private var filter: JaroszFilter?
  /// A picture of exactly 64 × 64 is hashed as it is.
  private var unfiltered: [Float] = []
  private let isPlane: Bool

  /// Prepares for a picture of `width × height` pixels, each at least 1.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
    let isTooSmall = min(width, height) < Self.minimumSide
    isPlane = width == JaroszFilter.side && height == JaroszFilter.side
    if !isTooSmall && !isPlane { filter = JaroszFilter(width: width, height: height) }
  }

  /// The bytes of memory that hashing a picture takes.
  static func byteCount(width: Int, height: Int) -> Int {
    JaroszFilter.byteCount(width: width, height: height)
  }

  /// Hashes all of a picture at once.
  public static func coefficients(of picture: PixelBuffer) -> PDQCoefficients {
    var hasher = PDQHasher(width: picture.width, height: picture.height)
    picture.forEachRGBARow { row, _ in hasher.append(rgba: row) }
    return hasher.finish()
  }

  /// Takes the next row.
  ///
  /// - Parameter row: `width` pixels of four bytes: red, green, blue and one that is not looked at.
  public mutating func append(rgba row: Span<UInt8>) {
    if filter != nil {
      filter!.append(rgba: row)
    } else if isPlane {
      precondition(row.count >= 4 * width, "a row is shorter than the picture's width")
      for x in 0..<width {
        let (red, green, blue) = (row[4 &* x], row[4 &* x &+ 1], row[4 &* x &+ 2])
        // Exact in thousandths, then rounded once.
        let thousandths = 299 * Int(red) + 587 * Int(green) + 114 * Int(blue)
        unfiltered.append(Float(thousandths) / 1000)
      }
    }
  }

  /// Takes the next row of a grey picture, whose values are used as they are.
  ///
  /// - Parameter row: `width` pixels of one byte.
  public mutating func append(gray row: Span<UInt8>) {
    if filter != nil {
      filter!.append(gray: row)
    } else if isPlane {
      precondition(row.count >= width, "a row is shorter than the picture's width")
      for x in 0..<width { unfiltered.append(Float(row[x])) }
    }
  }

  /// Ends the picture.
  ///
  /// - Precondition: As many rows were appended as the picture has.
  public consuming func finish() -> PDQCoefficients {
    if filter != nil { return PDQCoefficients(plane: filter!.finish()) }
    return unfiltered.isEmpty ? PDQCoefficients() : PDQCoefficients(plane: unfiltered)
  }
}
