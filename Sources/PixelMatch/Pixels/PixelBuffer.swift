/// An immutable upright image.
///
/// Stores the pixels of a camera, a screenshot or a decoder in their own format and color space.
/// Readers ask for rows of RGBA in sRGB, so that no converted copy of the whole image is made.
public struct PixelBuffer: Sendable {
  /// The length of the longest accepted side, in pixels.
  public static let sideLimit = 1 << 20

  /// The number of columns.
  public let width: Int
  /// The number of rows.
  public let height: Int
  /// The number of bytes from the start of a row to the start of the next, in every plane.
  public let bytesPerRow: Int
  /// The layout of a pixel.
  public let format: PixelFormat
  /// The matrix that converts Y, Cb and Cr to red, green and blue.
  public let yCbCrMatrix: YCbCrMatrix
  /// The color space of red, green and blue.
  public let colorSpace: RGBColorSpace
  /// The bytes of all rows, top to bottom, the chroma plane last.
  public let bytes: [UInt8]
  /// A Boolean value that indicates whether the bytes are RGBA with an alpha of 255 throughout, as
  /// from decoders, so that rows can be lent as they are.
  let isOpaqueRGBA: Bool

  /// Makes an image from the caller's pixels.
  ///
  /// - Parameters:
  ///   - width: The number of columns, `1...sideLimit`.
  ///   - height: The number of rows, `1...sideLimit`.
  ///   - bytesPerRow: The number of bytes from row to row, at least those of a row's pixels; `nil`
  ///     means exactly those. The rows of an NV12 chroma plane have the same number.
  ///   - format: The layout of a pixel.
  ///   - yCbCrMatrix: The matrix that converts the components of an NV12 format.
  ///   - colorSpace: The color space of red, green and blue.
  ///   - bytes: `bytesPerRow × height` bytes, and for NV12 `bytesPerRow × ⌈height / 2⌉` more. The
  ///     last row of a plane need not be padded. Further bytes are ignored.
  /// - Throws: ``PixelBufferError``.
  public init(
    width: Int, height: Int, bytesPerRow: Int? = nil, format: PixelFormat,
    yCbCrMatrix: YCbCrMatrix = .bt601, colorSpace: RGBColorSpace = .sRGB, bytes: [UInt8]
  ) throws(PixelBufferError) {
    guard (1...Self.sideLimit).contains(width), (1...Self.sideLimit).contains(height) else {
      throw PixelBufferError(
        code: .badSize,
        message: "image is \(width) × \(height); each side must be 1...\(Self.sideLimit) pixels")
    }
    // Two bytes of chroma cover two columns, so an odd width needs one byte more.
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
        message: "image has \(bytes.count) bytes; \(rows) rows of \(stride) need more")
    }
    self.width = width
    self.height = height
    self.bytesPerRow = stride
    self.format = format
    self.yCbCrMatrix = yCbCrMatrix
    self.colorSpace = colorSpace
    self.bytes = bytes
    isOpaqueRGBA = false
  }
}

extension PixelBuffer {
  /// Makes an image from rows of RGBA without padding, with an alpha of 255, that this module
  /// computed.
  init(pixels: [UInt8], width: Int, height: Int) {
    precondition(pixels.count == 4 * width * height, "pixels of another size")
    self.width = width
    self.height = height
    bytesPerRow = 4 * width
    format = .rgba8
    yCbCrMatrix = .bt601
    colorSpace = .sRGB
    bytes = pixels
    isOpaqueRGBA = true
  }
}
