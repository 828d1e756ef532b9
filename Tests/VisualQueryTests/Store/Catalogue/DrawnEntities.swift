@testable import ShopModel
import TestSupport

@testable import ShopStore
import VisualQuery

/// A catalogue of entities without pictures, whose properties are drawn at random.
struct DrawnEntities {
  let folder: TemporaryDirectory
  let catalogue: Catalogue

  /// Texts that differ in case, diacritics, length and in what they are as numbers.
  static let texts = [
    "", "a", "A", "ä", "Ab", "abc", "Straße", "STRASSE", "12", "12cm", "-3.5", " 7", "1e2x", "Mug",
    "mug red", "Über", "zz", "ﬁn", "née", "日本", "😀x",
  ]

  init(count: Int, seed: UInt64, readers: Int = 2) async throws {
    var random = SeededGenerator(seed: seed)
    var rows: [String] = []
    for number in 0..<count { rows.append(Self.row(number, &random).text) }
    folder = try TemporaryDirectory()
    let path = try folder.write(rows.joined(separator: "\n"), to: "c.jsonl")
    _ = try await Indexer(directory: folder.path + "/i.vq").run(path: path)
    catalogue = try Catalogue(directory: folder.path + "/i.vq", readers: readers)
  }

  /// All entities, in the order of the catalogue.
  func all() async throws -> [EntityValue] {
    var all: [EntityValue] = []
    for try await page in EntityLookup(catalogue: catalogue).allEntities() { all += page }
    return all
  }

  private static func row(_ number: Int, _ random: inout SeededGenerator) -> JSONValue {
    func text() -> JSONValue { .string(texts.randomElement(using: &random)!) }
    func list() -> JSONValue {
      .array((0..<Int.random(in: 0..<4, using: &random)).map { _ in text() })
    }
    func chance() -> Bool { Int.random(in: 0..<3, using: &random) > 0 }
    let isStore = number % 5 == 4
    let title = texts.dropFirst().randomElement(using: &random)!
    var row: [String: JSONValue] = [
      "type": .string(isStore ? "store" : "product"), "id": .string("\(number % 40)-\(number)"),
      "title": .string(title),
    ]
    if chance() { row["subtitle"] = text() }
    if chance() { row["labels"] = list() }
    if chance() { row["synonyms"] = list() }
    if chance() { row["size"] = text() }
    if chance() {
      row["weight"] = [
        .integer(Int64.random(in: -3...12, using: &random)), .number(2.5), .bool(true), .null,
        text(),
        .array([.integer(1), .string("a")]), .object(["a": .number(0.5)]),
      ].randomElement(using: &random)!
    }
    if isStore {
      if chance() { row["address"] = text() }
      if chance() { row["stock"] = list() }
      if chance() {
        row["geo"] = .object(["latitude": .number(12), "longitude": .number(-3.25)])
      }
    } else {
      if chance() { row["brand"] = text() }
      if chance() { row["group"] = text() }
      if chance() { row["featured"] = .bool(Bool.random(using: &random)) }
      if chance() {
        row["availability"] = .string(Bool.random(using: &random) ? "inStock" : "outOfStock")
      }
      if chance() {
        let amount = ["12", "14.90", "0", "3.5"].randomElement(using: &random)!
        row["price"] = .object(["amount": .string(amount), "currency": .string("EUR")])
      }
    }
    return .object(row)
  }
}
