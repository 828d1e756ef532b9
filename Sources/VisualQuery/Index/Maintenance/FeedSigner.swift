package import PixelMatch

/// Signs the images of a feed without an index, for batch engines: entities in, entities with
/// signatures out.
///
/// The lines are in the order of the feed and depend on nothing but the feed and the images, so that a
/// part of a feed that is signed again gives the same bytes.
package struct FeedSigner: Sendable {
  private let decoder: ImageDecoder
  private let pool: WorkerPool

  /// Makes a signer.
  package init(decoder: ImageDecoder = ImageDecoder(), pool: WorkerPool = WorkerPool()) {
    self.decoder = decoder
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
  /// - Throws: ``CatalogueError`` with the code `unreadableInput`; the errors of `write`;
  ///   `CancellationError`.
  package func run(
    path: String, places: PicturePlaces, options: FeedOptions = FeedOptions(),
    allowedSchemes: Set<String> = [], write: @escaping @Sendable (String) throws -> Void
  ) async throws -> Int {
    try await withTaskExecutorPreference(pool) { @concurrent in
      let feed = try FeedReader(path: path, options: options)
      let entities = FeedEntities(
        allowedSchemes: allowedSchemes, imagesMap: options.imagesMap,
        rowName: feed.mapping.format.rowName)
      var run = SigningRun(
        feed: feed, entities: entities,
        signer: EntitySigner(
          decoder: decoder, pictures: nil, folders: PictureFolders(places), thumbnailSides: [],
          directory: "", keepsMissing: false),
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
  let pendingLimit: Int
  let write: @Sendable (String) throws -> Void
  private var results = OrderedResults<[String]>()
  private var count = 0

  init(
    feed: consuming FeedReader, entities: FeedEntities, signer: EntitySigner, pendingLimit: Int,
    write: @escaping @Sendable (String) throws -> Void
  ) {
    self.feed = feed
    self.entities = entities
    self.signer = signer
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
      group.addTask { [signer] in
        var signed = try await signer.sign(
          value, line: line, rowHash: nil, existing: nil, kept: [:])
        guard signed.isWhole else { throw CancellationError() }
        signed.warnings = warnings
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
