/// Bytes that a client stores for us and cannot change: base64url of the bytes and of a code that
/// requires the secret of the catalogue.
package enum SealedToken {
  /// Half of HMAC-SHA-256: forging one takes 2^128 attempts (RFC 2104, 5).
  private static let codeLength = 16

  /// Returns the token for some bytes.
  package static func seal(_ bytes: [UInt8], secret: [UInt8]) -> String {
    Base64URL.encoded(bytes + code(of: bytes, secret))
  }

  /// Returns the bytes of a token, or `nil` if it was altered or sealed with another secret.
  package static func open(_ token: String, secret: [UInt8]) -> [UInt8]? {
    guard let sealed = Base64URL.decoded(token), sealed.count >= codeLength else { return nil }
    let bytes = Array(sealed.dropLast(codeLength))
    // All bytes are compared, so that the time does not reveal the number of correct ones.
    let difference = zip(sealed.suffix(codeLength), code(of: bytes, secret))
      .reduce(0) { $0 | ($1.0 ^ $1.1) }
    return difference == 0 ? bytes : nil
  }

  private static func code(of bytes: [UInt8], _ secret: [UInt8]) -> [UInt8] {
    Array(SHA256.authenticationCode(for: bytes, key: secret).prefix(codeLength))
  }
}
