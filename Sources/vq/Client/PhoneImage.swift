import PixelMatch
import VisualQuery

/// An image as a phone uploads it: the part that the person framed, scaled down, as a JPEG file.
struct PhoneImage: Sendable {
  /// The quality of the file, on libjpeg's scale.
  static let quality = 85

  let width: Int
  let height: Int
  let bytes: [UInt8]

  /// Makes the upload of some pixels whose longer side becomes at most `side`; smaller images stay as they are.
  ///
  /// - Throws: `DecodeError` in a build without codecs.
  init(_ pixels: PixelBuffer, side: Int) throws(DecodeError) {
    let scaled = pixels.reduced(toLongerSide: side)
    (width, height) = (scaled.width, scaled.height)
    bytes = try ImageDecoder().jpeg(of: scaled, longerSide: side, quality: Self.quality)
  }

  /// The size, such as `1024 × 683 pixels, 88 kB of JPEG`.
  var description: String {
    "\(width) × \(height) pixels, \(max(1, bytes.count / 1000)) kB of JPEG"
  }
}
