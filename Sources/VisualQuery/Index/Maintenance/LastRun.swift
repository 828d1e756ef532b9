/// The last run of a feed, as the status of an index tells it.
package struct LastRun: Sendable, Hashable, Encodable {
  /// The name of the feed.
  package let feed: String
  /// Seconds since 1970.
  package let began: Int
  /// Seconds since 1970; `nil` if the run is at work, or was killed.
  package let ended: Int?
  /// How it ended; `nil` if it has not.
  package let outcome: RunRecord.Outcome?
  /// The generation after it.
  package let generation: Int?
  /// Why values were kept, nothing was removed, or the run failed.
  package let reason: String?
  /// True if a rollback has undone it.
  package let isUndone: Bool
  /// The number of images of which an earlier version was kept, because they could not be read or fetched again.
  package let keptImages: Int
  /// The fields of which old values were kept.
  package let kept: [Kept]

  /// The entities of a type that have an old value of a field.
  package struct Kept: Sendable, Hashable, Encodable {
    package let type: EntityType
    package let field: CoverageField
    package let entities: Int
  }

  init(_ record: RunRecord) {
    feed = record.feed
    (began, ended) = (record.began, record.ended)
    (outcome, generation) = (record.outcome, record.generation)
    reason = record.result?.reason
    isUndone = record.isUndone
    keptImages = record.result?.keptImages ?? 0
    kept = EntityType.allCases.flatMap { type in
      CoverageField.all(of: type).compactMap { field in
        let entities = record.result?.kept[type, field] ?? 0
        return entities > 0 ? Kept(type: type, field: field, entities: entities) : nil
      }
    }
  }
}
