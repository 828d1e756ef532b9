import Testing
@testable import ShopModel

@Suite struct GivenValueTests {
  /// Would break if a filter of nothing but commas let everything through. A form with an empty field has no filter.
  @Test(arguments: [(",,,,", false), (" , ", false), ("", true), ("mug,", true), (",mug", true)])
  func `a list between commas has a word`(text: String, isTaken: Bool) {
    let words = try? GivenValue.parameter([text]).words(count: 9, length: 100)
    #expect((words != nil) == isTaken)
  }
}
