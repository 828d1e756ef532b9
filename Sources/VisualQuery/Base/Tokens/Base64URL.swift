/// Base64 with the alphabet for URLs (RFC 4648, 5), without padding.
package enum Base64URL {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static let values: [UInt8: UInt8] = Dictionary(
    uniqueKeysWithValues: alphabet.enumerated().map { ($1, UInt8($0)) })

  package static func encoded(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
      for digit in 0...group.count {
        text.append(alphabet[Int(bits >> (18 - 6 * UInt32(digit)) & 63)])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes of a text in the alphabet for URLs or in the usual one, with or without padding; `nil` for any
  /// other.
  package static func decoded(anyAlphabet text: String) -> [UInt8]? {
    var digits = Array(text.utf8)
    if digits.count % 4 == 0 {
      for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
    }
    let urlDigits = digits.map { digit in
      switch digit {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: digit
      }
    }
    return decoded(String(decoding: urlDigits, as: UTF8.self))
  }

  /// Returns the bytes, or `nil` for a text with another alphabet or length, or with unused bits
  /// that are not 0.
  package static func decoded(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for character in text.utf8 {
      guard let value = values[character] else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        bits &= 1 << count - 1
      }
    }
    return count < 6 && bits == 0 ? bytes : nil
  }
}
