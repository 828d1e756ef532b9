extension EntityValue {
  /// Returns the entity as names and strings, the form for language models: `type`, `id`,
  /// `title`, `subtitle` and its properties, nothing nested, every value a string.
  ///
  /// - Parameter locale: As in ``displayRepresentation(for:)``.
  package func flatStrings(for locale: String? = nil) -> [String: String] {
    flatStrings(of: json, for: locale)
  }

  /// Returns a part of the entity's JSON form as names and strings.
  package func flatStrings(of part: JSONValue, for locale: String?) -> [String: String] {
    guard case .object(let fields) = part else { return [:] }
    var flat: [String: String] = [:]
    // A field of the shop's own has precedence over an attribute of the same name, as in filters.
    for own in ["attributes", "extra"] {
      guard case .object(let values)? = fields[own] else { continue }
      for (name, value) in values where fields[name] == nil { flat[name] = value.flatText }
    }
    for (name, value) in fields {
      switch (name, value) {
      case ("localized", _), ("images", _), ("featured", _), ("extra", _), ("attributes", _):
        continue
      case ("price", .object(let price)):
        flat[name] = ["amount", "currency"].compactMap { price[$0]?.flatText }
          .joined(separator: " ")
      case ("geo", .object(let geo)):
        flat[name] = ["latitude", "longitude"].compactMap { geo[$0]?.flatText }
          .joined(separator: ", ")
      default: flat[name] = value.flatText
      }
    }
    let display = displayRepresentation(for: locale)
    flat["title"] = display.title
    flat["subtitle"] = display.subtitle
    return flat
  }

  /// Returns the texts of the entity, by their names, as one JSON object with the names in ascending order.
  public func flatJSON(for locale: String? = nil) -> String {
    JSONValue.object(flatStrings(for: locale).mapValues(JSONValue.string)).text
  }
}

extension JSONValue {
  /// Returns the value as a string: a list separated by commas, an object as JSON, `nil` if it is
  /// empty.
  fileprivate var flatText: String? {
    switch self {
    case .null: nil
    case .bool(let value): value ? "true" : "false"
    case .integer, .number, .object: text
    case .string(let text): text
    case .array(let values): values.compactMap(\.flatText).joined(separator: ", ")
    }
  }
}
