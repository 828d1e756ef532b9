/// The compact encoding of a query signature, which replaces the image: everything except its
/// keypoints. With it, copies and similar images are found, crops are not. Little-endian.
///
/// | offset | bytes | what |
/// |---|---|---|
/// | 0 | 2 | version, ``Signature/version`` |
/// | 2 | 1 | form, 1 |
/// | 3 | 1 | number of views, 1 or 2 |
/// | 4 | 4 | width and height of the working image in pixels |
/// | 8 | 192 | mean colors of 8 × 8 cells, three bytes each as in ``ColorLayout/bytes`` |
/// | 200 | 553 × views | of each: left, top, width and height, two bytes each; PDQ quality; eight PDQ hashes; color histogram; texture histogram |
extension QuerySignature {
  /// The largest number of bytes of a compact form.
  public static let compactByteLimit = headerByteCount + 2 * viewByteCount

  private static let form: UInt8 = 1
  private static let headerByteCount = 8 + ColorLayout.byteCount
  private static let viewByteCount =
    9 + 32 * DihedralVariant.allCases.count + ColorHistogram.binCount + TextureHistogram.binCount

  /// The compact form: 753 bytes, or 1306 if the image has plain borders.
  public var compactBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: Signature.version)
    bytes += [Self.form, UInt8(views.count)]
    for side in [size.x, size.y] { bytes.append(littleEndian: UInt16(clamping: side)) }
    bytes += views[0].layout.bytes
    for view in views {
      for number in [view.origin.x, view.origin.y, view.size.x, view.size.y] {
        bytes.append(littleEndian: UInt16(clamping: number))
      }
      bytes.append(view.pdqQuality)
      for hash in view.variants {
        for word in 0..<4 { bytes.append(littleEndian: hash.words[word]) }
      }
      bytes += view.color.bins + view.texture.bins
    }
    return bytes
  }

  /// Reads a compact form.
  ///
  /// - Throws: ``SignatureError`` with the code `wrongLength`, `otherVersion` or `corrupt`.
  public init(compactBytes bytes: [UInt8]) throws(SignatureError) {
    guard bytes.count >= Self.headerByteCount + Self.viewByteCount else {
      throw SignatureError(
        code: .wrongLength,
        message: """
          a query's signature has at least \(Self.headerByteCount + Self.viewByteCount) bytes; \
          found \(bytes.count)
          """)
    }
    let version = bytes.littleEndian(at: 0, as: UInt16.self)
    guard version == Signature.version, bytes[2] == Self.form else {
      throw SignatureError(
        code: .otherVersion,
        message: """
          the signature is of version \(version), form \(bytes[2]); this build reads \
          \(Signature.version), form \(Self.form)
          """)
    }
    let count = Int(bytes[3])
    guard (1...2).contains(count),
      bytes.count == Self.headerByteCount + count * Self.viewByteCount
    else {
      throw SignatureError(
        code: .wrongLength,
        message: "a query's signature of \(count) views does not have \(bytes.count) bytes")
    }
    let size = SIMD2(
      Int(bytes.littleEndian(at: 4, as: UInt16.self)),
      Int(bytes.littleEndian(at: 6, as: UInt16.self)))
    let layout = ColorLayout(bytes: Array(bytes[8..<Self.headerByteCount]))
    var views: [View] = []
    for number in 0..<count {
      let start = Self.headerByteCount + number * Self.viewByteCount
      views.append(try View(compactBytes: bytes, at: start, layout: layout))
    }
    let isWithin = views.allSatisfy {
      $0.origin.x + $0.size.x <= size.x && $0.origin.y + $0.size.y <= size.y
        && $0.size.x > 0 && $0.size.y > 0
    }
    guard isWithin, max(size.x, size.y) <= Signature.workingSide else {
      throw SignatureError(
        code: .corrupt, message: "a view of the signature does not lie in its picture")
    }
    self.init(
      size: size, views: views, keypoints: QueryKeypoints.none,
      colors: OklabPicture(layout))
  }
}

extension QuerySignature.View {
  fileprivate init(
    compactBytes bytes: [UInt8], at start: Int, layout: ColorLayout
  ) throws(SignatureError) {
    func number(_ place: Int) -> Int {
      Int(bytes.littleEndian(at: start + 2 * place, as: UInt16.self))
    }
    let quality = bytes[start + 8]
    guard quality <= 100 else {
      throw SignatureError(code: .corrupt, message: "a PDQ quality is \(quality), above 100")
    }
    var place = start + 9
    let variants = DihedralVariant.allCases.map { _ in
      let words = (0..<4).map { bytes.littleEndian(at: place + 8 * $0, as: UInt64.self) }
      place += 32
      return PDQHash(words: SIMD4(words[0], words[1], words[2], words[3]))
    }
    let texture = place + ColorHistogram.binCount
    self.init(
      origin: SIMD2(number(0), number(1)), size: SIMD2(number(2), number(3)), variants: variants,
      pdqQuality: quality, color: ColorHistogram(bins: Array(bytes[place..<texture])),
      layout: layout,
      texture: TextureHistogram(
        bins: Array(bytes[texture..<texture + TextureHistogram.binCount])))
  }
}

extension OklabPicture {
  /// Makes an image with one pixel for each cell.
  fileprivate init(_ layout: ColorLayout) {
    let side = ColorLayout.side
    self.init(
      width: side, height: side,
      pixels: (0..<side * side).map { layout.color($0 / side, $0 % side) })
  }
}
