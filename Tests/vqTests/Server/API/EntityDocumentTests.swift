import TestSupport
import Testing

import VisualQuery
@testable import vq

/// The documents that write their own JSON.
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

  /// Would break if a field were left out, misspelled, misplaced or written in another way than before.
  @Test(arguments: 0..<100 as Range<UInt64>)
  func `documents of entities have the bytes that JSONEncoder gives`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let entities = try (0..<Int.random(in: 0...4, using: &generator)).map { _ in
      try Self.entity(&generator)
    }
    let ids = Self.texts(&generator)
    let documents: [any JSONWritable & Encodable] = [
      EntityListDocument(generation: 7, entities: entities),
      EntityPageDocument(generation: 8, entities: entities, cursor: Self.text(&generator)),
      ResolvedEntitiesDocument(generation: 9, entities: entities, missing: ids),
      SingleEntityDocument(generation: 10, entity: try Self.entity(&generator)),
      ChangesDocument(
        generation: 11, state: generator.drawnText(), hasMore: Bool.random(using: &generator),
        upserts: entities, tombstones: ids.map { .init(type: .store, id: $0) }),
    ]
    for document in documents {
      #expect(JSONBody.encoded(document) == JSONBody.encodedByFoundation(document))
    }
  }
}
