internal import PixelMatch

/// Reads the output of ``FeedSigner``, from any number of files, one after another.
struct SignedFeed: ~Copyable {
  /// The content of a line.
  enum Entry {
    case entity(EntityValue, [SignedEntity.Image])
    case refused(RefusedRow)
  }

  /// The files that are not opened yet.
  private var rest: ArraySlice<String>
  /// The file that is read.
  private var path = ""
  private var records: WrittenLines?

  /// Makes a reader of files, each of which is opened when those before it were read.
  init(paths: [String]) { rest = paths[...] }

  /// Returns the next line, or `nil` at the end of the last file.
  mutating func next() throws(CatalogueError) -> Entry? {
    while true {
      if let entry = try nextOfFile() { return entry }
      guard let next = rest.popFirst() else { return nil }
      path = next
      records = try WrittenLines(path: path)
    }
  }

  private mutating func nextOfFile() throws(CatalogueError) -> Entry? {
    while let record = try records?.next() {
      guard case .bytes(let bytes, let line) = record else {
        throw wrong(record.line, "is longer than \(WrittenLines.lineLimit) bytes")
      }
      if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
      do {
        return try entry(bytes, line)
      } catch let error as CatalogueError {
        throw error
      } catch let error as JSONError {
        throw wrong(line, error.message)
      } catch let error as FieldError {
        throw wrong(line, "has an entity whose \(error)")
      } catch {
        throw wrong(line, "has a signature that cannot be read: \(error)")
      }
    }
    return nil
  }

  private func entry(_ bytes: [UInt8], _ line: Int) throws -> Entry {
    guard
      case .object(let fields) = try JSONValue(
        json: bytes, limits: .document, shouldStop: { false })
    else { throw wrong(line, "is not an object") }
    switch fields["schema"] {
    case .string(SignedLine.schema): break
    case .string(SignedLine.refusedSchema): return .refused(try refused(fields, line))
    default: throw wrong(line, "is not a line of 'vq sign'")
    }
    guard fields["signatureVersion"] == .integer(Int64(Signature.version)) else {
      throw CatalogueError(
        code: .otherSignatureVersion,
        message: "'\(path)' has signatures of another version; sign the feed again with this build")
    }
    guard let json = fields["entity"], case .array(let list)? = fields["images"] else {
      throw wrong(line, "has no entity")
    }
    var images: [SignedEntity.Image] = []
    for json in list {
      guard let image = try SignedLine.image(json) else { throw wrong(line, "has no image") }
      images.append(image)
    }
    return .entity(try EntityValue(json: json), images)
  }

  private func refused(
    _ fields: [String: JSONValue], _ line: Int
  ) throws(CatalogueError) -> RefusedRow {
    func text(_ name: String) -> String? {
      if case .string(let text)? = fields[name] { text } else { nil }
    }
    guard let kind = text("kind").flatMap(RefusedRow.Kind.init), let reason = text("reason"),
      case .integer(let number)? = fields["line"]
    else { throw wrong(line, "is not a line of 'vq sign'") }
    return RefusedRow(
      kind: kind, line: Int(clamping: number), id: text("id"), field: text("field"), reason: reason,
      row: fields["row"])
  }

  private func wrong(_ line: Int, _ reason: String) -> CatalogueError {
    CatalogueError(
      code: .unreadableInput,
      message: "line \(line) of '\(path)' \(reason); nothing after it was indexed")
  }
}

extension CatalogueUpkeep {
  /// Indexes the output of ``FeedSigner``: entities whose images were analyzed elsewhere. The files
  /// of the images are not read.
  ///
  /// - Parameters:
  ///   - paths: The files, in any order; `-` for standard input. If two have the same entity, the
  ///     second one is rejected.
  ///   - settings: The settings to change, which are published with the first entities; `nil` ones are left unchanged.
  ///   - name: The name of the feed, or `nil` for that of ``FeedName/standard(ofParts:)``.
  ///   - prunesMissing: True if entities of the feed that no line names are removed, unless a rejected row has no readable id.
  ///   - removalLimit: The largest share of the feed's entities, in percent, that are removed; `nil` for the limits of the
  ///     index. If more are missing, none is removed.
  ///   - refused: Called with each rejected row and image that the signer reported.
  /// - Returns: The counts at the end.
  /// - Throws: ``CatalogueError`` with the code `unreadableInput`, or `CancellationError`, after the lines so far were
  ///   published.
  package func indexing(
    signed paths: [String], name: String? = nil, settings: ShopSettings = ShopSettings(),
    prunesMissing: Bool = false, removalLimit: Double? = nil,
    refused: @escaping @Sendable (RefusedRow) -> Void = { _ in }
  ) async throws -> Indexer.Progress {
    try await withTaskExecutorPreference(pool) { @concurrent in
      // Opened first, so that a mistyped path does not create a catalogue.
      for path in paths where path != "-" { _ = try WrittenLines(path: path) }
      var run = try SignedRun(
        paths, name: name ?? FeedName.standard(ofParts: paths),
        writer: CatalogueWriter(
          directory: directory, keepsPrevious: true, threads: pool.width), refused: refused)
      return try run.run(settings, prunesMissing: prunesMissing, removalLimit: removalLimit)
    }
  }
}

/// One run over the output of ``FeedSigner``.
private struct SignedRun: ~Copyable {
  /// The name of the format of its feeds.
  private static let format = "output of vq sign"

  private var feed: SignedFeed
  private var writer: CatalogueWriter
  private let source: Feed
  /// The entities that stay as they are, but belong to this feed from now on.
  private var adopted: [UInt32] = []
  /// The number of entities that belong to this feed since this run.
  private var gained = Coverage()
  private let refused: @Sendable (RefusedRow) -> Void
  private var progress = Indexer.Progress()
  /// The number of the row of each entity.
  private var rows: [EntityID: Int] = [:]
  private var refusedIDs: Set<String> = []
  /// True if any rejected row has no readable id: it could belong to any entity.
  private var hasNamelessRow = false

  init(
    _ paths: [String], name: String, writer: consuming CatalogueWriter,
    refused: @escaping @Sendable (RefusedRow) -> Void
  ) throws {
    let feeds = writer.database.tables.feeds
    source = try feeds.feed(named: name) ?? Feed(number: feeds.freeNumber(), name: name)
    feed = SignedFeed(paths: paths)
    self.writer = writer
    self.refused = refused
  }

  /// Runs to the end of the last file.
  ///
  /// - Throws: ``CatalogueError`` of a line, or `CancellationError`, after the lines so far were published;
  ///   ``CatalogueError`` of the catalogue.
  mutating func run(
    _ settings: ShopSettings, prunesMissing: Bool, removalLimit: Double?
  ) throws -> Indexer.Progress {
    try writer.checkSegments()
    var settings = settings
    var described = source
    described.reading.format = Self.format
    settings.feeds = [described]
    try writer.prepare(settings)
    var failure: (any Error)?
    while true {
      let entry: SignedFeed.Entry?
      do {
        try Task.checkCancellation()
        entry = try feed.next()
      } catch {
        failure = error
        break
      }
      guard let entry else { break }
      try take(entry)
    }
    // A run without entities publishes nothing, not even settings, and leaves no new catalogue.
    if progress.entities > 0 {
      try writer.putFeed(source.number, ofKeys: adopted)
      _ = try writer.finish()
    } else {
      writer.removeIfNew()
    }
    if let failure { throw failure }
    if prunesMissing {
      progress.count(
        try writer.prune(
          Pruning(
            feed: source.number, gained: gained, ids: rows.keys, refusedIDs: refusedIDs,
            hasNamelessRow: hasNamelessRow,
            limit: removalLimit.map(Pruning.Limit.given)
              ?? .ofIndex(
                ShopSettings.lossLimits(try writer.database.tables.settings.all()), history: []))))
    }
    progress.generation = writer.generation
    return progress
  }

  private mutating func take(_ entry: SignedFeed.Entry) throws(CatalogueError) {
    progress.rows += 1
    switch entry {
    case .refused(let row):
      if let id = row.id { refusedIDs.insert(id) } else { hasNamelessRow = true }
      refuse(row)
    case .entity(let value, let images):
      guard rows.updateValue(progress.rows, forKey: value.id) == nil else {
        return refuse(
          RefusedRow(
            line: progress.rows, id: value.id.value, field: "id", reason: "was already used"))
      }
      var signed = SignedEntity(value, images, existing: try writer.existing(value.id))
      if try signed.existing.flatMap({ existing throws(CatalogueError) in
        try writer.database.tables.feeds.number(ofKey: existing.key)
      }) != source.number {
        signed.feed = source.number
        gained[value.id.type, .entities] += 1
        if signed.change == .none, let key = signed.existing?.key { adopted.append(key) }
      }
      progress.count(signed)
      if images.isEmpty { progress.withoutImages += 1 }
      try writer.put(signed)
    }
  }

  private mutating func refuse(_ row: RefusedRow) {
    progress.count(row)
    refused(row)
  }
}

extension SignedEntity {
  /// Makes an entity of a line. An image that the index has already keeps its row.
  fileprivate init(
    _ value: EntityValue, _ images: [SignedEntity.Image], existing: CatalogueTables.Existing?
  ) {
    let keepsEmbeddings = value.embeddingsDigest == existing?.embeddedEntity?.embeddingsDigest
    self.init(
      value: value,
      images: images.map { image in
        // If the line supplies other embeddings, the stored signatures are not reused.
        guard keepsEmbeddings else { return image }
        let same = existing?.images.first {
          $0.position == image.position && $0.path.hasSameBytes(as: image.path)
            && $0.byteCount == image.byteCount && $0.contentHash == image.contentHash
        }
        guard let same else { return image }
        var kept = SignedEntity.Image(same)
        kept.reading = image.reading
        return kept
      }, refused: [], existing: existing, isWhole: true)
  }
}
