import Testing

@testable import ShopBase
import VisualQuery

/// Messages without the secrets of addresses.
@Suite struct ShownAddressTests {
  @Test(arguments: [
    ("https://cdn.example/a.jpg", "https://cdn.example/a.jpg"),
    ("https://me:s3cret@cdn.example/a.jpg", "https://…@cdn.example/a.jpg"),
    ("https://s3cret@cdn.example:8443/a@2x.jpg", "https://…@cdn.example:8443/a@2x.jpg"),
    ("https://me:s3/cret@cdn.example/a.jpg", "https://…@cdn.example/a.jpg"),
    ("https://me:a@s3cret@cdn.example/a.jpg", "https://…@cdn.example/a.jpg"),
    ("//me:s3cret@cdn.example/a.jpg", "//…@cdn.example/a.jpg"),
    ("ftp://me:s3cret@cdn.example/a.jpg", "ftp://…@cdn.example/a.jpg"),
    ("https://cdn.example/a@2x.jpg", "https://cdn.example/a@2x.jpg"),
    ("https://cdn.example:443/a@2x.jpg", "https://cdn.example:443/a@2x.jpg"),
    ("https://a.example/b?token=s3cret", "https://a.example/b?token=…"),
    ("https://a.example/b?w=3&sig=s3=cret&&x", "https://a.example/b?w=…&sig=…&&…"),
    ("https://a.example/b?s3cret", "https://a.example/b?…"),
    ("https://a.example/b?token=a b's3cret", "https://a.example/b?token=…"),
    ("https://a.example/b#access_token=s3cret", "https://a.example/b#access_token=…"),
    ("a.jpg?token=s3cret", "a.jpg?token=…"), ("image #3.jpg", "image #3.jpg"),
    ("images//a@2x.jpg", "images//a@2x.jpg"), ("what?.jpg", "what?.jpg"), ("", ""),
  ])
  func `an address is shown without its user and the values of its query`(
    address: String, shown: String
  ) {
    #expect(ShownAddress.of(address) == shown)
    #expect(ShownAddress.of(shown) == shown)
  }

  @Test(arguments: [
    (
      "cannot fetch 'https://me:s3cret@a.example/b?t=s3cret': it is gone",
      "cannot fetch 'https://…@a.example/b?t=…': it is gone"
    ),
    ("https://a.example/b?t=s3cret: no", "https://a.example/b?t=…: no"),
    ("see (https://a.example/b?t=s3cret), then", "see (https://a.example/b?t=…), then"),
    ("did you mean 'x'? a = b", "did you mean 'x'? a = b"),
    ("use --map id=SKU", "use --map id=SKU"), ("a\n//b?c=s3cret\td", "a\n//b?c=…\td"),
  ])
  func `addresses in a sentence are shown so, and the rest as it is`(text: String, shown: String) {
    #expect(ShownAddress.inText(text) == shown)
    #expect(ShownAddress.inText(shown) == shown)
  }

  /// Would break if a password in the address of an image reached logs and clients by the report about it.
  @Test func `a report has the name of the image as it may be shown`() {
    let name = "https://me:s3cret@a.example/b.jpg?sig=s3cret it"
    let row = RefusedRow(kind: .image, line: 1, reason: "\(name): it is gone", subject: name)
    #expect(row.reason == "https://…@a.example/b.jpg?sig=…: it is gone")
    #expect(row.subject == "https://…@a.example/b.jpg?sig=…")
  }
}
