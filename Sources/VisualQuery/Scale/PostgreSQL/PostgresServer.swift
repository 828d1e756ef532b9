internal import Synchronization

/// A server that is asked again and again, with the connections that are not in use.
///
/// A connection belongs to the thread that took it out.
final class PostgresServer: Sendable {
  let location: PostgresLocation
  private let state = Mutex(State())

  /// The most connections that are kept.
  private static let idleLimit = 16
  /// The time after a failed connection in which no other one is tried, so that a host that is gone
  /// does not take the time of every question.
  private static let restInterval = Duration.seconds(1)
  /// The time that a connection may take before a deadline counts against the server.
  private static let patience = Duration.milliseconds(100)
  /// The milliseconds between two looks for the end of a question.
  private static let pause: Int32 = 5

  /// The most segments whose records are kept.
  private static let recordLimit = 256

  private struct State {
    var idle: [Idle] = []
    /// The records of segments that were asked for. They never change, but for seals that are added to segments of
    /// earlier versions.
    var records: [String: PostedRecord.State] = [:]
    /// The instant from which on segments without seals are asked for again.
    var askAgain = ContinuousClock.now
    var failure: (error: CatalogueError, until: ContinuousClock.Instant)?
  }

  /// A connection that no thread uses.
  ///
  /// `@unchecked Sendable`: it is either in the list of its server, which a lock guards, or with the one
  /// thread that took it out of there.
  private struct Idle: @unchecked Sendable { let connection: PostgresConnection }

  init(_ location: PostgresLocation) { self.location = location }

  /// Returns a question with its answer, in one round trip.
  func answer<Asked: ShardQuestion>(
    to question: Asked, until end: ContinuousClock.Instant
  ) throws(CatalogueError) -> Asked {
    try use(until: end) { connection throws(CatalogueError) in
      let left = max(1, Int((end - .now) / .milliseconds(1)))
      var answered = question
      connection.isTimedByServer = true
      try connection.copyOut(
        "copy (\(question.queries.joined(separator: " union all "))) to stdout (format binary)",
        after: Self.settings + question.settings + ["set local statement_timeout = \(left)"]
      ) { row throws(CatalogueError) in try answered.take(row) }
      answered.finish()
      return answered
    }
  }

  /// Returns what the server must have of some segments, which it is asked once for each of them; those that it does
  /// not know are left out.
  func records(
    of names: [String], until end: ContinuousClock.Instant
  ) throws(CatalogueError) -> [String: PostedRecord.State] {
    let (kept, isDue) = state.withLock { state in
      (state.records.filter { names.contains($0.key) }, state.askAgain <= .now)
    }
    let unknown = names.filter { name in
      kept[name].map { isDue && !$0.hasSeals } ?? true
    }
    if unknown.isEmpty { return kept }
    let found = try use(until: end) { connection throws(CatalogueError) in
      try PostedRecord.states(of: unknown, connection)
    }
    state.withLock { state in
      if state.records.count + found.count > Self.recordLimit { state.records = kept }
      for (name, record) in found {
        // A damaged record is asked for again, so that its repair is noticed.
        if case .damaged = record {
          state.records[name] = nil
        } else {
          state.records[name] = record
        }
      }
      state.askAgain = .now + Self.unsealedInterval
    }
    return kept.merging(found) { $1 }
  }

  /// The time after which segments without seals are asked for again: they may have been written anew.
  private static let unsealedInterval = Duration.seconds(60)

  /// The settings that keep the plan what it should be: index scans, without compilation or workers.
  private static let settings = [
    "set local enable_seqscan = off", "set local jit = off",
    "set local max_parallel_workers_per_gather = 0",
  ]

  /// Calls `body` with a connection. If one that was kept turns out to be lost, a new one is tried.
  func use<Result>(
    until end: ContinuousClock.Instant,
    _ body: (PostgresConnection) throws(CatalogueError) -> Result
  ) throws(CatalogueError) -> Result {
    if let kept = state.withLock({ $0.idle.popLast() }) {
      do throws(CatalogueError) {
        return try use(kept, until: end, body)
      } catch  where error.code == .unreachable {
        // The server may have been restarted, which breaks all connections that were kept.
        state.withLock { $0.idle.removeAll() }
      }
    }
    return try use(try connected(until: end), until: end, body)
  }

  private func use<Result>(
    _ idle: Idle, until end: ContinuousClock.Instant,
    _ body: (PostgresConnection) throws(CatalogueError) -> Result
  ) throws(CatalogueError) -> Result {
    idle.connection.isTimedByServer = false
    idle.connection.shouldStop = { Task.isCancelled || ContinuousClock.now >= end }
    defer {
      if !idle.connection.isBroken {
        state.withLock { if $0.idle.count < Self.idleLimit { $0.idle.append(idle) } }
      }
    }
    return try body(idle.connection)
  }

  private func connected(until end: ContinuousClock.Instant) throws(CatalogueError) -> Idle {
    if let failure = state.withLock({ $0.failure }), failure.until > .now { throw failure.error }
    let begin = ContinuousClock.now
    do throws(CatalogueError) {
      let connection = try PostgresConnection(
        location, for: .reading, pause: Self.pause,
        stoppingWhen: { Task.isCancelled || ContinuousClock.now >= end })
      state.withLock { $0.failure = nil }
      return Idle(connection: connection)
    } catch {
      if !Task.isCancelled, error.code != .timedOut || .now - begin > Self.patience {
        state.withLock { $0.failure = (error, .now + Self.restInterval) }
      }
      throw error
    }
  }
}
