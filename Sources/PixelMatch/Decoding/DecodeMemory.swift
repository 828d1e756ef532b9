/// An estimate, from the header, of the memory that decoding takes besides its result. It lets the
/// limit be checked before memory is allocated.
enum DecodeMemory {
  /// The number of bytes per column of a PNG: two rows of libpng with up to eight bytes per pixel,
  /// a row of a pass, a row of RGBA, and four sums of four bytes for the reduction.
  private static let pngColumnBytes = 16 + 4 + 4 + 16
  /// The number of bytes per column of a JPEG: up to 24 rows of up to four components in libjpeg, a
  /// row of RGBA, and the sums.
  private static let jpegColumnBytes = 96 + 4 + 16
  /// The number of bytes per column of another image: up to 40 rows of up to four components in its
  /// decoder, a row of RGBA, and the sums.
  private static let otherColumnBytes = 160 + 4 + 16
  /// The number of bytes of the 64 coefficients of a block.
  private static let blockBytes = 128

  /// Returns the number of bytes for an image that is decoded at a fraction of its size.
  static func byteCount(of header: ImageHeader, denominator: Int) -> Int {
    let (columns, rows) = (
      (header.width - 1) / denominator + 1, (header.height - 1) / denominator + 1
    )
    switch header.format {
    case .jpeg:
      return jpegColumnBytes * header.width
        + (header.isProgressive ? blockBytes * header.blockCount : 0)
    case .png:
      return pngColumnBytes * header.width + (header.isProgressive ? 4 * columns * rows : 0)
    case .webp, .gif, .avif, .heic:
      // These libraries decode the whole image at once. For libheif, `keptBytesPerPixel`
      // includes that memory; for the others, it is added here.
      let isKept = header.format == .webp || header.format == .gif
      return otherColumnBytes * header.width
        + header.keptBytesPerPixel * header.width * header.height
        + (isKept ? 4 * columns * rows : 0)
    }
  }
}

extension DecodeLimits {
  func check(memory byteCount: Int, for header: ImageHeader) throws(DecodeError) {
    guard byteCount <= memoryLimit else {
      throw DecodeError(
        code: .tooMuchWork,
        message: """
          \(header.isProgressive ? header.format == .jpeg ? "progressive " : "interlaced " : "")\
          \(header.format.name) of \(header.width) × \(header.height) pixels needs \(byteCount) bytes \
          to decode; the limit is \(memoryLimit)
          """)
    }
  }
}
