/// What is remembered of a run of `vq index`.
package struct RunRecord: Sendable, Hashable {
  /// How a run ended.
  package enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
    /// Something changed, and nothing was rejected.
    case done
    /// Nothing changed, and nothing was rejected.
    case nothingToDo
    /// Rows, images or fields were rejected.
    case losses
    /// Old values were kept, or entities that the feed lacks were not removed, because they are too many; or the feed is another
    /// one than last time.
    case refused
    /// Ctrl-C, or a request to terminate.
    case interrupted
    case failed

    /// True if the shop is as its feed says, apart from what was rejected.
    package var isSuccess: Bool { [.done, .nothingToDo, .losses].contains(self) }
  }

  /// What a run changed and kept of one field of the entities of one type.
  package struct Change: Sendable, Hashable, Codable {
    package let type: EntityType
    package let field: CoverageField
    /// The number of entities that lost the field, without those that gained it. Negative if more gained it.
    package var loss = 0
    /// True if the loss was asked for, so that it does not count among those of the next runs.
    package var isAccepted = false

    package init(type: EntityType, field: CoverageField, loss: Int = 0, isAccepted: Bool = false) {
      (self.type, self.field) = (type, field)
      (self.loss, self.isAccepted) = (loss, isAccepted)
    }
  }

  /// The counts of a run that has ended.
  package struct Result: Sendable, Hashable, Codable {
    /// What the entities had before the run, and what they have after it.
    package var before = Coverage()
    package var after = Coverage()
    /// The numbers of entities that have an old value.
    package var kept = Coverage()
    package var changes: [Change] = []
    /// The number of images of which an earlier version is kept, because they could not be read or fetched again.
    package var keptImages = 0
    /// Why values were kept, nothing was removed, or the run failed.
    package var reason: String?

    package init() {}

    /// Adds what became of a further feed.
    package mutating func add(_ other: Result) {
      before.add(other.before)
      after.add(other.after)
      kept.add(other.kept)
      changes += other.changes
      keptImages += other.keptImages
    }
  }

  package let id: Int
  /// The name of the feed.
  package let feed: String
  /// Seconds since 1970.
  package let began: Int
  /// Seconds since 1970; `nil` if the run is at work, or was killed.
  package let ended: Int?
  package let outcome: Outcome?
  /// The generation after the run.
  package let generation: Int?
  /// True if a rollback has undone it.
  package let isUndone: Bool
  package let result: Result?

  /// The time that counts for the order of runs.
  package var time: Int { ended ?? began }
}

extension RunRecord {
  /// Returns what some runs, in their order, have taken from a field of the entities of a type, and the number of entities that
  /// had it before the first of these losses, or `nil` if nothing was lost.
  ///
  /// What came back makes up for a loss before it; what was added before does not.
  package static func loss(
    of field: CoverageField, _ type: EntityType, in records: [RunRecord]
  ) -> (lost: Int, of: Int?) {
    var lost = 0
    var all: Int?
    for record in records where !record.isUndone {
      guard let result = record.result else { continue }
      guard let change = result.changes.first(where: { $0.type == type && $0.field == field })
      else { continue }
      all = all ?? result.before[type, field]
      lost = change.isAccepted ? 0 : max(0, lost + change.loss)
      if lost == 0 { all = nil }
    }
    return (lost, all)
  }
}
