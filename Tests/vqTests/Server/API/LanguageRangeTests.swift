import Testing

@testable import HTTPServer
@testable import vq

/// `Accept-Language`.
@Suite struct LanguageRangeTests {
  @Test(
    arguments: [
      ("de-CH, en;q=0.5", "de-CH"), ("en;q=0.5, de", "de"), ("*", nil), ("de;q=0", nil),
      ("fr;q=0.2,it;q=0.9;x=y", "it"), ("nonsense!", nil), ("", nil),
    ] as [(String, String?)])
  func `the language that is liked best is taken`(value: String, tag: String?) {
    var fields = HTTPFields()
    fields.append("Accept-Language", value)
    #expect(LanguageRange.preferred(fields) == tag)
  }
}
