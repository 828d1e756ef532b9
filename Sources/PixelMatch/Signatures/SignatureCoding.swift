/// The bytes of a signature: 1000 of them, little-endian, the same on every processor.
///
/// | offset | bytes | what |
/// |---|---|---|
/// | 0 | 2 | version, ``Signature/version`` |
/// | 2 | 1 | PDQ quality, 0...100 |
/// | 3 | 1 | zero |
/// | 4 | 2 | width of the working image in pixels |
/// | 6 | 2 | height of the working image in pixels |
/// | 8 | 32 | PDQ hash, bits 0...7 first |
/// | 40 | 192 | color histogram, one byte a bin |
/// | 232 | 768 | color layout, three bytes a cell, row-major |
extension Signature {
  /// The length of an encoded signature in bytes.
  public static let encodedByteCount = 40 + ColorHistogram.binCount + ColorLayout.byteCount

  /// The signature as ``encodedByteCount`` bytes.
  public var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.encodedByteCount)
    bytes.append(littleEndian: Self.version)
    bytes.append(pdqQuality)
    bytes.append(0)
    bytes.append(littleEndian: width)
    bytes.append(littleEndian: height)
    for word in 0..<4 { bytes.append(littleEndian: pdq.words[word]) }
    bytes += color.bins
    bytes += layout.bytes
    return bytes
  }

  /// Reads a signature.
  ///
  /// - Throws: ``SignatureError`` with the code `wrongLength`, `otherVersion` or `corrupt`.
  public init(encoded bytes: [UInt8]) throws(SignatureError) {
    guard bytes.count == Self.encodedByteCount else {
      throw SignatureError(
        code: .wrongLength,
        message: "a signature has \(Self.encodedByteCount) bytes; found \(bytes.count)")
    }
    let version = bytes.littleEndian(at: 0, as: UInt16.self)
    guard version == Self.version else {
      throw SignatureError(
        code: .otherVersion,
        message: "found signature version \(version); this build reads \(Self.version)")
    }
    guard bytes[2] <= 100, bytes[3] == 0 else {
      throw SignatureError(
        code: .corrupt,
        message: "PDQ quality is \(bytes[2]), byte 3 is \(bytes[3]); 0...100 and 0 are valid")
    }
    var words = SIMD4<UInt64>.zero
    for word in 0..<4 { words[word] = bytes.littleEndian(at: 8 + 8 * word, as: UInt64.self) }
    self.init(
      width: bytes.littleEndian(at: 4, as: UInt16.self),
      height: bytes.littleEndian(at: 6, as: UInt16.self),
      pdq: PDQHash(words: words), pdqQuality: bytes[2],
      color: ColorHistogram(bins: Array(bytes[40..<232])),
      layout: ColorLayout(bytes: Array(bytes[232...])))
  }
}

/// Why bytes are no signature.
public struct SignatureError: Error, Sendable, Hashable {
  /// What a program switches on.
  public enum Code: String, Sendable, CaseIterable {
    /// Not as many bytes as a signature has.
    case wrongLength
    /// Made by a build whose signatures do not compare with ours.
    case otherVersion
    /// A field holds what no signature holds.
    case corrupt
  }
  /// What is wrong.
  public let code: Code
  /// What is wrong, for people.
  public let message: String
}

extension [UInt8] {
  /// Adds the bytes of an integer, lowest first.
  mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
    for byte in 0..<Number.bitWidth / 8 {
      append(UInt8(truncatingIfNeeded: number >> Number(8 * byte)))
    }
  }

  /// Reads an integer whose lowest byte stands at `offset`.
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
