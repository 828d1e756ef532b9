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
  /// The feeds that were indexed to their end, by their places.
  private var indexed: [Indexed] = []
  /// The errors of the others, by their places.
  private var failures: [Int: any Error] = [:]
  /// The records of the run, one for each feed.
  private var journals: [RunJournal]
  /// The ids of the feeds so far, with the names of their feeds.
  private var taken: [EntityID: String] = [:]

  /// A feed that was read to its end, and is settled once its entities are published.
  private struct Indexed {
    let place: Int
    let settlement: Settlement
    var progress: Indexer.Progress
  }

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
    journals = feeds.map { feed in
      RunJournal(
        directory: indexer.directory, feed: Self.name(of: feed, options),
        isDryRun: options.isDryRun)
    }
  }

  private static func name(of feed: FeedInput, _ options: IndexOptions) -> String {
    options.feedName ?? FeedName.standard(of: feed.path)
  }

  /// Runs to the end of the last feed.
  ///
  /// - Returns: The counts at the end.
  /// - Throws: The error of the first feed if none could be indexed; ``CatalogueError`` of the catalogue; `CancellationError`
  ///   after the entities so far were published.
  mutating func run() async throws -> Indexer.Progress {
    do {
      // A new index is not created before a feed can be read.
      if FileStatus.exists(indexer.directory + "/" + CatalogueDatabase.fileName) {
        try beginJournals()
      }
      for (place, feed) in feeds.enumerated() {
        var result = FeedResult(name: Self.name(of: feed, options))
        do {
          try await index(feed, &result)
        } catch  where isOfFeed(error) {
          failures[place] = error
          result.failure = FeedResult.Failure(error)
        }
        results.append(result)
      }
      if failures.count == feeds.count, let first = failures[0] { throw first }
      if let publisher { try await finish(publisher) }
    } catch {
      // A cancelled run can be continued, so what it has fetched is kept.
      if !(error is CancellationError) { await publisher?.removeIfNew() }
      for (place, journal) in journals.enumerated() {
        journal.end(failure: failures[place] ?? error)
      }
      throw error
    }
    try endJournals()
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
    total = Indexer.Progress()
    for place in indexed.indices {
      let feed = indexed[place]
      var progress = feed.progress
      try await feed.settlement.settle(with: publisher, &progress)
      indexed[place].progress = progress
      results[feed.place].count(progress)
      total.add(progress, of: feeds.count > 1 ? results[feed.place].name : nil)
    }
    total.generation = await publisher.generation
    if total.entities == 0 { await publisher.removeIfNew() }
  }

  private mutating func beginJournals() throws(CatalogueError) {
    for place in journals.indices { try journals[place].begin() }
  }

  /// Notes how the run ended for each feed.
  private func endJournals() throws(CatalogueError) {
    // A new index without entities was removed again.
    if total.generation == 0 { return }
    for (place, error) in failures { journals[place].end(failure: error) }
    for feed in indexed {
      var progress = feed.progress
      progress.generation = total.generation
      try journals[feed.place].end(progress)
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
      reader,
      of: try IndexRun.Source(
        source, in: previous,
        history: try RunHistory(directory: indexer.directory).recent(feed: result.name)),
      options: options,
      allowedSchemes: try await publisher.links().allowedSchemes, publisher: publisher,
      previous: previous,
      signer: EntitySigner(
        decoder: indexer.decoder, pictures: fetching,
        folders: PictureFolders(pictures.places, findsByMeaning: true),
        thumbnailSides: pictures.sides, directory: directory,
        keepsMissing: options.onConflict != .replace, checksLater: fetching != nil,
        filesReadAfter: try await publisher.filesReadAfter(of: result.name), analyses: analyses),
      taken: taken, threads: indexer.pool.width,
      limits: ShopSettings.lossLimits(try await publisher.settings()),
      observer: rowObserver(of: result.name))
    let progress = try await run.run()
    if run.hasFile { readers.append(result.name) }
    result.taken = run.takenOver
    indexed.append(
      Indexed(place: results.count, settlement: run.settlement, progress: progress))
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
    try beginJournals()
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
