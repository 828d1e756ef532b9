@testable import PixelMatch

/// JPEG files: headers, decoding in all sizes, and signing.
enum JPEGTarget: FuzzTarget {
  static let name = "jpeg"
  static let byteLimit = 4096

  static func run(_ bytes: [UInt8]) -> Bool {
    guard bytes.starts(with: [0xFF, 0xD8]) else { return false }
    PictureCheck.run(bytes)
    return true
  }

  /// More of them are in `Tests/PixelMatchTests/Conformance/pictures`.
  static func seeds() -> [[UInt8]] {
    [(96, 64, 90), (17, 120, 30)].map { PictureCheck.picture($0.0, $0.1).jpeg(quality: $0.2) }
  }

  /// Markers, and the words of ICC profiles.
  static let dictionary: [[UInt8]] =
    [
      0xC0, 0xC2, 0xC9, 0xCA, 0xC4, 0xDA, 0xDB, 0xDD, 0xE1, 0xE2, 0xEE, 0xD0, 0xD9,
    ].map { [0xFF, $0] } + profileWords
}

/// Signatures of ICC profiles, their tags and the types of these.
private let profileWords = utf8(
  "ICC_PROFILE", "acsp", "GRAY", "RGB ", "CMYK", "XYZ ", "Lab ", "A2B0", "A2B1", "rXYZ", "rTRC",
  "kTRC", "wtpt", "chad", "curv", "para", "mft1", "mft2", "mAB ", "mluc", "desc")

/// PNG files: headers, decoding, and signing.
enum PNGTarget: FuzzTarget {
  static let name = "png"
  static let byteLimit = 8192

  static func run(_ bytes: [UInt8]) -> Bool {
    guard bytes.starts(with: signature) else { return false }
    PictureCheck.run(bytes)
    // Nearly every mutation breaks a checksum, and libpng then looks at nothing else.
    let repaired = repairingChecksums(of: bytes)
    if repaired != bytes { PictureCheck.run(repaired) }
    return true
  }

  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  private static func repairingChecksums(of bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    var place = signature.count
    while place + 12 <= bytes.count {
      let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      let end = place + 8 + length
      guard end + 4 <= bytes.count else { break }
      bytes.replaceSubrange(end..<end + 4, with: checksum(bytes[place + 4..<end]))
      place = end + 4
    }
    return bytes
  }

  /// The CRC-32 of a chunk's name and content (ISO/IEC 15948, D), highest byte first.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var rest: UInt32 = .max
    for byte in bytes {
      rest ^= UInt32(byte)
      for _ in 0..<8 { rest = rest >> 1 ^ (rest & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return (0..<4).map { UInt8(truncatingIfNeeded: ~rest >> UInt32(24 - 8 * $0)) }
  }

  /// The pictures in `Tests/PixelMatchTests/Conformance/pictures` are the seeds.
  static func seeds() -> [[UInt8]] { [] }

  static let dictionary = utf8(
    "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "bKGD", "hIST",
    "pHYs", "tIME", "tEXt", "zTXt", "iTXt", "eXIf", "acTL", "fcTL", "fdAT", "cICP")
}

/// WebP files, of which libwebp sees frames that the header names.
enum WebPTarget: FuzzTarget {
  static let name = "webp"
  static let byteLimit = 4096

  static func run(_ bytes: [UInt8]) -> Bool {
    guard bytes.starts(with: Array("RIFF".utf8)) else { return false }
    PictureCheck.run(bytes)
    return true
  }

  /// The pictures in `Tests/PixelMatchTests/Conformance/loaded` are the seeds of this and the
  /// following targets.
  static func seeds() -> [[UInt8]] { [] }

  static let dictionary =
    utf8("WEBP", "VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP", "EXIF", "XMP ")
    + profileWords
}

/// GIF files up to their first frames.
enum GIFTarget: FuzzTarget {
  static let name = "gif"
  static let byteLimit = 4096

  static func run(_ bytes: [UInt8]) -> Bool {
    guard bytes.starts(with: Array("GIF8".utf8)) else { return false }
    PictureCheck.run(bytes)
    return true
  }

  static func seeds() -> [[UInt8]] { [] }

  static let dictionary: [[UInt8]] =
    utf8("GIF87a", "GIF89a", "NETSCAPE2.0") + [
      [0x21, 0xF9, 4, 1], [0x21, 0xFF], [0x2C], [0, 0x3B],
    ]
}

/// AVIF and HEIC files: the boxes that are read before libheif, and its decoders.
enum HEIFTarget: FuzzTarget {
  static let name = "heif"
  static let byteLimit = 2048

  static func run(_ bytes: [UInt8]) -> Bool {
    guard bytes.dropFirst(4).starts(with: Array("ftyp".utf8)) else { return false }
    PictureCheck.run(bytes)
    return true
  }

  static func seeds() -> [[UInt8]] { [] }

  static let dictionary =
    utf8(
      "ftyp", "avif", "heic", "mif1", "meta", "hdlr", "pitm", "iinf", "infe", "iprp", "ipco",
      "ipma",
      "ispe", "irot", "imir", "clap", "colr", "nclx", "prof", "iloc", "iref", "grid", "auxC",
      "hvcC",
      "av1C", "mdat") + profileWords
}

/// The properties that hold for every picture, damaged or not.
enum PictureCheck {
  /// So few pixels that thousands of inputs are signed in a minute.
  private static let limits = DecodeLimits(
    pixelLimit: 1 << 15, blockScanLimit: 1 << 17, memoryLimit: 16 << 20, chunkByteLimit: 1 << 16)

  static func run(_ bytes: [UInt8]) {
    let strict = ImageDecoder(limits: limits)
    let lenient = ImageDecoder(limits: limits, keepsTruncated: true, keepsDamaged: true)
    guard let header = try? strict.header(of: bytes) else { return }
    if let picture = (try? strict.decode(bytes)) ?? (try? lenient.decode(bytes)) {
      let (size, limit) = (
        [picture.width, picture.height].sorted(), [header.width, header.height].sorted()
      )
      // The file may crop it.
      let isCropped = [.avif, .heic].contains(header.format) && size[0] <= limit[0]
      precondition(
        size == limit || isCropped && size[1] <= limit[1],
        "a picture is not as large as its header says")
      sign(picture)
    }
    if let picture = try? lenient.decode(bytes, longerSide: 20) {
      precondition(max(picture.width, picture.height) <= 20, "a picture is larger than asked for")
    }
  }

  private static func sign(_ picture: PixelBuffer) {
    let signature = Signature(picture)
    precondition((try? Signature(encoded: signature.encoded)) == signature, "a signature changes")
    let query = QuerySignature(picture)
    let reread = try? QuerySignature(encoded: query.compactBytes)
    precondition(
      (try? QuerySignature(encoded: query.encoded)) == query, "its whole form changes it")
    precondition(
      reread?.views.map(\.variants) == query.views.map(\.variants), "a query's signature changes")
  }

  /// A picture of bands and blocks, which have corners.
  static func picture(_ width: Int, _ height: Int) -> PixelBuffer {
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let block: UInt8 = (x / 7 + y / 5) % 3 == 0 ? 230 : 20
        pixels += [UInt8(x * 255 / width), UInt8(y * 255 / height), block, 255]
      }
    }
    return try! PixelBuffer(width: width, height: height, format: .rgba8, bytes: pixels)
  }
}
