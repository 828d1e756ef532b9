internal import PixelMatch

/// Rows of any format as objects of our own JSON form.
struct FormatRows: ~Copyable {
  /// A row, or what is wrong with it, and its line.
  typealias Row = (result: Result<JSONValue, FieldError>, line: Int)

  private enum Source {
    case jsonLines
    case table(CSVRows)
    case merchant(columns: [String], isTabbed: Bool)
    case merchantXML
    case shopify(columns: [String], isTabbed: Bool, ShopifyRows)
    case productSearch(ProductSearchRows)
    case ready
  }

  let mapping: CatalogueMapping
  /// That of the last record's bytes, where a record is a row; with `seed` for all that besides them
  /// decides what the row comes to.
  private(set) var rowHash: Int?
  var seed: [UInt8] = []
  /// Bytes of the rows so far.
  var consumedByteCount: Int { records.consumedByteCount }
  private var records: RecordReader
  private var source: Source
  /// Rows that are made already, the next one last.
  private var ready: [Row] = []
  private let currency: String?

  init(path: String, currency: String?) throws(CatalogueError) {
    let isFolder = path != "-" && FileStatus(path)?.isDirectory == true
    var records = try RecordReader(path: isFolder ? "/dev/null" : path)
    let opened = isFolder ? try Self.folder(path) : try Self.opened(&records, path)
    (mapping, source, ready) = opened
    self.currency = currency
    self.records = records
  }

  private static func folder(
    _ path: String
  ) throws(CatalogueError) -> (CatalogueMapping, Source, [Row]) {
    let fields = [("file name", "id"), ("picture", "images")].map {
      CatalogueMapping.Field(name: $0.0, target: $0.1)
    }
    let rows = pictureNames(in: path).enumerated().map { number, name in
      picture(name, number: number + 1)
    }
    if rows.isEmpty {
      throw CatalogueError(
        code: .unreadableInput, message: "the folder '\(path)' holds no JPEG or PNG")
    }
    return (CatalogueMapping(format: .folder, fields: fields), .ready, rows.reversed())
  }

  /// What a file is, by its first bytes.
  private static func opened(
    _ records: inout RecordReader, _ path: String
  ) throws(CatalogueError) -> (CatalogueMapping, Source, [Row]) {
    let start = try records.beginning()
    switch try records.peek() {
    case nil: return (CatalogueMapping(format: .jsonLines, fields: []), .jsonLines, [])
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if isDocument(start) {
        return (schemaOrg, .ready, try nodes(of: try records.rest(), path).reversed())
      }
      return (CatalogueMapping(format: .jsonLines, fields: []), .jsonLines, [])
    case UInt8(ascii: "<"):
      let fields = FeedColumns.merchant.sorted { $0.key < $1.key }.map {
        CatalogueMapping.Field(name: $0.key, target: $0.value)
      }
      return (CatalogueMapping(format: .merchant, fields: fields), .merchantXML, [])
    default: return try table(&records, path)
    }
  }

  // MARK: What it is

  /// Whether JSON is one document, not an object a line, and has schema.org's words.
  private static func isDocument(_ start: ArraySlice<UInt8>) -> Bool {
    let text = String(decoding: start.prefix(1 << 16), as: UTF8.self)
    guard text.contains("\"@type\"") || text.contains("\"@graph\"") else { return false }
    // An object that ends with its line is one of many.
    let line = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }.prefix { !$0.isNewline }
    return line.first == "[" || line.contains("@graph") || !isJSON(line)
  }

  /// Whether a line is JSON, even if it exceeds the limits of a row.
  private static func isJSON(_ line: Substring) -> Bool {
    do throws(JSONError) {
      _ = try JSONValue(json: Array(line.utf8), limits: .line, shouldStop: { false })
      return true
    } catch {
      return ![.invalid, .truncated, .notUTF8].contains(error.code)
    }
  }

  private static let schemaOrg = CatalogueMapping(
    format: .schemaOrg,
    fields: [
      ("sku, productID, gtin, branchCode, @id", "id"), ("name", "title"), ("image", "images"),
      ("category, color, keywords", "labels"), ("offers", "price"), ("brand", "brand"),
    ].map { CatalogueMapping.Field(name: $0.0, target: $0.1) })

  private static func nodes(of bytes: [UInt8], _ path: String) throws(CatalogueError) -> [Row] {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue(json: bytes, limits: .document)
    } catch {
      // A cancelled run publishes what it has and then throws `CancellationError`.
      if error.code == .cancelled { return [] }
      throw CatalogueError(code: .unreadableInput, message: "'\(path)' \(error.message)")
    }
    return SchemaOrgNodes.nodes(in: json).enumerated().map { number, node in
      (Result { () throws(FieldError) in try SchemaOrgNodes.object(node) }, number + 1)
    }
  }

  /// The pictures of a folder and of those in it, by name; what is hidden and indexes are passed over,
  /// and links that lead back.
  private static func pictureNames(in path: String, above: Set<UInt64> = []) -> [String] {
    guard let folder = FileStatus(path), folder.isDirectory, !above.contains(folder.inode) else {
      return []
    }
    return DurableFile.names(in: path).flatMap { name in
      let end = name.split(separator: ".").last?.lowercased() ?? ""
      if name.hasPrefix(".") || end == "vq" { return [String]() }
      if ["jpg", "jpeg", "png"].contains(end) && name.count > end.count + 1 { return [name] }
      return pictureNames(in: path + "/" + name, above: above.union([folder.inode]))
        .map { name + "/" + $0 }
    }
  }

  private static func picture(_ name: String, number: Int) -> Row {
    let stem = name[..<(name.lastIndex(of: ".") ?? name.endIndex)]
    let title = (stem.split(separator: "/").last ?? stem).map { $0 == "-" || $0 == "_" ? " " : $0 }
    return (
      .success(
        .object([
          "type": .string("product"), "id": .string(String(stem)), "title": .string(String(title)),
          "images": .array([.string(name)]),
        ])), number
    )
  }

  /// A table by its header.
  private static func table(
    _ records: inout RecordReader, _ path: String
  ) throws(CatalogueError) -> (CatalogueMapping, Source, [Row]) {
    let start = try records.beginning()
    let isTabbed = start.prefix { $0 != 0x0A }.contains(0x09)
    records.hasQuotes = !isTabbed
    guard case .bytes(let header, let line)? = try records.next() else {
      throw CatalogueError(
        code: .unreadableInput, message: "'\(path)' begins with a line beyond the limit")
    }
    do throws(FieldError) {
      let columns = try isTabbed ? CSVRows.tabbedFields(header) : CSVRows.fields(header)
      if ProductSearchRows.isRow(columns) {
        var rows = ProductSearchRows()
        _ = rows.take(columns, line: line)
        return (
          FeedColumns.productSearchMapping, .productSearch(rows), []
        )
      }
      let format = FeedColumns.format(of: columns)
      let mapping = FeedColumns.mapping(columns, format ?? .csv)
      switch format {
      case .merchant: return (mapping, .merchant(columns: columns, isTabbed: isTabbed), [])
      case .shopify:
        return (mapping, .shopify(columns: columns, isTabbed: isTabbed, ShopifyRows()), [])
      default: return (mapping, .table(try CSVRows(columns: columns)), [])
      }
    } catch {
      throw CatalogueError(
        code: .unreadableInput,
        message: """
          '\(path)' is neither JSON Lines, whose rows begin with {, nor CSV: \
          \(error.field.map { "column '\($0)'" } ?? "the header") \(error.reason); feeds of Google \
          Merchant, Shopify and schema.org are known by their columns
          """)
    }
  }

  // MARK: Rows

  /// What comes next.
  enum Next {
    case row(Row)
    /// A record that need not be parsed.
    case known(line: Int)
  }

  /// The next row, or `nil` at the end.
  ///
  /// - Parameter isKnown: Whether a record of this hash need not be parsed.
  mutating func next(
    unless isKnown: (_ hash: Int) throws(CatalogueError) -> Bool
  ) throws(CatalogueError) -> Next? {
    while true {
      rowHash = nil
      if let row = ready.popLast() { return .row(row) }
      guard let record = try nextRecord() else {
        return finish().map { .row((.success($0.object), $0.line)) }
      }
      switch record {
      case .tooLong(let line):
        let reason = "has more than \(RecordReader.recordLimit) bytes, which is the limit"
        return .row((.failure(FieldError(field: nil, reason: reason)), line))
      case .bytes(let bytes, let line):
        if isRecordARow {
          let hash = Int(bitPattern: UInt(ContentHash.of(bytes + seed)))
          rowHash = hash
          if try isKnown(hash) { return .known(line: line) }
        }
        do throws(FieldError) {
          if let row = try take(bytes, line) { return .row(row) }
        } catch {
          return .row((.failure(error), line))
        }
      }
    }
  }

  /// Whether a record says all of an entity; else several do together.
  private var isRecordARow: Bool {
    switch source {
    case .jsonLines, .table, .merchant, .merchantXML: true
    case .shopify, .productSearch, .ready: false
    }
  }

  private mutating func nextRecord() throws(CatalogueError) -> RecordReader.Record? {
    switch source {
    case .ready: return nil
    case .merchantXML: return try records.nextElement(MerchantXML.tags)
    default: return try records.next()
    }
  }

  /// What a record gives at once, or completes.
  private mutating func take(_ bytes: [UInt8], _ line: Int) throws(FieldError) -> Row? {
    switch source {
    case .jsonLines: return (.success(try Self.object(bytes)), line)
    case .table(let csv): return (.success(try csv.object(CSVRows.fields(bytes))), line)
    case .merchant(let columns, let isTabbed):
      let fields = try Self.named(bytes, columns, isTabbed).map {
        (FeedColumns.normalized($0.name), $0.text)
      }
      return (.success(try FeedRows.merchant(fields)), line)
    case .merchantXML:
      return (.success(try FeedRows.merchant(MerchantXML.fields(bytes))), line)
    case .shopify(let columns, let isTabbed, var rows):
      let finished = rows.take(try Self.named(bytes, columns, isTabbed), line: line)
      source = .shopify(columns: columns, isTabbed: isTabbed, rows)
      return finished.map { (.success(priced($0.object)), $0.line) }
    case .productSearch(var rows):
      let fields = try CSVRows.fields(bytes)
      guard fields.count == ProductSearchRows.columns.count else {
        throw FieldError(
          field: nil,
          reason: "has \(fields.count) fields; \(ProductSearchRows.columns.count) are needed")
      }
      let finished = rows.take(fields, line: line)
      source = .productSearch(rows)
      return finished.map { (.success($0.object), $0.line) }
    case .ready: return nil
    }
  }

  /// The entity that only the end completes.
  private mutating func finish() -> (object: JSONValue, line: Int)? {
    switch source {
    case .shopify(let columns, let isTabbed, var rows):
      let last = rows.finish()
      source = .shopify(columns: columns, isTabbed: isTabbed, rows)
      return last.map { (priced($0.object), $0.line) }
    case .productSearch(var rows):
      let last = rows.finish()
      source = .productSearch(rows)
      return last
    default: return nil
    }
  }

  /// A price that names no currency, with the one that was given for all.
  private func priced(_ json: JSONValue) -> JSONValue {
    guard let currency, case .object(var object) = json,
      case .string(let amount)? = object["variantPrice"]
    else { return json }
    object["variantPrice"] = nil
    object["price"] = .object(["amount": .string(amount), "currency": .string(currency)])
    return .object(object)
  }

  private static func named(
    _ bytes: [UInt8], _ columns: [String], _ isTabbed: Bool
  ) throws(FieldError) -> [(name: String, text: String)] {
    let fields = try isTabbed ? CSVRows.tabbedFields(bytes) : CSVRows.fields(bytes)
    guard fields.count == columns.count else {
      throw FieldError(
        field: nil, reason: "has \(fields.count) fields; the header names \(columns.count)")
    }
    return zip(columns, fields).map { ($0, $1) }
  }

  private static func object(_ bytes: [UInt8]) throws(FieldError) -> JSONValue {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue(json: bytes, limits: .line, shouldStop: { false })
    } catch {
      throw FieldError(field: nil, reason: error.message)
    }
    return SchemaOrgNodes.isNode(json) ? try SchemaOrgNodes.object(json) : json
  }
}
