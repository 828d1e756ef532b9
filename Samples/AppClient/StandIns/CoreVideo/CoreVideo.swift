public import Foundation

/// <https://developer.apple.com/documentation/corefoundation/cfstring>
public typealias CFString = String
/// <https://developer.apple.com/documentation/corefoundation/cftyperef>
public typealias CFTypeRef = AnyObject
/// <https://developer.apple.com/documentation/kernel/ostype>
public typealias OSType = UInt32
/// <https://developer.apple.com/documentation/corevideo/cvreturn>
public typealias CVReturn = Int32
/// <https://developer.apple.com/documentation/corevideo/kcvreturnsuccess>
public let kCVReturnSuccess: CVReturn = 0

/// <https://developer.apple.com/documentation/corevideo/cvpixelbuffer>: not `Sendable`.
///
/// The stand-in holds an image file in place of pixels, so that a test can play the camera, or planes of real pixels.
public final class CVPixelBuffer {
  /// Stand-in only: the file that stands for the pixels.
  public let file: Data
  /// Stand-in only: the width and height in pixels.
  public let size: (width: Int, height: Int)
  fileprivate let format: OSType
  fileprivate let planes: [(bytes: UnsafeMutableRawBufferPointer, bytesPerRow: Int)]
  fileprivate let attachments: [CFString: CFString]
  fileprivate var locks = 0

  /// Stand-in only: makes a buffer without pixels.
  public convenience init(file: Data, width: Int, height: Int) {
    self.init(standInFormat: 0, width: width, height: height, planes: [], file: file)
  }

  /// Stand-in only: makes a buffer of pixels. One plane is not planar.
  public init(
    standInFormat format: OSType, width: Int, height: Int,
    planes: [(bytes: [UInt8], bytesPerRow: Int)], attachments: [CFString: CFString] = [:],
    file: Data = Data()
  ) {
    self.file = file
    self.format = format
    self.attachments = attachments
    size = (width, height)
    self.planes = planes.map { plane in
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: plane.bytes.count, alignment: 64)
      copy.copyBytes(from: plane.bytes)
      return (copy, plane.bytesPerRow)
    }
  }

  deinit { for plane in planes { plane.bytes.deallocate() } }

  fileprivate func base(_ plane: Int) -> UnsafeMutableRawPointer? {
    precondition(locks > 0, "the address of a buffer that is not locked")
    return planes.indices.contains(plane) ? planes[plane].bytes.baseAddress : nil
  }
}

/// <https://developer.apple.com/documentation/corevideo/kcvpixelformattype_32bgra>
public let kCVPixelFormatType_32BGRA: OSType = 0x4247_5241
/// <https://developer.apple.com/documentation/corevideo/kcvpixelformattype_32rgba>
public let kCVPixelFormatType_32RGBA: OSType = 0x5247_4241
/// <https://developer.apple.com/documentation/corevideo/kcvpixelformattype_420ypcbcr8biplanarvideorange>
public let kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: OSType = 0x3432_3076
/// <https://developer.apple.com/documentation/corevideo/kcvpixelformattype_420ypcbcr8biplanarfullrange>
public let kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: OSType = 0x3432_3066
/// <https://developer.apple.com/documentation/corevideo/kcvimagebufferycbcrmatrixkey>
public let kCVImageBufferYCbCrMatrixKey: CFString = "CVImageBufferYCbCrMatrix"
/// <https://developer.apple.com/documentation/corevideo/kcvimagebufferycbcrmatrix_itu_r_709_2>
public let kCVImageBufferYCbCrMatrix_ITU_R_709_2: CFString = "ITU_R_709_2"
/// <https://developer.apple.com/documentation/corevideo/kcvimagebuffercolorprimarieskey>
public let kCVImageBufferColorPrimariesKey: CFString = "CVImageBufferColorPrimaries"
/// <https://developer.apple.com/documentation/corevideo/kcvimagebuffercolorprimaries_p3_d65>
public let kCVImageBufferColorPrimaries_P3_D65: CFString = "P3_D65"

/// <https://developer.apple.com/documentation/corevideo/cvpixelbufferlockflags>
public struct CVPixelBufferLockFlags: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt64
  /// Makes flags.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
  /// <https://developer.apple.com/documentation/corevideo/cvpixelbufferlockflags/readonly>
  public static let readOnly = CVPixelBufferLockFlags(rawValue: 1)
}

/// <https://developer.apple.com/documentation/corevideo/cvpixelbufferlockbaseaddress(_:_:)>
@discardableResult public func CVPixelBufferLockBaseAddress(
  _ pixelBuffer: CVPixelBuffer, _ lockFlags: CVPixelBufferLockFlags
) -> CVReturn {
  pixelBuffer.locks += 1
  return kCVReturnSuccess
}

/// <https://developer.apple.com/documentation/corevideo/cvpixelbufferunlockbaseaddress(_:_:)>
@discardableResult public func CVPixelBufferUnlockBaseAddress(
  _ pixelBuffer: CVPixelBuffer, _ unlockFlags: CVPixelBufferLockFlags
) -> CVReturn {
  pixelBuffer.locks -= 1
  return kCVReturnSuccess
}

/// <https://developer.apple.com/documentation/corevideo/cvpixelbuffergetpixelformattype(_:)>
public func CVPixelBufferGetPixelFormatType(_ pixelBuffer: CVPixelBuffer) -> OSType {
  pixelBuffer.format
}
/// <https://developer.apple.com/documentation/corevideo/cvpixelbuffergetwidth(_:)>
public func CVPixelBufferGetWidth(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.size.width }
/// <https://developer.apple.com/documentation/corevideo/cvpixelbuffergetheight(_:)>
public func CVPixelBufferGetHeight(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.size.height }
/// <https://developer.apple.com/documentation/corevideo/cvpixelbuffergetplanecount(_:)>: 0 if the buffer is not planar.
public func CVPixelBufferGetPlaneCount(_ pixelBuffer: CVPixelBuffer) -> Int {
  pixelBuffer.planes.count > 1 ? pixelBuffer.planes.count : 0
}
/// <https://developer.apple.com/documentation/corevideo/cvpixelbuffergetbaseaddress(_:)>
public func CVPixelBufferGetBaseAddress(_ pixelBuffer: CVPixelBuffer) -> UnsafeMutableRawPointer? {
  pixelBuffer.base(0)
}
/// <https://developer.apple.com/documentation/corevideo/cvpixelbuffergetbaseaddressofplane(_:_:)>
public func CVPixelBufferGetBaseAddressOfPlane(
  _ pixelBuffer: CVPixelBuffer, _ planeIndex: Int
) -> UnsafeMutableRawPointer? { pixelBuffer.base(planeIndex) }
/// <https://developer.apple.com/documentation/corevideo/cvpixelbuffergetbytesperrow(_:)>
public func CVPixelBufferGetBytesPerRow(_ pixelBuffer: CVPixelBuffer) -> Int {
  pixelBuffer.planes[0].bytesPerRow
}
/// <https://developer.apple.com/documentation/corevideo/cvpixelbuffergetbytesperrowofplane(_:_:)>
public func CVPixelBufferGetBytesPerRowOfPlane(
  _ pixelBuffer: CVPixelBuffer, _ planeIndex: Int
) -> Int { pixelBuffer.planes[planeIndex].bytesPerRow }
/// <https://developer.apple.com/documentation/corevideo/cvbuffercopyattachment(_:_:_:)>
public func CVBufferCopyAttachment(
  _ buffer: CVPixelBuffer, _ key: CFString, _ attachmentMode: UnsafeMutablePointer<UInt32>?
) -> Any? { buffer.attachments[key] }
/// <https://developer.apple.com/documentation/corevideo/cvpixelbuffercreate(_:_:_:_:_:_:)>: black pixels.
@discardableResult public func CVPixelBufferCreate(
  _ allocator: AnyObject?, _ width: Int, _ height: Int, _ pixelFormatType: OSType,
  _ pixelBufferAttributes: [CFString: Any]?, _ pixelBufferOut: inout CVPixelBuffer?
) -> CVReturn {
  pixelBufferOut = CVPixelBuffer(
    standInFormat: pixelFormatType, width: width, height: height,
    planes: [([UInt8](repeating: 0, count: 4 * width * height), 4 * width)])
  return kCVReturnSuccess
}

/// <https://developer.apple.com/documentation/corevideo/cvreadonlypixelbuffer>
public final class CVReadOnlyPixelBuffer: @unchecked Sendable {
  private let buffer: CVPixelBuffer

  /// <https://developer.apple.com/documentation/corevideo/cvreadonlypixelbuffer/init(unsafebuffer:)>
  public init(unsafeBuffer: sending CVPixelBuffer) { buffer = unsafeBuffer }

  /// <https://developer.apple.com/documentation/corevideo/cvreadonlypixelbuffer/withunsafebuffer(_:)>
  ///
  /// The result of `body` is sent: a function whose result is not declared so may not be passed.
  public final func withUnsafeBuffer<R>(
    _ body: (CVPixelBuffer) throws -> sending R
  ) rethrows -> sending R {
    try body(buffer)
  }
}
