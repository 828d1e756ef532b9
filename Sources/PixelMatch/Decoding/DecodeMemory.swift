/// The memory that decoding takes beside its result, estimated from the header, so that a limit holds
/// before memory is taken.
enum DecodeMemory {
  /// The bytes for each column of a PNG: two rows of libpng with up to eight bytes a pixel, a row of
  /// a pass, a row of RGBA, and four sums of four bytes for the reduction.
  private static let pngColumnBytes = 16 + 4 + 4 + 16
  /// The bytes for each column of a JPEG: up to 24 rows of up to four components in libjpeg, a row of
  /// RGBA and the sums.
  private static let jpegColumnBytes = 96 + 4 + 16
  /// The bytes of the 64 coefficients of a block.
  private static let blockBytes = 128

  /// The bytes for a picture that is decoded at a fraction of its size.
  static func byteCount(of header: ImageHeader, denominator: Int) -> Int {
    switch header.format {
    case .jpeg:
      return jpegColumnBytes * header.width
        + (header.isProgressive ? blockBytes * header.blockCount : 0)
    case .png:
      let (columns, rows) = (
        (header.width - 1) / denominator + 1, (header.height - 1) / denominator + 1
      )
      return pngColumnBytes * header.width + (header.isProgressive ? 4 * columns * rows : 0)
    }
  }
}

extension DecodeLimits {
  func check(memory byteCount: Int, for header: ImageHeader) throws(DecodeError) {
    guard byteCount <= memoryLimit else {
      throw DecodeError(
        code: .tooMuchWork,
        message: """
          \(header.isProgressive ? header.format == .png ? "interlaced " : "progressive " : "")\
          \(header.format.name) of \(header.width) × \(header.height) pixels needs \(byteCount) bytes \
          to decode; the limit is \(memoryLimit) (DecodeLimits.memoryLimit)
          """)
    }
  }
}
