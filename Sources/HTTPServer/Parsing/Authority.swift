/// The value of a Host field, and the authority of a request target: `host [ ":" port ]` (RFC 3986,
/// 3.2, without a user).
enum Authority {
  /// Returns whether a text could name a host. The empty text could: a Host field may be empty.
  static func isWellFormed(_ text: String) -> Bool {
    let bytes = Array(text.utf8)[...]
    if bytes.first == UInt8(ascii: "[") {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
      return isIPv6(bytes[1..<end]) && isPort(bytes[(end + 1)...])
    }
    let name = bytes.prefix { $0 != UInt8(ascii: ":") }
    let port = bytes[name.endIndex...]
    return name.isEmpty ? port.isEmpty : isName(name) && isPort(port)
  }

  /// `reg-name`, of which an IPv4 address is one.
  private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        for _ in 0..<2 {
          guard let digit = rest.popFirst(), ASCII.hexadecimal(digit) != nil else { return false }
        }
      } else {
        guard
          ASCII.isDigit(byte) || ASCII.isLetter(byte) || "-._~!$&'()*+,;=".utf8.contains(byte)
        else { return false }
      }
    }
    return true
  }

  /// Returns whether bytes look like an IPv6 address. That is enough, since no address is looked up.
  private static func isIPv6(_ bytes: ArraySlice<UInt8>) -> Bool {
    let colon = UInt8(ascii: ":")
    return bytes.count { $0 == colon } >= 2
      && bytes.allSatisfy {
        ASCII.hexadecimal($0) != nil || $0 == colon || $0 == UInt8(ascii: ".")
      }
  }

  /// `[ ":" *DIGIT ]`, up to 65535.
  private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first else { return true }
    let digits = bytes.dropFirst()
    guard first == UInt8(ascii: ":"), digits.allSatisfy(ASCII.isDigit) else { return false }
    return digits.isEmpty || UInt16(String(decoding: digits, as: UTF8.self)) != nil
  }
}
