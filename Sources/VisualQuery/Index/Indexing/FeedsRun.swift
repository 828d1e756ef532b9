#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// One run of an indexer over one feed or several, whose entities become one generation.
///
/// A feed that cannot be read, or that is another one than last time, does not keep the others from being indexed: its rows
/// before the fault count, and nothing of it is removed. If it is the only one, the run fails, and nothing is changed.
struct FeedsRun {
  /// The callbacks of the caller.
  struct Observer: Sendable {
    let mapping: @Sendable (FeedMapping) -> Void
    let refused: @Sendable (RefusedRow) -> Void
    let progress: @Sendable (Indexer.Progress) -> Void
  }

  private let indexer: Indexer
  private let feeds: [FeedInput]
  private let imagesRoot: String?
  private let options: IndexOptions
  private let observer: Observer
  private let directory: String

  private var publisher: CataloguePublisher?
  /// The folders of images and the sides of thumbnails, which are those of the first feed.
  private var pictures: (places: PicturePlaces, sides: Set<Int>)?
  /// The source of images on servers, which is asked once for each address.
  private var fetching: FetchedPictures?
  /// The analyses of images, so that each is made once.
  private let analyses = ImageAnalyses()
  /// The beginning of the run, in nanoseconds since 1970.
  private let start = Int(Date().timeIntervalSince1970 * 1_000_000_000)
  /// The names of the feeds whose images were read from files.
  private var readers: [String] = []
  private var total = Indexer.Progress()
  private var results: [FeedResult] = []
  /// What the feeds that were indexed lack, by the place of the feed.
  private var prunings: [(place: Int, pruning: Pruning)] = []
  /// The ids of the feeds so far, with the names of their feeds.
  private var taken: [EntityID: String] = [:]
  private var firstError: (any Error)?

  /// Prepares a run.
  ///
  /// - Parameter directory: The directory of the catalogue, or that of a scratch catalogue for a dry run.
  init(
    _ indexer: Indexer, _ feeds: [FeedInput], imagesRoot: String?, _ options: IndexOptions,
    in directory: String, _ observer: Observer
  ) {
    self.indexer = indexer
    self.feeds = feeds
    self.imagesRoot = imagesRoot
    self.options = options
    self.directory = directory
    self.observer = observer
  }

  /// Runs to the end of the last feed.
  ///
  /// - Returns: The counts at the end.
  /// - Throws: The error of the first feed if none could be indexed; ``CatalogueError`` of the catalogue; `CancellationError`
  ///   after the entities so far were published.
  mutating func run() async throws -> Indexer.Progress {
    do {
      for feed in feeds {
        var result = FeedResult(name: options.feedName ?? FeedName.standard(of: feed.path))
        do {
          try await index(feed, &result)
        } catch  where isOfFeed(error) {
          firstError = firstError ?? error
          result.failure = FeedResult.Failure(error)
        }
        results.append(result)
      }
      if let firstError, results.allSatisfy({ $0.failure != nil }) { throw firstError }
      if let publisher { try await finish(publisher) }
    } catch {
      await publisher?.note(notes(of: error))
      // A cancelled run can be continued, so what it has fetched is kept.
      if !(error is CancellationError) { await publisher?.removeIfNew() }
      throw error
    }
    total.feeds = results
    return total
  }

  /// Returns whether an error is about one feed, so that others can be indexed nonetheless.
  private func isOfFeed(_ error: any Error) -> Bool {
    if error is FeedError || error is FeedRefusal { return true }
    return (error as? CatalogueError)?.code == .unreadableInput
  }

  /// Publishes the feeds, and removes what they lack.
  private mutating func finish(_ publisher: CataloguePublisher) async throws {
    // A run without entities publishes nothing: neither a first generation nor settings.
    if total.entities > 0 { try await publisher.finish() }
    if !options.isDryRun {
      for name in readers { try await publisher.noteFiles(of: name, start: start) }
    }
    for (place, pruning) in prunings {
      let outcome = try await publisher.prune(pruning)
      results[place].count(outcome)
      total.count(outcome, of: feeds.count > 1 ? results[place].name : nil)
    }
    total.generation = await publisher.generation
    if total.entities == 0 { await publisher.removeIfNew() }
    await publisher.note(notes(of: nil))
  }

  /// Returns the notes of the run, by the name of the feed. Those without a result end with the error.
  private func notes(of error: (any Error)?) -> [(name: String, run: FeedRun)] {
    if options.isDryRun || error is CancellationError { return [] }
    let seconds = Int(Date().timeIntervalSince1970)
    return feeds.indices.compactMap { place in
      var result =
        place < results.count
        ? results[place]
        : FeedResult(name: options.feedName ?? FeedName.standard(of: feeds[place].path))
      // Nothing of the run was published.
      if let error, result.failure == nil { result.failure = FeedResult.Failure(error) }
      return (result.name, result.run(at: seconds, generation: total.generation))
    }
  }

  // MARK: One feed

  private mutating func index(_ input: FeedInput, _ result: inout FeedResult) async throws {
    let path = input.path
    let fetched =
      FetchedPictures.isAddress(path) ? try FetchedFeed(path, policy: options.fetching) : nil
    defer { fetched?.remove() }
    var options = options
    options.feed = input.options
    result.keptOptions = options.feed.complete(
      by: KnownFeeds(directory: directory).reading(of: result.name))
    // Opened first, so that a mistyped path does not create a catalogue.
    let reader = try FeedReader(
      path: fetched?.path ?? path, options: options.feed,
      completesIndexed: options.onConflict == .merge)
    result.format = reader.mapping.name
    observer.mapping(reader.mapping)
    let publisher = try await openedPublisher(path)
    let source = try await publisher.feed(named: result.name)
    try FeedGuard.checkFormat(reader.mapping.name, of: source, options)
    guard let pictures else { return }
    let previous = try PreviousRows(reading: directory, thumbnailSides: pictures.sides)
    var run = IndexRun(
      reader, of: try IndexRun.Source(source, in: previous), options: options,
      allowedSchemes: try await publisher.links().allowedSchemes, publisher: publisher,
      previous: previous,
      signer: EntitySigner(
        decoder: indexer.decoder, pictures: fetching,
        folders: PictureFolders(pictures.places, findsByMeaning: true),
        thumbnailSides: pictures.sides, directory: directory,
        keepsMissing: options.onConflict != .replace, checksLater: fetching != nil,
        filesReadAfter: try await publisher.filesReadAfter(of: result.name), analyses: analyses),
      taken: taken, threads: indexer.pool.width, observer: rowObserver(of: result.name))
    let progress = try await run.run()
    if run.hasFile { readers.append(result.name) }
    result.count(progress)
    result.taken = run.takenOver
    if options.prunesMissing { prunings.append((results.count, run.pruning)) }
    if feeds.count > 1 { for id in run.ids { taken[id] = result.name } }
    total.add(progress)
  }

  /// Opens the catalogue with the first feed that can be opened.
  private mutating func openedPublisher(_ path: String) async throws -> CataloguePublisher {
    if let publisher { return publisher }
    let new = try CataloguePublisher(
      directory: directory, settings: indexer.settings.withoutPictures, isDryRun: options.isDryRun,
      threads: indexer.pool.width)
    publisher = new
    try await new.checkSegments()
    pictures = try await indexer.pictureSettings(path: path, imagesRoot: imagesRoot, options, new)
    fetching = try options.fetching.map { policy throws(CatalogueError) in
      try FetchedPictures(
        directory: directory, policy: policy, isDryRun: options.isDryRun, decoder: indexer.decoder)
    }
    return new
  }

  /// Returns the observer of a feed's rows, which adds what the feeds before have.
  private func rowObserver(of name: String) -> IndexRun.Observer {
    guard feeds.count > 1 else {
      return IndexRun.Observer(refused: observer.refused, progress: observer.progress)
    }
    return IndexRun.Observer(
      refused: { [refused = observer.refused] row in refused(row.of(feed: name)) },
      progress: { [total, report = observer.progress] progress in
        var progress = progress
        progress.rows += total.rows
        progress.entities += total.entities
        progress.refusedRows += total.refused
        progress.estimatedRows = progress.estimatedRows.map { $0 + total.rows }
        report(progress)
      })
  }
}
