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
    let types = try types(in: boxes.content(of: "iinf", in: meta))
    try checkCodecs(types)
    let (version, _, primary) = try boxes.full(boxes.content(of: "pitm", in: meta))
    let item = try boxes.number(primary.lowerBound, version == 0 ? 2 : 4, in: primary)
    var items = try HEIFItems(boxes, meta: meta, types: types, limits: limits)
    let image = try properties(of: item, in: items)
    guard image.width > 0, image.height > 0 else {
      throw DecodeError(
        code: .corrupt, message: "\(format.name) does not give the size of its image")
    }
    try items.checkWork(of: item)
    let coded = try items.largestSize
    return ImageHeader(
      format: format, width: image.isTurned ? image.height : image.width,
      height: image.isTurned ? image.width : image.height,
      // libheif has already turned the image that it returns.
      orientation: .up, isProgressive: false, scanCount: 1, blockCount: 0, isArithmetic: false,
      componentCount: 3, colors: image.profile.map { [$0] } ?? image.codePoints.map { [$0] } ?? [],
      pixels: whole,
      // Memory per pixel: the planes of the decoder, the planes of the whole image if it consists
      // of tiles, and RGBA.
      keptBytesPerPixel: 10,
      codedSize: ImageHeader.CodedSize(width: coded.width, height: coded.height),
      unneededReferences: items.unneededReferences)
  }

  /// Returns the type of each item (ISO/IEC 14496-12, 8.11.6).
  private func types(in items: Range<Int>) throws(DecodeError) -> [Int: String] {
    let (version, _, content) = try boxes.full(items)
    let start = content.lowerBound + (version == 0 ? 2 : 4)
    guard start <= content.upperBound else { return [:] }
    var types: [Int: String] = [:]
    for item in try boxes.boxes(in: start..<content.upperBound) where item.type == "infe" {
      let (version, _, content) = try boxes.full(item.content)
      guard version >= 2 else { continue }
      let idBytes = version == 2 ? 2 : 4
      let id = try boxes.number(content.lowerBound, idBytes, in: content)
      types[id] = try boxes.type(content.lowerBound + idBytes + 2, in: content)
    }
    return types
  }

  /// Checks that all images in the file are encoded as its format says, so that accepting one format
  /// does not admit the decoder of another.
  private func checkCodecs(_ types: [Int: String]) throws(DecodeError) {
    for (_, type) in types.sorted(by: { $0.key < $1.key }) {
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
    of item: Int, in items: HEIFItems
  ) throws(DecodeError) -> Properties {
    var found = Properties()
    (found.width, found.height) = try items.size(of: item)
    for (type, content) in items.properties(of: item) {
      switch type {
      case "irot": found.isTurned = try boxes.number(content.lowerBound, 1, in: content) & 1 == 1
      case "colr": try addColor(content, to: &found)
      default: break
      }
    }
    return found
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
      // The code 2 means "unspecified" (ITU-T H.273).
      guard primaries != 2, transfer != 2 else { return }
      found.codePoints = .codePoints(
        CodePoints(
          primaries: UInt8(clamping: primaries), transfer: UInt8(clamping: transfer), matrix: 0,
          fullRange: 1))
    default: break
    }
  }
}
