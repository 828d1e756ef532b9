extension Indexer {
  /// Changes single entities, whose images may come from memory. All other entities stay as they are.
  ///
  /// Entities are checked, and images are analyzed, by the rules of feeds; an entity that is the same already is not
  /// analyzed again. A change counts as if it were a row of a feed. Several changes of one entity take effect in their
  /// order.
  ///
  /// The next change is only asked for when a thread is free, so that no more entities with their images are in memory
  /// than there are threads. The writer's lock is held until the sequence ends; then, and after each 16 384 changes, a
  /// generation is published. So a source that never ends should be passed on in parts. The cost does not grow with
  /// the catalogue. `vq catalogue rollback` undoes updates together with the run before them.
  ///
  /// ```swift
  /// let mug = Product(id: "mug", title: "Camp mug", price: try Price(amount: "14.90", currency: "EUR"))
  /// try await indexer.update(with: [.put(.product(mug), images: [.pixels(photo)])])
  /// ```
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - options: The options of the update.
  ///   - outcome: Called with the outcome of each change, in their order. An outcome is durable once this function
  ///     has returned.
  /// - Returns: The counts at the end, and the published generation.
  /// - Throws: ``UpdateError``.
  public func update<Changes: AsyncSequence & Sendable>(
    with changes: Changes, options: UpdateOptions = UpdateOptions(),
    outcome: @escaping @Sendable (EntityChange.Outcome) -> Void = { _ in }
  ) async throws(UpdateError<Changes.Failure>) -> Progress where Changes.Element == EntityChange {
    try await update(with: changes, analyses: [], options, outcome)
  }

  /// Changes single entities, whose images may have been analyzed already.
  ///
  /// - Parameter analyses: The analyses of the images of the first changes, in their order.
  private func update<Changes: AsyncSequence & Sendable>(
    with changes: Changes, analyses: [ImageAnalyses], _ options: UpdateOptions,
    _ outcome: @escaping @Sendable (EntityChange.Outcome) -> Void
  ) async throws(UpdateError<Changes.Failure>) -> Progress where Changes.Element == EntityChange {
    do {
      return try await withTaskExecutorPreference(pool) {
        try await runUpdate(with: changes, analyses, options, outcome)
      }
    } catch let error as UpdateError<Changes.Failure> {
      throw error
    } catch let error as CatalogueError {
      throw .catalogue(error)
    } catch {
      throw .cancelled
    }
  }

  /// Changes single entities; otherwise as with a sequence that is not in memory.
  public func update(
    with changes: [EntityChange], options: UpdateOptions = UpdateOptions(),
    outcome: @escaping @Sendable (EntityChange.Outcome) -> Void = { _ in }
  ) async throws(UpdateError<Never>) -> Progress {
    try await update(
      with: ChangesInMemory(changes: changes), options: options, outcome: outcome)
  }

  /// Changes single entities whose images were analyzed before.
  package func update(
    with changes: [PreparedChange], options: UpdateOptions,
    outcome: @escaping @Sendable (EntityChange.Outcome) -> Void
  ) async throws(UpdateError<Never>) -> Progress {
    try await update(
      with: ChangesInMemory(changes: changes.map(\.change)), analyses: changes.map(\.analyses),
      options, outcome)
  }

  /// Analyzes the images of a change, which the change itself then need not do. The writer's lock is not taken, so that
  /// many images keep no other change waiting.
  ///
  /// - Throws: ``CatalogueError``, or `CancellationError` if the task is cancelled.
  package func prepare(_ change: EntityChange) async throws -> PreparedChange {
    let prepared = PreparedChange(change: change)
    guard change.mayHaveNewImages else { return prepared }
    return try await withTaskExecutorPreference(pool) { @concurrent in
      let stored = try CatalogueDatabase(reading: directory).tables.settings.all()
      var rules = FeedEntities(
        allowedSchemes: try Catalogue.links(stored, directory).allowedSchemes)
      let (places, sides) = pictureSettings(stored)
      let previous = try PreviousRows(reading: directory, thumbnailSides: Set(sides))
      let existing = try previous.existing(change.id)
      // An invalid entity is rejected when the change is made.
      guard let (given, contents) = change.entity(over: existing),
        (1...EntityValue.imageLimit).contains(contents.count),
        case .entity(let value, []) = rules.row(FeedEntities.record(of: given, line: 1), over: nil)
      else { return prepared }
      let kept = try existing.map { existing throws(CatalogueError) in
        try previous.thumbnailSides(of: existing.key)
      }
      let signed = try await signer(places, sides, pictures: nil).sign(
        value, images: contents, line: 1, existing: existing, kept: kept ?? [:],
        analyses: prepared.analyses)
      guard signed.isWhole else { throw CancellationError() }
      return PreparedChange(change: change, analyses: prepared.analyses, refused: signed.refused)
    }
  }

  /// Returns the folders of images and the sides of thumbnails of an update: those of the indexer, otherwise the stored ones.
  private func pictureSettings(_ stored: [String: String]) -> (places: PicturePlaces, sides: [Int])
  {
    var places = ShopSettings.places(stored)
    places.root = settings.imagesRoot.map(FilePath.absolute) ?? places.root
    places.outside = settings.outsideFolders?.map(FilePath.absolute) ?? places.outside
    return (places, settings.thumbnailSides ?? ShopSettings.thumbnailSides(stored))
  }

  private func signer(
    _ places: PicturePlaces, _ sides: [Int], pictures: FetchedPictures?
  ) -> EntitySigner {
    EntitySigner(
      decoder: decoder, pictures: pictures, folders: PictureFolders(places),
      thumbnailSides: Set(sides), directory: directory, keepsMissing: false)
  }

  @concurrent private func runUpdate<Changes: AsyncSequence & Sendable>(
    with changes: Changes, _ analyses: [ImageAnalyses], _ options: UpdateOptions,
    _ outcome: @escaping @Sendable (EntityChange.Outcome) -> Void
  ) async throws -> Progress where Changes.Element == EntityChange {
    let publisher = try CataloguePublisher(
      updating: directory, settings: settings.withoutPictures,
      requiresCatalogue: options.requiresCatalogue)
    let (places, sides) = pictureSettings(try await publisher.settings())
    try await publisher.prepare(
      ShopSettings(
        imagesRoot: places.root, outsideFolders: places.outside, thumbnailSides: sides))
    let pictures = try options.fetching.map { policy throws(CatalogueError) in
      try FetchedPictures(
        directory: directory, policy: policy, isDryRun: false, decoder: decoder)
    }
    var run = UpdateRun(
      publisher: publisher,
      previous: try PreviousRows(reading: directory, thumbnailSides: Set(sides)),
      signer: signer(places, sides, pictures: pictures), analyses: analyses, options: options,
      allowedSchemes: try await publisher.links().allowedSchemes,
      threads: pool.width, outcome: outcome)
    return try await run.run(changes)
  }
}

extension EntityChange {
  /// True if images may have to be analyzed.
  fileprivate var mayHaveNewImages: Bool {
    switch self {
    case .put(let value, let images): !(images?.isEmpty ?? value.imagePaths.isEmpty)
    case .patch(let id, let patch): (try? EntityPatch(patch, of: id))?.changesImages == true
    case .remove: false
    }
  }

  /// Returns the entity with its images after the change of a stored one, or `nil` if it is invalid or there is none.
  fileprivate func entity(
    over existing: CatalogueTables.Existing?
  ) -> (value: EntityValue, images: [EntityImage])? {
    switch self {
    case .put(let value, let images):
      return (value, images ?? value.imagePaths.map { .reference($0) })
    case .patch(let id, let patch):
      guard let existing, let patch = try? EntityPatch(patch, of: id),
        let value = try? patch.applied(to: existing.json)
      else { return nil }
      return (value, value.imagePaths.map { .reference($0) })
    case .remove: return nil
    }
  }
}

/// A change whose images were analyzed before it takes the writer's lock.
package struct PreparedChange: Sendable {
  package let change: EntityChange
  let analyses: ImageAnalyses
  private let refused: [RefusedRow]

  fileprivate init(
    change: EntityChange, analyses: ImageAnalyses = ImageAnalyses(), refused: [RefusedRow] = []
  ) {
    self.change = change
    self.analyses = analyses
    self.refused = refused
  }

  /// The outcome if the change is rejected because one of its images is; `nil` if it can be made.
  package var refusal: EntityChange.Outcome? {
    refused.isEmpty
      ? nil
      : EntityChange.Outcome(
        number: 0, id: change.id, effect: .refused, images: [], refused: refused)
  }
}

/// Changes that are in memory.
private struct ChangesInMemory: AsyncSequence, Sendable {
  let changes: [EntityChange]

  struct Iterator: AsyncIteratorProtocol {
    var rest: ArraySlice<EntityChange>

    mutating func next() async -> EntityChange? { rest.popFirst() }

    mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Never) -> EntityChange? { rest.popFirst() }
  }

  func makeAsyncIterator() -> Iterator { Iterator(rest: changes[...]) }
}
