/// The proxies that are trusted to name their clients in the field `X-Forwarded-For`.
package struct TrustedProxies: Sendable, Hashable {
  /// True if a proxy at a Unix socket or a loopback address is trusted.
  package var trustsLocal = false
  package var networks: [IPNetwork] = []

  package init() {}

  /// Returns whether the other end of a connection is trusted; it has no address at a Unix socket.
  func contains(_ address: IPAddress?) -> Bool {
    guard let address else { return trustsLocal }
    return (trustsLocal && Peer(address).isLocal) || networks.contains { $0.contains(address) }
  }

  /// Returns the client of a request that came from a trusted proxy.
  ///
  /// Each proxy adds the address that it was asked from at the end. So the last one that is not a trusted proxy's is
  /// that of the client; what stands before it may be invented. If a proxy does not say who asks, it counts as the client.
  func client(of fields: HTTPFields, through proxy: Peer) -> Peer {
    var client = proxy
    for text in fields.list("x-forwarded-for").reversed() {
      guard let address = Self.address(text) else { break }
      client = Peer(address)
      if !contains(address) { break }
    }
    return client
  }

  /// Reads an address that may have a port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`.
  private static func address(_ text: String) -> IPAddress? {
    if let address = IPAddress(text) { return address }
    if text.first == "[" {
      return text.firstIndex(of: "]").flatMap { IPAddress(text[..<$0].dropFirst()) }
    }
    return text.lastIndex(of: ":").flatMap { IPAddress(text[..<$0]) }
  }
}
