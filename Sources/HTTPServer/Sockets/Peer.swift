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

  private init(name: String, isLocal: Bool) { (self.name, self.isLocal) = (name, isLocal) }

  /// The client at an address.
  init(_ address: IPAddress) {
    if let digits = address.v4 {
      let name = digits.map(String.init).joined(separator: ".")
      self.init(name: name, isLocal: digits.first == 127)
    } else if address == .loopback {
      self.init(name: "::1", isLocal: true)
    } else {
      let groups = stride(from: 0, to: 8, by: 2).map {
        String(UInt16(address.bytes[$0]) << 8 | UInt16(address.bytes[$0 + 1]), radix: 16)
      }
      self.init(name: groups.joined(separator: ":") + "::/64", isLocal: false)
    }
  }
}
