#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An IP address. One of IPv4 is stored as an IPv6 address that is mapped to it (RFC 4291, 2.5.5.2), so that both of its
/// forms are equal.
struct IPAddress: Sendable, Hashable {
  private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
  static let loopback = IPAddress(bytes: [UInt8](repeating: 0, count: 15) + [1])

  /// The 16 bytes of the address.
  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// The address of the four bytes of IPv4.
  init(v4: [UInt8]) { bytes = Self.mappedPrefix + v4 }

  /// Reads an address in digits, such as `192.0.2.1` or `2001:db8::1`.
  init?(_ text: some StringProtocol) {
    let text = String(text)
    var v4 = in_addr()
    var v6 = in6_addr()
    // Sound: each variable has the size that `inet_pton` writes for its family.
    if unsafe inet_pton(AF_INET, text, &v4) == 1 {
      self.init(v4: unsafe withUnsafeBytes(of: v4) { unsafe Array($0) })
    } else if unsafe inet_pton(AF_INET6, text, &v6) == 1 {
      self.init(bytes: unsafe withUnsafeBytes(of: v6) { unsafe Array($0) })
    } else {
      return nil
    }
  }

  /// The four bytes of an IPv4 address; `nil` for IPv6.
  var v4: [UInt8]? { bytes.starts(with: Self.mappedPrefix) ? Array(bytes.suffix(4)) : nil }
}

/// The addresses that begin with the same bits: `172.16.0.0/12`, `2001:db8::/32`, or a single address.
package struct IPNetwork: Sendable, Hashable {
  private let address: IPAddress
  private let prefixLength: Int

  /// Reads an address or a network in digits.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = IPAddress(first) else { return nil }
    self.address = address
    let size = address.v4 == nil ? 128 : 32
    guard parts.count == 2 else {
      prefixLength = 128
      return
    }
    guard parts[1].allSatisfy({ ("0"..."9").contains($0) }), let length = Int(parts[1]),
      (0...size).contains(length)
    else { return nil }
    prefixLength = 128 - size + length
  }

  func contains(_ other: IPAddress) -> Bool {
    let whole = prefixLength / 8
    guard address.bytes.prefix(whole) == other.bytes.prefix(whole) else { return false }
    let rest = prefixLength % 8
    return rest == 0 || (address.bytes[whole] ^ other.bytes[whole]) >> (8 - rest) == 0
  }
}
