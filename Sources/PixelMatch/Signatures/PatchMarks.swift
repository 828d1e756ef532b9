/// Corners of a query with short hashes, which are sent in place of its pixels: ``PatchCheck`` compares the patches of a candidate
/// with them.
///
/// They are more than the keypoints that find candidates, so that most corners of a thing are among them. Where a patch is expected, a part of its
/// hash is enough.
///
/// Little-endian, at most 6724 bytes:
///
/// | bytes | what |
/// |---|---|
/// | 2 | number of marks |
/// | 2 | width of the image that they come from |
/// | 8 × marks | column and row on its level (bits 0...9 and 10...19), level (20...22), the first 40 bits of its hash (24...63) |
package struct PatchMarks: Sendable, Hashable {
  /// The largest number of marks.
  static let limit = 840
  static let encodedByteLimit = 4 + 8 * limit

  /// The width in pixels of the image that the marks come from.
  let width: Int
  /// The marks as they are encoded.
  private let codes: [UInt64]

  /// Finds the marks of an image of at most ``QuerySignature/workingSide`` pixels a side.
  init(_ pyramid: LumaPyramid) {
    width = pyramid.planes[0].width
    var hashers = LevelHashers(pyramid)
    var doubts: [UInt8] = []
    codes = KeypointDetector.keypoints(of: pyramid, limit: Self.limit).map { corner in
      let hash = hashers[corner.level].describe(x: corner.x, y: corner.y, doubts: &doubts).hash
      return UInt64(corner.x) | UInt64(corner.y) << 10 | UInt64(corner.level) << 20
        | Self.hash(hash) << 24
    }
  }

  /// One mark in the query.
  struct Mark {
    /// The position in pixels of the working image.
    let place: SIMD2<Double>
    /// The number of pixels of the working image that one pixel of its patch spans.
    let scale: Double
    /// The first 40 bits of the hash.
    let hash: UInt64
  }

  /// Returns the marks in a working image of a width.
  func marks(in width: Int) -> [Mark] {
    codes.map { code in
      let ratio = Double(self.width) / Double(width)
      let scale = Double(LumaPyramid.reductions[Int(code >> 20 & 7)]) / 6 / ratio
      let corner = SIMD2(Double(code & 1023), Double(code >> 10 & 1023))
      return Mark(place: (corner + 0.5) * scale, scale: scale, hash: code >> 24)
    }
  }

  /// Returns the first 40 bits of a hash.
  static func hash(_ hash: KeypointHash) -> UInt64 {
    UInt64(hash.words[0]) | UInt64(hash.words[1] & 0xff) << 32
  }

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt16(codes.count))
    bytes.append(littleEndian: UInt16(width))
    for code in codes { bytes.append(littleEndian: code) }
    return bytes
  }

  /// Reads the marks of a working image.
  init(_ reader: inout SignatureReader, size: SIMD2<Int>) throws(SignatureError) {
    let count = Int(try reader.number(UInt16.self))
    width = Int(try reader.number(UInt16.self))
    guard count <= Self.limit, (size.x...QuerySignature.workingSide).contains(width) else {
      throw SignatureError(
        code: .corrupt, message: "\(count) marks of an image \(width) pixels wide")
    }
    var codes: [UInt64] = []
    for _ in 0..<count {
      let code = try reader.number(UInt64.self)
      guard code >> 20 & 15 < LumaPyramid.reductions.count else {
        throw SignatureError(code: .corrupt, message: "a mark's level is \(code >> 20 & 15)")
      }
      codes.append(code)
    }
    self.codes = codes
  }
}
