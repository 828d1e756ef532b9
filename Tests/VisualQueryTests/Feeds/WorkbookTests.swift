@testable import ShopModel
@testable import ShopSearch
import Foundation
import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// Excel workbooks.
@Suite struct WorkbookTests {
  /// Two sheets, the first one hidden: a product with a number as its id, a price with the error of its binary form and a day,
  /// and one with a text in the cell and a name in two styles. Made with Python's `zipfile`, as ECMA-376 has it.
  private static let workbook = """
    UEsDBBQAAAAIAENpe13HHBc8CgAAAAgAAAATAAAAW0NvbnRlbnRfVHlwZXNdLnhtbLMJqSxILda3AwBQSwMEFAAAAAgAQ2l7XeyIBQahAAAACg
    EAAA8AAAB4bC93b3JrYm9vay54bWxVTksSgjAMvQrTAxBg4YLhs5UdV6g02g60ZdKqHN+IoLhK8n55VbvYKXkgBeNdLfI0E21TPT2NF+/HhEkX
    aqFjnEuAMGi0MqR+RsfM1ZOVkU+6QZgJpQoaMdoJiiw7gZXGiU9CSd+MRfzie4KmWj1hm4mTFmtxNkohm1esU9yL9ygjU3qjqDSMU6dyAf/mnr
    y6DzEc7MVBX7z1sH+FvUvzAlBLAwQUAAAACABDaXtd+WBDDUYAAACPAAAAGgAAAHhsL19yZWxzL3dvcmtib29rLnhtbC5yZWxzswlKzUksyczP
    K87ILCi2s0HmKnim2CoVeaYYKimEJBalp5bYKpXnF2UXZ6SmlhTrgylDvYrcHCV97PqMcOszgunTR7UfAFBLAwQUAAAACABDaXtdTggv93AAAA
    DQAAAADQAAAHhsL3N0eWxlcy54bWyzKS6pzEkNzkhNLbGzySvNdcstKYYxFCCUZ4qtkqG5gZJCWn5RbmKJc35Kqq1SSkqMXm5ujF4lECjp29no
    w/Ump+bkBIMMjUgD8irSkEwxAKtEVQDiARkKyfmleSW2SkZK2PSgiIDcAjMHbIQ+kh8AUEsDBBQAAAAIAENpe12Xqtc7jwAAABEBAAAUAAAAeG
    wvc2hhcmVkU3RyaW5ncy54bWxl0LEKwjAQxvFXCR0cG1xrzOIkghaKD3CEI432NFyixLc3MYLYbvn+/LghKoSoVXBaRT0czkrmJcus6QiE89az
    M4u4J7CLOLjbUu6AvKCHFav82Ahzn4MxRh86KR3ZFlNGE8p1e/H2H3K2ItHUBQ8Gt41nDMhPbPQJrqJarkxHhtev9GNpKX1LmZ+rsvzFG1BLAw
    QUAAAACABDaXtdy5hqJBkAAAAjAAAAGAAAAHhsL3dvcmtzaGVldHMvc2hlZXQxLnhtbLMpzy/KLs5ITS2xswFTLoklifp2NvoIcQBQSwMEFAAA
    AAgAQ2l7XXZgK/S4AAAA7gEAABgAAAB4bC93b3Jrc2hlZXRzL3NoZWV0Mi54bWxtkeEKgyAQgF8lfICZXlmBCWvtCbYXiAgWGwUq9fqzGnbK/K
    N3n959eHKd9du8hsEquW9tZzsl9bwmuiaMKNlvhysjia2JcfGiUkkXJWn/Yw1mLGQ3zHjIWswgZHfMMs+o8/Jy3Mvx41qaCigZAFQQaTQclcsj
    xeM1yy5lFazIFpcQka1j5vgtp5GLovxvDN4Y9mLj9Bmn4WG1y49GSaue7o/cJOgWnfaAWheRPezZKmpI0SzpOeIvUEsBAhQDFAAAAAgAQ2l7Xc
    ccFzwKAAAACAAAABMAAAAAAAAAAAAAAIABAAAAAFtDb250ZW50X1R5cGVzXS54bWxQSwECFAMUAAAACABDaXtd7IgFBqEAAAAKAQAADwAAAAAA
    AAAAAAAAgAE7AAAAeGwvd29ya2Jvb2sueG1sUEsBAhQDFAAAAAgAQ2l7XflgQw1GAAAAjwAAABoAAAAAAAAAAAAAAIABCQEAAHhsL19yZWxzL3
    dvcmtib29rLnhtbC5yZWxzUEsBAhQDFAAAAAgAQ2l7XU4IL/dwAAAA0AAAAA0AAAAAAAAAAAAAAIABhwEAAHhsL3N0eWxlcy54bWxQSwECFAMU
    AAAACABDaXtdl6rXO48AAAARAQAAFAAAAAAAAAAAAAAAgAEiAgAAeGwvc2hhcmVkU3RyaW5ncy54bWxQSwECFAMUAAAACABDaXtdy5hqJBkAAA
    AjAAAAGAAAAAAAAAAAAAAAgAHjAgAAeGwvd29ya3NoZWV0cy9zaGVldDEueG1sUEsBAhQDFAAAAAgAQ2l7XXZgK/S4AAAA7gEAABgAAAAAAAAA
    AAAAAIABMgMAAHhsL3dvcmtzaGVldHMvc2hlZXQyLnhtbFBLBQYAAAAABwAHAM8BAAAgBAAAAAA=
    """

  private static var bytes: [UInt8] {
    Array(Data(base64Encoded: workbook.filter { !$0.isWhitespace }) ?? Data())
  }

  @Test func `the first visible sheet is a table`() throws {
    let export = try ReadExport(Self.bytes, name: "shop.xlsx")
    #expect(export.products.map(\.id) == ["4006381333931", "T2"] && export.warnings.isEmpty)
    let mug = try export.product("4006381333931")
    #expect(mug.title == "Camp mug & co" && mug.price?.amount == "14.9")
    #expect(
      mug.images == ["https://img.example/1.jpg"] && mug.extra["Since"] == .string("2025-01-21"))
    #expect(try export.product("T2").title == "Oak tray")
  }

  @Test func `a sheet is named or numbered`() throws {
    for sheet in ["Products", "2"] {
      let export = try ReadExport(
        Self.bytes, FeedOptions(currency: "EUR", sheet: sheet), name: "shop.xlsx")
      #expect(export.products.count == 2)
    }
    let error = #expect(throws: FeedError.self) {
      try ReadExport(Self.bytes, FeedOptions(sheet: "Preise"), name: "shop.xlsx")
    }
    #expect(error?.message.contains("'Hidden', 'Products'") == true)
  }

  /// Would break if a part of a workbook, or one of damaged bytes, were read beyond its end, or taken for a whole one.
  @Test(arguments: [4, 30, 200, 700, 1500]) func `a truncated workbook is refused`(count: Int)
    throws
  {
    #expect(throws: FeedError.self) {
      try ReadExport(Array(Self.bytes.prefix(count)), name: "shop.xlsx")
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>) func `a damaged workbook ends with an error or rows`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    var bytes = Self.bytes
    for _ in 0..<3 {
      bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(
        in: 0...255, using: &generator)
    }
    do {
      _ = try ReadExport(bytes, name: "shop.xlsx")
    } catch {
      #expect(error is FeedError)
    }
  }

  /// Would break if a few bytes could fill the memory.
  @Test func `a workbook is limited like other feeds`() throws {
    var options = FeedOptions(currency: "EUR")
    options.limits.byteCount = 1000
    #expect(throws: FeedError.self) {
      try ReadExport(Self.bytes, options, name: "shop.xlsx")
    }
  }
}
