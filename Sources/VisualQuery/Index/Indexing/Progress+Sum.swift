extension Indexer.Progress {
  /// Adds the counts of a further feed.
  mutating func add(_ other: Indexer.Progress) {
    for count: WritableKeyPath<Self, Int> in [
      \.rows, \.entities, \.signedImages, \.unchangedImages, \.fetchedImages, \.thumbnails,
      \.embeddings, \.added, \.changed, \.refusedRows, \.refusedImages, \.failedFetches,
      \.unfetchedImages, \.warnings, \.withoutImages, \.sharedImages, \.keptImages,
      \.filesByMeaning,
    ] { self[keyPath: count] += other[keyPath: count] }
    changes.add(other.changes)
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
