import Testing

@testable import ShopFeeds
import VisualQuery

/// The meaning of single columns and fields, whatever the format: prices, codes, ids and images.
@Suite struct FeedColumnTests {
  @Test func `titles in other languages are localized`() throws {
    let table = try ReadExport("sku;name-en_US;name-de_DE;name-fr\n1;Rug;Teppich;Rug\n")
    #expect(table.products.map(\.title) == ["Rug"])
    #expect(table.products[0].localized.mapValues(\.title) == ["de-DE": "Teppich"])
    let list = try ReadExport(#"[{"id":"1","name":{"de":"Teppich","en":"Rug"}}]"#)
    #expect(list.products.map(\.title) == ["Rug"])
    #expect(list.products[0].localized.mapValues(\.title) == ["de": "Teppich"])
  }

  /// Would break if numbers of cents were euros, or euros cents.
  @Test(arguments: [
    (#""price":{"amount":1490,"divisor":100,"currency_code":"EUR"}"#, "14.90"),
    (#""price":{"amount":5,"divisor":100,"currency_code":"EUR"}"#, "0.05"),
    (#""price":{"centAmount":1490,"currencyCode":"JPY","fractionDigits":0}"#, "1490"),
    (
      #""prices":{"price":"1490","regular_price":"1990","currency_code":"EUR","currency_minor_unit":2}"#,
      "14.90"
    ),
    (#""prices":{"price":{"value":14.9,"currencyCode":"EUR"}}"#, "14.9"),
    (#""price_range":{"minimum_price":{"final_price":{"value":14.9,"currency":"EUR"}}}"#, "14.9"),
    (#""priceRange":{"minVariantPrice":{"amount":"14.90","currencyCode":"EUR"}}"#, "14.90"),
    (#""price":{"amount":"14.90","currency":"EUR"}"#, "14.90"), (#""price":14.9"#, "14.9"),
  ]) func `a price in an object`(field: String, amount: String) throws {
    let export = try ReadExport(#"{"products":[{"id":"1","name":"Mug",\#(field)}]}"#)
    #expect(try export.product("1").price?.amount == amount)
  }

  /// Would break if a price whose unit nobody knows were shown, or left out without a word.
  @Test func `a price that may be cents is left out and reported`() throws {
    let export = try ReadExport(
      #"{"products":[{"id":"1","title":"Tee","variants":[{"id":"v","sku":"A","prices":[{"currency_code":"eur","amount":1990}]}]}]}"#
    )
    #expect(export.products.allSatisfy { $0.price == nil })
    #expect(export.warnings.contains { $0.reason.contains("cents") })
  }

  /// Would break if rows that translate others were products, or rejected as repeated.
  @Test func `rows that translate others are left out`() throws {
    let export = try ReadExport(
      "id,title,link,override\n1,Mug,https://s.example/1,\n1,Becher,https://s.example/1,de_DE\n")
    #expect(export.products.map(\.title) == ["Mug"] && export.warnings.isEmpty)
    #expect(export.leftOut.values.reduce(0, +) == 1)
  }

  /// Would break if a code under the name of another language found nothing.
  @Test(arguments: [
    "Barkod", "Штрих-код", "external_product_id", "EAN / GTIN / Code-barres", "JANコード",
  ])
  func `a code has many names`(name: String) throws {
    let export = try ReadExport("sku,name,\(name)\n1,Mug,4006381333931\n")
    #expect(try export.product("1").extra["gtin"] == .string("4006381333931"))
  }

  /// Would break if a code that a spreadsheet wrote as a decimal number found nothing.
  @Test func `a code has no decimals`() throws {
    let export = try ReadExport("sku,name,EAN13\n1,Mug,4006381333931.0\n2,Cup,12.0\n")
    #expect(try export.product("1").extra["EAN13"] == .string("4006381333931"))
    #expect(try export.product("2").extra["EAN13"] == .string("12.0"))
  }

  /// Would break if an empty cell in the column of ids meant a made-up id although another column has one.
  @Test func `an empty id is that of the next column for ids`() throws {
    let export = try ReadExport("product_id,sku,name\n7,,Mug\n8,C-1,Cup\n,,Tray\n")
    #expect(export.products.map(\.id) == ["7", "C-1", "tray"])
  }

  /// Would break if addresses of small images, of videos or of other things were images, or if a text were a color.
  @Test func `other columns stay what they are`() throws {
    let export = try ReadExport(
      "sku,name,image,Thumb image xyz,Video image,Brand image,Story\n1,Mug,a.jpg,https://i.example/t.jpg,https://i.example/v.jpg,https://i.example/l.jpg,Red wine\n"
        + "2,Cup,b.jpg,https://i.example/t.jpg,https://i.example/v.jpg,https://i.example/l.jpg,Made of clay\n"
    )
    #expect(export.products.map(\.images) == [["a.jpg"], ["b.jpg"]])
    #expect(export.products.allSatisfy { $0.attributes["color"] == nil })
  }
}
