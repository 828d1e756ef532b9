import Testing

@testable import ShopStore
import VisualQuery

/// The addresses that may be fetched: a mistake here opens a shop's own network to whoever writes its feed.
@Suite struct FetchPolicyTests {
  @Test(arguments: [
    ("cdn.shop.example", "cdn.shop.example", 443, true),
    ("cdn.shop.example", "CDN.Shop.Example.", 80, true),
    ("CDN.shop.example.", "cdn.shop.example", 443, true),
    ("cdn.shop.example", "evil.cdn.shop.example", 443, false),
    ("cdn.shop.example", "cdn.shop.example.evil.example", 443, false),
    ("cdn.shop.example", "cdn-shop.example", 443, false),
    ("cdn.shop.example", "cdn.shop.example", 22, false),
    ("cdn.shop.example:8443", "cdn.shop.example", 8443, true),
    ("cdn.shop.example:8443", "cdn.shop.example", 443, false),
    ("*.shop.example", "cdn.shop.example", 443, true),
    ("*.shop.example", "a.b.shop.example", 443, true),
    ("*.shop.example", "shop.example", 443, false),
    ("*.shop.example", "evilshop.example", 443, false),
    ("*.shop.example:8080", "cdn.shop.example", 8080, true),
    ("93.184.215.14", "93.184.215.14", 80, true),
    ("[2606:2800::1]", "[2606:2800::1]", 443, true),
    ("[2606:2800::1]:8443", "[2606:2800::1]", 8443, true),
  ]) func `a pattern is its host and no other`(
    pattern: String, host: String, port: Int, isMeant: Bool
  ) throws {
    let pattern = try #require(HostPattern(pattern))
    #expect(pattern.matches(host, port: port) == isMeant)
  }

  @Test(arguments: [
    "", "*", "*.", "*.example", "a..b", ".a", "https://cdn.shop.example", "cdn.shop.example/p",
    "c*n.shop.example", "*.*.example", "user@shop.example", "shop.example:", "shop.example:0",
    "shop.example:99999", "shop.example:https", "shop example", "2606:2800::1",
  ]) func `what is no pattern is refused`(text: String) {
    #expect(HostPattern(text) == nil)
  }

  /// Would break if a program that embeds the library allowed another host than it wrote, or none without a word.
  @Test func `a policy of texts allows these hosts, or names the one that is none`() throws {
    let policy = try FetchPolicy(hosts: ["cdn.shop.example", "*.shop.example:8443"])
    #expect(policy.hosts.map(\.description) == ["cdn.shop.example", "*.shop.example:8443"])
    let error = #expect(throws: FieldError.self) {
      try FetchPolicy(hosts: ["cdn.shop.example", "https://shop.example"])
    }
    #expect(error?.field == "hosts" && error?.reason.contains("https://shop.example") == true)
  }

  @Test(arguments: ["cdn.shop.example", "*.shop.example:8443", "[2606:2800::1]:81"])
  func `a pattern is written as it is read`(text: String) {
    #expect(HostPattern(text)?.description == text)
  }

  /// The first and last address of each block of IANA's registries, and their neighbours.
  @Test(arguments: [
    ("0.0.0.0", false), ("0.255.255.255", false), ("1.0.0.0", true), ("9.255.255.255", true),
    ("10.0.0.0", false), ("10.255.255.255", false), ("11.0.0.0", true),
    ("100.63.255.255", true), ("100.64.0.0", false), ("100.127.255.255", false),
    ("100.128.0.0", true), ("126.255.255.255", true), ("127.0.0.1", false),
    ("127.255.255.255", false), ("128.0.0.0", true), ("169.253.255.255", true),
    ("169.254.169.254", false), ("169.255.0.0", true), ("172.15.255.255", true),
    ("172.16.0.0", false), ("172.31.255.255", false), ("172.32.0.0", true),
    ("191.255.255.255", true), ("192.0.0.0", false), ("192.0.0.255", false),
    ("192.0.1.0", true), ("192.0.2.1", false), ("192.0.3.0", true), ("192.88.99.1", false),
    ("192.88.100.0", true), ("192.167.255.255", true), ("192.168.0.0", false),
    ("192.168.255.255", false), ("192.169.0.0", true), ("198.17.255.255", true),
    ("198.18.0.0", false), ("198.19.255.255", false), ("198.20.0.0", true),
    ("198.51.100.7", false), ("203.0.113.7", false), ("223.255.255.255", true),
    ("224.0.0.0", false), ("239.255.255.255", false), ("240.0.0.0", false),
    ("255.255.255.255", false),
  ]) func `an IPv4 address is public or not`(text: String, isPublic: Bool) {
    let bytes = text.split(separator: ".").compactMap { UInt8($0) }
    #expect(PublicAddress.contains(bytes) == isPublic)
    let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + bytes
    #expect(PublicAddress.contains(mapped) == isPublic, "mapped into IPv6")
    let translated = [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8) + bytes
    #expect(PublicAddress.contains(translated) == isPublic, "translated for IPv6")
    #expect(!PublicAddress.contains([UInt8](repeating: 0, count: 12) + bytes), "compatible, of old")
  }

  @Test(
    arguments: [
      ([0x26, 0x06, 0x28, 0x00], true), ([0x2A, 0x00], true), ([0x20, 0x01, 0x48, 0x60], true),
      ([0x3F, 0xFE], true), ([], false), ([0xFC], false), ([0xFD, 0x12], false),
      ([0xFE, 0x80], false), ([0xFF, 0x02], false), ([0x20, 0x01, 0x0D, 0xB8], false),
      ([0x20, 0x01, 0, 0], false), ([0x20, 0x02, 0x7F, 0], false), ([0x3F, 0xFF, 0], false),
      ([0x01, 0x00], false), ([0x40], false), ([0x1F, 0xFF], false),
    ] as [([UInt8], Bool)]) func `an IPv6 address is public or not`(start: [UInt8], isPublic: Bool)
  {
    let address = start + [UInt8](repeating: 0, count: 15 - start.count) + [1]
    #expect(PublicAddress.contains(address) == isPublic)
  }

  @Test func `what is no address is not public`() {
    #expect(!PublicAddress.contains([]) && !PublicAddress.contains([8, 8, 8]))
  }
}
