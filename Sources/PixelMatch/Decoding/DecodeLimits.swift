/// The limits on what decoding an image may cost. They are checked on its header, before memory is
/// allocated.
public struct DecodeLimits: Sendable, Hashable {
  /// The default limits.
  public static let `default` = DecodeLimits()

  /// The largest number of bytes of an encoded image; 32 MB.
  public var byteLimit: Int
  /// The largest number of pixels of the full-size image; 100 million.
  public var pixelLimit: Int
  /// The largest product of the number of 8 × 8 blocks and the number of scans of a progressive
  /// JPEG; 60 million, five times that of an image of 50 megapixels in ten scans. A block takes
  /// about 7 ns per scan. A block of an arithmetic-coded JPEG counts as 200.
  public var blockScanLimit: Int
  /// The largest number of bytes that decoding may allocate besides the returned image; 512 MiB.
  /// Most of it holds the coefficients of a progressive JPEG or the kept pixels of an interlaced
  /// PNG; other images need a few rows.
  public var memoryLimit: Int
  /// The largest number of bytes of one text, profile or other ancillary chunk of a PNG, and of all
  /// texts together; 4 MiB.
  public var chunkByteLimit: Int
  /// The largest number of bytes of a color profile, decompressed; 4 MiB. Profiles of cameras and
  /// screens have a few kilobytes, those of printers up to two megabytes.
  public var profileByteLimit: Int

  /// Makes limits.
  public init(
    byteLimit: Int = 32_000_000, pixelLimit: Int = 100_000_000, blockScanLimit: Int = 60_000_000,
    memoryLimit: Int = 512 << 20, chunkByteLimit: Int = 4 << 20,
    profileByteLimit: Int = 4 << 20
  ) {
    self.byteLimit = byteLimit
    self.pixelLimit = pixelLimit
    self.blockScanLimit = blockScanLimit
    self.memoryLimit = memoryLimit
    self.chunkByteLimit = chunkByteLimit
    self.profileByteLimit = profileByteLimit
  }

  func check(byteCount: Int) throws(DecodeError) {
    guard byteCount <= byteLimit else {
      throw DecodeError(
        code: .tooManyBytes,
        message:
          "image has \(byteCount) bytes; the limit is \(byteLimit)")
    }
  }

  /// Returns whether an image of this size is accepted.
  func allow(width: Int, height: Int) -> Bool {
    width <= PixelBuffer.sideLimit && height <= PixelBuffer.sideLimit
      && width * height <= pixelLimit
  }

  func check(width: Int, height: Int) throws(DecodeError) {
    guard allow(width: width, height: height) else {
      throw DecodeError(
        code: .tooManyPixels,
        message: """
          picture is \(width) × \(height) = \(width.multipliedReportingOverflow(by: height).partialValue / 1_000_000) \
          megapixels; the limit is \(pixelLimit / 1_000_000)
          """)
    }
  }
}
