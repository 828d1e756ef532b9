/// Puts the rows of a Product Search CSV together: those of one product follow each other.
struct ProductSearchRows {
  /// The columns, which have no header there.
  static let columns = [
    "image-uri", "image-id", "product-set-id", "product-id", "product-category",
    "product-display-name", "labels", "bounding-poly",
  ]

  private var id = ""
  private var line = 0
  private var object: [String: JSONValue] = [:]
  private var images: [String] = []

  /// Whether a row without a header is one of these.
  static func isRow(_ fields: [String]) -> Bool {
    guard fields.count == 8, !fields[3].isEmpty else { return false }
    let names = [".jpg", ".jpeg", ".png"]
    let image = fields[0].lowercased()
    return image.hasPrefix("gs://") || names.contains(where: image.hasSuffix)
  }

  /// A picture in a bucket by its path there, as a copy of the bucket has it.
  private static func path(_ uri: String) -> String {
    guard uri.hasPrefix("gs://") else { return uri }
    return String(uri.dropFirst("gs://".count).drop { $0 != "/" }.dropFirst())
  }

  mutating func take(_ fields: [String], line: Int) -> (object: JSONValue, line: Int)? {
    var finished: (JSONValue, Int)?
    if !fields[3].hasSameBytes(as: id) {
      finished = finish()
      (id, self.line) = (fields[3], line)
      let title = fields[5].isEmpty ? fields[3] : fields[5]
      object = ["type": .string("product"), "id": .string(fields[3]), "title": .string(title)]
      var labels = fields[4].isEmpty ? [] : [JSONValue.string(fields[4])]
      for pair in fields[6].split(separator: ",") {
        let parts = pair.split(separator: "=", maxSplits: 1).map { FeedRows.trimmed(String($0)) }
        if parts.count == 2 {
          object[parts[0]] = object[parts[0]] ?? .string(parts[1])
          labels.append(.string(parts[1]))
        }
      }
      object["labels"] = labels.isEmpty ? nil : .array(labels)
      if !fields[2].isEmpty { object["productSet"] = .string(fields[2]) }
    }
    if !fields[0].isEmpty { images.append(Self.path(fields[0])) }
    return finished
  }

  mutating func finish() -> (object: JSONValue, line: Int)? {
    guard !id.isEmpty else { return nil }
    object["images"] = images.isEmpty ? nil : .array(images.map(JSONValue.string))
    defer { (id, object, images) = ("", [:], []) }
    return (.object(object), line)
  }
}
