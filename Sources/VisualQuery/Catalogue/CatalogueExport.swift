internal import PixelMatch

/// Writes a catalogue as JSON Lines.
struct CatalogueExport {
  static let schema = "vq.export/1"

  private let database: CatalogueDatabase
  private let directory: String

  init(_ database: CatalogueDatabase, directory: String) {
    self.database = database
    self.directory = directory
  }

  func write(_ line: (String) throws -> Void) throws {
    try line(header().text)
    var segments: [Int: SignatureSegment] = [:]
    for record in try database.segments() {
      segments[record.id] = try Catalogue.open(record, in: directory)
    }
    var keys: [(key: UInt32, id: EntityID)] = []
    try database.forEachEntity { key, type, id, _ throws(CatalogueError) in
      guard let type = EntityType(rawValue: type) else { return }
      keys.append((key, EntityID(type: type, value: id)))
    }
    for (_, id) in keys {
      try Task.checkCancellation()
      guard let existing = try database.existing(id),
        let entity = JSONValue(text: Array(existing.json.utf8))
      else { continue }
      let images = try existing.images.map { image in
        guard let segment = segments[image.segment], image.row < segment.count else {
          throw CatalogueError(
            code: .corrupt, message: "\(id) refers to a signature that is not there; index it again"
          )
        }
        return JSONValue.object([
          "position": .integer(Int64(image.position)), "path": .string(image.path),
          "byteCount": .integer(Int64(image.byteCount)),
          "modified": .integer(Int64(image.modified)),
          "contentHash": .integer(Int64(image.contentHash)),
          "signature": .string(Base64URL.encoded(segment.signature(at: image.row).encoded)),
        ])
      }
      try line(JSONValue.object(["entity": entity, "images": .array(images)]).text)
    }
  }

  private func header() throws(CatalogueError) -> JSONValue {
    .object([
      "schema": .string(Self.schema), "signatureVersion": .integer(Int64(Signature.version)),
      "settings": .object(try database.settings().mapValues(JSONValue.string)),
      "bridge": .object(
        try database.bridgeTargets().mapValues { .array($0.map(JSONValue.string)) }),
    ])
  }
}

/// Reads what ``CatalogueExport`` wrote.
struct ExportReader: ~Copyable {
  /// A line has the signatures of all pictures of an entity, some 10 KB each.
  private static let lineLimit = 64 << 20

  let settings: ShopSettings
  private var records: RecordReader

  init(path: String) throws(CatalogueError) {
    var records = try RecordReader(path: path, recordLimit: Self.lineLimit)
    guard case .bytes(let bytes, _)? = try records.next(),
      case .object(let header)? = JSONValue(text: bytes),
      header["schema"] == .string(CatalogueExport.schema)
    else {
      throw CatalogueError(
        code: .unreadableInput, message: "'\(path)' does not begin as an export does")
    }
    guard header["signatureVersion"] == .integer(Int64(Signature.version)) else {
      throw CatalogueError(
        code: .otherSignatureVersion,
        message: "'\(path)' has signatures of another version; index the pictures instead")
    }
    settings = try Self.settings(header, path)
    self.records = records
  }

  private static func settings(
    _ header: [String: JSONValue], _ path: String
  ) throws(CatalogueError) -> ShopSettings {
    var values: [String: String] = [:]
    if case .object(let given)? = header["settings"] {
      for case (let name, .string(let value)) in given { values[name] = value }
    }
    var targets: [String: Set<String>] = [:]
    if case .object(let given)? = header["bridge"] {
      for case (let label, .array(let labels)) in given {
        targets[label] = Set(
          labels.compactMap { if case .string(let text) = $0 { text } else { nil } })
      }
    }
    return ShopSettings(
      links: try Catalogue.links(values, path), bridge: LabelBridge(targets: targets))
  }

  /// The next entity with its signatures, or `nil` at the end.
  mutating func next(
    existing: (EntityID) throws(CatalogueError) -> CatalogueDatabase.Existing?
  ) throws(CatalogueError) -> SignedEntity? {
    guard let record = try records.next() else { return nil }
    guard case .bytes(let bytes, let line) = record else { throw Self.wrong(record) }
    do {
      guard case .object(let fields)? = JSONValue(text: bytes), let json = fields["entity"],
        case .array(let images)? = fields["images"]
      else { throw Self.wrong(record) }
      let value = try EntityValue(json: json)
      return SignedEntity(
        value: value, images: try images.map { try Self.image($0, record) }, refused: [],
        existing: try existing(value.id), isWhole: true)
    } catch let error as CatalogueError {
      throw error
    } catch {
      throw CatalogueError(code: .unreadableInput, message: "line \(line): \(error)")
    }
  }

  private static func image(
    _ json: JSONValue, _ record: RecordReader.Record
  ) throws -> SignedEntity.Image {
    guard case .object(let fields) = json, case .integer(let position)? = fields["position"],
      case .string(let path)? = fields["path"], case .integer(let byteCount)? = fields["byteCount"],
      case .integer(let modified)? = fields["modified"],
      case .integer(let hash)? = fields["contentHash"],
      case .string(let text)? = fields["signature"], let bytes = Base64URL.decoded(text)
    else { throw wrong(record) }
    return SignedEntity.Image(
      position: Int(position), path: path, byteCount: Int(byteCount), modified: Int(modified),
      contentHash: Int(hash), signature: try Signature(encoded: bytes), former: nil)
  }

  private static func wrong(_ record: RecordReader.Record) -> CatalogueError {
    let line =
      switch record {
      case .bytes(_, let line), .tooLong(let line): line
      }
    return CatalogueError(
      code: .unreadableInput, message: "line \(line) is none of an export's")
  }
}
