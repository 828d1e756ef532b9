import Foundation
import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// Cells of workbooks as programs other than Excel write them, and as people see them. Made with Python's `zipfile`.
@Suite struct WorkbookCellTests {
  /// Rows and cells without references, one of them empty; numbers with the formats `000000` and `"NL-"000\-00`; the end of a line as
  /// `_x000D_`; links as formulas.
  private static let seen = """
    UEsDBBQAAAAIAAAAYV3HHBc8CgAAAAgAAAATAAAAW0NvbnRlbnRfVHlwZXNdLnhtbLMJqSxILda3AwBQSwMEFAAAAAgAAABhXecauONFAAAAWQAAAA8A
    AAB4bC93b3JrYm9vay54bWyzKc8vyk7Kz89WqMjNySu2KrJVKlKysynOSE0tKYbSCnmJuam2SgFKCmCuZ4qtkqGSQpFVJpBRZKCkb2ejD1OvDzPODgBQ
    SwMEFAAAAAgAAABhXYx1p/49AAAAUQAAABoAAAB4bC9fcmVscy93b3JrYm9vay54bWwucmVsc7MJSs1JLMnMzyvOyCwotrNB5ip4ptgqFRkoKYQkFqWn
    ltgqlecXZRdnpKaWFOsXG+hV5OYo6dvZ6KOaAABQSwMEFAAAAAgAAABhXcijVY9qAAAA4QAAAA0AAAB4bC9zdHlsZXMueG1ssykuqcxJDc5ITS2xs8kr
    zXXLLSmGMRQglGeKrZKhmYmSQlp+UW5iiXN+SqqtkgEYKOljVWuKqlatsDS/xNrPRxfCAOqL0YXo1YfbmJyakxORBmRUpCEZBVaEIgJyCKaYKdgwuBn6
    SJ4CAFBLAwQUAAAACAAAAGFdWcMqF+QAAABnAgAAFAAAAHhsL3dvcmtzaGVldHMvczAueG1sjZJPa8JAEMW/iuypgmSSYFHKuKcIitJKPPUkIU7Mks0f
    dleTj99NkKZNa5vTzixv9vfeMliXKtMpkeHYHUFkIo6qrDnGE7NiopCioKNRjKPQHA3X2RXByqFtIX6oK6KcRgnjUpZqlNL22ShhpUQ8gEOX6R5Mr5hn
    xTe+9J4Rbn++9SbkREZ5dWpc1w1OAz7c53Q3kfDN+2Ed7revuyeWGlPpFwDtUGPnJYGlsRnTRGyKkLR8W/f89sKfO72joWe/8+z57uK76VHwxqLD6+UT
    bev/ood0/i1u/3s/vMKXJYJ+tz4AUEsBAhQDFAAAAAgAAABhXcccFzwKAAAACAAAABMAAAAAAAAAAAAAAIABAAAAAFtDb250ZW50X1R5cGVzXS54bWxQ
    SwECFAMUAAAACAAAAGFd5xq440UAAABZAAAADwAAAAAAAAAAAAAAgAE7AAAAeGwvd29ya2Jvb2sueG1sUEsBAhQDFAAAAAgAAABhXYx1p/49AAAAUQAA
    ABoAAAAAAAAAAAAAAIABrQAAAHhsL19yZWxzL3dvcmtib29rLnhtbC5yZWxzUEsBAhQDFAAAAAgAAABhXcijVY9qAAAA4QAAAA0AAAAAAAAAAAAAAIAB
    IgEAAHhsL3N0eWxlcy54bWxQSwECFAMUAAAACAAAAGFdWcMqF+QAAABnAgAAFAAAAAAAAAAAAAAAgAG3AQAAeGwvd29ya3NoZWV0cy9zMC54bWxQSwUG
    AAAAAAUABQBDAQAAzQIAAAAA
    """

  /// A sheet with a text before the one with the table.
  private static let cover = """
    UEsDBBQAAAAIAAAAYV3HHBc8CgAAAAgAAAATAAAAW0NvbnRlbnRfVHlwZXNdLnhtbLMJqSxILda3AwBQSwMEFAAAAAgAAABhXYeZNB5WAAAAigAAAA8A
    AAB4bC93b3JrYm9vay54bWyzKc8vyk7Kz89WqMjNySu2KrJVKlKysynOSE0tKYbSCnmJuam2SkGpiSkKualKCmBBzxRbJUMlhSKrTCCjyEBJH01xYl46
    slIjuFJDkFJ9mAX6MPvtAFBLAwQUAAAACAAAAGFd/A4mF0MAAACDAAAAGgAAAHhsL19yZWxzL3dvcmtib29rLnhtbC5yZWxzswlKzUksyczPK87ILCi2
    s0HmKnim2CoVGSgphCQWpaeW2CqV5xdlF2ekppYU6xcb6FXk5ijpY9NhiF2HIUyHPqqdAFBLAwQUAAAACAAAAGFdJsN97lsAAACgAAAAFAAAAHhsL3dv
    cmtzaGVldHMvczAueG1ssynPL8ouzkhNLbGzAVMuiSWJdjZF+eV2NskKJbZKmXk5mXmpwSVFSnY2mcV2NiV2/qVFCkWJeempNvpATfogQf1kIAbrwacx
    P02hPDOvJLUIm0Z9JNv1EY4CAFBLAwQUAAAACAAAAGFdXo7LiFoAAADjAAAAFAAAAHhsL3dvcmtzaGVldHMvczEueG1ssynPL8ouzkhNLbGzAVMuiSWJ
    djZF+eV2NskKJbZKmXk5mXmpwSVFSnY2mcV2NiV2xdmlNvpA5fogrn4yTnV5ibmpqAr1wcbiM9uQKJN9S9OxGayP5AF9hL8AUEsBAhQDFAAAAAgAAABh
    XcccFzwKAAAACAAAABMAAAAAAAAAAAAAAIABAAAAAFtDb250ZW50X1R5cGVzXS54bWxQSwECFAMUAAAACAAAAGFdh5k0HlYAAACKAAAADwAAAAAAAAAA
    AAAAgAE7AAAAeGwvd29ya2Jvb2sueG1sUEsBAhQDFAAAAAgAAABhXfwOJhdDAAAAgwAAABoAAAAAAAAAAAAAAIABvgAAAHhsL19yZWxzL3dvcmtib29r
    LnhtbC5yZWxzUEsBAhQDFAAAAAgAAABhXSbDfe5bAAAAoAAAABQAAAAAAAAAAAAAAIABOQEAAHhsL3dvcmtzaGVldHMvczAueG1sUEsBAhQDFAAAAAgA
    AABhXV6Oy4haAAAA4wAAABQAAAAAAAAAAAAAAIABxgEAAHhsL3dvcmtzaGVldHMvczEueG1sUEsFBgAAAAAFAAUASgEAAFICAAAAAA==
    """

  private static func read(_ workbook: String, sheet: String? = nil) throws -> ReadExport {
    let bytes = Array(Data(base64Encoded: workbook.filter { !$0.isWhitespace }) ?? Data())
    return try ReadExport(bytes, FeedOptions(currency: "EUR", sheet: sheet), name: "shop.xlsx")
  }

  @Test func `cells without references follow each other, and numbers are those that people see`()
    throws
  {
    let export = try Self.read(Self.seen)
    #expect(export.products.map(\.id) == ["000815", "NL-012-07"] && export.warnings.isEmpty)
    let lamp = try export.product("000815")
    #expect(lamp.title == "Oil lamp" && lamp.price?.amount == "24.5" && lamp.attributes.isEmpty)
    // In a column of links the address counts, and in others the text.
    #expect(lamp.url == "https://s.example/815")
    let rug = try export.product("NL-012-07")
    #expect(rug.title == "Rug" && rug.attributes["color"] == "Red" && rug.price?.amount == "8.5")
  }

  @Test func `a first sheet without a table is refused with the names of the others`() throws {
    let error = #expect(throws: FeedError.self) { try Self.read(Self.cover) }
    #expect(error?.message.contains("--sheet 'Range'") == true, "\(error?.message ?? "")")
    #expect(try Self.read(Self.cover, sheet: "Range").products.map(\.title) == ["Mug"])
  }
}
