/// A 256-bit perceptual hash. Images that look alike have hashes that differ in few bits.
///
/// The bits are those of Meta's public PDQ algorithm, so that hashes can be compared with other
/// hash banks. Bit `16 * i + j` belongs to the cosine term *i* down and *j* across.
///
/// Source: "The TMK+PDQF Video-Hashing Algorithm and the PDQ Image-Hashing Algorithm",
/// <https://github.com/facebook/ThreatExchange/blob/main/hashing/hashing.pdf>.
public struct PDQHash: Sendable, Hashable {
  /// The number of bits of a hash, and the largest possible distance.
  public static let bitCount = PDQCoefficients.side * PDQCoefficients.side

  /// Bits 0...63, 64...127, 128...191 and 192...255, the lowest bit of each word first.
  public var words: SIMD4<UInt64>

  /// Makes a hash from its four words, the one with bit 0 first.
  public init(words: SIMD4<UInt64> = .zero) { self.words = words }

  /// Makes a hash from 64 hexadecimal digits, bit 255 first. Returns `nil` for any other text.
  public init?(hex: some StringProtocol) {
    guard hex.utf8.count == 64 else { return nil }
    var words = SIMD4<UInt64>.zero
    for (place, digit) in hex.utf8.enumerated() {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): value = digit - UInt8(ascii: "A") + 10
      default: return nil
      }
      let word = 3 - place / 16
      words[word] = words[word] << 4 | UInt64(value)
    }
    self.words = words
  }

  /// The hash as 64 lower-case hexadecimal digits, bit 255 first.
  public var hex: String {
    let digits = Array("0123456789abcdef".utf8)
    let text = (0..<64).map { place in
      digits[Int(words[3 - place / 16] >> (60 - 4 * UInt64(place % 16)) & 0xF)]
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns or sets bit `index`, in `0..<256`.
  public subscript(bit index: Int) -> Bool {
    get { words[index >> 6] >> UInt64(index & 63) & 1 == 1 }
    set {
      let mask = UInt64(1) << UInt64(index & 63)
      if newValue { words[index >> 6] |= mask } else { words[index >> 6] &= ~mask }
    }
  }

  /// Returns the number of differing bits, in `0...256`.
  public func hammingDistance(to other: PDQHash) -> Int {
    let difference = words ^ other.words
    return difference[0].nonzeroBitCount + difference[1].nonzeroBitCount
      + difference[2].nonzeroBitCount + difference[3].nonzeroBitCount
  }
}

extension PDQHash: CustomStringConvertible {
  /// The hash as hexadecimal digits, like ``hex``.
  public var description: String { hex }
}
