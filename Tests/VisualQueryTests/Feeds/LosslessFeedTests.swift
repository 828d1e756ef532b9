import TestSupport
import Testing

@testable import ShopBase
@testable import ShopFeeds
import VisualQuery

/// Each text of a feed is in an entity, or a report names it as left out.
@Suite struct LosslessFeedTests {
  enum Format: CaseIterable {
    case csv, tsv, json, jsonLines, rss, xml
  }

  /// The names of fields that rows have beside those of every product.
  private static let names = [
    "description", "brand", "color", "size", "material", "product_type", "category", "tags",
    "subtitle", "item_group_id", "mpn", "shipping", "custom_label_0", "sku", "care", "note",
    "weight", "labels", "collection", "supplier", "season", "gender", "age_group", "pattern",
    "condition", "vendor", "manufacturer", "type", "group", "keywords", "short_description",
    "title_de", "name_fr", "model", "article_number", "ean", "handle", "variant", "options",
    "attributes", "features", "stock_text", "delivery", "warranty", "html", "summary", "text",
    "synonyms", "unit", "google_product_category", "ios_url",
  ]

  /// A drawn feed. Each word of it is unique.
  private struct Feed {
    var columns = ["id", "title", "link", "image_link", "price"]
    var rows: [[String: String]] = []
    var words: [String] = []
    var generator: SeededGenerator

    init(seed: UInt64) {
      generator = SeededGenerator(seed: seed)
      columns += LosslessFeedTests.names.shuffled(using: &generator).prefix(
        Int.random(in: 3...12, using: &generator))
      for number in 0..<Int.random(in: 1...4, using: &generator) {
        var row = [
          "id": word(), "title": "Thing \(word())", "link": "https://s.example/\(word())",
          "image_link": "https://s.example/\(word()).jpg", "price": "\(number + 1).90 EUR",
        ]
        for column in columns.dropFirst(5) where Int.random(in: 0..<5, using: &generator) > 0 {
          row[column] = text()
        }
        rows.append(row)
      }
    }

    mutating func word() -> String {
      words.append("zq\(words.count)x")
      return words[words.count - 1]
    }

    /// True in one of two cases.
    mutating func isDrawn() -> Bool { Bool.random(using: &generator) }

    private mutating func text() -> String {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: "\(word()) \(word())"
      case 1: "\(word()), \(word())"
      case 2: "\(word()) > \(word()) > \(word())"
      case 3: "\(word())\n\(word())"
      case 4: "<b>\(word())</b> \(word())"
      case 5: "\(word())|\(word())"
      default: word()
      }
    }

    // MARK: Forms

    func table(_ separator: String) -> String {
      let lines = [columns] + rows.map { row in columns.map { row[$0] ?? "" } }
      return lines.map { line in
        line.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: separator)
      }.joined(separator: "\n")
    }

    /// Objects with nested fields.
    mutating func objects(_ change: (inout [String: JSONValue]) -> Void = { _ in }) -> [JSONValue] {
      let rows = rows
      return rows.map { row in
        var object = row.mapValues(JSONValue.string)
        if isDrawn() {
          object["more"] = .object([
            "a": .string(word()), "b": .array([.string(word()), .string(word())]),
            "c": .object(["d": .string(word())]),
          ])
        }
        if isDrawn() {
          object["specs"] = .array([
            .object(["name": .string(word()), "value": .string(word())])
          ])
        }
        change(&object)
        return .object(object)
      }
    }

    mutating func xml(_ root: String, _ item: String, _ prefix: String) -> String {
      func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
          .replacing(">", with: "&gt;")
      }
      let rows = rows
      let items = rows.map { row in
        var text = row.sorted { $0.key < $1.key }.map { name, value in
          let prefix = ["title", "link", "description"].contains(name) ? "" : prefix
          return "<\(prefix)\(name)>\(escaped(value))</\(prefix)\(name)>"
        }.joined()
        let p = prefix
        if isDrawn() {
          text +=
            "<\(p)ship><\(p)to>\(word())</\(p)to><\(p)by>\(word())</\(p)by></\(p)ship>"
        }
        if isDrawn() { text += "<\(p)more a=\"\(word())\" b=\"\(word())\"/>" }
        if isDrawn() {
          text +=
            "<\(p)detail><\(p)attribute_name>\(word())</\(p)attribute_name>"
            + "<\(p)attribute_value>\(word())</\(p)attribute_value></\(p)detail>"
        }
        if isDrawn() { text += "<\(p)mixed>\(word()) <i>\(word())</i> \(word())</\(p)mixed>" }
        if isDrawn() { text += "<\(p)tail><i>\(word())</i> \(word())</\(p)tail>" }
        if isDrawn() {
          text += "<\(p)twice>\(word())</\(p)twice><\(p)twice>\(word())</\(p)twice>"
        }
        return "<\(item)>\(text)</\(item)>"
      }
      let spaces = prefix.isEmpty ? "" : #" xmlns:g="http://base.google.com/ns/1.0""#
      let body = items.joined(separator: "\n")
      return "<\(root)\(spaces)>"
        + (root == "rss" ? "<channel><title>T</title>\(body)</channel>" : body) + "</\(root)>"
    }

    mutating func form(_ format: Format) -> (name: String, text: String) {
      switch format {
      case .csv: ("feed.csv", table(","))
      case .tsv: ("feed.tsv", table("\t"))
      case .json: ("feed.json", JSONValue.object(["products": .array(objects())]).text)
      case .jsonLines:
        (
          "feed.jsonl",
          objects { object in
            for name in ["link", "image_link", "price", "attributes", "synonyms", "labels"] {
              object[name] = nil
            }
            object["type"] = .string("product")
          }.map(\.text).joined(separator: "\n")
        )
      case .rss: ("feed.xml", xml("rss", "item", "g:"))
      case .xml: ("feed.xml", xml("products", "product", ""))
      }
    }
  }

  /// Would break if a field with a known name were read and then dropped, elements within elements were passed over, or a format
  /// took a feed of another one and left out its columns.
  @Test(arguments: Format.allCases, 0..<40 as Range<UInt64>)
  func `each text is in an entity or a report`(format: Format, seed: UInt64) throws {
    var feed = Feed(seed: seed)
    let (name, text) = feed.form(format)
    let export = try ReadExport(Array(text.utf8), name: name)
    #expect(!export.products.isEmpty || !export.warnings.isEmpty)
    let entities = export.products.map { EntityValue.product($0).json.text }
    let reports = export.warnings.map { "\($0.reason) \($0.row?.text ?? "")" }
    let kept = (entities + reports).joined(separator: "\n").lowercased()
    let lost = feed.words.filter { text.contains($0) && !kept.contains($0) }
    #expect(lost.isEmpty, "of \(text)")
  }
}
