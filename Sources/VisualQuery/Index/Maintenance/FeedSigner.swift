package import PixelMatch
package import Reading

/// Signs the images of a feed without an index, for batch engines: entities in, entities with
/// signatures out.
///
/// The lines are in the order of the feed and depend on nothing but the feed, the images and the models, so that a
/// part of a feed that is signed again gives the same bytes.
package struct FeedSigner: Sendable {
  private let decoder: ImageDecoder
  private let models: ReadingModels?
  private let pool: WorkerPool

  /// Makes a signer.
  ///
  /// - Parameter models: The models that read the text and codes of each image, or `nil` if they are not read.
  package init(
    decoder: ImageDecoder = ImageDecoder(), models: ReadingModels? = nil,
    pool: WorkerPool = WorkerPool()
  ) {
    self.decoder = decoder
    self.models = models
    self.pool = pool
  }

  /// Signs a feed.
  ///
  /// - Parameters:
  ///   - path: A feed in any ``FeedFormat``, or `-` for standard input.
  ///   - places: The folders that images are read from.
  ///   - options: The options for reading the feed.
  ///   - allowedSchemes: The schemes that links may have besides `https`.
  ///   - write: Writes a line, which is given without its line break.
  /// - Returns: The number of entities.
  /// - Throws: ``CatalogueError`` with the code `unreadableInput`; `ReadingError` if a run of a model fails; the errors of
  ///   `write`; `CancellationError`.
  package func run(
    path: String, places: PicturePlaces, options: FeedOptions = FeedOptions(),
    allowedSchemes: Set<String> = [], write: @escaping @Sendable (String) throws -> Void
  ) async throws -> Int {
    try await withTaskExecutorPreference(pool) { @concurrent in
      let feed = try FeedReader(path: path, options: options)
      let entities = FeedEntities(
        allowedSchemes: allowedSchemes, imagesMap: options.imagesMap,
        rowName: feed.mapping.format.rowName)
      let folders = PictureFolders(places, findsByMeaning: true)
      var run = SigningRun(
        feed: feed, entities: entities,
        signer: EntitySigner(
          decoder: decoder, pictures: nil, folders: folders, thumbnailSides: [],
          directory: "", keepsMissing: false),
        reader: models.flatMap { models in
          models.text.map {
            ImageTextReader(files: models.files, text: $0, directory: "", folders: folders)
          }
        },
        pendingLimit: 8 * pool.width, write: write)
      return try await run.run()
    }
  }
}

/// One run of a signer.
private struct SigningRun: ~Copyable {
  var feed: FeedReader
  var entities: FeedEntities
  let signer: EntitySigner
  let reader: ImageTextReader?
  let pendingLimit: Int
  let write: @Sendable (String) throws -> Void
  private var results = OrderedResults<[String]>()
  private var count = 0

  init(
    feed: consuming FeedReader, entities: FeedEntities, signer: EntitySigner,
    reader: ImageTextReader?,
    pendingLimit: Int, write: @escaping @Sendable (String) throws -> Void
  ) {
    self.feed = feed
    self.entities = entities
    self.signer = signer
    self.reader = reader
    self.pendingLimit = pendingLimit
    self.write = write
  }

  mutating func run() async throws -> Int {
    try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
      while let record = try feed.nextRecord() {
        try Task.checkCancellation()
        try start(record, &group)
        while results.pendingCount >= pendingLimit { try await finishOne(&group) }
      }
      while results.pendingCount > 0 { try await finishOne(&group) }
    }
    if let report = entities.takeUnreported() { try write(SignedLine.text(of: report)) }
    return count
  }

  private mutating func start(
    _ record: FeedRecord, _ group: inout ThrowingTaskGroup<(Int, [String]), any Error>
  ) throws {
    let number = results.start()
    switch entities.row(FeedEntities.parse(record), over: nil) {
    case .refused(let row): try take(number, [SignedLine.text(of: row)])
    case .skipped: try take(number, [])
    case .entity(let value, let warnings):
      count += 1
      let line = record.line
      group.addTask { [signer, reader] in
        var signed = try await signer.sign(
          value, line: line, rowHash: nil, existing: nil, kept: [:])
        guard signed.isWhole else { throw CancellationError() }
        signed.warnings = warnings
        if let reader { try await signed.readText(by: reader) }
        return (number, signed.reports.map(SignedLine.text) + [SignedLine.text(of: signed)])
      }
    }
  }

  private mutating func finishOne(
    _ group: inout ThrowingTaskGroup<(Int, [String]), any Error>
  ) async throws {
    guard let (number, lines) = try await group.next() else { return }
    try take(number, lines)
  }

  /// Writes the finished lines, in the order of the rows.
  private mutating func take(_ number: Int, _ lines: [String]) throws {
    results.finish(number, with: lines)
    while let next = results.takeNext() {
      for line in next { try write(line) }
    }
  }
}

extension SignedEntity {
  /// Reads the text and codes of the images. One that cannot be opened any more keeps its signature, and is reported.
  fileprivate mutating func readText(by reader: ImageTextReader) async throws {
    for index in images.indices {
      let image = images[index]
      switch try await reader.read(
        image.path, .init(byteCount: image.byteCount, hash: image.contentHash))
      {
      case .success(let reading): images[index].reading = reading
      case .failure(let reason):
        warnings.append(
          RefusedRow(
            kind: .field, line: line, id: value.id.value, field: "images[\(image.position)]",
            reason: "its text was not read: \(reason.text)"))
      }
    }
  }
}
