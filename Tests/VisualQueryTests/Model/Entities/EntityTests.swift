@testable import ShopFeeds
@testable import ShopSearch
import TestSupport
import Testing
@testable import ShopModel
import VisualQuery

@Suite struct EntityTests {
  private func entity(_ text: String) throws -> EntityValue {
    let json = try JSONValue(json: Array(text.utf8))
    return try EntityValue(json: json)
  }

  @Test func `a product has the fields of the catalogue`() throws {
    let value = try entity(
      #"""
      {"type":"product","id":"mug-red","title":"Camp mug","subtitle":"Enamel","labels":["mug","cup"],
       "images":["images/mug-red.jpg"],"url":"https://shop.example/p/mug-red","group":"camp-mug",
       "brand":"Northlight","price":{"amount":"14.90","currency":"EUR"},"availability":"inStock",
       "weight":{"grams":120},"rank":7,"tags":["new",null]}
      """#)
    guard case .product(let product) = value else { throw UnexpectedType() }
    #expect(value.id == EntityID(type: .product, value: "mug-red"))
    #expect(product.price?.amount == "14.90" && product.price?.currency == "EUR")
    #expect(product.availability == .inStock)
    #expect(value.displayRepresentation.image == "images/mug-red.jpg")
    // Unknown fields are kept, whole numbers exactly.
    #expect(product.extra["weight"] == .object(["grams": .integer(120)]))
    #expect(product.extra["rank"] == .integer(7))
    #expect(product.extra["tags"] == .array([.string("new"), .null]))
  }

  /// Would break if a mistyped field went unnoticed, or if a field of the shop's own were called a mistake.
  @Test(arguments: [
    (#""lables":["mug"]"#, ["lables: labels"]), (#""Images":["a.jpg"]"#, ["Images: images"]),
    (#""brnad":"N","pirce":{"amount":"1","currency":"EUR"}"#, ["brnad: brand", "pirce: price"]),
    (#""lables":["mug"],"labels":["cup"]"#, []), (#""features":["warm"],"prices":[1,2]"#, []),
    (#""pirce":"14.90","ur":"x","tags":["new"],"weight":3"#, []),
    (#""embedding":{"model":"m","vectors":[]}"#, ["embedding: embeddings"]),
  ])
  func `fields that are nearly known ones are found`(fields: String, misspelt: [String]) throws {
    let value = try entity(#"{"type":"product","id":"a","title":"A",\#(fields)}"#)
    #expect(value.misspeltFields.map { "\($0.name): \($0.meant)" } == misspelt)
    let store = try entity(#"{"type":"store","id":"a","title":"A","adress":"Quay 4",\#(fields)}"#)
    #expect(store.misspeltFields.contains { $0.name == "adress" && $0.meant == "address" })
  }

  @Test func `a store has the fields of the catalogue`() throws {
    let value = try entity(
      #"""
      {"type":"store","id":"harbour","title":"Northlight Harbour","address":"Quay 4","stock":["a","b"],
       "geo":{"latitude":53.54,"longitude":10},"hours":"Mo-Sa 10-19"}
      """#)
    guard case .store(let store) = value else { throw UnexpectedType() }
    #expect(store.geo?.latitude == 53.54 && store.geo?.longitude == 10)
    #expect(store.stock == ["a", "b"])
    #expect(store.extra["hours"] == .string("Mo-Sa 10-19"))
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `writing and reading gives the same entity`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    func text() -> String {
      let letters = Array("aé😀\"\\/ <>&\u{301}中")
      return "x" + String((0..<6).map { _ in letters.randomElement(using: &generator)! })
    }
    var product = Product(id: text(), title: text())
    if Bool.random(using: &generator) { product.subtitle = text() }
    product.labels = (0..<3).map { _ in text() }
    product.images = (0..<Int.random(in: 0...2, using: &generator)).map { _ in text() }
    product.extra = ["own": .object(["deep": .array([.number(0.5), .bool(true)])])]
    let value = EntityValue.product(product)
    #expect(try entity(value.json.text) == value)
  }

  @Test func `ids sort by type, then by bytes`() {
    let ids = ["b", "a", "é", "Z"].map { EntityID(type: .product, value: $0) }
    let store = EntityID(type: .store, value: "a")
    #expect((ids + [store]).shuffled().sorted().map(\.value) == ["Z", "a", "b", "é", "a"])
    #expect(store.description == "store:a")
  }

  /// Would break if an id were another id's equal in Swift and not in the database.
  @Test func `ids are equal by their bytes`() {
    let ids = ["caf\u{E9}", "cafe\u{301}"].map { EntityID(type: .product, value: $0) }
    #expect(ids[0] != ids[1] && Set(ids).count == 2)
    #expect(ids[0] == EntityID(type: .product, value: "caf\u{E9}"))
    #expect(ids.sorted() == [ids[1], ids[0]])
  }

  private struct UnexpectedType: Error {}
}
