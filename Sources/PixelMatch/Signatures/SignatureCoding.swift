/// The encoding of a signature: at most 7720 bytes, little-endian, identical on every processor.
///
/// | offset | bytes | what |
/// |---|---|---|
/// | 0 | 2 | version, ``Signature/version`` |
/// | 2 | 1 | PDQ quality, 0...100 |
/// | 3 | 1 | number of keypoints, 0...184 |
/// | 4 | 2 | width of the working image in pixels |
/// | 6 | 2 | height of the working image in pixels |
/// | 8 | 32 | PDQ hash, bits 0...7 first |
/// | 40 | 192 | color histogram, one byte a bin |
/// | 232 | 768 | color layout, three bytes a cell, row-major |
/// | 1000 | 96 | texture histogram, one byte a bin |
/// | 1096 | 4 × keypoints | place of each: bits 0...8 column, 9...17 row, 18...20 level, 21...28 angle |
/// | | 32 × keypoints | hash of each, bits 0...7 first |
extension Signature {
  /// The length in bytes of an encoded signature without keypoints.
  static let leastEncodedByteCount =
    40 + ColorHistogram.binCount + ColorLayout.byteCount + TextureHistogram.binCount
  private static let keypointByteCount = 36

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
    bytes += color.bins
    bytes += layout.bytes
    bytes += texture.bins
    for keypoint in keypoints.keypoints { bytes.append(littleEndian: keypoint.packed) }
    for hash in keypoints.hashes {
      for word in 0..<4 { bytes.append(littleEndian: hash.words[word]) }
    }
    return bytes
  }

  /// Decodes a signature.
  ///
  /// - Throws: ``SignatureError`` with the code `wrongLength`, `otherVersion` or `corrupt`.
  public init(encoded bytes: [UInt8]) throws(SignatureError) {
    guard bytes.count >= Self.leastEncodedByteCount else {
      throw SignatureError(
        code: .wrongLength,
        message:
          "a signature has at least \(Self.leastEncodedByteCount) bytes; found \(bytes.count)"
      )
    }
    let version = bytes.littleEndian(at: 0, as: UInt16.self)
    guard version == Self.version else {
      throw SignatureError(
        code: .otherVersion,
        message: "found signature version \(version); this build reads \(Self.version)")
    }
    let count = Int(bytes[3])
    guard bytes[2] <= 100, count <= KeypointSet.limit else {
      throw SignatureError(
        code: .corrupt,
        message:
          "PDQ quality is \(bytes[2]) of 100 and keypoints are \(count) of \(KeypointSet.limit)")
    }
    let end = Self.leastEncodedByteCount + count * Self.keypointByteCount
    guard bytes.count == end else {
      throw SignatureError(
        code: .wrongLength,
        message: "a signature of \(count) keypoints has \(end) bytes; found \(bytes.count)")
    }
    func words(at offset: Int) -> SIMD4<UInt64> {
      var words = SIMD4<UInt64>.zero
      for word in 0..<4 { words[word] = bytes.littleEndian(at: offset + 8 * word, as: UInt64.self) }
      return words
    }
    let places = Self.leastEncodedByteCount
    let keypoints = (0..<count).map {
      Keypoint(packed: bytes.littleEndian(at: places + 4 * $0, as: UInt32.self))
    }
    guard keypoints.allSatisfy(\.isValid) else {
      throw SignatureError(code: .corrupt, message: "a keypoint is on a level that no picture has")
    }
    self.init(
      width: bytes.littleEndian(at: 4, as: UInt16.self),
      height: bytes.littleEndian(at: 6, as: UInt16.self),
      pdq: PDQHash(words: words(at: 8)), pdqQuality: bytes[2],
      color: ColorHistogram(bins: Array(bytes[40..<232])),
      layout: ColorLayout(bytes: Array(bytes[232..<1000])),
      texture: TextureHistogram(bins: Array(bytes[1000..<1096])),
      keypoints: KeypointSet(
        keypoints: keypoints,
        hashes: (0..<count).map {
          KeypointHash(words: words(at: places + 4 * count + 32 * $0))
        }))
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
