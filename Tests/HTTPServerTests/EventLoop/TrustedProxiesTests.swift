import Testing

@testable import HTTPServer

/// The clients that proxies name.
@Suite struct TrustedProxiesTests {
  private static let proxies = {
    var proxies = TrustedProxies()
    proxies.trustsLocal = true
    proxies.networks = ["10.0.0.0/8", "192.0.2.7", "2001:db8:1::/48"].compactMap { IPNetwork($0) }
    return proxies
  }()

  @Test(
    arguments: [
      ("127.0.0.5", true), ("::1", true), ("10.255.0.1", true), ("11.0.0.1", false),
      ("192.0.2.7", true), ("192.0.2.8", false), ("::ffff:10.1.2.3", true),
      ("2001:db8:1:ffff::9", true), ("2001:db8:2::1", false), ("::a00:1", false),
    ])
  func `a proxy is trusted by its address or network`(digits: String, isTrusted: Bool) throws {
    let address = try #require(IPAddress(digits))
    #expect(Self.proxies.contains(address) == isTrusted)
    #expect(!TrustedProxies().contains(address))
  }

  @Test func `a Unix socket is local`() {
    #expect(Self.proxies.contains(nil) && !TrustedProxies().contains(nil))
  }

  /// Would break if a client could choose its own address, or hide behind a proxy's.
  @Test(
    arguments: [
      ([], "local"),
      (["203.0.113.5"], "203.0.113.5"),
      (["198.51.100.1, 203.0.113.5"], "203.0.113.5"),
      (["198.51.100.1", "203.0.113.5"], "203.0.113.5"),
      (["203.0.113.5, 10.0.0.3"], "203.0.113.5"),
      (["203.0.113.5, 10.0.0.3, 192.0.2.7"], "203.0.113.5"),
      (["10.0.0.4, 10.0.0.3"], "10.0.0.4"),
      (["203.0.113.5:4711"], "203.0.113.5"),
      (["[2001:db8:2::1]:4711"], "2001:db8:2:0::/64"),
      (["2001:db8:2::1"], "2001:db8:2:0::/64"),
      (["::ffff:203.0.113.5"], "203.0.113.5"),
      (["203.0.113.5, unknown"], "local"),
      (["203.0.113.5, unknown, 10.0.0.3"], "10.0.0.3"),
      (["203.0.113.5, 1.2.3"], "local"), (["[::1"], "local"), (["\"203.0.113.5\""], "local"),
      (["203.0.113.5,"], "203.0.113.5"),
    ] as [([String], String)])
  func `the last address that is not a proxy's is the client's`(lines: [String], name: String) {
    var fields = HTTPFields()
    for line in lines { fields.append("X-Forwarded-For", line) }
    #expect(Self.proxies.client(of: fields, through: .local).name == name)
  }

  @Test(
    arguments: [
      "", "a", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "::/129", "1.2.3.4/8/8",
      "local",
    ])
  func `what is not a network is refused`(text: String) { #expect(IPNetwork(text) == nil) }
}
