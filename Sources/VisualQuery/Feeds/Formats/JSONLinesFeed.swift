/// One object on each line: in the native form, or a node of schema.org.
struct JSONLinesFeed: FeedFormatReader {
  let mapping = FeedMapping(format: .jsonLines)

  init?(_ head: FeedHead, _ records: inout RecordReader, currency: String?) {}

  mutating func next(from records: inout RecordReader) throws(CatalogueError) -> FeedRecord? {
    switch try records.next() {
    case nil: nil
    case .tooLong(let line): .tooLong(line: line)
    case .bytes(let bytes, let line):
      FeedRecord(line: line, bytes: bytes) { () throws(FieldError) in try Self.object(bytes) }
    }
  }

  private static func object(_ bytes: [UInt8]) throws(FieldError) -> JSONValue {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue(json: bytes, limits: .line, shouldStop: { false })
    } catch {
      throw FieldError(field: nil, reason: error.message)
    }
    return SchemaOrgFeed.isNode(json) ? try SchemaOrgFeed.object(json) : json
  }
}
