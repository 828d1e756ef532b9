/// One update of an indexer with changes from memory. It takes a change when a thread is free,
/// analyzes its images there, and passes the entities to the publisher in the order of the changes.
struct UpdateRun: ~Copyable {
  /// The number of changes after which a generation is published.
  private static let publicationLimit = 16_384

  private let publisher: CataloguePublisher
  private let previous: PreviousRows
  private let signer: EntitySigner
  /// The analyses of the images of the first changes, in their order.
  private let analyses: [ImageAnalyses]
  private let options: UpdateOptions
  /// Checks entities like the rows of a feed, without any row so far.
  private let rules: FeedEntities
  private let threads: Int
  private let outcome: @Sendable (EntityChange.Outcome) -> Void

  private var progress = Indexer.Progress()
  private var results = OrderedResults<Step>()
  /// The entities whose changes are not published yet.
  private var changing: Set<EntityID> = []

  /// Prepares an update.
  ///
  /// - Parameters:
  ///   - allowedSchemes: The schemes that links may have besides `https`.
  ///   - threads: The number of threads of the pool.
  init(
    publisher: CataloguePublisher, previous: PreviousRows, signer: EntitySigner,
    analyses: [ImageAnalyses], options: UpdateOptions, allowedSchemes: Set<String>, threads: Int,
    outcome: @escaping @Sendable (EntityChange.Outcome) -> Void
  ) {
    self.publisher = publisher
    self.previous = previous
    self.signer = signer
    self.analyses = analyses
    self.options = options
    self.threads = threads
    self.outcome = outcome
    rules = FeedEntities(allowedSchemes: allowedSchemes)
  }

  /// A change that was checked and whose images were analyzed.
  private enum Step: Sendable {
    case signed(SignedEntity)
    case remove(EntityID)
    /// There is no entity to patch.
    case unknown(EntityID)
    case refused(EntityID, RefusedRow)
  }

  private typealias Group = ThrowingTaskGroup<(number: Int, step: Step), any Error>

  /// Runs to the end of the changes.
  ///
  /// - Returns: The counts at the end.
  /// - Throws: ``UpdateError`` with `source`, or `CancellationError`, after the changes so far were
  ///   published; ``CatalogueError``.
  mutating func run<Changes: AsyncSequence & Sendable>(
    _ changes: Changes
  ) async throws -> Indexer.Progress where Changes.Element == EntityChange {
    var failure: Changes.Failure?
    try await withThrowingTaskGroup(of: (number: Int, step: Step).self) { group in
      var iterator = changes.makeAsyncIterator()
      while !Task.isCancelled {
        while results.pendingCount >= threads { try await finishOne(&group) }
        let change: EntityChange?
        do throws(Changes.Failure) {
          change = try await iterator.next(isolation: #isolation)
        } catch {
          failure = error
          break
        }
        guard let change else { break }
        // A change reads the stored entity first, so an earlier change of the same entity must be
        // published before.
        if changing.contains(change.id) || changing.count >= Self.publicationLimit {
          while results.pendingCount > 0 { try await finishOne(&group) }
          try await publish()
        }
        try start(change, &group)
      }
      while results.pendingCount > 0 { try await finishOne(&group) }
    }
    try await publish()
    if Task.isCancelled { throw CancellationError() }
    if let failure { throw UpdateError<Changes.Failure>.source(failure) }
    return progress
  }

  private mutating func publish() async throws {
    try await publisher.finish(mergeLimit: CatalogueWriter.quickMergeLimit)
    progress.generation = await publisher.generation
    try previous.refresh()
    changing = []
  }

  // MARK: Reading

  private mutating func start(_ change: EntityChange, _ group: inout Group) throws {
    let number = results.start()
    changing.insert(change.id)
    switch change {
    case .remove(let id): results.finish(number, with: .remove(id))
    case .put(let given, let images):
      try start(given, images, over: try previous.existing(given.id), number, &group)
    case .patch(let id, let patch):
      guard let existing = try previous.existing(id) else {
        return results.finish(number, with: .unknown(id))
      }
      let (fields, given): (EntityPatch, EntityValue)
      do throws(FieldError) {
        fields = try EntityPatch(patch, of: id)
        given = try fields.applied(to: existing.json)
      } catch {
        let row = RefusedRow(
          line: number + 1, id: id.value, field: error.field, reason: error.reason)
        return results.finish(number, with: .refused(id, row))
      }
      try start(given, nil, by: fields, over: existing, number, &group)
    }
  }

  /// Checks an entity, and starts the analysis of its images.
  ///
  /// - Parameters:
  ///   - images: The images, or `nil` for those that the entity names.
  ///   - patch: The patch that the entity comes from.
  ///   - existing: The stored entity.
  private mutating func start(
    _ given: EntityValue, _ images: [EntityImage]?, by patch: EntityPatch? = nil,
    over existing: CatalogueTables.Existing?, _ number: Int, _ group: inout Group
  ) throws {
    let line = number + 1
    if let images, images.count > EntityValue.imageLimit {
      let row = RefusedRow(
        line: line, id: given.id.value, field: "images",
        reason: "has \(images.count) images; the limit is \(EntityValue.imageLimit)")
      return results.finish(number, with: .refused(given.id, row))
    }
    var rules = rules
    switch rules.row(FeedEntities.record(of: given, line: line), over: nil) {
    case .refused(let row): results.finish(number, with: .refused(given.id, row))
    case .skipped:
      let row = RefusedRow(line: line, reason: "is the report of a rejected row, not an entity")
      results.finish(number, with: .refused(given.id, row))
    case .entity(let value, let warnings):
      // A change is all or nothing: the program that makes it can correct the field.
      if let row = warnings.first(where: { patch?.isConcerned(by: $0) ?? true }) {
        return results.finish(number, with: .refused(given.id, row))
      }
      if let existing, patch?.changesImages == false {
        let signed = signer.keepingImages(value, line: line, existing: existing)
        return results.finish(number, with: .signed(signed))
      }
      let kept = try existing.map { existing throws(CatalogueError) in
        try previous.thumbnailSides(of: existing.key)
      }
      let analyses = number < analyses.count ? analyses[number] : ImageAnalyses()
      group.addTask { [signer] in
        let signed = try await signer.sign(
          value, images: images ?? value.imagePaths.map { .reference($0) }, line: line,
          existing: existing, kept: kept ?? [:], analyses: analyses)
        return (number, .signed(signed))
      }
    }
  }

  // MARK: Results

  /// Waits for the next result, and takes all that are next in the order of the changes.
  private mutating func finishOne(_ group: inout Group) async throws {
    try await takeFinished()
    if results.pendingCount == 0 { return }
    guard let next = try await group.next() else { return }
    results.finish(next.number, with: next.step)
    try await takeFinished()
  }

  private mutating func takeFinished() async throws {
    while let step = results.takeNext() {
      let number = progress.rows
      progress.rows += 1
      let taken: EntityChange.Outcome?
      switch step {
      case .remove(let id):
        let isKnown = try await publisher.remove(id)
        progress.removed += isKnown ? 1 : 0
        taken = .init(
          number: number, id: id, effect: isKnown ? .removed : .unknown, images: [], refused: [])
      case .unknown(let id):
        taken = .init(number: number, id: id, effect: .unknown, images: [], refused: [])
      case .refused(let id, let row):
        progress.refusedRows += 1
        taken = .init(number: number, id: id, effect: .refused, images: [], refused: [row])
      case .signed(let signed): taken = try await put(signed, number)
      }
      if let taken { outcome(taken) }
    }
  }

  /// Passes an entity to the publisher.
  ///
  /// - Returns: The outcome, or `nil` if the task was cancelled before all images were analyzed.
  private mutating func put(
    _ signed: SignedEntity, _ number: Int
  ) async throws -> EntityChange.Outcome? {
    guard signed.isWhole else { return nil }
    for row in signed.refused { progress.count(row) }
    let isRefused = options.requiresAllImages && !signed.refused.isEmpty
    let effect: EntityChange.Effect =
      switch signed.change {
      case _ where isRefused: .refused
      case .added: .added
      case .changed: .changed
      case .none: .unchanged
      }
    if !isRefused {
      progress.count(signed)
      if signed.isToBeWritten { _ = try await publisher.put([signed]) }
    }
    progress.fetchedImages = signer.pictures?.fetchedCount ?? 0
    return .init(
      number: number, id: signed.value.id, effect: effect,
      images: isRefused ? [] : signed.value.imagePaths, refused: signed.refused,
      value: isRefused ? nil : signed.value)
  }
}
