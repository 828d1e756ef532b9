import VisualQuery

/// The JSON form of a run's summary, `vq.index/1`.
struct IndexDocument: Encodable, Sendable {
  let schema = "vq.index/1"
  let generation: Int
  let rows: Int
  let entities: Int
  let added: Int
  let changed: Int
  let removed: Int
  /// The reason why missing entities were not removed.
  let unprunedReason: String?
  let signedImages: Int
  let unchangedImages: Int
  /// The number of images with the content of another one, which was analyzed for both.
  let sharedImages: Int
  /// The number of images of which an earlier version is kept.
  let keptImages: Int
  /// The number of new images on servers that the run did not come to, and of those that were not checked again.
  let imagesToCome: Int
  let imagesToCheck: Int
  /// The seconds that they take at the rates of their hosts.
  let secondsToCome: Int?
  let fetchedImages: Int
  /// The number of files that were found although no file has exactly the name that the feed has.
  let filesByMeaning: Int
  let thumbnails: Int
  let embeddings: Int
  let refused: Int
  let refusedRows: Int
  let refusedImages: Int
  /// The number of images on servers that the options do not ask to fetch.
  let unfetchedImages: Int
  let warnings: Int
  /// The number of rejections and warnings for which the file of rejected rows has no room.
  let unlisted: Int
  let withoutImages: Int
  let leftOut: [String: Int]
  let unfetchedHosts: [String: Int]
  /// The parts of the feed that were not used for its entities.
  let findings: [Finding]
  let encoding: String?
  /// The first entities of a dry run.
  let examples: [EntityExample]?
  /// The text that was read, with models.
  let text: CatalogueUpkeep.TextSummary?
  /// The vectors that were computed, with a model.
  let vectors: CatalogueUpkeep.EmbeddingSummary?
  /// The answers to photos of the shop's own images, if they were asked.
  let own: OwnSummary?
  /// What became of each feed; none for the output of `vq sign`.
  let feeds: [FeedSummary]
  let dryRun: Bool
  let elapsedMs: Double
  let outcome: Outcome
  /// Why old values of entities stay.
  let keptReason: String?
  /// What the index can answer, before and after the run.
  let coverage: CoverageDocument

  /// The outcome of a run.
  enum Outcome: String, Encodable, Sendable, CaseIterable {
    /// Something changed, and nothing was rejected.
    case done
    /// Nothing changed, and nothing was rejected.
    case nothingToDo
    /// Rows, images or fields were rejected.
    case losses
    /// New images on servers are still to come.
    case unfinished
    /// Entities that the feed lacks were not removed, or old values were kept, because they are too many; or one of several feeds was
    /// not indexed.
    case refused

    init(_ progress: Indexer.Progress) {
      self =
        switch progress.endedOutcome {
        case _ where progress.feeds.contains(where: { $0.failure != nil }): .refused
        case .refused: .refused
        case _ where progress.backlog.images > 0: .unfinished
        case .nothingToDo: .nothingToDo
        case .losses: .losses
        case .done, .interrupted, .failed: .done
        }
    }
  }

  /// A field that looks as if it should have become a part of entities, and their number.
  struct Finding: Encodable {
    let kind: String
    let field: String
    let entities: Int
  }

  init(
    _ progress: Indexer.Progress, elapsed: Duration, isDryRun: Bool, unlisted: Int?,
    text: CatalogueUpkeep.TextSummary? = nil, vectors: CatalogueUpkeep.EmbeddingSummary? = nil,
    own: OwnSummary? = nil
  ) {
    (self.text, self.vectors, self.own) = (text, vectors, own)
    feeds = progress.feeds.map(FeedSummary.init)
    self.unlisted = unlisted ?? 0
    (added, changed, removed) = (progress.added, progress.changed, progress.removed)
    unprunedReason = progress.unprunedReason
    dryRun = isDryRun
    generation = progress.generation
    rows = progress.rows
    entities = progress.entities
    signedImages = progress.signedImages
    unchangedImages = progress.unchangedImages
    sharedImages = progress.sharedImages
    keptImages = progress.keptImages
    (imagesToCome, imagesToCheck) = (progress.backlog.images, progress.backlog.checks)
    secondsToCome = progress.backlog.seconds
    fetchedImages = progress.fetchedImages
    filesByMeaning = progress.filesByMeaning
    thumbnails = progress.thumbnails
    embeddings = progress.embeddings
    refused = progress.refused
    refusedRows = progress.refusedRows
    refusedImages = progress.refusedImages
    unfetchedImages = progress.unfetchedImages
    findings = progress.findings.map {
      Finding(kind: $0.key.kind.rawValue, field: $0.key.field, entities: $0.value)
    }.sorted { ($0.kind, $1.entities, $0.field) < ($1.kind, $0.entities, $1.field) }
    warnings = progress.warnings
    withoutImages = progress.withoutImages
    leftOut = progress.leftOut
    unfetchedHosts = progress.unfetchedHosts
    encoding = progress.encoding?.name
    examples = isDryRun ? progress.examples.map(EntityExample.init) : nil
    elapsedMs = (elapsed / .milliseconds(1)).rounded()
    outcome = Outcome(progress)
    keptReason = progress.keptReason
    coverage = CoverageDocument(progress.coverage)
  }

  /// The coverage for people, of each feed if there are several.
  var coverageLines: [String] {
    if feeds.count < 2 { return coverage.lines }
    return feeds.flatMap { feed in
      feed.coverage.lines.map { "\(DisplayText.escaped(feed.name)): \($0)" }
    }
  }

  /// Returns the summary for people.
  func sentence(directory: String) -> String {
    let seconds = max(0.1, (elapsedMs / 100).rounded() / 10)
    let removed = removed > 0 ? ", \(self.removed) removed" : ""
    let fetched = fetchedImages > 0 ? ", \(fetchedImages) fetched" : ""
    let thumbnails =
      thumbnails > 0
      ? ", \(DisplayText.count(self.thumbnails, "thumbnail", "thumbnails")) stored" : ""
    let embeddings =
      embeddings > 0
      ? ", \(DisplayText.count(self.embeddings, "embedding", "embeddings")) stored" : ""
    let end =
      dryRun
      ? "Nothing was written."
      : generation == 0
        ? "No index was made."
        : "\(DisplayText.escaped(directory)) is at generation \(generation)."
    let unlisted =
      unlisted > 0
      ? "\(self.unlisted) rejections and warnings have no room in the file of rejected rows. " : ""
    let unfetched =
      unfetchedImages > 0
      ? ", \(DisplayText.count(unfetchedImages, "image", "images")) not fetched" : ""
    let shared = sharedImages > 0 ? ", \(sharedImages) shared" : ""
    let kept =
      keptImages > 0
      ? "Kept \(DisplayText.count(keptImages, "old image", "old images")). " : ""
    let toCome =
      imagesToCome > 0
      ? "\(DisplayText.count(imagesToCome, "image is", "images are")) still to come. " : ""
    let lost =
      withoutImages > 0
      ? "\(DisplayText.count(withoutImages, "entity", "entities")) cannot be found by image. " : ""
    return """
      \(DisplayText.count(entities, "entity", "entities")), \(added) new, \(changed) changed\(removed); \
      \(DisplayText.count(signedImages, "image", "images")) analyzed\(shared), \(unchangedImages) unchanged\(fetched)\(thumbnails)\(embeddings); \
      \(DisplayText.count(refusedRows, "row", "rows")) and \(DisplayText.count(refusedImages, "image", "images")) \
      rejected\(unfetched), \(DisplayText.count(warnings, "warning", "warnings")); in \(seconds) s. \(unlisted)\(kept)\(toCome)\(lost)\(end)
      """
  }
}

/// The answers to photos of the shop's own images, and the generation that has them.
struct OwnSummary: Encodable, Sendable {
  let answers: ShopNull
  let generation: Int
}

/// What became of one feed of a run.
struct FeedSummary: Encodable, Sendable {
  let name: String
  let format: String?
  let entities: Int
  let added: Int
  let changed: Int
  let removed: Int
  /// The number of rejected rows, images and fields.
  let rejected: Int
  /// The entities that belonged to other feeds before.
  let taken: [Taken]
  /// The options of an earlier run that were used again.
  let keptOptions: [String]
  let outcome: FeedResult.Outcome
  /// The reason why the feed was not indexed, why old values stay, or why nothing of it was removed.
  let message: String?
  /// What its entities had before the run, and have after it.
  let coverage: CoverageDocument

  /// Entities that belonged to another feed before.
  struct Taken: Encodable, Sendable {
    let feed: String
    let entities: Int
    /// The first of them.
    let ids: [String]
  }

  init(_ result: FeedResult) {
    (name, format, entities) = (result.name, result.format, result.entities)
    (added, changed, removed) = (result.added, result.changed, result.removed)
    rejected = result.losses
    taken = result.taken.sorted { $0.key < $1.key }.map {
      Taken(feed: $0.key, entities: $0.value.count, ids: $0.value.ids.map(\.description))
    }
    keptOptions = result.keptOptions
    outcome = result.outcome
    let reasons = [result.keptReason, result.unprunedReason].compactMap(\.self)
    message =
      result.failure?.message ?? (reasons.isEmpty ? nil : reasons.joined(separator: "; "))
    coverage = CoverageDocument(result.coverage)
  }
}

/// An entity as it would be indexed, in the JSON form of a feed.
struct EntityExample: Encodable, Sendable {
  let value: EntityValue

  func encode(to encoder: any Encoder) throws {
    switch value {
    case .product(let product): try product.encode(to: encoder)
    case .store(let store): try store.encode(to: encoder)
    }
  }
}
