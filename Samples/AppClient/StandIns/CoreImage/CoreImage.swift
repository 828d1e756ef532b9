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

  /// <https://developer.apple.com/documentation/coreimage/ciimage/init(data:options:)>
  ///
  /// The stand-in takes a file to be 4000 × 3000 pixels large, and refuses an empty one.
  public convenience init?(data: Data, options: [CIImageOption: Any]? = nil) {
    guard !data.isEmpty else { return nil }
    self.init(extent: CGRect(x: 0, y: 0, width: 4000, height: 3000), file: data)
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

/// <https://developer.apple.com/documentation/coreimage/ciimageoption>
public struct CIImageOption: Hashable, Sendable, RawRepresentable {
  /// <https://developer.apple.com/documentation/coreimage/ciimageoption/init(rawvalue:)>
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The name of the option.
  public let rawValue: String
  /// <https://developer.apple.com/documentation/coreimage/ciimageoption/applyorientationproperty>
  public static let applyOrientationProperty = CIImageOption(
    rawValue: "kCIImageApplyOrientationProperty")
}

/// <https://developer.apple.com/documentation/coreimage/ciformat>
public struct CIFormat: Hashable, Sendable, RawRepresentable {
  /// <https://developer.apple.com/documentation/coreimage/ciformat/init(rawvalue:)>
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// The number of the format.
  public let rawValue: Int32
  /// <https://developer.apple.com/documentation/coreimage/ciformat/rgba8>
  public static let RGBA8 = CIFormat(rawValue: 264)
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

  /// <https://developer.apple.com/documentation/coreimage/cicontext/render(_:to:bounds:colorspace:)>
  ///
  /// The stand-in draws nothing.
  public func render(
    _ image: CIImage, to buffer: CVPixelBuffer, bounds: CGRect, colorSpace: CGColorSpace?
  ) {}

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

  /// <https://developer.apple.com/documentation/coreimage/cicontext/heifrepresentation(of:format:colorspace:options:)>
  ///
  /// The stand-in gives the file that stands for the pixels.
  public func heifRepresentation(
    of image: CIImage, format: CIFormat, colorSpace: CGColorSpace,
    options: [CIImageRepresentationOption: Any] = [:]
  ) -> Data? { jpegRepresentation(of: image, colorSpace: colorSpace, options: options) }
}
