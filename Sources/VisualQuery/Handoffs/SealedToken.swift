/// Bytes that a client keeps for us and cannot change: base64url of the bytes and of a code that only
/// the catalogue's secret makes.
enum SealedToken {
  /// Half of HMAC-SHA-256: forging one takes 2^128 tries (RFC 2104, 5).
  private static let codeLength = 16

  static func seal(_ bytes: [UInt8], secret: [UInt8]) -> String {
    Base64URL.encoded(bytes + code(of: bytes, secret))
  }

  /// The bytes of a token that the same secret sealed, or `nil`.
  static func open(_ token: String, secret: [UInt8]) -> [UInt8]? {
    guard let sealed = Base64URL.decoded(token), sealed.count >= codeLength else { return nil }
    let bytes = Array(sealed.dropLast(codeLength))
    // Every byte is looked at, so that the time it takes tells nothing of the code.
    let difference = zip(sealed.suffix(codeLength), code(of: bytes, secret))
      .reduce(0) { $0 | ($1.0 ^ $1.1) }
    return difference == 0 ? bytes : nil
  }

  private static func code(of bytes: [UInt8], _ secret: [UInt8]) -> [UInt8] {
    Array(SHA256.authenticationCode(for: bytes, key: secret).prefix(codeLength))
  }
}

/// The alphabet of URLs (RFC 4648, 5), without padding.
enum Base64URL {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static let values: [UInt8: UInt8] = Dictionary(
    uniqueKeysWithValues: alphabet.enumerated().map { ($1, UInt8($0)) })

  static func encoded(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
      for place in 0...group.count {
        text.append(alphabet[Int(bits >> (18 - 6 * UInt32(place)) & 63)])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes, or `nil` for a text of another alphabet or length, or with bits that count for
  /// nothing.
  static func decoded(_ text: String) -> [UInt8]? {
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
