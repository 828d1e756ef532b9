internal import PixelMatch

/// Writes a catalogue as JSON Lines.
struct CatalogueExport {
  static let schema = "vq.export/1"

  private let generation: OpenedGeneration
  private let directory: String

  private var tables: CatalogueTables { generation.database.tables }

  init(_ generation: OpenedGeneration, directory: String) {
    self.generation = generation
    self.directory = directory
  }

  func write(_ line: (String) throws -> Void) throws {
    try line(header().text)
    var segments: [Int: SignatureSegment] = [:]
    var files: [Int: String] = [:]
    for (record, segment) in generation.segments {
      files[record.id] = record.file
      let segment = try segment.get()
      try Catalogue.verify(segment, of: record.file, in: directory)
      segments[record.id] = segment
    }
    let hasReadings = try tables.readings.exists()
    let hasFeeds = try tables.feeds.exists()
    let feeds = Dictionary(
      uniqueKeysWithValues: try tables.feeds.all().map { ($0.number, $0.name) })
    var keys: [(key: UInt32, id: EntityID)] = []
    try tables.entities.forEach { key, type, id, _ throws(CatalogueError) in
      guard let type = EntityType(rawValue: type) else { return }
      keys.append((key, EntityID(type: type, value: id)))
    }
    for (_, id) in keys {
      try Task.checkCancellation()
      guard let existing = try tables.existing(id) else { continue }
      guard let entity = try? JSONValue(stored: existing.json) else {
        throw CatalogueError(
          code: .corrupt, message: "the row of \(id) cannot be read; index it again")
      }
      let images = try existing.images.map { image in
        guard let segment = segments[image.segment], image.row < segment.count else {
          throw CatalogueError(
            code: .corrupt, message: "\(id) refers to a missing signature; index it again"
          )
        }
        let signature = segment.signature(at: image.row)
        if let file = files[image.segment] {
          try Catalogue.checkUnchanged(segment, of: file, in: directory)
        }
        return SignedLine.json(
          SignedEntity.Image(image), signature,
          hasReadings ? try tables.readings.reading(of: .init(image)) : nil)
      }
      var fields = ["entity": entity, "images": .array(images)]
      let feed = hasFeeds ? try tables.feeds.number(ofKey: existing.key) : nil
      fields["feed"] = feed.flatMap { feeds[$0] }.map(JSONValue.string)
      try line(JSONValue.object(fields).text)
    }
  }

  private func header() throws(CatalogueError) -> JSONValue {
    // Leaves out settings that are about this machine, such as the folders of images, and not
    // about the contents.
    let state = try tables.state.current()
    let settings = try tables.settings.all().filter {
      !$0.key.hasPrefix(ShopSettings.picturePrefix)
        && !$0.key.hasPrefix(ShopSettings.replicaPrefix)
        && !$0.key.hasPrefix(ShopSettings.historyPrefix)
    }
    return .object([
      "schema": .string(Self.schema), "signatureVersion": .integer(Int64(Signature.version)),
      "entities": .integer(Int64(state.productCount + state.storeCount)),
      "settings": .object(settings.mapValues(JSONValue.string)),
      "bridge": .object(
        try tables.labelBridge.targets().mapValues { .array($0.map(JSONValue.string)) }),
    ])
  }
}
