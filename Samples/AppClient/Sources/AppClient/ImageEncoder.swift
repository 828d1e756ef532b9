import CoreImage
import CoreVideo
import Foundation
import ImageIO
import VisualQueryClient

/// Makes small image files of pixel buffers and of other files.
///
/// Sound: a `CIContext` is immutable and may be used on several threads at once
/// (<https://developer.apple.com/documentation/coreimage/cicontext>), and nothing else is stored.
nonisolated final class ImageEncoder: @unchecked Sendable {
  /// The form of the files.
  enum Form: Sendable, Hashable {
    /// JPEG, which every service reads. The quality is 0…1.
    case jpeg(quality: Double)
    /// HEIC, half as large, for services that read it (`vq serve --formats`; ``ServiceLimits/pictureTypes``).
    case heic(quality: Double)
  }

  // Costly to make, hence one for all images.
  private let context = CIContext()
  private let form: Form

  init(form: Form = .jpeg(quality: 0.8)) { self.form = form }

  /// Returns a file whose longer side has at most `longSide` pixels, or `nil` if it cannot be made.
  func file(of buffer: CVPixelBuffer, longSide: Int) -> Data? {
    file(of: CIImage(cvPixelBuffer: buffer), longSide: longSide)
  }

  /// Returns a small and upright copy of an image file, or `nil` if it cannot be read.
  func file(of data: Data, longSide: Int) -> Data? {
    CIImage(data: data, options: [.applyOrientationProperty: true])
      .flatMap { file(of: $0, longSide: longSide) }
  }

  /// Returns the pixels of a small and upright copy of an image file, or `nil` if it cannot be read.
  func pixels(of data: Data, longSide: Int) -> CVPixelBuffer? {
    guard let whole = CIImage(data: data, options: [.applyOrientationProperty: true]),
      let colors = CGColorSpace(name: CGColorSpace.sRGB)
    else { return nil }
    let image = scaled(whole, longSide: longSide)
    let (width, height) = (Int(image.extent.width), Int(image.extent.height))
    var buffer: CVPixelBuffer?
    CVPixelBufferCreate(nil, width, height, kCVPixelFormatType_32BGRA, nil, &buffer)
    guard let buffer else { return nil }
    context.render(image, to: buffer, bounds: image.extent, colorSpace: colors)
    return buffer
  }

  private func scaled(_ image: CIImage, longSide: Int) -> CIImage {
    let longer = max(image.extent.width, image.extent.height)
    guard longer > CGFloat(longSide) else { return image }
    let scale = CGFloat(longSide) / longer
    return image.transformed(
      by: CGAffineTransform(scaleX: scale, y: scale), highQualityDownsample: true)
  }

  private func file(of whole: CIImage, longSide: Int) -> Data? {
    guard let colors = CGColorSpace(name: CGColorSpace.sRGB) else { return nil }
    let image = scaled(whole, longSide: longSide)
    let option = CIImageRepresentationOption(
      rawValue: kCGImageDestinationLossyCompressionQuality as String)
    switch form {
    case .jpeg(let quality):
      return context.jpegRepresentation(of: image, colorSpace: colors, options: [option: quality])
    case .heic(let quality):
      return context.heifRepresentation(
        of: image, format: .RGBA8, colorSpace: colors, options: [option: quality])
    }
  }
}
