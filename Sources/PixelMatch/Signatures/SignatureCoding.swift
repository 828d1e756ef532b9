/// The encoding of a signature: at most 3672 bytes, little-endian, identical on every processor.
///
/// | offset | bytes | what |
/// |---|---|---|
/// | 0 | 2 | version, ``Signature/version`` |
/// | 2 | 1 | PDQ quality, 0...100 |
/// | 3 | 1 | number of keypoints, 0...184 |
/// | 4 | 2 | width of the working image in pixels |
/// | 6 | 2 | height of the working image in pixels |
/// | 8 | 32 | PDQ hash, bits 0...7 first |
/// | 40 | 96 | color histogram: the grades of two bins a byte, the first in bits 0...3; a grade *k* stands for *k*² + *k*² / 8, rounded down |
/// | 136 | 48 | texture histogram in the same grades |
/// | 184 | 192 | color layout, three bytes a cell, row-major |
/// | 376 | 8 | number of keypoints of each level, finest first |
/// | 384 | 3 × keypoints | place of each: half the column, half the row, angle |
/// | | 12 × keypoints | hash of each, bits 0...7 first |
/// | | 0 or 24...528 | the stored form of an ``ImageEmbedding``, if there is one |
extension Signature {
  private static let colorOffset = 40
  private static let textureOffset = colorOffset + ColorHistogram.binCount / 2
  private static let layoutOffset = textureOffset + TextureHistogram.binCount / 2
  private static let levelOffset = layoutOffset + ColorLayout.byteCount
  /// The length in bytes of an encoded signature without keypoints.
  static let leastEncodedByteCount = levelOffset + KeypointSet.levelCountByteCount
  /// The length in bytes of an encoded signature with the most keypoints.
  package static let mostEncodedByteCount =
    leastEncodedByteCount + KeypointSet.limit * keypointByteCount + ImageEmbedding.storedByteLimit
  private static let keypointByteCount = Keypoint.placeByteCount + KeypointHash.byteCount

  /// The encoded signature.
  public var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.leastEncodedByteCount + keypoints.count * Self.keypointByteCount)
    bytes.append(littleEndian: Self.version)
    bytes.append(pdqQuality)
    bytes.append(UInt8(keypoints.count))
    bytes.append(littleEndian: width)
    bytes.append(littleEndian: height)
    for word in 0..<4 { bytes.append(littleEndian: pdq.words[word]) }
    bytes += HistogramGrade.packed(color.bins)
    bytes += HistogramGrade.packed(texture.bins)
    bytes += layout.bytes
    bytes += keypoints.levelCounts
    for keypoint in keypoints.keypoints { bytes += keypoint.place }
    for hash in keypoints.hashes {
      for word in 0..<3 { bytes.append(littleEndian: hash.words[word]) }
    }
    if let embedding { bytes += embedding.stored }
    return bytes
  }

  /// Decodes a signature.
  ///
  /// - Throws: ``SignatureError`` with the code `wrongLength`, `otherVersion` or `corrupt`.
  public init(encoded bytes: [UInt8]) throws(SignatureError) {
    guard bytes.count >= 2 else {
      throw SignatureError(
        code: .wrongLength,
        message:
          "a signature has at least \(Self.leastEncodedByteCount) bytes; found \(bytes.count)")
    }
    let version = bytes.littleEndian(at: 0, as: UInt16.self)
    guard version == Self.version else {
      throw SignatureError(
        code: .otherVersion,
        message: "found signature version \(version); this build reads \(Self.version)")
    }
    guard bytes.count >= Self.leastEncodedByteCount else {
      throw SignatureError(
        code: .wrongLength,
        message:
          "a signature has at least \(Self.leastEncodedByteCount) bytes; found \(bytes.count)")
    }
    let count = Int(bytes[3])
    guard bytes[2] <= 100, count <= KeypointSet.limit else {
      throw SignatureError(
        code: .corrupt,
        message:
          "PDQ quality is \(bytes[2]) of 100 and keypoints are \(count) of \(KeypointSet.limit)")
    }
    let sides = [4, 6].map { Int(bytes.littleEndian(at: $0, as: UInt16.self)) }
    guard sides.allSatisfy((1...Self.workingSide).contains) else {
      throw SignatureError(
        code: .corrupt, message: "the image has \(sides[0]) x \(sides[1]) pixels")
    }
    let end = Self.leastEncodedByteCount + count * Self.keypointByteCount
    let embedding = bytes.count > end ? ImageEmbedding(stored: Array(bytes[end...])) : nil
    guard bytes.count == end + (embedding?.storedByteCount ?? 0) else {
      throw SignatureError(
        code: .wrongLength,
        message:
          "a signature of \(count) keypoints has \(end) bytes, and perhaps an embedding behind them; "
          + "found \(bytes.count)")
    }
    guard embedding.map({ $0.stored == Array(bytes[end...]) }) ?? true else {
      throw SignatureError(code: .corrupt, message: "the embedding is damaged")
    }
    guard
      let levels = KeypointSet.levels(
        ofCounts: bytes[Self.levelOffset..<Self.leastEncodedByteCount]),
      levels.count == count
    else {
      throw SignatureError(
        code: .corrupt, message: "the levels of the keypoints do not add up to \(count)")
    }
    self.init(
      width: bytes.littleEndian(at: 4, as: UInt16.self),
      height: bytes.littleEndian(at: 6, as: UInt16.self),
      pdq: PDQHash(words: Self.words(bytes, at: 8)), pdqQuality: bytes[2],
      color: ColorHistogram(
        bins: HistogramGrade.unpacked(bytes[Self.colorOffset..<Self.textureOffset])),
      layout: ColorLayout(bytes: Array(bytes[Self.layoutOffset..<Self.levelOffset])),
      texture: TextureHistogram(
        bins: HistogramGrade.unpacked(bytes[Self.textureOffset..<Self.layoutOffset])),
      keypoints: Self.keypoints(bytes, levels: levels), embedding: embedding)
  }

  private static func words(_ bytes: [UInt8], at offset: Int) -> SIMD4<UInt64> {
    var words = SIMD4<UInt64>.zero
    for word in 0..<4 { words[word] = bytes.littleEndian(at: offset + 8 * word, as: UInt64.self) }
    return words
  }

  private static func keypoints(_ bytes: [UInt8], levels: [UInt8]) -> KeypointSet {
    let hashes = leastEncodedByteCount + Keypoint.placeByteCount * levels.count
    return KeypointSet(
      keypoints: levels.indices.map { index in
        let place = leastEncodedByteCount + Keypoint.placeByteCount * index
        return Keypoint(
          place: (bytes[place], bytes[place + 1], bytes[place + 2]), level: levels[index])
      },
      hashes: levels.indices.map { index in
        var words = SIMD3<UInt32>.zero
        for word in 0..<3 {
          words[word] = bytes.littleEndian(
            at: hashes + KeypointHash.byteCount * index + 4 * word, as: UInt32.self)
        }
        return KeypointHash(words: words)
      })
  }
}

/// An error in decoding a signature.
public struct SignatureError: Error, Sendable, Hashable {
  /// The kind of the error, stable, for programs.
  public enum Code: String, Sendable, CaseIterable {
    /// The number of bytes does not fit.
    case wrongLength
    /// The signature comes from a build whose signatures cannot be compared with those of this
    /// build.
    case otherVersion
    /// A field has an invalid value.
    case corrupt
  }
  /// The kind of the error.
  public let code: Code
  /// The text for people.
  public let message: String
}

extension [UInt8] {
  /// Appends the bytes of an integer, lowest first.
  mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
    for byte in 0..<Number.bitWidth / 8 {
      append(UInt8(truncatingIfNeeded: number >> Number(8 * byte)))
    }
  }

  /// Reads an integer whose lowest byte is at `offset`.
  func littleEndian<Number: FixedWidthInteger & UnsignedInteger>(
    at offset: Int, as type: Number.Type
  ) -> Number {
    var number: Number = 0
    for byte in (0..<Number.bitWidth / 8).reversed() {
      number = number << 8 | Number(self[offset + byte])
    }
    return number
  }
}
