/// An immutable upright sRGB picture.
///
/// Holds what a camera, a screenshot or a decoder gives, in its own format; whoever reads it asks
/// for rows of RGBA, so that no converted copy of the whole picture is made.
public struct PixelBuffer: Sendable {
  /// The longest side that is accepted, in pixels.
  public static let sideLimit = 1 << 20

  /// Columns.
  public let width: Int
  /// Rows.
  public let height: Int
  /// Bytes from the start of a row to the start of the next, in every plane.
  public let bytesPerRow: Int
  /// The layout of a pixel.
  public let format: PixelFormat
  /// How a format of Y, Cb and Cr mixes them.
  public let yCbCrMatrix: YCbCrMatrix
  /// All rows, top to bottom, the chroma plane last.
  public let bytes: [UInt8]
  /// Whether the bytes are RGBA with an alpha of 255 throughout, as decoders give, so that rows can
  /// be lent as they are.
  let isOpaqueRGBA: Bool

  /// Makes a picture from pixels that the caller has.
  ///
  /// - Parameters:
  ///   - width: Columns, `1...sideLimit`.
  ///   - height: Rows, `1...sideLimit`.
  ///   - bytesPerRow: Bytes from row to row, at least those of a row's pixels; `nil` means just
  ///     those. The rows of an NV12 chroma plane have as many.
  ///   - format: The layout of a pixel.
  ///   - yCbCrMatrix: How an NV12 format mixes its components.
  ///   - bytes: `bytesPerRow × height` bytes, and for NV12 `bytesPerRow × ⌈height / 2⌉` more; the
  ///     last row of a plane's end need not be padded. Further bytes are not looked at.
  /// - Throws: ``PixelBufferError``.
  public init(
    width: Int, height: Int, bytesPerRow: Int? = nil, format: PixelFormat,
    yCbCrMatrix: YCbCrMatrix = .bt601, bytes: [UInt8]
  ) throws(PixelBufferError) {
    guard (1...Self.sideLimit).contains(width), (1...Self.sideLimit).contains(height) else {
      throw PixelBufferError(
        code: .badSize,
        message: "picture is \(width) × \(height); each side must be 1...\(Self.sideLimit) pixels")
    }
    // Two bytes of chroma stand for two columns, so that an odd width needs one byte more.
    let columns = format.hasChromaPlane ? (width + 1) / 2 * 2 : width
    let rowBytes = columns * format.bytesPerPixel
    let stride = bytesPerRow ?? rowBytes
    guard stride >= rowBytes else {
      throw PixelBufferError(
        code: .badBytesPerRow,
        message: "bytesPerRow is \(stride); a row of \(width) pixels needs \(rowBytes)")
    }
    let rows = height + (format.hasChromaPlane ? (height + 1) / 2 : 0)
    let (before, overflow) = stride.multipliedReportingOverflow(by: rows - 1)
    let (needed, overflow2) = before.addingReportingOverflow(rowBytes)
    guard !overflow, !overflow2, bytes.count >= needed else {
      throw PixelBufferError(
        code: overflow || overflow2 ? .badBytesPerRow : .notEnoughBytes,
        message: "picture has \(bytes.count) bytes; \(rows) rows of \(stride) need more")
    }
    self.width = width
    self.height = height
    self.bytesPerRow = stride
    self.format = format
    self.yCbCrMatrix = yCbCrMatrix
    self.bytes = bytes
    isOpaqueRGBA = false
  }
}

extension PixelBuffer {
  /// A picture of our own making: rows of RGBA without padding, with an alpha of 255.
  init(pixels: [UInt8], width: Int, height: Int) {
    precondition(pixels.count == 4 * width * height, "pixels of another size")
    self.width = width
    self.height = height
    bytesPerRow = 4 * width
    format = .rgba8
    yCbCrMatrix = .bt601
    bytes = pixels
    isOpaqueRGBA = true
  }
}
