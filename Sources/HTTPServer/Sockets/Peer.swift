/// The client at the other end of a connection, as limits distinguish clients.
package struct Peer: Sendable, Hashable {
  /// An IPv4 address such as `192.0.2.1`, the 64-bit network of an IPv6 address such as
  /// `2001:db8:0:1::/64`, or `local`.
  ///
  /// A client may use any of the 2^64 addresses of its IPv6 network.
  package let name: String
  /// True if it is on this machine: a loopback address or a Unix socket.
  package let isLocal: Bool

  /// The other end of a Unix socket.
  package static let local = Peer(name: "local", isLocal: true)

  /// The client at an IPv4 address.
  static func address(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) -> Peer {
    Peer(name: "\(first).\(second).\(third).\(fourth)", isLocal: first == 127)
  }

  /// The client at an IPv6 address of 16 bytes.
  static func address(_ bytes: [UInt8]) -> Peer {
    // IPv4 through a socket that takes both (RFC 4291, 2.5.5.2).
    if bytes.dropLast(4) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] {
      return address(bytes[12], bytes[13], bytes[14], bytes[15])
    }
    if bytes.dropLast().allSatisfy({ $0 == 0 }) && bytes[15] == 1 {
      return Peer(name: "::1", isLocal: true)
    }
    let groups = stride(from: 0, to: 8, by: 2).map {
      String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
    }
    return Peer(name: groups.joined(separator: ":") + "::/64", isLocal: false)
  }
}
