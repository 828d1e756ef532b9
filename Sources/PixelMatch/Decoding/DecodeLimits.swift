/// What a picture may cost. Checked on its header, before memory is taken.
public struct DecodeLimits: Sendable, Hashable {
  /// The limits that hold where nothing else is said.
  public static let `default` = DecodeLimits()

  /// Bytes of an encoded picture; 32 MB.
  public var byteLimit: Int
  /// Pixels of the full-size picture; 100 million.
  public var pixelLimit: Int
  /// Blocks of 8 × 8 samples times scans of a progressive JPEG, about 7 ns each; 60 million, five
  /// times what a picture of 50 megapixels in ten scans has. A block of an arithmetic-coded JPEG
  /// counts as 200.
  public var blockScanLimit: Int
  /// Bytes of memory that decoding may take beside the picture it returns; 512 MiB. The coefficients
  /// of a progressive JPEG and the kept pixels of an interlaced PNG take most; other pictures need a
  /// few rows.
  public var memoryLimit: Int
  /// Bytes of one text, profile or other ancillary chunk of a PNG, and of all texts together; 4 MiB.
  public var chunkByteLimit: Int

  /// Makes limits.
  public init(
    byteLimit: Int = 32_000_000, pixelLimit: Int = 100_000_000, blockScanLimit: Int = 60_000_000,
    memoryLimit: Int = 512 << 20, chunkByteLimit: Int = 4 << 20
  ) {
    self.byteLimit = byteLimit
    self.pixelLimit = pixelLimit
    self.blockScanLimit = blockScanLimit
    self.memoryLimit = memoryLimit
    self.chunkByteLimit = chunkByteLimit
  }

  func check(byteCount: Int) throws(DecodeError) {
    guard byteCount <= byteLimit else {
      throw DecodeError(
        code: .tooManyBytes,
        message:
          "picture has \(byteCount) bytes; the limit is \(byteLimit) (DecodeLimits.byteLimit)")
    }
  }

  func check(width: Int, height: Int) throws(DecodeError) {
    guard width <= PixelBuffer.sideLimit, height <= PixelBuffer.sideLimit,
      width * height <= pixelLimit
    else {
      throw DecodeError(
        code: .tooManyPixels,
        message: """
          picture is \(width) × \(height) = \(width.multipliedReportingOverflow(by: height).partialValue / 1_000_000) \
          megapixels; the limit is \(pixelLimit / 1_000_000) (DecodeLimits.pixelLimit)
          """)
    }
  }
}
