@_exported public import CoreGraphics
public import CoreVideo
public import Foundation
import Synchronization

/// <https://developer.apple.com/documentation/coreimage/ciimage>
public class CIImage {
  /// <https://developer.apple.com/documentation/coreimage/ciimage/extent>
  public let extent: CGRect
  let file: Data

  /// <https://developer.apple.com/documentation/coreimage/ciimage/init(cvpixelbuffer:)>
  public init(cvPixelBuffer pixelBuffer: CVPixelBuffer) {
    let size = pixelBuffer.size
    extent = CGRect(x: 0, y: 0, width: size.width, height: size.height)
    file = pixelBuffer.file
  }

  private init(extent: CGRect, file: Data) {
    self.extent = extent
    self.file = file
  }

  /// <https://developer.apple.com/documentation/coreimage/ciimage/transformed(by:highqualitydownsample:)>
  public func transformed(by matrix: CGAffineTransform, highQualityDownsample: Bool) -> CIImage {
    CIImage(
      extent: CGRect(
        x: 0, y: 0, width: extent.width * matrix.a, height: extent.height * matrix.a), file: file)
  }
}

/// <https://developer.apple.com/documentation/coreimage/ciimagerepresentationoption>
public struct CIImageRepresentationOption: Hashable, Sendable, RawRepresentable {
  /// <https://developer.apple.com/documentation/coreimage/ciimagerepresentationoption/init(rawvalue:)>
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The name of the option.
  public let rawValue: String
}

/// <https://developer.apple.com/documentation/coreimage/cicontext>
///
/// The stand-in is not `Sendable`, whatever the SDK says: code that compiles with it compiles with both.
public class CIContext {
  /// <https://developer.apple.com/documentation/coreimage/cicontext/init()>
  public init() {}

  private static let sizes = Mutex<[Data: CGSize]>([:])

  /// Stand-in only: returns the size at which the image of a file was encoded.
  public static func standInSize(of file: Data) -> CGSize? { sizes.withLock { $0[file] } }

  /// <https://developer.apple.com/documentation/coreimage/cicontext/jpegrepresentation(of:colorspace:options:)>
  ///
  /// The stand-in gives the file that stands for the pixels.
  public func jpegRepresentation(
    of image: CIImage, colorSpace: CGColorSpace,
    options: [CIImageRepresentationOption: Any] = [:]
  ) -> Data? {
    Self.sizes.withLock { $0[image.file] = image.extent.size }
    return image.file
  }
}
