/// A range of IP addresses in CIDR notation (RFC 4632), such as `10.1.2.0/24`, `192.168.1.5` or
/// `fd00::/8`.
package struct AddressRange: Sendable, Hashable, CustomStringConvertible {
  private let bytes: [UInt8]
  private let bitCount: Int

  /// Reads a range; returns `nil` if the text is none.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let bytes = Self.address(String(parts[0])) else {
      return nil
    }
    let limit = 8 * bytes.count
    if parts.count == 2 {
      guard let count = Int(parts[1]), (1...limit).contains(count) else { return nil }
      bitCount = count
    } else {
      bitCount = limit
    }
    self.bytes = bytes
  }

  /// Returns whether an address of 4 or 16 bytes is in the range.
  func contains(_ address: [UInt8]) -> Bool {
    guard address.count == bytes.count else {
      // An IPv4 address may be written as an IPv6 one.
      let isMapped =
        address.count == 16 && address.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
      return isMapped && bytes.count == 4 && contains(Array(address.suffix(4)))
    }
    return (0..<bitCount).allSatisfy { bit in
      let difference: UInt8 = bytes[bit / 8] ^ address[bit / 8]
      return difference & (0x80 >> UInt8(bit % 8)) == 0
    }
  }

  /// The range, with its number of bits.
  package var description: String {
    if bytes.count == 4 { return bytes.map { "\($0)" }.joined(separator: ".") + "/\(bitCount)" }
    let groups = stride(from: 0, to: 16, by: 2).map { index -> String in
      String(Int(bytes[index]) * 256 + Int(bytes[index + 1]), radix: 16)
    }
    return groups.joined(separator: ":") + "/\(bitCount)"
  }

  private static func address(_ text: String) -> [UInt8]? {
    if text.contains(":") { return address6(text) }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let bytes = parts.compactMap { part in part.count <= 3 ? UInt8(part) : nil }
    return parts.count == 4 && bytes.count == 4 ? bytes : nil
  }

  private static func address6(_ text: String) -> [UInt8]? {
    let halves = text.ranges(of: "::")
    guard halves.count <= 1 else { return nil }
    func groups(_ part: Substring) -> [UInt8]? {
      if part.isEmpty { return [] }
      var bytes: [UInt8] = []
      for group in part.split(separator: ":", omittingEmptySubsequences: false) {
        guard group.count <= 4, let value = UInt16(group, radix: 16) else { return nil }
        bytes += [UInt8(value >> 8), UInt8(value & 0xFF)]
      }
      return bytes
    }
    guard let gap = halves.first else {
      return groups(text[...]).flatMap { $0.count == 16 ? $0 : nil }
    }
    guard let head = groups(text[..<gap.lowerBound]), let tail = groups(text[gap.upperBound...]),
      head.count + tail.count <= 14
    else { return nil }
    return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
  }
}
