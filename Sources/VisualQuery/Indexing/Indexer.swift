public import PixelMatch
#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Puts a shop's entities and pictures into a catalogue.
///
/// Pictures are decoded and signed on all threads of the pool; one writer puts them down in the
/// order of the rows, so that the same input gives the same catalogue. What is there already and
/// has not changed costs a look at the file's size and time. Every few thousand pictures become a
/// generation, so that an interrupted run loses little and the next one goes on from there.
///
/// Memory is that of one segment of 16 384 pictures, twice while it is written, of the pictures under way
/// and of the ids: some 400 MB for 100 000 pictures.
public struct Indexer: Sendable {
  /// Where a run stands.
  public struct Progress: Sendable, Hashable {
    /// Rows read, the refused ones among them.
    public var rows = 0
    /// Entities that went in or were there already.
    public var entities = 0
    /// Pictures that were decoded and signed.
    public var signedImages = 0
    /// Pictures that were there already and have not changed.
    public var unchangedImages = 0
    /// Pictures that came from servers.
    public var fetchedImages = 0
    /// Thumbnails that were made to be kept.
    public var thumbnails = 0
    /// Entities that were not there before.
    public var added = 0
    /// Entities that were there and have changed.
    public var changed = 0
    /// Entities that are there no more.
    public var removed = 0
    /// Why no entity was removed although those that are missing were to be.
    public var unprunedReason: String?
    /// Rows and pictures that did not go in.
    public var refused = 0
    /// The last generation that was published.
    public var generation = 0
    /// Rows in all, from the length of the file and of the rows so far; `nil` for a stream.
    public var estimatedRows: Int?
  }

  /// The directory of the catalogue.
  public let directory: String
  private let settings: ShopSettings
  private let decoder: ImageDecoder
  private let pool: WorkerPool

  /// Makes an indexer for the catalogue in `directory`, which is made if it is not there.
  ///
  /// - Parameters:
  ///   - directory: Where the catalogue is.
  ///   - settings: What the shop decides anew; what is `nil` stays as it was.
  ///   - decoder: What pictures are decoded with, within its limits.
  ///   - pool: The threads to work on.
  public init(
    directory: String, settings: ShopSettings = ShopSettings(),
    decoder: ImageDecoder = ImageDecoder(), pool: WorkerPool = WorkerPool()
  ) {
    self.directory = directory
    self.settings = settings
    self.decoder = decoder
    self.pool = pool
  }

  /// Reads a catalogue file and puts in what it holds.
  ///
  /// - Parameters:
  ///   - path: A catalogue in any ``FeedFormat``, or `-` for standard input.
  ///   - imagesRoot: The folder that relative picture paths start from and stay in. `nil` means that of the catalogue
  ///     if it has pictures, else the file's directory. The catalogue keeps it as a setting.
  ///   - options: What becomes of what is there already, and of what is wrong.
  ///   - mapping: Called once, with what the catalogue was taken for.
  ///   - refused: Called with each row and picture that did not go in.
  ///   - progress: Called after each row.
  /// - Returns: Where the run stands at its end.
  /// - Throws: ``CatalogueError``, with the code `refusedRow` where the options are strict;
  ///   `CancellationError` after what was done so far is published.
  public func run(
    path: String, imagesRoot: String? = nil, options: IndexOptions = IndexOptions(),
    mapping: @escaping @Sendable (FeedMapping) -> Void = { _ in },
    refused: @escaping @Sendable (RefusedRow) -> Void = { _ in },
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws -> Progress {
    try await withTaskExecutorPreference(pool) {
      try await index(
        path: path, imagesRoot: imagesRoot ?? settings.imagesRoot, options: options,
        mapping: mapping, refused: refused,
        progress: progress)
    }
  }

  /// Where a run writes that is to write nothing: beside nothing, where there is no catalogue.
  private func dryDirectory() throws(CatalogueError) -> TemporaryCatalogue? {
    FileStatus.exists(directory + "/" + CatalogueDatabase.fileName)
      ? nil : try TemporaryCatalogue()
  }

  /// Puts in what the shop decided, and no entities.
  ///
  /// - Returns: The last generation.
  /// - Throws: ``CatalogueError``.
  public func putSettings() async throws -> Int {
    try await withTaskExecutorPreference(pool) { @concurrent in
      var writer = try CatalogueWriter(directory: directory)
      try writer.put(settings)
      return try writer.finish()
    }
  }

  /// Removes entities; whoever keeps a copy in step is told by a tombstone.
  ///
  /// - Returns: Those that were there.
  /// - Throws: ``CatalogueError``.
  public func remove(_ ids: [EntityID]) async throws -> [EntityID] {
    try await withTaskExecutorPreference(pool) { @concurrent in
      var writer = try CatalogueWriter(directory: directory)
      return try writer.remove(ids)
    }
  }

  private static func directory(of path: String) -> String {
    if path != "-", FileStatus(path)?.isDirectory == true { return path }
    guard path != "-", let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  @concurrent private func index(
    path: String, imagesRoot: String?, options: IndexOptions,
    mapping: @escaping @Sendable (FeedMapping) -> Void,
    refused: @escaping @Sendable (RefusedRow) -> Void,
    progress: @escaping @Sendable (Progress) -> Void
  ) async throws -> Progress {
    // Opened first, so that a mistyped path makes no catalogue.
    let feed = try FeedReader(path: path, currency: options.currency)
    mapping(feed.mapping)
    let temporary = options.isDryRun ? try dryDirectory() : nil
    defer { temporary?.remove() }
    let directory = temporary?.path ?? directory
    let publisher = try CataloguePublisher(
      directory: directory, settings: settings.withoutPictures, isDryRun: options.isDryRun)
    let (places, thumbnailSides) = try await pictureSettings(
      path: path, imagesRoot: imagesRoot, options, publisher)
    let pictures = try options.fetching.map { policy throws(CatalogueError) in
      try FetchedPictures(directory: directory, policy: policy, isDryRun: options.isDryRun)
    }
    var run = IndexRun(
      feed, options: options, allowedSchemes: try await publisher.links().allowedSchemes,
      publisher: publisher,
      previous: try PreviousRows(reading: directory, thumbnailSides: thumbnailSides),
      signer: EntitySigner(
        decoder: decoder, pictures: pictures, folders: PictureFolders(places),
        thumbnailSides: thumbnailSides, directory: directory,
        keepsMissing: options.onConflict != .replace),
      threads: pool.width,
      observer: IndexRun.Observer(refused: refused, progress: progress))
    return try await run.run()
  }

  /// The places of pictures and the thumbnails of a run: those that were asked for, else those that the catalogue
  /// keeps, which become part of its next generation.
  private func pictureSettings(
    path: String, imagesRoot: String?, _ options: IndexOptions, _ publisher: CataloguePublisher
  ) async throws -> (places: PicturePlaces, thumbnailSides: Set<Int>) {
    let known = try await publisher.settings()
    var places = ShopSettings.places(known)
    let former = try await publisher.imageCount() > 0 ? places.root : nil
    let root = FilePath.absolute(imagesRoot ?? former ?? Self.directory(of: path))
    // A run that keeps missing pictures may run where there are none.
    if imagesRoot != nil || options.onConflict == .replace,
      FileStatus(root)?.isDirectory != true
    {
      throw CatalogueError(
        code: .unreadableInput,
        message: "the images root '\(root)' is not a folder; name one with --images-root DIR")
    }
    places.root = root
    places.outside = settings.outsideFolders?.map(FilePath.absolute) ?? places.outside
    let sides = settings.thumbnailSides ?? ShopSettings.thumbnailSides(known)
    try await publisher.prepare(
      ShopSettings(imagesRoot: root, outsideFolders: places.outside, thumbnailSides: sides))
    return (places, options.isDryRun ? [] : Set(sides))
  }
}
