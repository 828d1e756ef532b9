/// The extensions of a chunk (RFC 9112, 7.1.1). They are checked for their form and ignored.
enum ChunkExtensions {
  /// Returns whether bytes are `*( ";" BWS name [ BWS "=" BWS value ] BWS )`, in ASCII.
  static func areWellFormed(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    // White space is allowed between the parts of an extension, but not after the last one.
    if let last = rest.last, isBlank(last) { return false }
    while let first = rest.popFirst() {
      guard first == UInt8(ascii: ";") else { return false }
      rest = rest.drop(while: isBlank)
      guard skipToken(&rest) else { return false }
      rest = rest.drop(while: isBlank)
      guard rest.first == UInt8(ascii: "=") else { continue }
      rest = rest.dropFirst().drop(while: isBlank)
      guard skipToken(&rest) || skipQuotation(&rest) else { return false }
      rest = rest.drop(while: isBlank)
    }
    return true
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func skipToken(_ rest: inout ArraySlice<UInt8>) -> Bool {
    let token = rest.prefix(while: ASCII.isToken)
    rest = rest[token.endIndex...]
    return !token.isEmpty
  }

  private static func skipQuotation(_ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.popFirst() == UInt8(ascii: "\"") else { return false }
    while var byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return true }
      if byte == UInt8(ascii: "\\") {
        guard let escaped = rest.popFirst() else { return false }
        byte = escaped
      }
      guard byte < 0x80, ASCII.isFieldValue(byte) else { return false }
    }
    return false
  }
}
