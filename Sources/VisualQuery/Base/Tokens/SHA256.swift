internal import CNettle

/// The hash function SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104), by nettle.
package enum SHA256 {
  /// Returns the 32 bytes of a message's hash.
  ///
  /// - Complexity: O(length).
  package static func hash(_ message: [UInt8]) -> [UInt8] {
    // Sound: the C function reads the message's bytes and writes into the 32 reserved bytes.
    unsafe [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
      unsafe cn_sha256(message, message.count, digest.baseAddress!)
      count = 32
    }
  }

  /// Returns the 32 bytes that authenticate a message.
  static func authenticationCode(for message: [UInt8], key: [UInt8]) -> [UInt8] {
    // Sound: as above.
    unsafe [UInt8](unsafeUninitializedCapacity: 32) { code, count in
      unsafe cn_hmac_sha256(key, key.count, message, message.count, code.baseAddress!)
      count = 32
    }
  }
}
