/// Notes the beginning and the end of a run in the history of its index.
struct RunJournal: Sendable {
  /// The history, or `nil` if nothing is noted.
  private let history: RunHistory?
  private let feed: String
  private var id: Int?

  /// Makes a journal; a dry run is not noted.
  init(directory: String, feed: String, isDryRun: Bool) {
    history = isDryRun ? nil : RunHistory(directory: directory)
    self.feed = feed
  }

  /// Notes that the run begins, unless that is noted already.
  mutating func begin() throws(CatalogueError) {
    if id == nil { id = try history?.begin(feed: feed) }
  }

  /// Notes the end of the run.
  func end(_ progress: Indexer.Progress) throws(CatalogueError) {
    guard let id else { return }
    var result = progress.coverage
    result.reason = [progress.keptReason, progress.unprunedReason].compactMap(\.self)
      .joined(separator: "; ")
    if result.reason?.isEmpty == true { result.reason = nil }
    try history?.end(id, progress.outcome, generation: progress.generation, result)
  }

  /// Notes that the run has failed. That it cannot be noted is not worth another error.
  func end(failure: any Error) {
    guard let id else { return }
    var result = RunRecord.Result()
    let isCancelled = failure is CancellationError
    if !isCancelled { result.reason = FeedResult.Failure(failure).message }
    let outcome: RunRecord.Outcome =
      isCancelled ? .interrupted : failure is FeedRefusal ? .refused : .failed
    try? history?.end(id, outcome, generation: nil, result)
  }
}

extension Indexer.Progress {
  /// True if the run failed although it reached its end: nothing was indexed, or no image.
  ///
  /// Images that are still to come have an exit code of their own.
  package var isFruitless: Bool {
    entities == 0
      || refusedImages > 0 && backlog.images == 0 && signedImages + unchangedImages == 0
  }

  /// True if the index has old values, or entities that the feed lacks, since too much would have been lost.
  package var isRefused: Bool { unprunedReason != nil || !keptLosses.isEmpty }

  /// How the run ended.
  package var outcome: RunRecord.Outcome {
    entities == 0 || isFruitless && !isRefused ? .failed : endedOutcome
  }

  /// How a run ended that is no failure.
  package var endedOutcome: RunRecord.Outcome {
    if isRefused { return .refused }
    if refused + warnings > 0 { return .losses }
    let work = [added, changed, removed, signedImages, thumbnails, embeddings]
    return work.allSatisfy { $0 == 0 } ? .nothingToDo : .done
  }
}
