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
}
