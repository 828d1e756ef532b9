public import CoreVideo
public import Foundation

/// A space of colors.
public final class CGColorSpace: Sendable {
  /// sRGB.
  public static let sRGB = "sRGB"
  /// A space by its name.
  public init?(name: String) {}
}

/// A picture that is computed when it is needed.
public final class CIImage: Sendable {
  /// The picture in a buffer.
  public init(cvPixelBuffer: CVPixelBuffer) {}
}

/// How a representation is made.
public struct CIImageRepresentationOption: Hashable, Sendable {}

/// What computes pictures.
public final class CIContext: Sendable {
  /// A context.
  public init() {}
  /// A JPEG file of a picture.
  public func jpegRepresentation(
    of image: CIImage, colorSpace: CGColorSpace, options: [CIImageRepresentationOption: Any] = [:]
  ) -> Data? { nil }
}
