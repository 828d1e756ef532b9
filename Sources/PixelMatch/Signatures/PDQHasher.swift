/// Computes the PDQ hash of an image whose rows arrive one by one, top to bottom.
///
/// The hash is bit-compatible with Meta's reference for the same pixels. Time is O(pixels); memory
/// is O(width × height / 128), because rows are dropped once no blur window needs them.
///
/// ```swift
/// var hasher = PDQHasher(width: buffer.width, height: buffer.height)
/// buffer.forEachRGBARow { row, _ in hasher.append(rgba: row) }
/// let coefficients = hasher.finish()
/// ```
package struct PDQHasher {
  /// The shortest side of an image that is hashed; a smaller image gets the zero hash.
  private static let minimumSide = 5

  private let width: Int
  private let height: Int
  private var filter: JaroszFilter?
  /// The pixels of an image of exactly 64 × 64, which is hashed without blur.
  private var unfiltered: [Float] = []
  private let isPlane: Bool

  /// Prepares for an image of `width × height` pixels, each side at least 1.
  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
    let isTooSmall = min(width, height) < Self.minimumSide
    isPlane = width == JaroszFilter.side && height == JaroszFilter.side
    if !isTooSmall && !isPlane { filter = JaroszFilter(width: width, height: height) }
  }

  /// Returns the number of bytes of memory that hashing an image takes.
  static func byteCount(width: Int, height: Int) -> Int {
    JaroszFilter.byteCount(width: width, height: height)
  }

  /// Returns the coefficients of a whole image.
  package static func coefficients(of picture: PixelBuffer) -> PDQCoefficients {
    var hasher = PDQHasher(width: picture.width, height: picture.height)
    picture.forEachRGBARow { row, _ in hasher.append(rgba: row) }
    return hasher.finish()
  }

  /// Adds the next row.
  ///
  /// - Parameter row: `width` pixels of four bytes: red, green, blue and one that is ignored.
  package mutating func append(rgba row: Span<UInt8>) {
    if filter != nil {
      filter!.append(rgba: row)
    } else if isPlane {
      precondition(row.count >= 4 * width, "a row is shorter than the image's width")
      for x in 0..<width {
        let (red, green, blue) = (row[4 &* x], row[4 &* x &+ 1], row[4 &* x &+ 2])
        // The integer sum is exact, so the result is rounded only once, by the division.
        let thousandths = 299 * Int(red) + 587 * Int(green) + 114 * Int(blue)
        unfiltered.append(Float(thousandths) / 1000)
      }
    }
  }

  /// Adds the next row of a gray image, whose values are used unchanged.
  ///
  /// - Parameter row: `width` pixels of one byte.
  package mutating func append(gray row: Span<UInt8>) {
    if filter != nil {
      filter!.append(gray: row)
    } else if isPlane {
      precondition(row.count >= width, "a row is shorter than the image's width")
      for x in 0..<width { unfiltered.append(Float(row[x])) }
    }
  }

  /// Finishes the image and returns its coefficients.
  ///
  /// - Precondition: As many rows were appended as the image has.
  package consuming func finish() -> PDQCoefficients {
    if filter != nil { return PDQCoefficients(plane: filter!.finish()) }
    return unfiltered.isEmpty ? PDQCoefficients() : PDQCoefficients(plane: unfiltered)
  }
}
