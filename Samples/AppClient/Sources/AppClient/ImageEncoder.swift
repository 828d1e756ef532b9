import CoreImage
import CoreVideo
import Foundation
import VisualQueryClient

/// Makes small JPEG files of pixel buffers.
///
/// Sound: a `CIContext` is immutable and may be used on several threads at once
/// (<https://developer.apple.com/documentation/coreimage/cicontext>), and nothing else is stored.
final class ImageEncoder: @unchecked Sendable {
  // Costly to make, hence one for all images.
  private let context = CIContext()

  /// Returns a JPEG file whose longer side has at most `longSide` pixels, or `nil` if it cannot be made.
  func jpeg(of buffer: CVPixelBuffer, longSide: Int) -> Data? {
    guard let colors = CGColorSpace(name: CGColorSpace.sRGB) else { return nil }
    var image = CIImage(cvPixelBuffer: buffer)
    let longer = max(image.extent.width, image.extent.height)
    if longer > CGFloat(longSide) {
      let scale = CGFloat(longSide) / longer
      image = image.transformed(
        by: CGAffineTransform(scaleX: scale, y: scale), highQualityDownsample: true)
    }
    return context.jpegRepresentation(of: image, colorSpace: colors)
  }
}
