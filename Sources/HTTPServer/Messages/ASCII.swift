/// Classes of bytes in HTTP's grammar.
package enum ASCII {
  /// The value of a hexadecimal digit.
  package static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }

  /// Sixteen hexadecimal digits.
  package static func hexadecimal(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Returns a text with `A`…`Z` in lower case and everything else unchanged.
  ///
  /// `String.lowercased()` follows Unicode, which maps the Kelvin sign (U+212A) to `k`: protocol
  /// elements must not be compared that way.
  package static func lowercased(_ text: some StringProtocol) -> String {
    String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// Returns bytes as a text in which each byte beyond ASCII is a replacement character.
  ///
  /// Nothing that the server reads in a header needs more, and comparing texts with runs of combining
  /// characters takes quadratic time.
  static func text(_ bytes: ArraySlice<UInt8>) -> String {
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: bytes.lazy.map { $0 < 0x80 ? Unicode.Scalar($0) : "\u{FFFD}" })
    return String(text)
  }

  package static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  package static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  /// `tchar` (RFC 9110, 5.6.2).
  static func isToken(_ byte: UInt8) -> Bool {
    isDigit(byte) || isLetter(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }

  /// Bytes of a field value (RFC 9110, 5.5): no control but the tabulator.
  static func isFieldValue(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }
}
