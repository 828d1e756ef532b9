extension Indexer.Progress {
  /// Adds the counts of a further feed.
  ///
  /// - Parameter feed: The name of the feed, or `nil` if the run has one feed only.
  mutating func add(_ other: Indexer.Progress, of feed: String? = nil) {
    for count: WritableKeyPath<Self, Int> in [
      \.rows, \.entities, \.signedImages, \.unchangedImages, \.fetchedImages, \.thumbnails,
      \.embeddings, \.added, \.changed, \.removed, \.refusedRows, \.refusedImages,
      \.unfetchedImages, \.warnings, \.withoutImages, \.sharedImages, \.keptImages,
      \.filesByMeaning,
    ] { self[keyPath: count] += other[keyPath: count] }
    changes.add(other.changes)
    coverage.add(other.coverage)
    keptLosses += other.keptLosses
    if let reason = other.unprunedReason, unprunedReason == nil {
      unprunedReason = (feed.map { "in '\($0)': " } ?? "") + reason
    }
    if let needed = other.neededRemovalLimit {
      neededRemovalLimit = max(needed, neededRemovalLimit ?? 0)
    }
    misspeltFields.merge(other.misspeltFields, uniquingKeysWith: +)
    leftOut.merge(other.leftOut, uniquingKeysWith: +)
    unfetchedHosts.merge(other.unfetchedHosts, uniquingKeysWith: +)
    findings.merge(other.findings, uniquingKeysWith: +)
    // One source of images serves all feeds, so the last count is that of all.
    backlog = other.backlog
    encoding = encoding ?? other.encoding
    examples += other.examples.prefix(max(0, 3 - examples.count))
    generation = other.generation
    estimatedRows = other.estimatedRows
  }
}
