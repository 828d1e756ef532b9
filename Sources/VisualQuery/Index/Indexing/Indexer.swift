public import PixelMatch
#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Indexes a shop's entities and images.
///
/// Images are decoded and analyzed on all threads of the pool. One writer stores them in the order
/// of the rows, so that the same input gives the same catalogue. An unchanged image only costs a
/// check of its file's size and time. A generation is published every few thousand images, so that
/// an interrupted run loses little and the next run continues from there.
///
/// The memory is that of one segment of 16 384 images, twice during a write, of the images in
/// progress and of the ids: some 400 MB for 100 000 images.
public struct Indexer: Sendable {
  /// The progress of a run.
  public struct Progress: Sendable, Hashable {
    /// What the index can answer before and after the run, and what was kept.
    package var coverage = RunRecord.Result()
    /// The losses that were too large to be made.
    package var keptLosses: [KeptLoss] = []
    /// The removed entities by their type.
    var removedByType = Coverage()
    /// The reason why old values of entities stay although their rows lack them or have others, or `nil` if none do.
    public var keptReason: String? {
      keptLosses.isEmpty ? nil : keptLosses.map(\.text).joined(separator: "; ")
    }
    /// The number of rows that were read, including rejected ones.
    public var rows = 0
    /// The number of entities that were indexed or already up to date.
    public var entities = 0
    /// The number of images that were decoded and analyzed.
    package var signedImages = 0
    /// The number of images with the same content as another one of the run, which was analyzed.
    package var sharedImages = 0
    /// The number of images of which an earlier version is kept, because they could not be read or fetched again.
    package var keptImages = 0
    /// The images on servers that the run had no time for.
    package var backlog = FetchBacklog()
    /// The number of unchanged images.
    package var unchangedImages = 0
    /// The number of images that were fetched from servers.
    package var fetchedImages = 0
    /// The number of files that were found although no file has exactly the name that the feed has.
    package var filesByMeaning = 0
    /// The number of thumbnails that were made.
    package var thumbnails = 0
    /// The number of embeddings that came with images and were not stored yet.
    package var embeddings = 0
    /// The number of new entities.
    public var added = 0
    /// The number of changed entities.
    public var changed = 0
    /// The number of removed entities.
    public var removed = 0
    /// The reason why no missing entity was removed although the options asked for that, or `nil`.
    public var unprunedReason: String?
    /// A Boolean value that indicates whether ``IndexOptions/removalLimit`` is that reason.
    package var isBeyondRemovalLimit: Bool { neededRemovalLimit != nil }
    /// The least whole number of percent that would have let the missing entities be removed, or `nil` if the limit is not the reason.
    package var neededRemovalLimit: Int?
    /// The entities that were added, changed and removed, if ``IndexOptions/listsChanges``.
    package var changes = IndexChanges()
    /// The number of rejected rows and images.
    public var refused: Int { refusedRows + refusedImages }
    /// The number of rejected rows.
    package var refusedRows = 0
    /// The number of rejected images.
    package var refusedImages = 0
    /// The number of images that are on servers and were not fetched, because the options do not ask for it.
    package var unfetchedImages = 0
    /// The number of fields that were left out of entities, because they cannot be read.
    package var warnings = 0
    /// The number of entities with a field that is probably misspelt, by the field; unchanged rows do not count.
    package var misspeltFields: [MisspeltField: Int] = [:]
    /// The number of entities that cannot be found by an image, because they have none that was
    /// indexed.
    package var withoutImages = 0
    /// The number of rows and files that were left out on purpose, by the reason.
    package var leftOut: [String: Int] = [:]
    /// The number of images that are on servers and were not fetched, by the host.
    package var unfetchedHosts: [String: Int] = [:]
    /// The parts of the feed that look as if they should belong to entities but were not used, with the number of
    /// entities that each is about.
    package var findings: [FeedFinding: Int] = [:]
    /// The encoding of the feed, or `nil` for UTF-8.
    package var encoding: FeedEncoding?
    /// The first entities of a dry run, at most three.
    package var examples: [EntityValue] = []
    /// What became of each feed, in their order.
    package var feeds: [FeedResult] = []
    /// The last published generation.
    public var generation = 0
    /// The estimated number of rows, from the length of the file and of the rows so far, or `nil`
    /// for a stream.
    package var estimatedRows: Int?
  }

  /// The directory of the catalogue.
  package let directory: String
  let settings: ShopSettings
  let decoder: ImageDecoder
  let pool: WorkerPool

  /// Makes an indexer for the catalogue in `directory`, which is created if it does not exist.
  ///
  /// - Parameters:
  ///   - directory: The directory of the catalogue.
  ///   - settings: The settings to change; `nil` ones are left unchanged.
  ///   - decoder: The decoder of images, with its limits.
  ///   - pool: The threads to use.
  public init(
    directory: String, settings: ShopSettings = ShopSettings(),
    decoder: ImageDecoder = ImageDecoder(), pool: WorkerPool = WorkerPool()
  ) {
    self.directory = directory
    self.settings = settings
    self.decoder = decoder
    self.pool = pool
  }

  /// Indexes a feed.
  ///
  /// - Parameters:
  ///   - path: A feed, whose format is recognized, or `-` for standard input.
  ///   - imagesRoot: The folder that contains the images; relative paths start from it. `nil` means
  ///     that of the catalogue if it has images, otherwise the folder of the feed. It is stored as
  ///     a setting of the catalogue.
  ///   - options: The options of the run.
  ///   - refused: Called with each rejected row and image.
  ///   - progress: Called after each row.
  /// - Returns: The progress at the end.
  /// - Throws: ``CatalogueError``, with the code `refusedRow` if the options are strict;
  ///   `CancellationError` after the work so far was published.
  public func run(
    path: String, imagesRoot: String? = nil, options: IndexOptions = IndexOptions(),
    refused: @escaping @Sendable (RefusedRow) -> Void = { _ in },
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws -> Progress {
    try await run(
      feeds: [FeedInput(path: path, options: options.feed)], imagesRoot: imagesRoot,
      options: options, mapping: { _ in }, refused: refused, progress: progress)
  }

  /// Indexes feeds as one generation, and calls `mapping` with the recognized format of each.
  package func run(
    feeds: [FeedInput], imagesRoot: String?, options: IndexOptions,
    mapping: @escaping @Sendable (FeedMapping) -> Void,
    refused: @escaping @Sendable (RefusedRow) -> Void,
    progress: @escaping @Sendable (Progress) -> Void
  ) async throws -> Progress {
    try await withTaskExecutorPreference(pool) {
      try await index(
        feeds, imagesRoot: imagesRoot ?? settings.imagesRoot, options,
        FeedsRun.Observer(mapping: mapping, refused: refused, progress: progress))
    }
  }

  /// Stores the settings, without entities.
  ///
  /// - Returns: The last published generation.
  /// - Throws: ``CatalogueError``.
  package func putSettings() async throws -> Int {
    try await withTaskExecutorPreference(pool) { @concurrent in
      var writer = try CatalogueWriter(directory: directory)
      try writer.put(settings)
      return try writer.finish()
    }
  }

  /// Adds labels of the shop to the meaning of an outside word, and keeps the rest of the bridge.
  ///
  /// - Returns: The generation with the bridge.
  /// - Throws: ``CatalogueError``.
  package func addToBridge(_ word: String, labels: [String]) async throws -> Int {
    try await withTaskExecutorPreference(pool) { @concurrent in
      // Opened first, so that a catalogue that was moved away is not created.
      _ = try CatalogueDatabase(reading: directory)
      var writer = try CatalogueWriter(directory: directory)
      try writer.put(ShopSettings(bridge: try writer.bridge(adding: labels, to: word)))
      return try writer.finish()
    }
  }

  /// Removes entities. Synchronized copies receive a tombstone for each.
  ///
  /// - Returns: The ids of the removed entities.
  /// - Throws: ``CatalogueError``.
  package func remove(_ ids: [EntityID]) async throws -> [EntityID] {
    try await withTaskExecutorPreference(pool) { @concurrent in
      var writer = try CatalogueWriter(directory: directory)
      return try writer.remove(ids)
    }
  }

  private static func directory(of path: String) -> String {
    if path != "-", FileStatus(path)?.isDirectory == true { return path }
    guard path != "-", !FetchedPictures.isAddress(path), let slash = path.lastIndex(of: "/") else {
      return "."
    }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  @concurrent private func index(
    _ feeds: [FeedInput], imagesRoot: String?, _ options: IndexOptions,
    _ observer: FeedsRun.Observer
  ) async throws -> Progress {
    let temporary = options.isDryRun ? try dryDirectory() : nil
    defer { temporary?.remove() }
    var run = FeedsRun(
      self, feeds, imagesRoot: imagesRoot, options, in: temporary?.path ?? directory, observer)
    return try await run.run()
  }

  private static func status(of path: String) throws(CatalogueError) -> FileStatus? {
    do throws(StorageError) {
      return try FileStatus.ifPresent(path)
    } catch {
      throw CatalogueError(code: .unreadableInput, message: error.message)
    }
  }

  /// Returns the image folders and thumbnail sides of a run: the given ones, which become part of
  /// the next generation, otherwise the stored ones.
  func pictureSettings(
    path: String, imagesRoot: String?, _ options: IndexOptions, _ publisher: CataloguePublisher
  ) async throws -> (places: PicturePlaces, sides: Set<Int>) {
    let stored = try await publisher.settings()
    var places = ShopSettings.places(stored)
    let storedRoot = try await publisher.imageCount() > 0 ? places.root : nil
    let root = FilePath.absolute(imagesRoot ?? storedRoot ?? Self.directory(of: path))
    // A run that keeps missing images does not require the folder.
    if imagesRoot != nil || options.onConflict == .replace,
      try Self.status(of: root)?.isDirectory != true
    {
      throw CatalogueError(
        code: .unreadableInput,
        message: "the images root '\(root)' is not a folder; use another one with --images-root DIR"
      )
    }
    places.root = root
    places.outside = settings.outsideFolders?.map(FilePath.absolute) ?? places.outside
    let sides = settings.thumbnailSides ?? ShopSettings.thumbnailSides(stored)
    try await publisher.prepare(
      ShopSettings(imagesRoot: root, outsideFolders: places.outside, thumbnailSides: sides))
    return (places, options.isDryRun ? [] : Set(sides))
  }
}
