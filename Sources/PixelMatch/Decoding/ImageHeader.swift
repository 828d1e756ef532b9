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
  /// Whether a JPEG is arithmetic-coded.
  let isArithmetic: Bool
}

extension ImageHeader {
  /// The cost of a block of an arithmetic-coded scan, in blocks of a Huffman-coded one.
  ///
  /// 3.2 µs for each block of a noisy picture of 12 megapixels, on the machine of the other figures.
  /// Few bytes can stand for many decisions, so that nothing but the number of blocks bounds the work.
  private static let arithmeticCost = 200

  /// Blocks times scans of a JPEG, those of arithmetic coding counted by their cost; 0 if a baseline
  /// JPEG's rows need no more work than those of any picture.
  private var blockScans: Int {
    isProgressive || isArithmetic
      ? blockCount * scanCount * (isArithmetic ? Self.arithmeticCost : 1) : 0
  }

  /// Reads the header of a picture and checks it against the limits.
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
    guard blockScans <= limits.blockScanLimit else {
      let coding =
        isArithmetic ? ", each arithmetic-coded block as \(Self.arithmeticCost)" : ""
      throw DecodeError(
        code: .tooMuchWork,
        message: """
          JPEG has \(blockCount) blocks in \(scanCount) scans; the limit of their product\(coding) \
          is \(limits.blockScanLimit) (DecodeLimits.blockScanLimit)
          """)
    }
  }
}
