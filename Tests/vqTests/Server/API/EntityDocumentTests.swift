import TestSupport
import Testing

import VisualQuery
@testable import vq

/// The documents that write themselves.
@Suite struct EntityDocumentTests {
  private static func texts(_ generator: inout SeededGenerator) -> [String] {
    (0..<Int.random(in: 0...3, using: &generator)).map { _ in generator.drawnText() }
  }

  private static func text(_ generator: inout SeededGenerator) -> String? {
    Bool.random(using: &generator) ? generator.drawnText() : nil
  }

  private static let extraFields = ["description", "size", "näme", "a/b"]

  private static func extra(_ generator: inout SeededGenerator) -> [String: JSONValue] {
    var extra: [String: JSONValue] = [:]
    for field in extraFields where Bool.random(using: &generator) {
      extra[field] = [
        .string(generator.drawnText()),
        .integer(Int64.random(in: .min ... .max, using: &generator)),
        .number(Double.random(in: -10...10, using: &generator)), .null, .bool(true),
        .object([generator.drawnText(): .array([.string(generator.drawnText()), .object([:])])]),
      ].randomElement(using: &generator)
    }
    return extra
  }

  private static func product(_ generator: inout SeededGenerator) throws -> EntityValue {
    var product = Product(
      id: generator.drawnText(), title: generator.drawnText(), subtitle: text(&generator),
      synonyms: texts(&generator), labels: texts(&generator),
      images: ["a.jpg", "https://shop.example/ä\"b.jpg"], url: text(&generator),
      group: text(&generator), brand: text(&generator),
      price: Bool.random(using: &generator) ? try Price(amount: "14.90", currency: "EUR") : nil,
      availability: Availability.allCases.randomElement(using: &generator),
      isFeatured: Bool.random(using: &generator), extra: extra(&generator))
    product.attributes = [generator.drawnText(): generator.drawnText()]
    product.localized = [
      "de": LocalizedText(title: text(&generator), synonyms: texts(&generator))
    ]
    return .product(product)
  }

  private static func store(_ generator: inout SeededGenerator) -> EntityValue {
    .store(
      Store(
        id: generator.drawnText(), title: generator.drawnText(), subtitle: text(&generator),
        labels: texts(&generator), address: text(&generator),
        geo: GeoPoint(
          latitude: Double.random(in: -90...90, using: &generator), longitude: 13), stock: ["x"],
        extra: extra(&generator)))
  }

  private static func entity(_ generator: inout SeededGenerator) throws -> EntityDocument {
    let value = Bool.random(using: &generator) ? try product(&generator) : store(&generator)
    let projection = PublicProjection(
      ShopSettings(publicFields: Set(extraFields)), contentTags: [value.id: [0: "1f"]])
    return EntityDocument(
      value, locale: ["de", nil].randomElement(using: &generator) ?? nil, links: LinkSettings(),
      projection: projection, hasAttributes: Bool.random(using: &generator))
  }

  /// Would break if the names of an object were not in ascending order, a name occurred twice, or a text were not escaped.
  @Test(arguments: 0..<100 as Range<UInt64>)
  func `documents of entities are JSON with sorted keys`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let entities = try (0..<Int.random(in: 0...4, using: &generator)).map { _ in
      try Self.entity(&generator)
    }
    let ids = Self.texts(&generator)
    let documents: [any JSONWritable] = [
      EntityListDocument(generation: 7, entities: entities),
      EntityPageDocument(generation: 8, entities: entities, cursor: Self.text(&generator)),
      ResolvedEntitiesDocument(generation: 9, entities: entities, missing: ids),
      SingleEntityDocument(generation: 10, entity: try Self.entity(&generator)),
      ChangesDocument(
        generation: 11, state: generator.drawnText(), hasMore: Bool.random(using: &generator),
        upserts: entities, tombstones: ids.map { .init(type: .store, id: $0) }),
      NeighborsDocument(
        generation: 12,
        neighbors: entities.map { .init(entity: $0, sharesDetails: true, cosine: nil) }),
    ]
    for document in documents {
      let bytes = JSONWriter.bytes(of: document)
      let value = try JSONValue(json: bytes, shouldStop: { false })
      #expect(JSONBody.encoded(value) == bytes)
    }
  }

  /// Would break if a field were left out, misspelled or given another value.
  @Test func `documents of entities have all their fields`() throws {
    var product = Product(
      id: "mug", title: "Mug", subtitle: "Red", synonyms: ["cup"], labels: ["crockery"],
      images: ["a.jpg"], url: "https://shop.example/mug", brand: "Northlight")
    product.attributes = ["color": "red"]
    let store = Store(
      id: "quay", title: "Quay", address: "Markt 12",
      geo: GeoPoint(latitude: 50.5, longitude: 7))
    let projection = PublicProjection(ShopSettings(publicFields: []), contentTags: [:])
    func document(_ value: EntityValue) -> EntityDocument {
      EntityDocument(
        value, locale: nil, links: LinkSettings(), projection: projection, hasAttributes: true)
    }
    func text(_ document: some JSONWritable) -> String {
      String(decoding: JSONWriter.bytes(of: document), as: UTF8.self)
    }
    let mug = document(.product(product))
    let object = String(decoding: JSONBody.encoded(mug.product), as: UTF8.self)
    let display = String(decoding: JSONBody.encoded(mug.display), as: UTF8.self)
    let first =
      #"{"attributeSet":{"alternateNames":["cup"],"contentDescription":"Red","displayName":"Mug","#
      + #""keywords":["crockery","Northlight","red"],"url":"https://shop.example/mug"},"#
      + #""display":\#(display),"id":"mug","product":\#(object),"type":"product","#
      + #""url":"https://shop.example/mug"}"#
    #expect(text(mug) == first)
    let quay = document(.store(store))
    let place = String(decoding: JSONBody.encoded(quay.store), as: UTF8.self)
    let second =
      #"{"attributeSet":{"displayName":"Quay","fullyFormattedAddress":"Markt 12","latitude":50.5,"longitude":7},"#
      + #""display":{"title":"Quay"},"id":"quay","store":\#(place),"type":"store"}"#
    #expect(text(quay) == second)
    #expect(
      text(EntityListDocument(generation: 1, entities: [mug, quay]))
        == #"{"entities":[\#(first),\#(second)],"generation":1}"#)
    #expect(
      text(EntityPageDocument(generation: 1, entities: [], cursor: nil))
        == #"{"cursor":null,"entities":[],"generation":1}"#)
    #expect(
      text(EntityPageDocument(generation: 1, entities: [quay], cursor: "c"))
        == #"{"cursor":"c","entities":[\#(second)],"generation":1}"#)
    #expect(
      text(ResolvedEntitiesDocument(generation: 1, entities: [quay], missing: ["x"]))
        == #"{"entities":[\#(second)],"generation":1,"missing":["x"]}"#)
    #expect(
      text(SingleEntityDocument(generation: 1, entity: mug))
        == #"{"entity":\#(first),"generation":1}"#)
    #expect(
      text(
        ChangesDocument(
          generation: 1, state: "s", hasMore: true, upserts: [mug],
          tombstones: [.init(type: .store, id: "old")]))
        == #"{"generation":1,"hasMore":true,"state":"s","tombstones":[{"id":"old","type":"store"}],"#
        + #""upserts":[\#(first)]}"#)
    #expect(
      text(
        NeighborsDocument(
          generation: 1,
          neighbors: [
            .init(entity: mug, sharesDetails: false, cosine: 0.5),
            .init(entity: mug, sharesDetails: true, cosine: nil),
          ]))
        == #"{"generation":1,"neighbors":[{"cosine":0.5,"entity":\#(first),"sharesDetails":false},"#
        + #"{"entity":\#(first),"sharesDetails":true}]}"#)
  }

  /// Would break if the display of an entity were written in another way in a match than in a list.
  @Test(arguments: 0..<100 as Range<UInt64>)
  func `a display has the bytes that JSONEncoder gives`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let display = try Self.entity(&generator).display
    #expect(JSONWriter.bytes(of: display) == JSONBody.encoded(display))
  }
}
