/// A relation between products that the shop's feed brings.
package enum EntityRelation: String, Sendable, Hashable, CaseIterable {
  /// Products that go with a product, or are bought with it.
  case bought
  /// Products that complete the look of a product.
  case look

  /// The names of the fields that contain it, in lower case and with letters only. The first field that a feed has
  /// counts.
  var fieldNames: [String] {
    switch self {
    case .bought:
      [
        "boughttogether", "frequentlyboughttogether", "alsobought", "goeswith", "crosssell",
        "crosssells", "crosssellids", "crosssellskus", "crosssellproducts", "accessories",
        "related", "relatedproducts", "relatedids", "relatedskus", "relatedproductids",
      ]
    case .look:
      ["completethelook", "look", "shopthelook", "outfit", "wearwith", "stylewith"]
    }
  }

  /// The most ids that are read of one entity.
  static let limit = 1000

  /// Returns the ids that the fields of an entity name, in their order, each once. A field is a list of ids, or a text with ids between
  /// commas, semicolons, bars or ends of lines; `id:` before an id, as WooCommerce writes it, is left out, and so is `product:`.
  package func ids(of value: EntityValue) -> [String] {
    guard case .product(let product) = value else { return [] }
    var byName: [String: [JSONValue]] = [:]
    for (name, field) in product.extra.sorted(by: { $0.key < $1.key }) {
      byName[name.lowercased().filter(\.isLetter), default: []].append(field)
    }
    var ids: [String] = []
    var seen: Set<String> = [product.id]
    func add(_ field: JSONValue) {
      switch field {
      case .string(let text):
        for part in text.split(whereSeparator: { ",;|\n\r".contains($0) }) {
          var id = part.trimmed
          for prefix in ["id:", "product:"] where id.hasPrefix(prefix) {
            id = id.dropFirst(prefix.count).trimmed
          }
          if !id.isEmpty, ids.count < Self.limit, seen.insert(id).inserted { ids.append(id) }
        }
      case .integer(let number): add(.string(String(number)))
      case .array(let elements): for element in elements { add(element) }
      case .object(let object):
        if let id = object["id"] ?? object["sku"] { add(id) }
      case .null, .bool, .number: break
      }
    }
    for name in fieldNames { for field in byName[name] ?? [] { add(field) } }
    return ids
  }
}
