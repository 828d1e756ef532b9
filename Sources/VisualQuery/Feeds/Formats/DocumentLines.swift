/// Lines of JSON that are documents of a system: of the bulk format and the dumps of Elasticsearch and OpenSearch, or of Sanity.
struct DocumentLines: Sendable {
  /// A line.
  enum Line {
    /// It says what happens to the document in the next line, with the id of that.
    case action(id: String?)
    case document(JSONValue)
    /// It is no product.
    case other(reason: String)
    /// It is not a line of this form, which is read like that of any feed.
    case unknown
  }

  private let isBulk: Bool
  /// True if the lines are stores, such as features of GeoJSON.
  let areStores: Bool
  /// True if a type among those of the first lines has the name of products. Then documents of other types are left out.
  private let hasProductType: Bool

  /// Recognizes the form by the beginning of a feed. Returns `nil` if it is another one.
  init?(_ start: ArraySlice<UInt8>) {
    let lines = start.split { $0 == 0x0A || $0 == 0x0D }
    guard let first = lines.first.flatMap(Self.object) else { return nil }
    isBulk = Self.action(first) != nil
    let sample = lines.prefix(50).compactMap(Self.object).map(JSONValue.object)
    areStores = Self.action(first) == nil && StoreRecord.areStores(sample)
    let isDump =
      areStores || first["_source"] != nil || first["_id"] != nil && first["_type"] != nil
    guard isBulk || isDump else { return nil }
    hasProductType = lines.contains { line in
      Self.object(line).flatMap { ContentDocuments.type(of: .object($0)) }
        .map(ContentDocuments.isProductType) ?? false
    }
  }

  private static func object(_ bytes: ArraySlice<UInt8>) -> [String: JSONValue]? {
    guard
      case .object(let fields)? = try? JSONValue(
        json: Array(bytes), limits: .line, shouldStop: { false })
    else { return nil }
    return fields
  }

  /// Returns the name and the id of an action such as `{"index": {"_id": "1"}}`, or `nil` if an object is something else.
  private static func action(_ fields: [String: JSONValue]) -> (name: String, id: String?)? {
    guard fields.count == 1, let (name, value) = fields.first,
      ["index", "create", "update", "delete"].contains(name), case .object(let target) = value,
      target.keys.allSatisfy({
        $0.hasPrefix("_") || ["routing", "version", "pipeline"].contains($0)
      })
    else { return nil }
    return (name, target["_id"].flatMap { JSONFields.texts(in: $0).first })
  }

  /// Reads a line.
  ///
  /// - Parameter id: The id that the line before has for it.
  func line(_ bytes: [UInt8], id: String?) -> Line {
    guard var fields = Self.object(bytes[...]) else { return .unknown }
    if isBulk {
      if let (name, id) = Self.action(fields) {
        return name == "delete" ? .other(reason: "deletions of the bulk format") : .action(id: id)
      }
      if case .object(let inner)? = fields["doc"] ?? fields["upsert"] { fields = inner }
      if fields["id"] == nil { fields["id"] = id.map(JSONValue.string) }
    }
    if let type = ContentDocuments.type(of: .object(fields)), fields["_source"] == nil {
      let isSystem = type.hasPrefix("sanity.") || type.hasPrefix("system.")
      if isSystem || hasProductType && !ContentDocuments.isProductType(type) {
        return .other(reason: "documents of the type '\(type.prefix(40))'")
      }
    }
    return .document(
      areStores
        ? .object(fields)
        : ContentDocuments.withoutType(JSONShopObjects.usual(.object(fields))))
  }
}
