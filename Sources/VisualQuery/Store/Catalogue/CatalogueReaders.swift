#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The connections that read one generation of a catalogue, each used by one reader at a time.
///
/// All of them are opened at once, because a connection that is opened later would see a newer
/// generation. A reader never waits if there are no more reading threads than connections.
///
/// `@unchecked Sendable`: `idle` is only accessed between `lock` and `unlock` of the mutex below,
/// whose memory is neither moved nor freed during a read, and a connection that was taken out of
/// `idle` belongs to the reader that took it.
@safe final class CatalogueReaders: @unchecked Sendable {
  /// The largest number of connections to one generation.
  static let maximumCount = 64

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var idle: [CatalogueDatabase]
  /// True if any connection takes no locks, since the directory is not writable: it does not notice a writer.
  let isImmutable: Bool

  /// Opens the connections.
  ///
  /// - Parameter count: The number of connections, from 1 to ``maximumCount``.
  init(directory: String, count: Int) throws(CatalogueError) {
    let all = try Self.connections(directory, count: min(max(count, 1), Self.maximumCount))
    idle = all
    isImmutable = all.contains { $0.connection.isImmutable }
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(condition, nil)
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  /// Opens connections that see the same generation.
  private static func connections(
    _ directory: String, count: Int
  ) throws(CatalogueError) -> [CatalogueDatabase] {
    while true {
      let first = try CatalogueDatabase(reading: directory, refusesScans: true)
      let state = try first.tables.state.current()
      var all = [first]
      while all.count < count {
        let next = try CatalogueDatabase(readingBeside: directory)
        // If a writer published a generation in between, the connections would show
        // different ones, so all are opened again.
        guard try next.tables.state.current() == state else { break }
        all.append(next)
      }
      if all.count == count { return all }
    }
  }

  /// Calls `body` with the tables of a connection that no other thread is using. Its statements, and the wait for
  /// a connection, stop when `shouldStop` returns `true`.
  func read<Result>(
    stoppingWhen shouldStop: @escaping @Sendable () -> Bool,
    _ body: (CatalogueTables) throws(CatalogueError) -> Result
  ) throws(CatalogueError) -> Result {
    let database = try take(shouldStop)
    defer { giveBack(database) }
    return try database.connection.stopping(when: shouldStop) { () throws(CatalogueError) in
      try body(database.tables)
    }
  }

  /// All statements that the idle connections have prepared.
  var preparedSQL: Set<String> {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return Set(idle.flatMap(\.connection.preparedSQL))
  }

  private func take(_ shouldStop: () -> Bool) throws(CatalogueError) -> CatalogueDatabase {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let database = idle.popLast() { return database }
      if shouldStop() {
        throw CatalogueError(
          code: .timedOut,
          message: "no connection to the catalogue was free before the deadline; try again")
      }
      // Waits in short steps, because nothing wakes a reader when its deadline passes or its task
      // is cancelled.
      var instant = timespec()
      unsafe clock_gettime(CLOCK_REALTIME, &instant)
      instant.tv_nsec += 2_000_000
      if instant.tv_nsec >= 1_000_000_000 {
        instant.tv_nsec -= 1_000_000_000
        instant.tv_sec += 1
      }
      unsafe pthread_cond_timedwait(condition, mutex, &instant)
    }
  }

  private func giveBack(_ database: CatalogueDatabase) {
    unsafe pthread_mutex_lock(mutex)
    idle.append(database)
    unsafe pthread_cond_signal(condition)
    unsafe pthread_mutex_unlock(mutex)
  }
}
