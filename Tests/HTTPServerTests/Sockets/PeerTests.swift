import Testing

@testable import HTTPServer

/// Clients as limits tell them apart.
@Suite struct PeerTests {
  @Test(
    arguments: [
      ([0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9], "2001:db8:0:1::/64", false),
      ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], "::1", true),
      ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 1], "192.0.2.1", false),
      ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127, 0, 0, 2], "127.0.0.2", true),
    ] as [([UInt8], String, Bool)])
  func `a client is its network, in IPv6`(bytes: [UInt8], name: String, isLocal: Bool) {
    let peer = Peer(IPAddress(bytes: bytes))
    #expect(peer.name == name && peer.isLocal == isLocal)
  }
}
