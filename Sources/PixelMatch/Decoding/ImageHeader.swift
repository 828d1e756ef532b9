/// What a picture's header says, read without decoding it.
public struct ImageHeader: Sendable, Hashable {
  /// How it is encoded.
  public let format: ImageFormat
  /// Columns as stored, before it is turned upright.
  public let width: Int
  /// Rows as stored.
  public let height: Int
  /// How it must be turned.
  public let orientation: Orientation
  /// Whether it comes in passes, each over the whole picture: progressive JPEG, interlaced PNG.
  public let isProgressive: Bool
  /// Scans of a JPEG; 1 for a PNG.
  public let scanCount: Int
  /// 8 × 8 blocks of all components of a JPEG; 0 for a PNG.
  let blockCount: Int
}

extension ImageHeader {
  /// Reads the header of a picture and holds it against the limits.
  ///
  /// - Throws: ``DecodeError``.
  /// - Complexity: O(bytes) for a JPEG, whose scans are counted; O(chunks) for a PNG.
  init(of bytes: [UInt8], limits: DecodeLimits) throws(DecodeError) {
    try limits.check(byteCount: bytes.count)
    switch try ImageFormat(of: bytes) {
    case .jpeg: self = try JPEGHeaderReader.header(of: bytes.span)
    case .png: self = try PNGHeaderReader.header(of: bytes.span, limits: limits)
    }
    try limits.check(width: width, height: height)
    guard !isProgressive || format == .png || blockCount * scanCount <= limits.blockScanLimit else {
      throw DecodeError(
        code: .tooMuchWork,
        message: """
          JPEG has \(blockCount) blocks in \(scanCount) scans; the limit of their product is \
          \(limits.blockScanLimit) (DecodeLimits.blockScanLimit)
          """)
    }
  }
}
