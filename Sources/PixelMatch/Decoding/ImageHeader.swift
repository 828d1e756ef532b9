/// The properties of an image that its header gives without decoding.
package struct ImageHeader: Sendable, Hashable {
  /// The encoding.
  package let format: ImageFormat
  /// The number of columns as stored, before the orientation is applied and an AVIF or HEIC is cropped.
  package let width: Int
  /// The number of rows as stored.
  package let height: Int
  /// The rotation or reflection that makes the image upright.
  package let orientation: Orientation
  /// A Boolean value that indicates whether the image is stored in passes, each over its whole
  /// area: progressive JPEG, interlaced PNG or GIF.
  package let isProgressive: Bool
  /// The number of scans of a JPEG; 1 for other formats.
  package let scanCount: Int
  /// The number of 8 × 8 blocks of all components of a JPEG; 0 for other formats.
  let blockCount: Int
  /// A Boolean value that indicates whether a JPEG is arithmetic-coded.
  let isArithmetic: Bool
  /// The number of components of a pixel, without alpha.
  let componentCount: Int
  /// The color spaces that the file declares, those first that take precedence; empty for sRGB.
  let colors: [DeclaredColor]
  /// The bytes that the decoder is given: the whole file, or the first frame of an animated WebP.
  let pixels: Range<Int>
  /// The number of bytes for each full-size pixel that the decoder keeps besides the rows that it
  /// returns.
  let keptBytesPerPixel: Int
  /// The largest size of an image in an AVIF or HEIC, for example of a tile; `nil` for other formats.
  var codedSize: CodedSize?

  /// The places in a HEIC or AVIF of the types of references that the image does not need, and that its library may refuse.
  var unneededReferences: [Int] = []

  /// The largest width and the largest height of several images.
  struct CodedSize: Sendable, Hashable {
    let width, height: Int
  }
}

extension ImageHeader {
  /// Returns the bytes of the image's file without the references that it does not need: the types of these are not known to any library.
  ///
  /// - Complexity: O(1), or O(bytes) if there are some.
  func neededBytes(of bytes: [UInt8]) -> [UInt8] {
    if unneededReferences.isEmpty { return bytes }
    var needed = bytes
    for place in unneededReferences { needed.replaceSubrange(place..<place + 4, with: "free".utf8) }
    return needed
  }

  /// The cost of a block of an arithmetic-coded scan, in blocks of a Huffman-coded one.
  ///
  /// Measured: 3.2 µs for each block of a noisy image of 12 megapixels, on the machine of the other
  /// figures. A few bytes can encode many decisions, so only the number of blocks bounds the work.
  private static let arithmeticCost = 200

  /// The product of the blocks and the scans of a JPEG, with arithmetic-coded blocks weighted by
  /// their cost; 0 for a baseline JPEG, whose rows need no more work than those of any image.
  private var blockScans: Int {
    isProgressive || isArithmetic
      ? blockCount * scanCount * (isArithmetic ? Self.arithmeticCost : 1) : 0
  }

  /// Reads the header of an image and checks it against the limits.
  ///
  /// - Parameter shouldStop: Asked between parts of the file; `true` ends with the code `cancelled`.
  /// - Throws: ``DecodeError``.
  /// - Complexity: O(bytes) for a JPEG, whose scans are counted; O(chunks) for other formats.
  init(
    of bytes: [UInt8], limits: DecodeLimits, accepting formats: Set<ImageFormat>,
    _ shouldStop: () -> Bool
  ) throws(DecodeError) {
    try limits.check(byteCount: bytes.count)
    let format = try ImageFormat(of: bytes, accepting: formats)
    try format.check(accepting: formats)
    switch format {
    case .jpeg: self = try JPEGHeaderReader.header(of: bytes.span, limits: limits, shouldStop)
    case .png: self = try PNGHeaderReader.header(of: bytes.span, limits: limits, shouldStop)
    case .webp: self = try WebPHeaderReader.header(of: bytes.span, limits: limits)
    case .gif: self = try GIFHeaderReader.header(of: bytes.span, limits: limits, shouldStop)
    case .avif, .heic:
      self = try HEIFHeaderReader.header(of: bytes, format: format, limits: limits)
    }
    try limits.check(width: width, height: height)
    guard blockScans <= limits.blockScanLimit else {
      let coding =
        isArithmetic ? ", each arithmetic-coded block as \(Self.arithmeticCost)" : ""
      throw DecodeError(
        code: .tooMuchWork,
        message: """
          JPEG has \(blockCount) blocks in \(scanCount) scans; the limit of their product\(coding) \
          is \(limits.blockScanLimit)
          """)
    }
  }
}
