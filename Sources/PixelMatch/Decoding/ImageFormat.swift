/// The encoding of an image, detected from its first bytes and never from its name.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
  /// ISO/IEC 10918-1.
  case jpeg
  /// ISO/IEC 15948.
  case png
  /// RFC 9649. Of an animation, the first frame that is not blank is decoded.
  case webp
  /// AV1 in the container of ISO/IEC 23008-12.
  case avif
  /// HEVC in the container of ISO/IEC 23008-12, as from an iPhone; also named HEIF.
  case heic
  /// GIF87a and GIF89a. The first frame that is not blank is decoded.
  case gif

  /// The formats that a server accepts by default: the decoders of the others are larger, and
  /// their input is a stranger's.
  public static let common: Set<ImageFormat> = [.jpeg, .png, .webp]

  /// All formats.
  public static let all = Set(allCases)

  /// Detects the format of an image.
  ///
  /// - Parameters:
  ///   - bytes: The encoded image, or its beginning.
  ///   - accepted: The formats that the message of an error recommends.
  /// - Throws: ``DecodeError`` with the code `empty`, or `unsupportedFormat` with a message that
  ///   names the apparent format.
  package init(
    of bytes: [UInt8], accepting accepted: Set<ImageFormat> = all
  ) throws(DecodeError) {
    if bytes.isEmpty {
      throw DecodeError(
        code: .empty, message: "the image is empty; send \(Self.alternatives(in: accepted))")
    }
    if let damage = Self.textDamage(of: bytes) {
      throw DecodeError(code: .corrupt, message: damage)
    }
    guard let format = Self.detected(in: bytes) else {
      throw DecodeError(
        code: .unsupportedFormat,
        message: """
          \(Self.sniffedName(of: bytes)) is not supported; send \(Self.alternatives(in: accepted))
          """)
    }
    self = format
  }

  /// Returns a message if the file was changed by a program that took it for text. The first bytes of a PNG
  /// exist to show this (PNG, 5.2); of other formats, only a conversion between character sets shows.
  private static func textDamage(of bytes: [UInt8]) -> String? {
    let remedy = "copy the original file again, as binary data"
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47]
    if bytes.starts(with: signature), let next = bytes.dropFirst(4).first {
      let rest = bytes.dropFirst(4)
      let whole: [UInt8] = [0x0D, 0x0A, 0x1A, 0x0A]
      guard next == 0x0D || next == 0x0A, rest.count >= 4, !rest.starts(with: whole) else {
        return nil
      }
      return
        "PNG is damaged: its line ends were changed, as by FTP in text mode or by git; \(remedy)"
    }
    if bytes.starts(with: [0x09, 0x50, 0x4E, 0x47]) {
      return "PNG is damaged: the highest bit of each byte is missing; \(remedy)"
    }
    // A program that changed the file as text has replaced each byte that is not ASCII by U+FFFD in
    // UTF-8, or read the bytes as Latin-1 and wrote them as UTF-8.
    let unknown: [UInt8] = [0xEF, 0xBF, 0xBD]
    let name: String? =
      if bytes.starts(with: unknown + signature.dropFirst())
        || bytes.starts(with: [0xC2, 0x89, 0x50, 0x4E, 0x47])
      {
        "PNG"
      } else if bytes.starts(with: unknown + unknown + unknown)
        || bytes.starts(with: [0xC3, 0xBF, 0xC3, 0x98, 0xC3, 0xBF])
      {
        "JPEG"
      } else {
        nil
      }
    return name.map { "\($0) is damaged: it was converted to UTF-8 as if it were text; \(remedy)" }
  }

  /// Returns the format of the first bytes, or `nil` if it is none of these.
  package static func detected(in bytes: [UInt8]) -> ImageFormat? {
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
    switch sniffedName(of: bytes) {
    case "WebP": return .webp
    case "GIF": return .gif
    case "AVIF": return .avif
    case "HEIC": return .heic
    default: return nil
    }
  }

  /// The name of the format in messages.
  package var name: String {
    switch self {
    case .jpeg: "JPEG"
    case .png: "PNG"
    case .webp: "WebP"
    case .avif: "AVIF"
    case .heic: "HEIC"
    case .gif: "GIF"
    }
  }

  /// The content types of the format; the first one is the usual one.
  package var contentTypes: [String] {
    self == .heic ? ["image/heic", "image/heif"] : ["image/" + rawValue]
  }

  /// Returns the apparent format of a file for messages: `HEIC`, `WebP`, `text`, …
  ///
  /// - Complexity: O(1): only the first 1024 bytes are read.
  package static func sniffedName(of bytes: [UInt8]) -> String {
    func has(_ text: String, at offset: Int = 0) -> Bool {
      bytes.dropFirst(offset).starts(with: text.utf8)
    }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "JPEG" }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "PNG" }
    if has("ftyp", at: 4) { return nameOfMedia(bytes) }
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

  /// Returns the name of the format of an ISO base media file (ISO/IEC 14496-12, 4.3): that of its
  /// major brand, or if that is only the container's, of the brands that it is compatible with.
  private static func nameOfMedia(_ bytes: [UInt8]) -> String {
    func brand(_ place: Int) -> String {
      String(decoding: bytes.dropFirst(place).prefix(4), as: UTF8.self)
    }
    let end = min(bytes.count, 256, bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) })
    switch brand(8) {
    case "heic", "heix", "hevc", "hevx", "heim", "heis": return "HEIC"
    case "avif", "avis": return "AVIF"
    case "mif1", "msf1", "miaf":
      let others = stride(from: 16, to: max(16, end), by: 4).map(brand)
      return others.contains("avif") ? "AVIF" : "HEIC"
    case "qt  ": return "QuickTime video"
    default: return "MP4 video"
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
