internal import PixelMatch

/// Reads the output of ``CatalogueExport``.
struct ExportReader: ~Copyable {
  let settings: ShopSettings
  /// The feeds of the exported entities.
  let feeds: [Feed]
  /// The number of entities that were exported, or `nil` in an export of an earlier version.
  private let entityCount: Int?
  private var records: WrittenLines
  /// The ids so far.
  private var seen: Set<EntityID> = []

  init(path: String) throws(CatalogueError) {
    var records = try WrittenLines(path: path)
    guard case .bytes(let bytes, _)? = try records.next(),
      case .object(let header)? = try? JSONValue(json: bytes, limits: .document),
      header["schema"] == .string(CatalogueExport.schema)
    else {
      throw CatalogueError(
        code: .unreadableInput, message: "'\(path)' is not an export of vq")
    }
    guard header["signatureVersion"] == .integer(Int64(Signature.version)) else {
      throw CatalogueError(
        code: .otherSignatureVersion,
        message: "'\(path)' has signatures of another version; index the feed instead")
    }
    (settings, feeds) = try Self.settings(header, path)
    entityCount = if case .integer(let count)? = header["entities"] { Int(count) } else { nil }
    self.records = records
  }

  private static func settings(
    _ header: [String: JSONValue], _ path: String
  ) throws(CatalogueError) -> (ShopSettings, [Feed]) {
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
    var settings = ShopSettings(
      links: try Catalogue.links(values, path), bridge: LabelBridge(targets: targets),
      publicFields: ShopSettings.publicFields(values),
      rules: try Catalogue.rules(values, path))
    settings.lossLimits = ShopSettings.givenLossLimits(values)
    settings.fits = try Catalogue.fits(values, path)
    settings.null = try Catalogue.null(values, path)
    return (settings, Feed.all(in: values))
  }

  /// Returns the next entity with its signatures, or `nil` at the end.
  ///
  /// - Parameters:
  ///   - numbers: The numbers that the feeds have in the catalogue, by their names.
  ///   - existing: Returns the stored entity of an id.
  /// - Throws: ``CatalogueError``; with the code `truncated` if the export was cut off between two lines.
  mutating func next(
    feeds numbers: [String: Int],
    existing: (EntityID) throws(CatalogueError) -> CatalogueTables.Existing?
  ) throws(CatalogueError) -> SignedEntity? {
    guard let record = try records.next() else {
      if let entityCount, seen.count < entityCount {
        throw CatalogueError(
          code: .truncated,
          message: "the export ends after \(seen.count) of \(entityCount) entities: it was cut off")
      }
      return nil
    }
    guard case .bytes(let bytes, let line) = record else { throw Self.wrong(record) }
    do {
      guard
        case .object(let fields) = try JSONValue(
          json: bytes, limits: .document, shouldStop: { false }),
        let json = fields["entity"],
        case .array(let images)? = fields["images"]
      else { throw Self.wrong(record) }
      let value = try EntityValue(json: json)
      guard seen.insert(value.id).inserted else {
        throw CatalogueError(
          code: .unreadableInput,
          message: "line \(line) has \(value.id) again; an export has each entity once")
      }
      var signed = SignedEntity(
        value: value, images: try images.map { try Self.image($0, record) }, refused: [],
        existing: try existing(value.id), isWhole: true)
      if case .string(let name)? = fields["feed"] { signed.feed = numbers[name] }
      return signed
    } catch let error as CatalogueError {
      throw error
    } catch let error as JSONError {
      throw CatalogueError(code: .unreadableInput, message: "line \(line) \(error.message)")
    } catch {
      throw CatalogueError(code: .unreadableInput, message: "line \(line): \(error)")
    }
  }

  private static func image(
    _ json: JSONValue, _ record: RecordReader.Record
  ) throws -> SignedEntity.Image {
    guard let image = try SignedLine.image(json) else { throw wrong(record) }
    return image
  }

  private static func wrong(_ record: RecordReader.Record) -> CatalogueError {
    let line =
      switch record {
      case .bytes(_, let line), .refused(_, let line): line
      }
    return CatalogueError(
      code: .unreadableInput, message: "line \(line) is not a line of an export")
  }
}
