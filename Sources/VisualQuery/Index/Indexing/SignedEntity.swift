internal import PixelMatch

/// An entity with the outcomes of its images.
struct SignedEntity: Sendable {
  struct Image: Sendable {
    let position: Int
    /// The path as in the feed, or a URL.
    let path: String
    let byteCount: Int
    let modified: Int
    let contentHash: Int
    /// The signature, or `nil` if the image has not changed.
    var signature: Signature?
    /// The signatures of the squares of an image that is new and long.
    var squareSignatures: [Signature] = []
    /// True if the signature was computed for another entity of the run.
    var isShared = false
    /// The stored record of an unchanged image.
    let previous: ImageTable.Record?
    /// The missing thumbnails to store.
    var thumbnails: [KeptThumbnails.Thumbnail] = []
    /// The text and codes, if they come with the image.
    var reading: ImageReading?
  }

  var value: EntityValue
  var images: [Image]
  var refused: [RefusedRow]
  let existing: CatalogueTables.Existing?
  /// True if all images were processed, and the run was not cancelled before.
  let isWhole: Bool
  /// The line of the row that the entity comes from.
  var line = 0
  /// The hash of that row.
  var rowHash: Int?
  /// The hosts of the images that were not fetched, one for each.
  var unfetchedHosts: [String] = []
  /// The number of missing files, if the entity has images from files.
  var missingFileCount = 0
  /// The number of images of which an earlier version is kept, because they could not be read again.
  var keptImageCount = 0
  /// The number of images whose servers are asked about them later.
  var imagesToCheck = 0
  /// The embedding of each image by its position, in place of those that are stored; `nil` if these stay.
  var embeddings: [ImageEmbedding?]?
  /// The number of the feed that the entity belongs to from now on, or `nil` if it keeps what it has.
  var feed: Int?
  /// The fields that were left out.
  var warnings: [RefusedRow] = []
  /// The old values that the entity has, and the form of its row without them.
  var mark: KeptTable.Mark?
  /// What is stored about old values of the entity.
  var formerMark: KeptTable.Mark?
  /// True if the row names images, and none of them can be found any more.
  var hasLostSignature = false

  /// The reports about the row, the first of which has it.
  var reports: [RefusedRow] {
    guard let first = warnings.first ?? refused.first else { return [] }
    return [first] + (warnings + refused).dropFirst().map(\.withoutRow)
  }

  /// True if nothing of the row was rejected.
  var isSound: Bool { refused.isEmpty && warnings.isEmpty }

  /// The report that the entity has no image.
  var withoutImages: RefusedRow {
    RefusedRow(
      kind: .entity, line: line, id: value.id.value, reason: "no image in the feed",
      row: value.json)
  }
}

extension SignedEntity {
  /// The effect of adding an entity.
  enum Change: Sendable {
    case added, changed, none
  }

  /// True if there is something to write: the entity, thumbnails of unchanged images, or what is kept of it.
  var isToBeWritten: Bool {
    change != .none
      || (isWhole && (mark != formerMark || images.contains { !$0.thumbnails.isEmpty }))
  }

  /// The hash by which the next run recognizes the row, if there is no reason to read it again.
  var recognizedRow: Int? { isSound && mark == nil ? rowHash : nil }

  /// Keeps old values of fields that the row lacks, and the old images if none of the new ones can be found.
  ///
  /// - Parameters:
  ///   - lost: The fields of ``value`` that are old already, and perhaps the images.
  ///   - row: The entity as its row has it.
  ///   - old: The stored entity.
  ///   - accepted: The losses that were asked for.
  mutating func keep(
    _ lost: CoverageFields, row: EntityValue, old: EntityValue, accepted: CoverageFields
  ) {
    guard isWhole, let existing else { return }
    var kept = lost
    hasLostSignature =
      images.isEmpty && !existing.images.isEmpty && !value.imagePaths.isEmpty
    if hasLostSignature, !accepted.contains(.signature) {
      kept.formUnion(CoverageFields(.signature))
    }
    if kept.isEmpty { return }
    let form = value.keeping(lost.subtracting(.images), of: row)
    if !kept.isDisjoint(with: .images) {
      value = value.keeping(.images, of: old)
      images = existing.images.map { Image($0) }
      embeddings = nil
    }
    mark = KeptTable.Mark(
      fields: kept, json: form.json.text, rowHash: isSound ? rowHash : nil)
  }

  /// The effect of adding this entity.
  var change: Change {
    guard isWhole else { return .none }
    guard let existing else { return .added }
    let isUnchanged =
      existing.json.hasSameBytes(as: value.json.text)
      && existing.images.map(\.position) == images.map(\.position)
      && images.allSatisfy { image in
        guard let previous = image.previous else { return false }
        return previous.position == image.position && previous.path.hasSameBytes(as: image.path)
          && previous.modified == image.modified
      }
    return isUnchanged ? .none : .changed
  }
}

extension Indexer.Progress {
  /// Counts something that was rejected.
  mutating func count(_ row: RefusedRow) {
    switch row.kind {
    case .row: refusedRows += row.count
    case .image: refusedImages += row.count
    case .unfetchedImage: unfetchedImages += row.count
    case .field: warnings += row.count
    case .entity, .omitted: break
    }
  }

  /// Counts an entity that is indexed.
  mutating func count(_ signed: SignedEntity) {
    switch signed.change {
    case .added: added += 1
    case .changed: changed += 1
    case .none: break
    }
    entities += 1
    embeddings += signed.images.count { signed.newEmbedding(of: $0) != nil }
    thumbnails += signed.images.reduce(0) { $0 + $1.thumbnails.count }
    let whole = signed.images.filter { !$0.isSquare }
    signedImages += whole.count { $0.previous == nil && !$0.isShared }
    sharedImages += whole.count { $0.previous == nil && $0.isShared }
    unchangedImages += whole.count { $0.previous != nil }
  }
}

extension SignedEntity.Image {
  /// Returns the stored record of an image at the same or another position.
  init(_ previous: ImageTable.Record, position: Int? = nil) {
    self.init(
      position: position ?? previous.position, path: previous.path, byteCount: previous.byteCount,
      modified: previous.modified, contentHash: previous.contentHash, signature: nil,
      previous: previous)
  }
}
