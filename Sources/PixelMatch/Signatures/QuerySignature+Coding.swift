/// The encoded forms of a query signature, each of which replaces the image. Little-endian.
///
/// The whole form gives nearly the answers of the image, except that parts of the image are not searched on their own.
/// The compact form has no keypoints: with it, copies and similar images are found, crops are not.
///
/// | offset | bytes | what |
/// |---|---|---|
/// | 0 | 2 | version, ``Signature/version`` |
/// | 2 | 1 | form: 1 is compact, 2 whole without marks, 3 whole |
/// | 3 | 1 | number of views, 1 or 2 |
/// | 4 | 4 | width and height of the working image in pixels |
/// | 8 | | in the compact form, the color layout of all views: 192 bytes, three a cell as in ``ColorLayout/bytes`` |
/// | | | in the whole form, the colors: the 99th percentile of the chroma in thousandths (2), and 24 × 24 cells of three bytes |
/// | | 553 × views | of each: left, top, width and height, two bytes each; PDQ quality; eight PDQ hashes; color histogram; texture histogram |
/// | | 192 × views | only in the whole form: the color layout of each |
/// | | | only in the whole form: the keypoints, see `QueryKeypoints+Coding.swift` |
/// | | | only in form 3: the marks, see ``PatchMarks`` |
extension QuerySignature {
  /// The largest number of bytes of the whole form.
  public static let encodedByteLimit =
    headerByteCount + 2 + QueryColors.byteCount
    + 2 * (View.encodedByteCount + ColorLayout.byteCount) + QueryKeypoints.encodedByteLimit
    + PatchMarks.encodedByteLimit

  /// The forms, by their bytes.
  private enum Form: UInt8 { case compact = 1, unmarked, whole }

  private static let headerByteCount = 8

  /// The whole form: at most 18 276 bytes.
  public var encoded: [UInt8] {
    var bytes = header(marks == nil ? .unmarked : .whole)
    bytes.append(littleEndian: colors.chroma)
    bytes += colors.bytes
    for view in views { bytes += view.encoded }
    for view in views { bytes += view.layout.bytes }
    return bytes + keypoints.encoded + (marks?.encoded ?? [])
  }

  /// The compact form: 753 bytes, or 1306 if the image has plain borders.
  public var compactBytes: [UInt8] {
    views.reduce(header(.compact) + views[0].layout.bytes) { $0 + $1.encoded }
  }

  private func header(_ form: Form) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: Signature.version)
    bytes += [form.rawValue, UInt8(views.count)]
    for side in [size.x, size.y] { bytes.append(littleEndian: UInt16(clamping: side)) }
    return bytes
  }

  /// Reads any form.
  ///
  /// - Throws: ``SignatureError`` with the code `wrongLength`, `otherVersion` or `corrupt`.
  public init(encoded bytes: [UInt8]) throws(SignatureError) {
    var reader = SignatureReader(bytes)
    let version = try reader.number(UInt16.self)
    let byte = try reader.number(UInt8.self)
    guard version == Signature.version, let form = Form(rawValue: byte) else {
      throw SignatureError(
        code: .otherVersion,
        message: """
          the signature is of version \(version), form \(byte); this build reads \
          \(Signature.version), forms 1 to 3
          """)
    }
    let count = Int(try reader.number(UInt8.self))
    guard (1...2).contains(count) else {
      throw SignatureError(code: .corrupt, message: "a signature has 1 or 2 views; found \(count)")
    }
    let size = SIMD2(
      Int(try reader.number(UInt16.self)), Int(try reader.number(UInt16.self)))
    guard size.x > 0, size.y > 0, max(size.x, size.y) <= Signature.workingSide else {
      throw SignatureError(
        code: .corrupt,
        message: "an image of \(size.x) × \(size.y) pixels; at most \(Signature.workingSide) a side"
      )
    }
    var (colors, shared): (QueryColors, ColorLayout?)
    switch form {
    case .compact:
      let layout = ColorLayout(bytes: try reader.bytes(ColorLayout.byteCount))
      (colors, shared) = (QueryColors(layout), layout)
    case .unmarked, .whole:
      let chroma = try reader.number(UInt16.self)
      colors = QueryColors(bytes: try reader.bytes(QueryColors.byteCount), chroma: chroma)
      shared = nil
    }
    var parts: [[UInt8]] = []
    for _ in 0..<count { parts.append(try reader.bytes(View.encodedByteCount)) }
    var views: [View] = []
    for part in parts {
      var layout = shared
      if layout == nil { layout = ColorLayout(bytes: try reader.bytes(ColorLayout.byteCount)) }
      views.append(try View(encoded: part, layout: layout!))
    }
    let keypoints = form == .compact ? .none : try QueryKeypoints(&reader, size: size)
    let marks = form == .whole ? try PatchMarks(&reader, size: size) : nil
    try reader.end()
    let isWithin = views.allSatisfy {
      $0.origin.x + $0.size.x <= size.x && $0.origin.y + $0.size.y <= size.y
        && $0.size.x > 0 && $0.size.y > 0
    }
    guard isWithin else {
      throw SignatureError(
        code: .corrupt, message: "a view of the signature does not lie in its image")
    }
    self.init(size: size, views: views, keypoints: keypoints, colors: colors, marks: marks)
  }
}

extension QuerySignature.View {
  fileprivate static let encodedByteCount =
    9 + 32 * DihedralVariant.allCases.count + ColorHistogram.binCount + TextureHistogram.binCount

  /// The view without its layout.
  fileprivate var encoded: [UInt8] {
    var bytes: [UInt8] = []
    for number in [origin.x, origin.y, size.x, size.y] {
      bytes.append(littleEndian: UInt16(clamping: number))
    }
    bytes.append(pdqQuality)
    for hash in variants {
      for word in 0..<4 { bytes.append(littleEndian: hash.words[word]) }
    }
    return bytes + color.bins + texture.bins
  }

  fileprivate init(encoded bytes: [UInt8], layout: ColorLayout) throws(SignatureError) {
    func number(_ place: Int) -> Int { Int(bytes.littleEndian(at: 2 * place, as: UInt16.self)) }
    let quality = bytes[8]
    guard quality <= 100 else {
      throw SignatureError(code: .corrupt, message: "a PDQ quality is \(quality), above 100")
    }
    var place = 9
    let variants = DihedralVariant.allCases.map { _ in
      let words = (0..<4).map { bytes.littleEndian(at: place + 8 * $0, as: UInt64.self) }
      place += 32
      return PDQHash(words: SIMD4(words[0], words[1], words[2], words[3]))
    }
    let texture = place + ColorHistogram.binCount
    self.init(
      origin: SIMD2(number(0), number(1)), size: SIMD2(number(2), number(3)), variants: variants,
      pdqQuality: quality, color: ColorHistogram(bins: Array(bytes[place..<texture])),
      layout: layout, texture: TextureHistogram(bins: Array(bytes[texture...])))
  }
}
