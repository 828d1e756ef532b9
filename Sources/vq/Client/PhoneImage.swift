import PixelMatch
import VisualQuery

/// An image as a phone uploads it: the part that the person framed, scaled down, and encoded.
struct PhoneImage: Sendable {
  /// The form of the upload.
  enum Form: String, Sendable, CaseIterable {
    /// A JPEG file, as an app makes it with the platform's encoder.
    case jpeg
    /// The pixels as a PNG file without compression, as the client package sends them.
    case pixels

    /// The name in messages.
    var name: String {
      switch self {
      case .jpeg: "JPEG"
      case .pixels: "PNG"
      }
    }
  }

  /// The quality of JPEG files, on libjpeg's scale.
  static let quality = 85

  let width: Int
  let height: Int
  let form: Form
  let bytes: [UInt8]
  /// The image for the sheet, as a JPEG file.
  let shown: [UInt8]

  /// Makes the upload of some pixels whose longer side becomes at most `side`; smaller images stay as they are.
  ///
  /// - Throws: `DecodeError` in a build without codecs.
  init(_ pixels: PixelBuffer, side: Int, form: Form) throws(DecodeError) {
    let scaled = pixels.reduced(toLongerSide: side)
    (width, height, self.form) = (scaled.width, scaled.height, form)
    let decoder = ImageDecoder()
    let jpeg = try decoder.jpeg(of: scaled, longerSide: side, quality: Self.quality)
    bytes = form == .jpeg ? jpeg : PNGFile.bytes(of: scaled)
    shown =
      max(width, height) <= ReportPictures.querySide ? jpeg : try ReportSource.reduced(scaled)
  }

  /// The size and the form, such as `1024 × 683 pixels, 88 kB of JPEG`.
  var description: String {
    "\(width) × \(height) pixels, \(max(1, bytes.count / 1000)) kB of \(form.name)"
  }
}
