internal import Synchronization

/// A directory that is a copy of a catalogue in PostgreSQL.
///
/// The directory is a cache and can be removed at any time. Everything that opens a directory can open
/// this one, and everything that changes it publishes the change in PostgreSQL first.
///
/// ```swift
/// let replica = try CatalogueReplica(location: PostgresLocation("postgres:///shop"), directory: "cache")
/// _ = try await replica.follow()
/// let catalogue = try replica.catalogue()
/// ```
package final class CatalogueReplica: Sendable {
  /// The address of the catalogue in PostgreSQL.
  package let location: PostgresLocation
  /// The directory of the copy.
  package let directory: String
  /// The place where candidates come from in engine mode, or `nil` in replica mode.
  package let store: (any CandidateStore)?
  private let pool: WorkerPool
  private let lastStatus = Mutex(Status())

  /// The time between two looks for a new generation. The server also announces new ones.
  private static let pollInterval = Duration.seconds(1)

  /// The relation between the copy and PostgreSQL, as it was last seen.
  package struct Status: Sendable {
    /// The newest generation that PostgreSQL was seen to have; 0 for none.
    package var newestGeneration = 0
    /// The instant at which the copy had the newest generation for the last time, or `nil` for never.
    package var lastCurrent: ContinuousClock.Instant?
    /// The reason why the copy does not follow, or `nil` if it does.
    package var error: CatalogueError?

    /// True if PostgreSQL is followed: it has not failed, and has responded in the last ten seconds.
    package var isFollowing: Bool {
      error == nil && lastCurrent.map { ContinuousClock.now - $0 < .seconds(10) } != false
    }
  }

  /// Makes a copy, or opens one that exists.
  ///
  /// - Parameters:
  ///   - location: The address of the catalogue in PostgreSQL.
  ///   - directory: The directory of the copy, which is created if it does not exist.
  ///   - pool: The threads on which the copy follows. A thread waits for PostgreSQL, so a service
  ///     should give it one of its own.
  package init(
    location: PostgresLocation, directory: String, pool: WorkerPool = WorkerPool(width: 1)
  ) {
    self.location = location
    self.directory = directory
    self.pool = pool
    store = location.isEngine ? PostgresCandidates(location) : nil
  }

  /// Opens the generation that the copy has, with the candidates of PostgreSQL in engine mode.
  ///
  /// - Parameter readers: As in ``Catalogue/init(directory:readers:)``.
  /// - Throws: ``CatalogueError``.
  package func catalogue(readers: Int = 2) throws(CatalogueError) -> Catalogue {
    try Catalogue(directory: directory, readers: readers, store: store)
  }

  /// Opens the copy for a service that follows PostgreSQL with ``run(onChange:)``.
  ///
  /// - Parameter readers: As in ``CurrentCatalogue/init(directory:readers:)``.
  /// - Throws: ``CatalogueError``.
  package func currentCatalogue(readers: Int = 2) throws(CatalogueError) -> CurrentCatalogue {
    try CurrentCatalogue(directory: directory, readers: readers, store: store)
  }

  /// The status. Never waits.
  package var status: Status { lastStatus.withLock { $0 } }

  /// Takes the newest generation from PostgreSQL. A directory of the other mode becomes one of this
  /// mode: all its segments are fetched anew.
  ///
  /// - Parameters:
  ///   - generation: The generation to wait for, or `nil` for the newest one.
  ///   - limit: The longest time to wait for it.
  /// - Returns: The generation that the copy has.
  /// - Throws: ``CatalogueError``: with the code `timedOut` if the generation did not come;
  ///   `CancellationError`.
  package func follow(
    atLeast generation: Int? = nil, within limit: Duration = .zero
  ) async throws -> Int {
    try await withTaskExecutorPreference(pool) { @concurrent in
      do throws(CatalogueError) {
        return try wait(for: generation, until: .now + limit)
      } catch {
        try Task.checkCancellation()
        throw error
      }
    }
  }

  private func wait(
    for generation: Int?, until end: ContinuousClock.Instant
  ) throws(CatalogueError) -> Int {
    let connection = try PostgresConnection(location, for: .reading)
    while true {
      let own = try step(connection, changingMode: true)
      guard let generation, own < generation else { return own }
      guard ContinuousClock.now < end else {
        throw CatalogueError(
          code: .timedOut,
          message: "generation \(generation) did not come in time; the newest is \(own)")
      }
      _ = try connection.hasNotification(within: min(end - .now, .milliseconds(100)))
    }
  }

  /// Follows PostgreSQL until the task is cancelled. Errors are reported, and tried again.
  ///
  /// A directory that has become one of the other mode is an error: otherwise two services would fetch
  /// all segments in turns for ever.
  ///
  /// - Parameter onChange: Called when the copy begins or ceases to follow, with the reason.
  package func run(onChange: @escaping @Sendable (CatalogueError?) -> Void) async {
    await withTaskExecutorPreference(pool) { @concurrent in
      while !Task.isCancelled {
        do throws(CatalogueError) {
          let connection = try PostgresConnection(location, for: .reading)
          try connection.run("listen vq_generation")
          while true {
            _ = try step(connection, changingMode: false)
            note(nil, onChange)
            _ = try connection.hasNotification(within: Self.pollInterval)
          }
        } catch {
          if Task.isCancelled { return }
          note(error, onChange)
          try? await Task.sleep(for: Self.pollInterval)
        }
      }
    }
  }

  private func note(
    _ error: CatalogueError?, _ onChange: @Sendable (CatalogueError?) -> Void
  ) {
    let isChanged = lastStatus.withLock { status in
      defer { status.error = error }
      return status.error?.code != error?.code
    }
    if isChanged { onChange(error) }
  }

  /// Takes the newest generation and the statements about answers, if the copy does not have them.
  ///
  /// - Parameter changesMode: True if a directory of the other mode becomes one of this mode.
  /// - Returns: The generation that the copy has.
  private func step(
    _ connection: PostgresConnection, changingMode changesMode: Bool
  ) throws(CatalogueError) -> Int {
    let own = try followGeneration(connection, changesMode)
    if own > 0 { try PostgresFeedback.follow(connection, directory) }
    return own
  }

  private func followGeneration(
    _ connection: PostgresConnection, _ changesMode: Bool
  ) throws(CatalogueError) -> Int {
    let newest = try PostgresGeneration.newest(connection)
    lastStatus.withLock { $0.newestGeneration = newest?.number ?? 0 }
    if let newest, FileStatus.exists(directory + "/" + CatalogueDatabase.fileName),
      let database = try? CatalogueDatabase(readingBeside: directory),
      try database.tables.replica.token() == newest.token, try isOfThisMode(database.tables)
    {
      lastStatus.withLock { $0.lastCurrent = .now }
      return newest.number
    }
    try CatalogueFolder.make(directory)
    do throws(CatalogueError) {
      let lock = try WriterLock(directory: directory, waiting: WriterLock.standardWait)
      return try take(connection, changesMode, under: lock)
    } catch  where error.code == .locked && newest != nil {
      // Another writer holds the lock. It takes the newest generation itself, but it does not
      // change the mode, so a copy of the other mode is still an error.
      let database = try CatalogueDatabase(reading: directory)
      guard try isOfThisMode(database.tables) else { throw error }
      return try database.tables.state.current().generation
    }
  }

  private func isOfThisMode(_ tables: CatalogueTables) throws(CatalogueError) -> Bool {
    try SegmentFiles(tables.settings) == location.files
  }

  private func take(
    _ connection: PostgresConnection, _ changesMode: Bool, under lock: borrowing WriterLock
  ) throws(CatalogueError) -> Int {
    if !FileStatus.exists(directory + "/" + CatalogueDatabase.fileName) {
      do throws(CatalogueError) {
        try PostgresSnapshot.build(connection, location, in: directory)
      } catch  where ![.unreachable, .loginRefused, .timedOut].contains(error.code) {
        // Without a usable snapshot (it may be of another version), the copy is made from
        // rows.
      }
    }
    let database = try CatalogueDatabase(writing: directory)
    // A directory without a generation has no mode yet and takes the requested one.
    if try database.tables.state.current().generation == 0 {
      try location.files.note(in: database.tables.settings)
    }
    if !changesMode, try !isOfThisMode(database.tables) {
      throw location.files.mismatch(in: directory)
    }
    try database.tables.replica.note(
      origin: location, of: directory,
      isEmpty: database.tables.state.current().generation == 0)
    let taken = try PostgresFollower(connection, database, directory, location.files).follow()
    let own = try database.tables.state.current().generation
    lastStatus.withLock { status in
      status.newestGeneration = taken?.number ?? 0
      if own == taken?.number ?? 0 { status.lastCurrent = .now }
    }
    return own
  }
}
