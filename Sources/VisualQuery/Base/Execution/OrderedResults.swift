/// Puts results that arrive in any order back into the order in which their work was started.
package struct OrderedResults<Outcome> {
  private var arrived: [Int: Outcome] = [:]
  private var startedCount = 0
  private var takenCount = 0

  package init() {}

  /// The number of pieces of work whose results were not taken yet.
  package var pendingCount: Int { startedCount - takenCount }

  /// Returns the number of the next piece of work.
  package mutating func start() -> Int {
    defer { startedCount += 1 }
    return startedCount
  }

  /// Adds the result of a piece of work.
  package mutating func finish(_ number: Int, with outcome: Outcome) {
    precondition(
      number < startedCount && number >= takenCount && arrived[number] == nil,
      "work \(number) was not started, or finished twice")
    arrived[number] = outcome
  }

  /// Takes the next result in the order of the work, or returns `nil` if it has not arrived.
  package mutating func takeNext() -> Outcome? {
    guard let outcome = arrived.removeValue(forKey: takenCount) else { return nil }
    takenCount += 1
    return outcome
  }
}

/// Works on items concurrently, and calls `take` with the results in the order of the items.
///
/// Unless `limit` is given, twice as many items are in progress as there are threads, so that no thread is idle while
/// the slowest item is in progress.
///
/// - Parameter limit: The most items under way at once, at least 1.
/// - Throws: The first error of `work` or of `take`; `CancellationError` if the task is cancelled.
@concurrent package func forEachInOrder<Item: Sendable, Outcome: Sendable>(
  _ items: [Item], on pool: WorkerPool, atOnce limit: Int? = nil,
  work: @escaping @concurrent @Sendable (Item) async throws -> Outcome,
  take: (Outcome) throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
    var results = OrderedResults<Outcome>()
    func finishOne() async throws {
      guard let (number, outcome) = try await group.next() else { return }
      results.finish(number, with: outcome)
      while let next = results.takeNext() { try take(next) }
    }
    for item in items {
      try Task.checkCancellation()
      let number = results.start()
      group.addTask(executorPreference: pool) { (number, try await work(item)) }
      while results.pendingCount >= (limit ?? 2 * pool.width) { try await finishOne() }
    }
    while results.pendingCount > 0 { try await finishOne() }
  }
}
