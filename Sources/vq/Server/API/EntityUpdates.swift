import Synchronization
import VisualQuery

/// The writer of a server's changes. One batch is written at a time; the changes that come
/// meanwhile are the next batch, and are published together.
actor EntityUpdates {
  /// A change that is durable.
  struct Written: Sendable {
    let outcome: EntityChange.Outcome
    let generation: Int
  }

  private enum Turn: Sendable {
    /// Another request has written the change.
    case written(Result<Written, UpdateError<Never>>)
    /// This request writes the changes that wait.
    case lead
  }

  private struct Waiting {
    let change: EntityChange
    let continuation: CheckedContinuation<Turn, Never>
  }

  private let indexer: Indexer
  private let afterBatch: @Sendable () -> Void
  private var waiting: [Waiting] = []
  private var isWriting = false

  /// - Parameter afterBatch: Called after each batch, before the next one is written.
  init(_ indexer: Indexer, afterBatch: @escaping @Sendable () -> Void = {}) {
    self.indexer = indexer
    self.afterBatch = afterBatch
  }

  /// Writes a change, and returns once it is durable. A cancelled request does not stop the batch
  /// that it is in.
  func write(_ change: EntityChange) async throws(UpdateError<Never>) -> Written {
    if isWriting {
      let turn = await withCheckedContinuation { continuation in
        waiting.append(Waiting(change: change, continuation: continuation))
      }
      if case .written(let result) = turn { return try result.get() }
    }
    isWriting = true
    let others = waiting
    waiting = []
    let batch = [change] + others.map(\.change)
    let results = await Task { [indexer] in await Self.write(batch, with: indexer) }.value
    afterBatch()
    for (other, result) in zip(others, results.dropFirst()) {
      other.continuation.resume(returning: .written(result))
    }
    if waiting.isEmpty {
      isWriting = false
    } else {
      waiting.removeFirst().continuation.resume(returning: .lead)
    }
    return try results[0].get()
  }

  /// Writes a batch.
  ///
  /// - Returns: The result of each change.
  private static func write(
    _ batch: [EntityChange], with indexer: Indexer
  ) async -> [Result<Written, UpdateError<Never>>] {
    let outcomes = Mutex<[EntityChange.Outcome]>([])
    do throws(UpdateError<Never>) {
      let progress = try await indexer.update(
        with: batch, options: UpdateOptions(requiresAllImages: true, requiresCatalogue: true)
      ) { outcome in outcomes.withLock { $0.append(outcome) } }
      return outcomes.withLock { $0 }.map {
        .success(Written(outcome: $0, generation: progress.generation))
      }
    } catch {
      return batch.map { _ in .failure(error) }
    }
  }
}
