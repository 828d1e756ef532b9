import Foundation
import VisualQuery

/// A catalogue, the feed that it is made of, and threads for those who ask and for the next generation.
final class LiveShop: Sendable {
  private let feed: String
  private let indexer: Indexer
  private let current: CurrentCatalogue
  private let pool = WorkerPool()

  /// Indexes the feed, which creates the catalogue if there is none.
  init(feed: String, directory: String) async throws {
    self.feed = feed
    // A thread of its own: a run takes longer, but questions do not wait for it.
    indexer = Indexer(directory: directory, pool: WorkerPool(width: 1))
    try await Self.index(feed, indexer)
    current = try CurrentCatalogue(directory: directory)
  }

  /// Answers from the newest generation.
  func answer(to picture: [UInt8]) async throws -> MatchResponse {
    let matcher = Matcher(catalogue: try current.catalogue(), pool: pool)
    let content = try await matcher.content(decoding: picture)
    // Nobody waits for a line of a terminal as for an app: no deadline.
    return try await matcher.values(for: content, options: MatchOptions(timeout: nil))
  }

  /// Indexes the feed after each change of its file, until the task is cancelled.
  func follow() async {
    var indexed = modificationDate()
    while true {
      do {
        try await Task.sleep(for: .seconds(1))
        let newest = modificationDate()
        if newest == nil || newest == indexed { continue }
        try await Self.index(feed, indexer)
        indexed = newest
        // Otherwise the log of the database grows for as long as the program runs.
        current.releaseLog()
      } catch is CancellationError {
        return
      } catch {
        // A feed that is half written is tried again; until then the last generation answers.
        Self.warn("\(feed): \(error)")
      }
    }
  }

  /// Only rows that have changed cost anything.
  private static func index(_ feed: String, _ indexer: Indexer) async throws {
    let progress = try await indexer.run(
      path: feed,
      // At most half of the shop may disappear at once: a feed that ends too early is not a shop without products.
      options: IndexOptions(prunesMissing: true, removalLimit: 50),
      refused: { row in warn("\(feed):\(row.line): \(row.reason)") })
    if let reason = progress.unprunedReason { warn("\(feed): nothing was removed: \(reason)") }
  }

  private func modificationDate() -> Date? {
    (try? FileManager.default.attributesOfItem(atPath: feed))?[.modificationDate] as? Date
  }

  private static func warn(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
