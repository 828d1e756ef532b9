import Synchronization
import VisualQuery

/// The writer of a server's changes. Images are analyzed before a change is written, by each request for itself. One batch
/// is written at a time; the changes that come meanwhile are the next batch, and are published together.
actor EntityUpdates {
  /// A change that is durable.
  struct Written: Sendable {
    let outcome: EntityChange.Outcome
    let generation: Int
  }

  /// The reason why a change has no result.
  enum Failure: Error {
    /// The catalogue cannot be opened or written.
    case catalogue(CatalogueError)
    /// The request was cancelled.
    case cancelled(Phase)
  }

  /// The part of a change in which its request was cancelled.
  enum Phase: Sendable {
    /// Its images were being analyzed. The change is not made.
    case analyzing
    /// It was waiting until others were written. The change is not made.
    case waiting
    /// It was being written. The change may still become durable.
    case writing
  }

  private typealias Outcome = Result<[Written], Failure>

  /// The changes of one request, which are written in one batch.
  private struct Waiting {
    let number: Int
    let changes: [PreparedChange]
  }

  /// Analyzes images.
  private let indexer: Indexer
  /// Writes batches.
  private let writer: Indexer
  private let afterBatch: @Sendable () -> Void
  /// The requests that are not in a batch yet, in the order of arrival.
  private var waiting: [Waiting] = []
  /// The requests without a result, by their numbers.
  private var requests: [Int: CheckedContinuation<Outcome, Never>] = [:]
  private var lastNumber = 0
  /// The number of batches that were begun.
  private(set) var batchCount = 0
  /// The number of requests that wait for a batch.
  var waitingCount: Int { waiting.count }
  private var isWriting = false

  /// - Parameters:
  ///   - indexer: Analyzes images.
  ///   - writer: Writes batches, on threads of its own if these may be blocked by a database that does not respond.
  ///   - afterBatch: Called after each batch, before the next one is written.
  init(
    _ indexer: Indexer, writer: Indexer? = nil, afterBatch: @escaping @Sendable () -> Void = {}
  ) {
    self.indexer = indexer
    self.writer = writer ?? indexer
    self.afterBatch = afterBatch
  }

  /// Writes a change, and returns once it is durable. If the request is cancelled, this function returns immediately,
  /// but the batch with the change goes on.
  func write(_ change: EntityChange) async throws(Failure) -> Written {
    try await write(prepare([change]))[0]
  }

  /// Makes changes in one batch.
  ///
  /// - Returns: The result of each change.
  func write(_ changes: [EntityChange]) async throws(Failure) -> [Written] {
    try await write(prepare(changes))
  }

  /// Analyzes the images of changes.
  private func prepare(_ changes: [EntityChange]) async throws(Failure) -> [PreparedChange] {
    do {
      let indexer = indexer
      return try await withThrowingTaskGroup(of: (index: Int, change: PreparedChange).self) {
        group in
        for (index, change) in changes.enumerated() {
          group.addTask { (index, try await indexer.prepare(change)) }
        }
        var prepared: [(index: Int, change: PreparedChange)] = []
        for try await one in group { prepared.append(one) }
        return prepared.sorted { $0.index < $1.index }.map(\.change)
      }
    } catch let error as CatalogueError {
      throw .catalogue(error)
    } catch {
      throw .cancelled(.analyzing)
    }
  }

  /// Writes changes in one batch, as with one change. Those that are refused already are not written.
  ///
  /// - Returns: The result of each change.
  private func write(_ changes: [PreparedChange]) async throws(Failure) -> [Written] {
    let accepted = changes.filter { $0.refusal == nil }
    var written = try await accepted.isEmpty ? [] : enqueue(accepted)[...]
    return changes.compactMap { change in
      change.refusal.map { Written(outcome: $0, generation: 0) } ?? written.popFirst()
    }
  }

  private func enqueue(_ changes: [PreparedChange]) async throws(Failure) -> [Written] {
    lastNumber += 1
    let number = lastNumber
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { request in
        requests[number] = request
        waiting.append(Waiting(number: number, changes: changes))
        guard !isWriting else { return }
        isWriting = true
        // Not a child task of the request, because the batch also contains changes of other
        // requests.
        Task { await writeAll() }
      }
    } onCancel: {
      Task { await self.giveUp(number) }
    }
    return try outcome.get()
  }

  /// Ends the wait of a cancelled request.
  private func giveUp(_ number: Int) {
    let isWaiting = waiting.contains { $0.number == number }
    waiting.removeAll { $0.number == number }
    finish(number, .failure(.cancelled(isWaiting ? .waiting : .writing)))
  }

  private func finish(_ number: Int, _ outcome: Outcome) {
    requests.removeValue(forKey: number)?.resume(returning: outcome)
  }

  /// Writes batches until no change waits.
  private func writeAll() async {
    while !waiting.isEmpty {
      let batch = waiting
      batchCount += 1
      waiting = []
      let outcome = await Self.write(batch.flatMap(\.changes), with: writer)
      afterBatch()
      switch outcome {
      case .failure: for request in batch { finish(request.number, outcome) }
      case .success(let written):
        var rest = written[...]
        for request in batch {
          finish(request.number, .success(Array(rest.prefix(request.changes.count))))
          rest = rest.dropFirst(request.changes.count)
        }
      }
    }
    isWriting = false
  }

  /// Writes a batch.
  ///
  /// - Returns: The result of each change.
  private static func write(_ batch: [PreparedChange], with writer: Indexer) async -> Outcome {
    let outcomes = Mutex<[EntityChange.Outcome]>([])
    do throws(UpdateError<Never>) {
      let progress = try await writer.update(
        with: batch, options: UpdateOptions(requiresAllImages: true, requiresCatalogue: true)
      ) { outcome in outcomes.withLock { $0.append(outcome) } }
      let written = outcomes.withLock { $0 }
        .map { Written(outcome: $0, generation: progress.generation) }
      return written.count == batch.count ? .success(written) : .failure(.cancelled(.writing))
    } catch {
      if case .catalogue(let error) = error { return .failure(.catalogue(error)) }
      return .failure(.cancelled(.writing))
    }
  }
}
