import VisualQuery

/// Does work on items side by side, and takes the results in the order of the items.
///
/// Twice as many are under way as there are threads, so that none waits for the slowest alone.
///
/// - Throws: The first error of `work` in the order of the items, or of `take`; `CancellationError`
///   when the task is cancelled.
@concurrent func inOrder<Item: Sendable, Outcome: Sendable>(
  _ items: [Item], width: Int, on pool: WorkerPool,
  work: @escaping @concurrent @Sendable (Item) async throws -> Outcome,
  take: (Outcome) throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
    var waiting: [Int: Outcome] = [:]
    var taken = 0
    func takeNext() async throws {
      guard let (index, outcome) = try await group.next() else { return }
      waiting[index] = outcome
      while let next = waiting.removeValue(forKey: taken) {
        taken += 1
        try take(next)
      }
    }
    for (index, item) in items.enumerated() {
      try Task.checkCancellation()
      group.addTask(executorPreference: pool) { (index, try await work(item)) }
      while index + 1 - taken >= 2 * width { try await takeNext() }
    }
    while taken < items.count { try await takeNext() }
  }
}
