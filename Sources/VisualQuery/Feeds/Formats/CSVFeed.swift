/// A table with a column for each field of the native JSON form.
///
/// Nested fields are `price.amount`, `price.currency`, `geo.latitude` and `geo.longitude`; `labels`,
/// `images`, `stock`, `synonyms` and `openingHours` are lists whose parts are separated by `|`; `featured`
/// is `true` or `false`; a `price` may be written `14.90 EUR`. An empty field counts as absent.
struct CSVFeed: FeedFormatReader {
  private static let required = ["type", "id", "title"]
  private static let lists: Set<String> = [
    "labels", "images", "stock", "synonyms", "openingHours",
  ]
  private static let numbers: Set<String> = ["geo.latitude", "geo.longitude"]

  let mapping: FeedMapping
  private let header: TableHeader

  init?(_ head: FeedHead, _ records: inout RecordReader, currency: String?) throws(CatalogueError) {
    guard case .table(let header) = head else { return nil }
    for name in Self.required where !header.columns.contains(name) {
      throw TableHeader.unreadable(
        records.name,
        FieldError(
          field: name,
          reason: "is missing among the columns \(header.columns.joined(separator: ", "))"))
    }
    self.header = header
    mapping = FeedMapping(format: .csv, fields: header.columns.map { ($0, $0) })
  }

  mutating func next(from records: inout RecordReader) throws(CatalogueError) -> FeedRecord? {
    switch try records.next() {
    case nil: return nil
    case .tooLong(let line): return .tooLong(line: line)
    case .bytes(let bytes, let line):
      let header = header
      return FeedRecord(line: line, bytes: bytes) { () throws(FieldError) in
        try Self.object(header.namedFields(bytes))
      }
    }
  }

  private static func object(
    _ fields: [(name: String, text: String)]
  ) throws(FieldError) -> JSONValue {
    var object: [String: JSONValue] = [:]
    for (column, text) in fields where !text.isEmpty {
      let value = try value(text, column)
      let parts = column.split(separator: ".", maxSplits: 1).map(String.init)
      if parts.count == 2, ["price", "geo"].contains(parts[0]) {
        var nested: [String: JSONValue] = [:]
        if case .object(let fields)? = object[parts[0]] { nested = fields }
        nested[parts[1]] = value
        object[parts[0]] = .object(nested)
      } else {
        object[column] = value
      }
    }
    return .object(object)
  }

  private static func value(_ text: String, _ column: String) throws(FieldError) -> JSONValue {
    if lists.contains(column) {
      return .array(
        text.split(separator: "|").map { FeedText.trimmed(String($0)) }.filter { !$0.isEmpty }.map(
          JSONValue.string))
    }
    if numbers.contains(column) {
      guard let number = Double(text), number.isFinite else {
        throw FieldError(field: column, reason: "is '\(text)'; expected a number")
      }
      return .number(number)
    }
    if column == "featured" {
      guard let value = Bool(text) else {
        throw FieldError(field: column, reason: "is '\(text)'; expected true or false")
      }
      return .bool(value)
    }
    if column == "price" {
      let parts = text.split(separator: " ").map(String.init)
      guard parts.count == 2 else {
        throw FieldError(field: "price", reason: "is '\(text)'; expected for example 14.90 EUR")
      }
      return .object(["amount": .string(parts[0]), "currency": .string(parts[1])])
    }
    return .string(text)
  }
}
