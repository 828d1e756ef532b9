/// A feed of a run.
package struct FeedInput: Sendable, Hashable {
  /// The file, the folder, the address, or `-` for standard input.
  package let path: String
  /// The options by which it is read.
  package let options: FeedOptions

  package init(path: String, options: FeedOptions) {
    (self.path, self.options) = (path, options)
  }
}

/// What became of one feed of a run.
package struct FeedResult: Sendable, Hashable {
  /// The name of the feed.
  package let name: String
  /// The format, or `nil` if the feed could not be opened.
  package internal(set) var format: String?
  /// The numbers of entities that it has, and of those that were added, changed and removed.
  package internal(set) var (entities, added, changed, removed) = (0, 0, 0, 0)
  /// The number of rejected rows, images and fields.
  package internal(set) var losses = 0
  /// The entities that belonged to another feed before, by its name.
  package internal(set) var taken: [String: Taken] = [:]
  /// The options of an earlier run that this one used again, such as `--currency EUR`.
  package internal(set) var keptOptions: [String] = []
  /// The reason why entities that it lacks were not removed, or `nil`.
  package internal(set) var unprunedReason: String?
  /// The reason why old values of its entities stay, or `nil`.
  package internal(set) var keptReason: String?
  /// What its entities had before the run, and have after it.
  package internal(set) var coverage = RunRecord.Result()
  /// The reason why it was not indexed, or `nil`.
  package internal(set) var failure: Failure?

  /// Entities that belonged to another feed.
  package struct Taken: Sendable, Hashable {
    /// The most ids that are listed.
    static let limit = 10

    /// The number of entities.
    package private(set) var count = 0
    /// The first of them.
    package private(set) var ids: [EntityID] = []

    mutating func add(_ id: EntityID) {
      count += 1
      if ids.count < Self.limit { ids.append(id) }
    }
  }

  /// The reason why a feed was not indexed.
  package struct Failure: Sendable, Hashable {
    package let message: String
    package let advice: String?
    /// True if the feed could be read, and is another one than last time.
    package let isRefusal: Bool

    init(_ error: any Error) {
      switch error {
      case let error as FeedRefusal: (message, advice) = (error.message, error.advice)
      case let error as CatalogueError: (message, advice) = (error.message, nil)
      case let error as FeedError: (message, advice) = (error.message, nil)
      default: (message, advice) = ("\(error)", nil)
      }
      isRefusal = error is FeedRefusal
    }
  }

  /// What became of a feed, in a word.
  package enum Outcome: String, Sendable, Hashable, CaseIterable, Encodable {
    /// Something changed, and nothing was rejected.
    case done
    /// Nothing changed, and nothing was rejected.
    case nothingToDo
    /// Rows, images or fields were rejected.
    case losses
    /// It is another feed than last time, or lacks too much.
    case refused
    /// It could not be read.
    case failed
  }

  package init(name: String) { self.name = name }

  package var outcome: Outcome {
    if let failure { return failure.isRefusal ? .refused : .failed }
    if unprunedReason != nil || keptReason != nil { return .refused }
    if losses > 0 { return .losses }
    return added + changed + removed > 0 ? .done : .nothingToDo
  }

  /// Takes over the counts at the end of the run.
  mutating func count(_ progress: Indexer.Progress) {
    (entities, added, changed) = (progress.entities, progress.added, progress.changed)
    removed = progress.removed
    losses = progress.refused + progress.warnings
    (unprunedReason, keptReason) = (progress.unprunedReason, progress.keptReason)
    coverage = progress.coverage
  }
}
