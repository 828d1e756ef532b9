// Only in an app that adds the product PixelMatch, which needs iOS 26 or macOS 26 as the app's oldest system.
#if canImport(PixelMatch)
  import CoreVideo
  import Foundation
  import PixelMatch

  /// Computes on the device the signature with which an image is searched for, so that no image leaves it.
  @available(iOS 26, macOS 26, *)
  nonisolated enum PhoneSignature {
    /// Returns the signature of a pixel buffer, at most 25 kB of text, or `nil` for an unknown pixel format.
    static func text(of buffer: CVPixelBuffer) -> String? {
      guard let pixels = PixelBuffer(buffer) else { return nil }
      // Base64 for URLs (RFC 4648, 5), as the service reads it.
      return Data(QuerySignature(pixels).encoded).base64EncodedString()
        .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
  }

  @available(iOS 26, macOS 26, *)
  nonisolated extension PixelBuffer {
    /// Copies the pixels of a buffer with its color space, or returns `nil` for an unknown pixel format.
    ///
    /// The rows of the planes may have padding of any length, which is left out.
    init?(_ buffer: CVPixelBuffer) {
      let format: PixelFormat
      switch CVPixelBufferGetPixelFormatType(buffer) {
      case kCVPixelFormatType_32BGRA: format = .bgra8
      case kCVPixelFormatType_32RGBA: format = .rgba8
      case kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: format = .nv12VideoRange
      case kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: format = .nv12FullRange
      default: return nil
      }
      guard CVPixelBufferLockBaseAddress(buffer, .readOnly) == kCVReturnSuccess else { return nil }
      defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
      let (width, height) = (CVPixelBufferGetWidth(buffer), CVPixelBufferGetHeight(buffer))
      let isPlanar = CVPixelBufferGetPlaneCount(buffer) > 0
      let rowBytes = isPlanar ? (width + 1) / 2 * 2 : 4 * width
      var bytes: [UInt8] = []
      for plane in 0..<(isPlanar ? 2 : 1) {
        let base =
          isPlanar
          ? CVPixelBufferGetBaseAddressOfPlane(buffer, plane) : CVPixelBufferGetBaseAddress(buffer)
        guard let base else { return nil }
        let stride =
          isPlanar
          ? CVPixelBufferGetBytesPerRowOfPlane(buffer, plane)
          : CVPixelBufferGetBytesPerRow(buffer)
        for row in 0..<(plane == 0 ? height : (height + 1) / 2) {
          // A row of Y has a byte less if the width is odd; the last one is not looked at.
          let count = plane == 0 && isPlanar ? width : rowBytes
          let start = base + row * stride
          bytes += UnsafeRawBufferPointer(start: start, count: count)
          bytes += repeatElement(0, count: rowBytes - count)
        }
      }
      func attachment(_ key: CFString) -> String? {
        CVBufferCopyAttachment(buffer, key, nil) as? String
      }
      let isHighDefinition =
        attachment(kCVImageBufferYCbCrMatrixKey)
        == kCVImageBufferYCbCrMatrix_ITU_R_709_2 as String
      let isWide =
        attachment(kCVImageBufferColorPrimariesKey) == kCVImageBufferColorPrimaries_P3_D65 as String
      try? self.init(
        width: width, height: height, bytesPerRow: rowBytes, format: format,
        yCbCrMatrix: isHighDefinition ? .bt709 : .bt601,
        colorSpace: isWide ? .displayP3 : .sRGB, bytes: bytes)
    }
  }
#endif
