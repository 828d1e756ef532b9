/// The encoding of an image, detected from its first bytes and never from its name.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
  /// ISO/IEC 10918-1.
  case jpeg
  /// ISO/IEC 15948.
  case png

  /// Detects the format of an image.
  ///
  /// - Throws: ``DecodeError`` with the code `empty`, or `unsupportedFormat` with a message that
  ///   names the apparent format.
  public init(of bytes: [UInt8]) throws(DecodeError) {
    if bytes.isEmpty {
      throw DecodeError(code: .empty, message: "the picture is empty; send JPEG or PNG")
    }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else {
      throw DecodeError(
        code: .unsupportedFormat,
        message: "\(Self.sniffedName(of: bytes)) is not supported; send JPEG or PNG")
    }
  }

  /// Returns the apparent format of a file for messages: `HEIC`, `WebP`, `text`, …
  ///
  /// - Complexity: O(1): only the first 1024 bytes are read.
  public static func sniffedName(of bytes: [UInt8]) -> String {
    func has(_ text: String, at offset: Int = 0) -> Bool {
      bytes.dropFirst(offset).starts(with: text.utf8)
    }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "JPEG" }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "PNG" }
    if has("ftyp", at: 4) {
      return nameOfBrand(String(decoding: bytes.dropFirst(8).prefix(4), as: UTF8.self))
    }
    if has("RIFF") && has("WEBP", at: 8) { return "WebP" }
    if has("GIF87a") || has("GIF89a") { return "GIF" }
    if has("BM") && bytes.count > 26 { return "BMP" }
    if bytes.starts(with: [0x49, 0x49, 0x2A, 0x00]) || bytes.starts(with: [0x4D, 0x4D, 0x00, 0x2A])
    {
      return "TIFF"
    }
    if bytes.starts(with: [0xFF, 0x0A])
      || bytes.starts(with: [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20])
    {
      return "JPEG XL"
    }
    if bytes.starts(with: [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20]) { return "JPEG 2000" }
    if bytes.starts(with: [0, 0, 1, 0]) { return "ICO" }
    if has("8BPS") { return "Photoshop (PSD)" }
    if has("%PDF") { return "PDF" }
    if bytes.starts(with: [0x1F, 0x8B]) { return "gzip" }
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) { return "ZIP" }
    return nameOfText(bytes) ?? "this kind of file"
  }

  /// Returns the name of the format with a brand of an ISO base media file (ISO/IEC 14496-12).
  private static func nameOfBrand(_ brand: String) -> String {
    switch brand {
    case "heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1": "HEIC"
    case "avif", "avis": "AVIF"
    case "qt  ": "QuickTime video"
    default: "MP4 video"
    }
  }

  private static func nameOfText(_ bytes: [UInt8]) -> String? {
    let start = bytes.prefix(1024)
    let isText = start.allSatisfy { $0 >= 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    guard isText else { return nil }
    let text = String(decoding: start, as: UTF8.self).lowercased()
    if text.contains("<svg") { return "SVG" }
    if text.contains("<html") || text.contains("<!doctype html") { return "HTML" }
    return "text"
  }
}
