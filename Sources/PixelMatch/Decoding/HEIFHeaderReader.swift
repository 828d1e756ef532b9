/// Parses the boxes of an AVIF or HEIC (ISO/IEC 23008-12, 6 and 9) that describe its primary image,
/// before libheif reads any byte.
struct HEIFHeaderReader {
  private let boxes: MediaBoxes
  private let format: ImageFormat
  private let limits: DecodeLimits

  /// - Throws: ``DecodeError``.
  static func header(
    of bytes: [UInt8], format: ImageFormat, limits: DecodeLimits
  ) throws(DecodeError) -> ImageHeader {
    let boxes = MediaBoxes(bytes: bytes, name: format.name)
    return try HEIFHeaderReader(boxes: boxes, format: format, limits: limits).header()
  }

  private func header() throws(DecodeError) -> ImageHeader {
    let whole = 0..<boxes.bytes.count
    let meta = try boxes.full(boxes.content(of: "meta", in: whole)).content
    try checkCodecs(of: boxes.content(of: "iinf", in: meta))
    let (version, _, primary) = try boxes.full(boxes.content(of: "pitm", in: meta))
    let item = try boxes.number(primary.lowerBound, version == 0 ? 2 : 4, in: primary)
    let image = try properties(of: item, in: boxes.content(of: "iprp", in: meta))
    guard image.width > 0, image.height > 0 else {
      throw DecodeError(
        code: .corrupt, message: "\(format.name) does not give the size of its image")
    }
    return ImageHeader(
      format: format, width: image.isTurned ? image.height : image.width,
      height: image.isTurned ? image.width : image.height,
      // libheif turns the image.
      orientation: .up, isProgressive: false, scanCount: 1, blockCount: 0, isArithmetic: false,
      componentCount: 3, colors: image.profile.map { [$0] } ?? image.codePoints.map { [$0] } ?? [],
      pixels: whole,
      // The planes of the decoder, those of an image of tiles, and RGBA.
      keptBytesPerPixel: 10)
  }

  /// Checks that all images in the file are encoded as its format says, so that accepting one format
  /// does not admit the decoder of another.
  private func checkCodecs(of items: Range<Int>) throws(DecodeError) {
    let (version, _, content) = try boxes.full(items)
    let start = content.lowerBound + (version == 0 ? 2 : 4)
    guard start <= content.upperBound else { return }
    for item in try boxes.boxes(in: start..<content.upperBound) where item.type == "infe" {
      let (version, _, content) = try boxes.full(item.content)
      guard version >= 2 else { continue }
      let type = try boxes.type(content.lowerBound + (version == 2 ? 4 : 6), in: content)
      // Derived images and metadata need no decoder of their own.
      if ["grid", "iden", "iovl", "Exif", "mime", "uri ", "tmap"].contains(type) { continue }
      guard type == (format == .avif ? "av01" : "hvc1") else {
        throw DecodeError(
          code: .unsupportedFormat,
          message: "\(format.name) with images of the type '\(type)' is not supported")
      }
    }
  }

  /// The properties of an image.
  private struct Properties {
    var width = 0
    var height = 0
    /// True if the image is turned by 90° or 270°.
    var isTurned = false
    var profile: DeclaredColor?
    var codePoints: DeclaredColor?
  }

  private func properties(
    of item: Int, in content: Range<Int>
  ) throws(DecodeError) -> Properties {
    let all = try boxes.boxes(in: boxes.content(of: "ipco", in: content))
    var found = Properties()
    for index in try associations(of: item, in: boxes.content(of: "ipma", in: content))
    where all.indices.contains(index - 1) {
      let (type, content) = all[index - 1]
      let start = content.lowerBound
      switch type {
      case "ispe":
        found.width = try boxes.number(start + 4, 4, in: content)
        found.height = try boxes.number(start + 8, 4, in: content)
      case "irot": found.isTurned = try boxes.number(start, 1, in: content) & 1 == 1
      case "colr": try addColor(content, to: &found)
      default: break
      }
    }
    return found
  }

  /// Returns the indexes of the properties of an item, from 1 (ISO/IEC 23008-12, 9.3).
  private func associations(of item: Int, in content: Range<Int>) throws(DecodeError) -> [Int] {
    let (version, flags, content) = try boxes.full(content)
    let count = try boxes.number(content.lowerBound, 4, in: content)
    var place = content.lowerBound + 4
    let (idBytes, indexBytes) = (version < 1 ? 2 : 4, flags & 1 == 1 ? 2 : 1)
    // Each entry takes bytes, so that the content bounds the loop.
    for _ in 0..<count {
      let id = try boxes.number(place, idBytes, in: content)
      let associated = try boxes.number(place + idBytes, 1, in: content)
      place += idBytes + 1
      if id == item {
        var indexes: [Int] = []
        for number in 0..<associated {
          // The highest bit says whether the property is essential.
          let value = try boxes.number(place + number * indexBytes, indexBytes, in: content)
          indexes.append(value & (indexBytes == 2 ? 0x7FFF : 0x7F))
        }
        return indexes
      }
      place += associated * indexBytes
    }
    return []
  }

  /// Adds a color space. libheif converts to RGB by the matrix of the code points.
  private func addColor(_ content: Range<Int>, to found: inout Properties) throws(DecodeError) {
    let start = content.lowerBound
    switch try boxes.type(start, in: content) {
    case "prof", "rICC":
      try limits.check(profileByteCount: content.count - 4, of: format)
      found.profile = .profile([start + 4..<content.upperBound])
    case "nclx":
      let primaries = try boxes.number(start + 4, 2, in: content)
      let transfer = try boxes.number(start + 6, 2, in: content)
      // 2 is unspecified.
      guard primaries != 2, transfer != 2 else { return }
      found.codePoints = .codePoints(
        CodePoints(
          primaries: UInt8(clamping: primaries), transfer: UInt8(clamping: transfer), matrix: 0,
          fullRange: 1))
    default: break
    }
  }
}
