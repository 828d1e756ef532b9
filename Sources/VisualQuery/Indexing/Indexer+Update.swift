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
  /// the catalogue. ``CatalogueUpkeep/rollBack()`` undoes updates together with the run before them.
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
    do {
      return try await withTaskExecutorPreference(pool) {
        try await runUpdate(with: changes, options, outcome)
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

  @concurrent private func runUpdate<Changes: AsyncSequence & Sendable>(
    with changes: Changes, _ options: UpdateOptions,
    _ outcome: @escaping @Sendable (EntityChange.Outcome) -> Void
  ) async throws -> Progress where Changes.Element == EntityChange {
    let publisher = try CataloguePublisher(
      updating: directory, settings: settings.withoutPictures,
      requiresCatalogue: options.requiresCatalogue)
    let stored = try await publisher.settings()
    var places = ShopSettings.places(stored)
    places.root = settings.imagesRoot.map(FilePath.absolute) ?? places.root
    places.outside = settings.outsideFolders?.map(FilePath.absolute) ?? places.outside
    let sides = settings.thumbnailSides ?? ShopSettings.thumbnailSides(stored)
    try await publisher.prepare(
      ShopSettings(
        imagesRoot: places.root, outsideFolders: places.outside, thumbnailSides: sides))
    let pictures = try options.fetching.map { policy throws(CatalogueError) in
      try FetchedPictures(directory: directory, policy: policy, isDryRun: false)
    }
    var run = UpdateRun(
      publisher: publisher,
      previous: try PreviousRows(reading: directory, thumbnailSides: Set(sides)),
      signer: EntitySigner(
        decoder: decoder, pictures: pictures, folders: PictureFolders(places),
        thumbnailSides: Set(sides), directory: directory, keepsMissing: false),
      options: options, allowedSchemes: try await publisher.links().allowedSchemes,
      threads: pool.width, outcome: outcome)
    return try await run.run(changes)
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
