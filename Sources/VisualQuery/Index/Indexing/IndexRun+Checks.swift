/// An entity with images on servers that are asked about them after all rows.
struct ImageCheck: Sendable {
  let id: EntityID
  /// The line of its row.
  let line: Int
  /// The hash of the row, or `nil` if something of it was rejected.
  let rowHash: Int?
  /// True if the entity is already counted as added or changed.
  let isCounted: Bool
  /// The number of the last run in which its servers were asked.
  var lastRun = 0
}

/// The end of a run that fetches: servers are asked about the images that entities had before.
///
/// It comes after all rows, so that a run whose time is short has the new images first, and so that it is known what a host sends in
/// all before an image leaves.
extension IndexRun {
  /// Notes an entity whose images are to be checked.
  mutating func noteToCheck(_ check: ImageCheck) throws(CatalogueError) {
    guard let pictures = signer.pictures else { return }
    var check = check
    // If the time may not suffice for all, those come first that have waited longest.
    if pictures.hasEnd, let existing = try previous.existing(check.id),
      let image = existing.images.first(where: { FetchedPictures.isAddress($0.path) })
    {
      check.lastRun = try pictures.lastRun(of: image.path)
    }
    toCheck.append(check)
  }

  /// Asks the servers, and indexes the images that have changed again.
  mutating func checkImages() async throws {
    guard let pictures = signer.pictures else { return }
    if !Task.isCancelled {
      if pictures.hasEnd { toCheck.sort { ($0.lastRun, $0.line) < ($1.lastRun, $1.line) } }
      try await askServers(pictures)
    }
    if !Task.isCancelled {
      try pictures.settle()
      toCheck.sort { $0.line < $1.line }
      try await indexAgain(pictures)
    }
    toCheck = []
    progress.fetchedImages = pictures.fetchedCount
    progress.backlog = pictures.waiting()
  }

  /// Asks the servers about the images of all entities; those whose images are as they were are not looked at any further.
  private mutating func askServers(_ pictures: FetchedPictures) async throws {
    var different: [ImageCheck] = []
    try await withThrowingTaskGroup(of: ImageCheck?.self) { group in
      var pending = 0
      for check in toCheck {
        if Task.isCancelled { break }
        guard let existing = try previous.existing(check.id) else { continue }
        let images = existing.images.filter { FetchedPictures.isAddress($0.path) }
        group.addTask {
          var isDifferent = false
          for image in images {
            do {
              let result = try await pictures.check(
                image.path, had: .init(byteCount: image.byteCount, hash: image.contentHash))
              if case .different = result { isDifferent = true }
            } catch let error as FetchError where error.code == .cancelled {
              return nil
            }
          }
          return isDifferent ? check : nil
        }
        pending += 1
        if pending >= pendingLimit {
          if case let check?? = try await group.next() { different.append(check) }
          pending -= 1
          progress.fetchedImages = pictures.fetchedCount
          observer.progress(progress)
        }
      }
      for try await check in group {
        if let check { different.append(check) }
      }
    }
    toCheck = different
  }

  /// Indexes the entities again whose images have changed, are gone, or could not be asked about.
  private mutating func indexAgain(_ pictures: FetchedPictures) async throws {
    if toCheck.isEmpty { return }
    // An entity may come once in a generation only.
    if progress.entities > 0 {
      try await publisher.finish(mergeLimit: CatalogueWriter.quickMergeLimit)
    }
    try previous.refresh()
    var results = OrderedResults<(check: ImageCheck, signed: SignedEntity)>()
    try await withThrowingTaskGroup(of: (Int, ImageCheck, SignedEntity).self) { group in
      for check in toCheck {
        if Task.isCancelled { break }
        guard let existing = try previous.existing(check.id),
          let value = EntityTable.readableEntity(existing.json)
        else { continue }
        let kept = try previous.thumbnailSides(of: existing.key)
        // Old values of other fields stay so far.
        let mark = try previous.newestMark(of: existing.key)
        let number = results.start()
        group.addTask { [signer] in
          var signed = try await signer.sign(
            value, line: check.line, rowHash: check.rowHash, existing: existing, kept: kept)
          (signed.mark, signed.formerMark) = (mark, mark)
          return (number, check, signed)
        }
        while results.pendingCount >= pendingLimit,
          let (number, check, signed) = try await group.next()
        {
          results.finish(number, with: (check, signed))
          try await takeChecked(&results, pictures)
        }
      }
      while let (number, check, signed) = try await group.next() {
        results.finish(number, with: (check, signed))
        try await takeChecked(&results, pictures)
      }
    }
  }

  private mutating func takeChecked(
    _ results: inout OrderedResults<(check: ImageCheck, signed: SignedEntity)>,
    _ pictures: FetchedPictures
  ) async throws {
    while let (check, signed) = results.takeNext() {
      guard signed.isWhole else { continue }
      for row in signed.refused {
        // Whatever is not about an image that was checked was reported with the row.
        guard let position = row.imagePosition, signed.value.imagePaths.indices.contains(position)
        else { continue }
        guard let standing = pictures.standing(of: signed.value.imagePaths[position]) else {
          continue
        }
        if case .kept = standing { progress.keptImages += 1 }
        try refuse(row)
      }
      countChecked(signed, check, pictures)
      if signed.isToBeWritten {
        let (generation, _) = try await publisher.put([signed])
        if generation > progress.generation {
          progress.generation = generation
          try previous.refresh()
        }
      }
      observer.progress(progress)
    }
  }

  /// Counts what became of images that were counted as unchanged with their rows.
  private mutating func countChecked(
    _ signed: SignedEntity, _ check: ImageCheck, _ pictures: FetchedPictures
  ) {
    let before = signed.existing?.images.count ?? 0
    let analyzed = signed.images.count { $0.previous == nil && !$0.isShared }
    let shared = signed.images.count { $0.previous == nil && $0.isShared }
    let left = before - signed.images.count
    progress.signedImages += analyzed
    progress.sharedImages += shared
    progress.unchangedImages -= analyzed + shared + left
    progress.thumbnails += signed.images.reduce(0) { $0 + $1.thumbnails.count }
    if before > 0, signed.images.isEmpty { progress.withoutImages += 1 }
    if signed.change == .changed, !check.isCounted {
      progress.changed += 1
      if options.listsChanges { progress.changes.count(signed) }
    }
  }
}

extension RefusedRow {
  /// The position of the image that the report is about, or `nil`.
  fileprivate var imagePosition: Int? {
    guard kind == .image, let field, field.hasPrefix("images["), field.hasSuffix("]") else {
      return nil
    }
    return Int(field.dropFirst("images[".count).dropLast())
  }
}
