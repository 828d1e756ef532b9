/// A field that has no meaning for VisualQuery but whose name is similar to that of a field that has one, such as
/// `lables`.
package struct MisspeltField: Sendable, Hashable {
  /// The name in the row.
  package let name: String
  /// The name that was probably meant.
  package let meant: String
}

extension EntityValue {
  /// The fields of the shop's own whose names are one mistake, or the case of letters, away from a field that the entity lacks
  /// and that could have such a value, in ascending order.
  ///
  /// A shop may well have fields such as `features`, so the kind of the value must be right, and names of three letters are
  /// never compared.
  package var misspeltFields: [MisspeltField] {
    let kinds = Self.fieldKinds[id.type]!
    return extra.keys.sorted().compactMap { name in
      guard let value = extra[name], kinds[name] == nil else { return nil }
      let meant = kinds.keys.sorted().first { known in
        kinds[known]!.contains(value.kind) && Self.isNear(name, known) && lacks(known)
      }
      return meant.map { MisspeltField(name: name, meant: $0) }
    }
  }

  private static func isNear(_ name: String, _ known: String) -> Bool {
    let lengths = (known.count - 1)...(known.count + 1)
    guard known.count > 3, lengths.contains(name.count),
      // A single edit leaves the first or the last character as it was.
      name.first?.lowercased() == known.first?.lowercased()
        || name.last?.lowercased() == known.last?.lowercased()
    else { return false }
    return Suggestion.editDistance(name.lowercased(), known.lowercased()) <= 1
  }

  /// Returns whether a field of this type is missing or empty.
  private func lacks(_ field: String) -> Bool {
    guard case .object(let fields) = json else { return false }
    return fields[field] == nil && extra[field] == nil
  }

  /// The kinds of values that each field of a type may have in a row (`JSONValue.kind`).
  private static let fieldKinds: [EntityType: [String: Set<String>]] = {
    let list: Set = ["a list", "a string"]
    let shared: [String: Set<String>] = [
      "subtitle": ["a string"], "synonyms": list, "localized": ["an object"], "labels": list,
      "images": list, "featured": ["true or false"], "embeddings": ["a list", "an object"],
    ]
    return [
      .product: shared.merging([
        "group": ["a string"], "attributes": ["an object"], "brand": ["a string"],
        "price": ["an object"], "availability": ["a string"],
      ]) { $1 },
      .store: shared.merging([
        "address": ["a string"], "openingHours": ["an object"], "stock": ["a list"],
      ]) { $1 },
    ]
  }()
}
