/// One run of an indexer over a feed. It reads records, skips unchanged ones, extracts the
/// signatures of the other images on all threads, and passes the entities to the publisher in the
/// order of the feed.
struct IndexRun: ~Copyable {
  /// The number of entities that are handed to an idle publisher at once.
  private static let batchCount = 64
  /// The number of entities that may wait for a busy publisher.
  private static let waitingLimit = 4096
  /// The number of different hosts and of different fields that are counted by their names.
  private static let nameLimit = 1000
  /// The number of entities that may wait while no file of an image can be opened.
  private static let heldLimit = 16_384

  /// The callbacks of the caller.
  struct Observer: Sendable {
    let refused: @Sendable (RefusedRow) -> Void
    let progress: @Sendable (Indexer.Progress) -> Void
  }

  /// The feed that entities belong to.
  struct Source {
    /// The feed as it was read last time.
    let feed: Feed
    /// The number of entities that it has before the run.
    let ownCount: Int
    /// True if all entities are its own, so that none needs to be asked for its feed.
    let isOnly: Bool
    /// The names of all feeds by their numbers.
    let names: [Int: String]
    /// Its last runs.
    let history: [RunRecord]

    init(
      _ feed: Feed, in previous: PreviousRows, history: [RunRecord]
    ) throws(CatalogueError) {
      self.feed = feed
      self.history = history
      ownCount = try previous.count(ofFeed: feed.number)
      isOnly = try previous.entityCount() == ownCount
      names = try previous.feedNames()
    }
  }

  let options: IndexOptions
  let publisher: CataloguePublisher
  let previous: PreviousRows
  let signer: EntitySigner
  let observer: Observer
  /// The last runs of the feed.
  private let history: [RunRecord]
  private let limits: LossLimits
  /// The number of rows in progress that keeps every thread busy while the run waits for the
  /// oldest.
  let pendingLimit: Int

  private var feed: FeedReader
  /// The feed that entities belong to, as it was read last time.
  private let source: Feed
  /// How it is read this time.
  private var reading: Feed.Reading
  /// The entities that stay as they are, but belong to this feed from now on.
  private var adopted: [UInt32] = []
  /// The number of entities that belong to this feed since this run.
  private var gained = Coverage()
  /// Recognizes another feed than last time.
  private var feedGuard: FeedGuard
  /// The entities that belonged to another feed before, by its name.
  private(set) var takenOver: [String: FeedResult.Taken] = [:]
  private let feedNames: [Int: String]
  /// The number of the feed if all entities before the run are its own.
  private let onlyFeed: Int?
  /// True once the feed is part of the next generation.
  private var isFeedPrepared = false
  private var entities: FeedEntities
  /// The word for what rows are counted by.
  private let rowName: String
  private let hashSeed: [UInt8]
  var progress = Indexer.Progress()
  private var losses: LossGuard
  /// What the entities of the feed had before the run.
  private var before = Coverage()
  /// Entities that are as they were, but whose rows would take something from them.
  private var keptUnchanged: Set<EntityID> = []
  private var results = OrderedResults<RowResult>()
  /// The entities that wait for the publisher.
  private var waiting: [SignedEntity] = []
  private var isPublishing = false
  /// The number of missing files of entities that have images from files.
  private var missingFileCount = 0
  /// The entities with images on servers that are to be asked about them, if the run fetches.
  var toCheck: [ImageCheck] = []
  /// True once the file of an image could be opened, or need not be.
  private(set) var hasFile = false
  /// True once there is an image that is not from a file.
  private var hasOtherImages = false
  /// The generation before the run.
  private var firstGeneration = 0

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - feed: The feed, at its first record.
  ///   - source: The feed that entities belong to, as it was read last time, with its last runs.
  ///   - allowedSchemes: The schemes that links may have besides `https`.
  ///   - taken: The ids of the feeds before in the same run, with the names of the feeds.
  ///   - threads: The number of threads of the pool.
  ///   - limits: The limits of what the run may take from the index.
  init(
    _ feed: consuming FeedReader, of source: Source, options: IndexOptions,
    allowedSchemes: Set<String>,
    publisher: CataloguePublisher, previous: PreviousRows, signer: EntitySigner,
    taken: [EntityID: String] = [:], threads: Int, limits: LossLimits, observer: Observer
  ) {
    history = source.history
    self.limits = limits
    losses = LossGuard(accepted: options.acceptedLosses)
    hashSeed = feed.hashSeed(
      "\(options.onConflict)\n\(allowedSchemes.sorted())")
    rowName = feed.mapping.format.rowName
    reading = Feed.Reading(of: feed, options.feed)
    self.source = source.feed
    self.feed = feed
    self.options = options
    self.publisher = publisher
    self.previous = previous
    self.signer = signer
    self.observer = observer
    entities = FeedEntities(
      allowedSchemes: allowedSchemes, imagesMap: options.feed.imagesMap, rowName: rowName,
      taken: taken)
    feedGuard = FeedGuard(source.feed, options, ownCount: source.ownCount)
    feedNames = source.names
    onlyFeed = source.isOnly ? source.feed.number : nil
    pendingLimit = max(8 * threads, signer.pictures == nil ? 0 : 2 * FetchedPictures.width)
  }

  /// Runs to the end of the feed. Its last entities are published by the caller, perhaps with those of other feeds.
  ///
  /// - Returns: The counts at the end.
  /// - Throws: ``FeedError``; ``FeedRefusal``; ``CatalogueError``, with the code `refusedRow` if the options are strict;
  ///   `CancellationError` after the entities so far were published.
  mutating func run() async throws -> Indexer.Progress {
    progress.generation = await publisher.generation
    firstGeneration = progress.generation
    before = try await coverageBefore()
    try await withThrowingTaskGroup(of: Event.self) { group in
      while !Task.isCancelled, let record = try feed.nextRecord() {
        try start(record, &group)
        while results.pendingCount >= pendingLimit { try await finishOne(&group) }
        if lacksAllFiles {
          if waiting.count >= Self.heldLimit { throw missingFiles }
        } else if feedGuard.isHolding() {
          if waiting.count >= Self.heldLimit { try feedGuard.check() }
        } else if isPublishing
          ? waiting.count >= Self.waitingLimit : waiting.count >= Self.batchCount
        {
          try await handOver(&group)
        }
      }
      while results.pendingCount > 0 { try await finishOne(&group) }
      if let report = entities.takeUnreported() { try refuse(report) }
      if lacksAllFiles {
        guard Task.isCancelled else { throw missingFiles }
        waiting = []
      }
      if Task.isCancelled, feedGuard.isHolding() { waiting = [] } else { try feedGuard.check() }
      while isPublishing || !waiting.isEmpty {
        if isPublishing { try await finishOne(&group) } else { try await handOver(&group) }
      }
    }
    try await checkImages()
    if Task.isCancelled {
      try await publisher.finish()
      throw CancellationError()
    }
    progress.leftOut = feed.leftOut.merging(entities.leftOut, uniquingKeysWith: +)
    progress.encoding = feed.encoding
    progress.findings = entities.findings.counts
    if progress.entities > 0 {
      try await publisher.assign(adopted, to: source.number)
      try await prepareFeed()
    }
    return progress
  }

  /// Returns what the entities of the feed have before the run, and those that no feed has brought yet. The last run has counted
  /// it, if nothing has changed since.
  private func coverageBefore() async throws -> Coverage {
    if let last = history.last, !last.isUndone, last.generation == firstGeneration,
      let result = last.result
    {
      return result.after
    }
    return try await publisher.coverage(of: source.number, orOfNone: true)
  }

  /// The ids of the feed.
  var ids: Dictionary<EntityID, Int>.Keys { entities.ids }

  /// What is left to do once the last entities are published.
  var settlement: Settlement {
    let limit: Pruning.Limit =
      if losses.accepted.contains(.entities) {
        .none
      } else {
        options.removalLimit.map(Pruning.Limit.given) ?? .ofIndex(limits, history: history)
      }
    return Settlement(
      losses: losses, before: before, firstGeneration: firstGeneration, history: history,
      limits: limits, gained: gained, keptUnchanged: keptUnchanged,
      pruning: Pruning(
        feed: source.number, gained: options.isDryRun ? Coverage() : gained, ids: entities.ids,
        refusedIDs: entities.refusedIDs, hasNamelessRow: entities.hasNamelessRow, limit: limit),
      prunesMissing: options.prunesMissing, listsChanges: options.listsChanges)
  }

  // MARK: Reading

  /// Skips an unchanged record, which is recognized before it is parsed, or starts to process its
  /// entity.
  private mutating func start(
    _ record: FeedRecord, _ group: inout ThrowingTaskGroup<Event, any Error>
  ) throws {
    let number = results.start()
    progress.estimatedRows = feed.estimatedRows(after: number + 1)
    let rowHash = record.hash(seed: hashSeed)
    // If an earlier row had the same id, this one is not skipped as unchanged, but rejected below.
    if let unchanged = try rowHash.flatMap({ hash throws(CatalogueError) in
      try previous.unchanged(rowHash: hash, signer, ofOnlyFeed: onlyFeed)
    }), !entities.contains(unchanged.id) {
      entities.keep(unchanged.id, line: record.line)
      feedGuard.countUnchanged(isKnown: unchanged.feed == source.number)
      if options.onConflict == .replace, unchanged.feed != source.number {
        adopted.append(unchanged.key)
        gain(unchanged.id, from: unchanged.feed)
      }
      hasFile = hasFile || unchanged.hasFile
      if unchanged.hasAddress {
        try noteToCheck(
          ImageCheck(id: unchanged.id, line: record.line, rowHash: rowHash, isCounted: false))
      }
      return try take(number, .unchanged(images: unchanged.imageCount))
    }
    let parsed = FeedEntities.parse(record)
    let existing = try parsed.id.flatMap { id throws(CatalogueError) in
      try previous.existing(id)
    }
    switch entities.row(parsed, over: options.onConflict == .merge ? existing?.json : nil) {
    case .refused(let row): try take(number, .refused(row))
    case .skipped: try take(number, .skipped)
    case .entity(let value, let warnings):
      let line = record.line
      if options.isStrict, let loss = entities.findings.counts.keys.first(where: \.kind.isLoss) {
        throw CatalogueError(
          code: .refusedRow,
          message:
            "\(rowName) \(line) has something in the field '\(loss.field)' that is not read as "
            + "\(loss.kind.rawValue); add to the command: --map \(loss.kind.rawValue)='\(loss.field)'"
        )
      }
      let owner = try existing.flatMap { existing throws(CatalogueError) in
        try previous.feed(ofKey: existing.key)
      }
      feedGuard.count(isKnown: owner == source.number, currency: value.currency)
      // An existing entity that cannot be read is replaced by the row even if existing ones
      // are to be kept.
      if options.onConflict == .keep, let existing,
        EntityTable.readableEntity(existing.json) != nil
      {
        return try take(number, .unchanged(images: existing.images.count))
      }
      let kept = try existing.map { existing throws(CatalogueError) in
        try previous.thumbnailSides(of: existing.key)
      }
      // A row that only completes an entity does not take it over.
      let isTaken =
        owner != source.number && (existing == nil || options.onConflict == .replace)
      if isTaken { gain(value.id, from: owner) }
      let mark = try existing.flatMap { existing throws(CatalogueError) in
        try previous.mark(of: existing.key)
      }
      let old = existing.flatMap { EntityTable.readableEntity($0.json) }
      let guarded = old.map { losses.take(value, over: $0) } ?? (value: value, lost: [])
      group.addTask { [signer, value, accepted = losses.accepted, feedNumber = source.number] in
        var signed = try await signer.sign(
          guarded.value, line: line, rowHash: rowHash, existing: existing, kept: kept ?? [:])
        if isTaken { signed.feed = feedNumber }
        signed.warnings = warnings
        signed.formerMark = mark
        if let old { signed.keep(guarded.lost, row: value, old: old, accepted: accepted) }
        return .finished(number, .signed(signed))
      }
    }
  }

  // MARK: The feed

  /// Counts an entity that belongs to this feed from now on.
  private mutating func gain(_ id: EntityID, from owner: Int?) {
    gained[id.type, .entities] += 1
    guard let owner, let name = feedNames[owner] else { return }
    takenOver[name, default: FeedResult.Taken()].add(id)
  }

  /// Adds the feed to the next generation, as it is read this time.
  private mutating func prepareFeed() async throws {
    var feed = source
    reading.currencies = feedGuard.currencies(after: source.reading.currencies)
    feed.reading = reading
    var settings = ShopSettings()
    settings.feeds = [feed]
    try await publisher.prepare(settings)
  }

  // MARK: Results

  /// The result of one row.
  private enum RowResult: Sendable {
    case signed(SignedEntity)
    case refused(RefusedRow)
    case skipped
    case unchanged(images: Int)
  }

  /// The end of a task.
  private enum Event: Sendable {
    case finished(Int, RowResult)
    case published(generation: Int, rest: ArraySlice<SignedEntity>)
    /// The log of the last generation was copied into the database, as far as other readers permit.
    case copiedLog
  }

  private mutating func finishOne(
    _ group: inout ThrowingTaskGroup<Event, any Error>
  ) async throws {
    switch try await group.next() {
    case .finished(let number, let result): try take(number, result)
    case .published(let generation, let rest):
      waiting.insert(contentsOf: rest, at: 0)
      if generation == progress.generation {
        isPublishing = false
        break
      }
      progress.generation = generation
      // Moves the readers to the new generation. The log can only be copied into the database
      // completely if no reader needs the previous one.
      try previous.refresh()
      group.addTask { [copy = previous.copyingLog] in
        // A failure only leaves the log longer than necessary.
        try? copy()
        return .copiedLog
      }
    case .copiedLog:
      isPublishing = false
      // Makes the readers leave the log, so that the next generation can begin it anew.
      try previous.refresh()
    case nil: break
    }
  }

  /// Counts the finished results, in the order of the rows.
  private mutating func take(_ number: Int, _ result: RowResult) throws {
    results.finish(number, with: result)
    while let next = results.takeNext() {
      switch next {
      case .refused(let row): try refuse(row)
      case .skipped: break
      case .unchanged(let images):
        progress.entities += 1
        progress.unchangedImages += images
        if images == 0 { progress.withoutImages += 1 }
      case .signed(let signed): try count(signed)
      }
      progress.rows += 1
      observer.progress(progress)
    }
  }

  private mutating func count(_ signed: SignedEntity) throws {
    for row in signed.reports { try refuse(row) }
    for field in signed.value.misspeltFields
    where progress.misspeltFields.count < Self.nameLimit || progress.misspeltFields[field] != nil {
      progress.misspeltFields[field, default: 0] += 1
    }
    missingFileCount += signed.missingFileCount
    losses.count(signed)
    if signed.mark != nil, signed.change == .none { keptUnchanged.insert(signed.value.id) }
    progress.keptImages += signed.keptImageCount
    if signed.imagesToCheck > 0 {
      try noteToCheck(
        ImageCheck(
          id: signed.value.id, line: signed.line, rowHash: signed.isSound ? signed.rowHash : nil,
          isCounted: signed.change != .none))
    }
    // Kept images say nothing about whether their files are there.
    if signed.mark?.fields.isDisjoint(with: .images) != false {
      hasFile = hasFile || signed.images.contains { EntitySigner.isFile($0.path) }
      hasOtherImages = hasOtherImages || signed.images.contains { !EntitySigner.isFile($0.path) }
    }
    for host in signed.unfetchedHosts {
      let isCounted =
        progress.unfetchedHosts.count < Self.nameLimit || progress.unfetchedHosts[host] != nil
      progress.unfetchedHosts[isCounted ? host : "other hosts", default: 0] += 1
    }
    if signed.isWhole, signed.images.isEmpty {
      progress.withoutImages += 1
      if signed.value.imagePaths.isEmpty { observer.refused(signed.withoutImages) }
    }
    if options.isDryRun, progress.examples.count < 3 { progress.examples.append(signed.value) }
    progress.count(signed)
    if options.listsChanges { progress.changes.count(signed) }
    if signed.isWhole, signed.feed != nil, signed.change == .none, let key = signed.existing?.key {
      adopted.append(key)
    }
    if signed.isToBeWritten { waiting.append(signed) }
    progress.fetchedImages = signer.pictures?.fetchedCount ?? 0
    progress.filesByMeaning = signer.folders.meanings?.count ?? 0
  }

  mutating func refuse(_ row: RefusedRow) throws(CatalogueError) {
    progress.count(row)
    observer.refused(row)
    if options.isStrict {
      let fault = row.kind == .field ? "has a field that was left out" : "was rejected"
      throw CatalogueError(
        code: .refusedRow,
        message: "\(rowName) \(row.line) \(fault); "
          + "neither it nor the rows after it were indexed, and rows before it may be missing, too")
    }
  }

  // MARK: Publishing

  /// True if entities would lose their images, and no file of an image can be opened: the folder is probably not mounted. A single
  /// file among images from elsewhere may have been removed.
  private var lacksAllFiles: Bool { !hasFile && missingFileCount > (hasOtherImages ? 1 : 0) }

  private var missingFiles: CatalogueError {
    let more = progress.generation > firstGeneration ? "more " : ""
    return CatalogueError(
      code: .unreadableInput,
      message:
        "no image file exists beneath '\(signer.folders.places.root ?? "")' (\(missingFileCount) are missing), so that "
        + "entities would lose their images; nothing \(more)was changed: mount the folder, or name another one with "
        + "--images-root DIR"
    )
  }

  /// Passes the waiting entities to the publisher once it is idle.
  private mutating func handOver(
    _ group: inout ThrowingTaskGroup<Event, any Error>
  ) async throws {
    while isPublishing { try await finishOne(&group) }
    if !isFeedPrepared {
      isFeedPrepared = true
      try await prepareFeed()
    }
    isPublishing = true
    let entities = waiting
    waiting = []
    group.addTask { [publisher] in
      let (generation, rest) = try await publisher.put(entities)
      return .published(generation: generation, rest: rest)
    }
  }
}
