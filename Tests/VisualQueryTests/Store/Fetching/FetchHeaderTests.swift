import Testing

@testable import ShopStore
import VisualQuery

/// Header fields with secrets.
@Suite struct FetchHeaderTests {
  @Test(arguments: [
    "", "=", "X Key", "X-Key\r\nHost", "Host", "content-length", "Accept-Encoding", "User-Agent",
    "https://cdn.shop.example:X-Key", ":X-Key", "cdn.shop.example:", "cdn.shop.example:Host",
    "Schlüssel",
  ]) func `a name that is none of a field, or one that requests have, is rejected`(text: String) {
    #expect(FetchHeader(text, value: "x") == nil)
  }

  @Test func `a value is one line`() {
    for value in ["", "a\nb", "a\r\nHost: b", "a\u{0}", String(repeating: "a", count: 9000)] {
      #expect(!FetchHeader.isValue(value))
    }
    #expect(FetchHeader.isValue("Bearer a.b-c=="))
  }

  @Test func `a field of a host is for that host`() throws {
    let all = try #require(FetchHeader("X-Key", value: "s3cret"))
    #expect(all.line(for: "cdn.shop.example", port: 443) == "X-Key: s3cret")
    let one = try #require(FetchHeader("*.shop.example:8443:X-Key", value: "s3cret"))
    #expect(one.line(for: "cdn.shop.example", port: 8443) == "X-Key: s3cret")
    #expect(one.line(for: "cdn.shop.example", port: 443) == nil)
    #expect(one.line(for: "evil.example", port: 8443) == nil)
    #expect("\(all) \(one)".contains("s3cret") == false)
  }
}
