/// The CSV of Google's Product Search: eight columns without a header, one image on each row. The
/// rows of a product follow each other.
struct ProductSearchFeed: FeedFormatReader {
  private static let columns = [
    "image-uri", "image-id", "product-set-id", "product-id", "product-category",
    "product-display-name", "labels", "bounding-poly",
  ]
  private static let targets = [
    "images", nil, "productSet", "id", "labels", "title", "labels", nil,
  ]

  let mapping = FeedMapping(format: .productSearch, fields: Array(zip(Self.columns, Self.targets)))
  private var product = ProductSearchProduct()

  init?(_ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext) {
    guard case .table(let header) = head, Self.isRow(header.columns) else { return nil }
    _ = product.add(header.columns, line: header.line)
  }

  mutating func next(from records: inout RecordReader) throws(FeedError) -> FeedRecord? {
    while let record = try records.next() {
      guard case .bytes(let bytes, let line) = record else { return .unread(record) }
      do throws(FieldError) {
        let fields = try CSVRecord.fields(bytes)
        guard fields.count == Self.columns.count else {
          throw FieldError(
            field: nil, reason: "has \(fields.count) fields; expected \(Self.columns.count)")
        }
        if let finished = product.add(fields, line: line) {
          return FeedRecord(line: finished.line, finished.object)
        }
      } catch {
        return FeedRecord(line: line, error)
      }
    }
    return product.finish().map { FeedRecord(line: $0.line, $0.object) }
  }

  /// Returns whether a first record is a row of this format, which has no header.
  private static func isRow(_ fields: [String]) -> Bool {
    guard fields.count == 8, !fields[3].isEmpty else { return false }
    let names = [".jpg", ".jpeg", ".png"]
    let image = fields[0].lowercased()
    return image.hasPrefix("gs://") || names.contains(where: image.hasSuffix)
  }
}

/// Assembles the rows of one product.
private struct ProductSearchProduct: Sendable {
  private var id = ""
  private var line = 0
  private var object: [String: JSONValue] = [:]
  private var images: [String] = []

  /// Returns the path of an image within its bucket, which a copy of the bucket shares.
  private static func path(_ uri: String) -> String {
    guard uri.hasPrefix("gs://") else { return uri }
    return String(uri.dropFirst("gs://".count).drop { $0 != "/" }.dropFirst())
  }

  /// Adds a row.
  ///
  /// - Returns: The previous product, if the row begins another one.
  mutating func add(_ fields: [String], line: Int) -> (object: JSONValue, line: Int)? {
    var finished: (JSONValue, Int)?
    if !fields[3].hasSameBytes(as: id) {
      finished = finish()
      (id, self.line) = (fields[3], line)
      let title = fields[5].isEmpty ? fields[3] : fields[5]
      object = ["type": .string("product"), "id": .string(fields[3]), "title": .string(title)]
      var labels = fields[4].isEmpty ? [] : [JSONValue.string(fields[4])]
      for pair in fields[6].split(separator: ",") {
        let parts = pair.split(separator: "=", maxSplits: 1).map(\.trimmed)
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

  /// Returns the last product.
  mutating func finish() -> (object: JSONValue, line: Int)? {
    guard !id.isEmpty else { return nil }
    object["images"] = images.isEmpty ? nil : .array(images.map(JSONValue.string))
    defer { (id, object, images) = ("", [:], []) }
    return (.object(object), line)
  }
}
