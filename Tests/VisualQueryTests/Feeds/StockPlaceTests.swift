import Testing

@testable import ShopFeeds
import VisualQuery

/// The stock of products by place, as tills and shop systems export it.
@Suite struct StockPlaceTests {
  private static func places(_ product: Product) -> [String] {
    guard case .array(let places)? = product.extra["stockedAt"] else { return [] }
    return places.compactMap { if case .string(let place) = $0 { place } else { nil } }
  }

  @Test func `columns of Lightspeed Retail name the outlets that have a product`() throws {
    let export = try ReadExport(
      """
      id,handle,sku,name,variant_option_one_name,variant_option_one_value,retail_price,active,inventory_Harbor,inventory_Old Town
      7a1,tee,10001,Tee,Color,Red,19.90,1,0,3
      7a2,tee,10002,Tee,Color,Red,19.90,1,2,1
      7a3,tee,10003,Tee,Color,Blue,19.90,1,0,-1
      7b1,mug,20001,Mug,,,9.90,1,4,
      """)
    #expect(export.products.count == 3)
    let red = try #require(export.products.first { $0.attributes["color"] == "Red" })
    #expect(Set(Self.places(red)) == ["Harbor", "Old Town"] && red.availability == .inStock)
    let blue = try #require(export.products.first { $0.attributes["color"] == "Blue" })
    #expect(Self.places(blue).isEmpty && blue.availability == .outOfStock)
    let mug = try #require(export.products.first { $0.title == "Mug" })
    #expect(Self.places(mug) == ["Harbor"])
  }

  @Test func `columns of Square name the locations that have a product`() throws {
    let export = try ReadExport(
      """
      Token,Item Name,Variation Name,SKU,Price,Option Name 1,Option Value 1,Current Quantity Harbor,Current Quantity Station
      T1,Tee,Red,R,19.90,Color,Red,2,0
      T2,Tee,Blue,B,19.90,Color,Blue,0,0
      """)
    #expect(try Self.places(export.product("R")) == ["Harbor"])
    #expect(try Self.places(export.product("B")).isEmpty)
  }

  /// Would break if a row for each place made a variant for each place, or if a place without the product hid that another one
  /// has it.
  @Test func `the inventory of Shopify has a row for each place`() throws {
    let export = try ReadExport(
      """
      Handle,Title,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Option3 Name,Option3 Value,SKU,HS Code,COO,Location,Bin name,Incoming (not editable),Unavailable (not editable),Committed (not editable),Available (not editable),On hand (current),On hand (new)
      tee,Tee,Color,Red,Size,S,,,R-S,,,Harbor,,0,0,0,3,3,
      tee,Tee,Color,Red,Size,S,,,R-S,,,Station,,0,0,0,0,0,
      tee,Tee,Color,Red,Size,M,,,R-M,,,Harbor,,0,0,0,0,0,
      tee,Tee,Color,Red,Size,M,,,R-M,,,Old Town,,0,0,0,1,1,
      tee,Tee,Color,Blue,Size,S,,,B-S,,,Harbor,,not stocked,not stocked,not stocked,not stocked,not stocked,
      tee,Tee,Color,Blue,Size,S,,,B-S,,,Station,,0,0,0,0,0,
      """)
    let red = try export.product("tee/red")
    #expect(Self.places(red) == ["Harbor", "Old Town"] && red.availability == .inStock)
    guard case .array(let variants)? = red.extra["variants"] else {
      Issue.record("no variants")
      return
    }
    #expect(variants.count == 2)
    let blue = try export.product("tee/blue")
    // An empty list replaces the places of the night before.
    #expect(blue.extra["stockedAt"] == .array([]) && blue.availability == .outOfStock)
    #expect(red.extra["Location"] == nil)
  }

  @Test func `the inventory of Shopify of earlier years has a column for each place`() throws {
    let export = try ReadExport(
      """
      Handle,Title,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Option3 Name,Option3 Value,SKU,HS Code,COO,Harbor,Old Town
      mug,Mug,Title,Default Title,,,,,M,,,0,5
      cup,Cup,Title,Default Title,,,,,C,,,not stocked,0
      """)
    let mug = try export.product("mug")
    #expect(Self.places(mug) == ["Old Town"] && mug.availability == .inStock)
    let cup = try export.product("cup")
    #expect(Self.places(cup).isEmpty && cup.availability == .outOfStock)
  }
}
