extension EntityValue {
  /// The names of fields that say what a thing is, without separators.
  private static let kindFields: Set<String> = [
    "producttype", "googleproductcategory", "googlecategory", "category", "productcategory",
  ]

  /// The kinds of thing that the entity is said to be: its product types and categories, otherwise its labels.
  package var kinds: Set<String> {
    var kinds: Set<String> = []
    for (name, value) in extra
    where Self.kindFields.contains(name.lowercased().filter { $0.isLetter }) {
      let texts: [JSONValue] = if case .array(let list) = value { list } else { [value] }
      for case .string(let text) in texts where !text.isEmpty { kinds.insert(text.lowercased()) }
    }
    return kinds.isEmpty ? Set(labels.map(LabelText.normalized)) : kinds
  }
}
