import Testing

@testable import ShopFeeds
import VisualQuery

/// The variants of Salesforce Commerce, whose masters are products of their own.
@Suite struct SalesforceFeedTests {
  private static func salesforce(_ products: [String], categories: Int = 0) -> String {
    let rows = (0..<categories).map {
      "<category category-id=\"c\($0)\"><display-name>Category \($0)</display-name></category>\n"
    }
    return
      "<catalog xmlns=\"http://www.demandware.com/xml/impex/catalog/2006-10-31\">\(rows.joined())\(products.joined())</catalog>"
  }

  private static let master =
    "<product product-id=\"M\"><display-name>Hat</display-name><images><image-group view-type=\"large\"><variation attribute-id=\"color\" value=\"1\"/><image path=\"1.jpg\"/></image-group>"
    + "<image-group view-type=\"hi-res\"><variation attribute-id=\"color\" value=\"1\"/><image path=\"1-big.jpg\"/></image-group><image-group view-type=\"swatch\"><variation attribute-id=\"color\" value=\"2\"/><image path=\"2-swatch.jpg\"/></image-group>"
    + "<image-group variation-value=\"2\" view-type=\"medium\"><image path=\"2.jpg\"/></image-group></images><variations><attributes><variation-attribute attribute-id=\"color\"/><variation-attribute attribute-id=\"size\"/></attributes>"
    + "<variants><variant product-id=\"A\"/><variant product-id=\"B\"/><variant product-id=\"C\"/></variants><variation-groups><variation-group product-id=\"G\"/></variation-groups></variations></product>"

  private static func variant(_ id: String, _ color: String, _ size: String) -> String {
    "<product product-id=\"\(id)\"><custom-attributes><custom-attribute attribute-id=\"color\">\(color)</custom-attribute><custom-attribute attribute-id=\"size\">\(size)</custom-attribute></custom-attributes></product>"
  }

  /// Would break if the order of products mattered, if the images of one color were those of another, if a small size of an
  /// image or a swatch counted, or if the categories before the products hid the format.
  @Test(arguments: [0, 1, 2]) func `variants of Salesforce Commerce are anywhere`(turn: Int) throws
  {
    let all = [
      Self.master, Self.variant("B", "2", "S"), Self.variant("A", "1", "S"),
      "<product product-id=\"G\"/>", Self.variant("C", "2", "M"),
    ]
    let products = Array(all[turn...] + all[..<turn])
    let export = try ReadExport(Self.salesforce(products, categories: turn * 1000))
    #expect(export.products.map(\.id).sorted() == ["A", "B"])
    #expect(try export.product("A").images == ["1-big.jpg"])
    let second = try export.product("B")
    #expect(second.images == ["2.jpg"] && second.group == "M" && second.title == "Hat")
    #expect(second.attributes["size"] == "S, M" && export.warnings.isEmpty)
    #expect(export.leftOut.values.reduce(0, +) == 1)
  }

  /// Would break if a variant whose master is in another file were lost without a word.
  @Test func `a variant without its master is reported`() throws {
    let export = try ReadExport(
      Self.salesforce([
        Self.variant("A", "1", "S"),
        "<product product-id=\"H\"><display-name>Hat</display-name></product>",
      ]))
    #expect(export.products.map(\.id) == ["H"] && export.warnings.map(\.id) == ["A"])
  }
}
