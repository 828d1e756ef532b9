/// The options of an index run.
public struct IndexOptions: Sendable, Hashable {
  /// A policy for entities that are already in the catalogue.
  public enum ConflictPolicy: String, Sendable, Hashable, CaseIterable {
    /// Keep the stored entity.
    case keep
    /// Replace the fields of the stored entity that the row has, and keep the others.
    case merge
    /// Replace the stored entity.
    case replace
  }

  /// The policy for entities that are already in the catalogue.
  package var onConflict: ConflictPolicy
  /// A Boolean value that indicates whether entities that are missing from the feed are removed at
  /// the end of the run, if that feed brought them. Nothing is removed if the run is interrupted, if no row was read, or if a
  /// rejected row has no readable id.
  package var prunesMissing: Bool
  /// The largest share of the feed's entities before the run, in percent, that are removed because they are missing from it;
  /// `nil` for the limits of the index (``LossLimits``). If more are missing, none is removed.
  package var removalLimit: Double?
  /// The name of the feed, or `nil` for that of ``FeedName/standard(of:)``.
  package var feedName: String?
  /// A Boolean value that indicates whether a feed is taken that has another format or other currencies than last time.
  package var acceptsChangedFeed: Bool
  /// What the run may take from the index whatever the limits: old values of these fields do not stay if rows lack them.
  public var acceptedLosses: Set<CoverageField>
  /// A Boolean value that indicates whether the run writes nothing.
  package var isDryRun: Bool
  /// A Boolean value that indicates whether the first rejected row or image ends the run.
  package var isStrict: Bool
  /// A Boolean value that indicates whether the progress lists the entities that were added, changed and removed.
  package var listsChanges: Bool
  /// The options by which the rows of the feed are read.
  package var feed: FeedOptions
  /// The policy for fetching images whose paths are URLs, or `nil` to fetch none. Images that were
  /// fetched earlier are kept.
  package var fetching: FetchPolicy?

  /// Makes options; the defaults are those of the command.
  public init(
    onConflict: ConflictPolicy = .replace, prunesMissing: Bool = false,
    removalLimit: Double? = nil, isDryRun: Bool = false, isStrict: Bool = false,
    feed: FeedOptions = FeedOptions(), fetching: FetchPolicy? = nil, listsChanges: Bool = false,
    feedName: String? = nil, acceptsChangedFeed: Bool = false,
    acceptedLosses: Set<CoverageField> = []
  ) {
    self.acceptsChangedFeed = acceptsChangedFeed
    self.feedName = feedName
    self.acceptedLosses = acceptedLosses
    self.fetching = fetching
    self.feed = feed
    self.onConflict = onConflict
    self.prunesMissing = prunesMissing
    self.removalLimit = removalLimit
    self.isDryRun = isDryRun
    self.isStrict = isStrict
    self.listsChanges = listsChanges
  }
}
