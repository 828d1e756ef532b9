import Testing

@testable import ShopModel
import VisualQuery

/// Would break if a misread code led to a product, or a right one to none. The numbers are GS1's own examples and ISBN-13's.
@Suite struct ProductCodeTests {
  @Test(arguments: [
    ("4006381333931", "04006381333931"), ("96385074", "00000096385074"),
    ("036000291452", "00036000291452"), ("978-3-16-148410-0", "09783161484100"),
    ("10614141000415", "10614141000415"),
  ])
  func `a right number is read with zeros before it`(text: String, expected: String) throws {
    let code = try #require(ProductCode(text))
    #expect(code.description == expected)
    #expect(code.forms.contains(expected))
    #expect(code.forms.contains(text.filter { $0 != "-" }))
  }

  @Test(arguments: [
    "", "4006381333932", "400638133393", "x006381333931", "40063813339310", "٤٠٠٦٣٨١٣٣٣٩٣١",
  ])
  func `a wrong number is not read`(text: String) { #expect(ProductCode(text) == nil) }

  @Test func `every misread digit is found out`() throws {
    let right = Array("4006381333931")
    for position in right.indices {
      for digit in "0123456789" where digit != right[position] {
        var wrong = right
        wrong[position] = digit
        #expect(ProductCode(String(wrong)) == nil)
      }
    }
  }

  /// Would break if what retail prints instead of bars were taken for a text: the code of GS1 has further fields, and a link has any host.
  @Test(arguments: [
    ("4006381333931", "4006381333931"), ("(01)04006381333931", "04006381333931"),
    ("(01)04006381333931(10)A1", "04006381333931"), ("0104006381333931", "04006381333931"),
    ("010400638133393110A1", "04006381333931"), ("]d20104006381333931", "04006381333931"),
    ("\u{FFFD}010400638133393121x", "04006381333931"),
    ("https://id.gs1.org/01/04006381333931/10/A1", "04006381333931"),
    ("https://brand.example/de/gtin/4006381333931?17=261231", "4006381333931"),
    ("HTTPS://ID.GS1.ORG/01/09506000134352", "09506000134352"),
  ])
  func `the number in the content of a code is read`(content: String, number: String) {
    #expect(ProductCode.text(in: content) == number)
  }

  @Test(arguments: [
    "", "01", "(01)", "(01)0400638133393", "0104006381333932", "(10)04006381333931",
    "https://shop.example/p/4006381333931", "https://shop.example/01/", "01/04006381333931",
    "https://shop.example/?01=04006381333931", "mailto:01/04006381333931",
  ])
  func `other contents have no number`(content: String) {
    #expect(ProductCode.text(in: content) == nil)
  }
}
