internal import PixelMatch

/// Writes the next generations of a catalogue.
///
/// The segment files of a generation are written and synced before the transaction that names them,
/// so that a kill at any moment leaves either the old generation or the new one.
struct CatalogueWriter: ~Copyable {
  /// The pending rows of the next generation for one type.
  private struct Growth {
    var segment = SegmentWriter()
    var entities: [(key: UInt32, images: [PlacedImage], previous: [ImageRecord])] = []
    /// The keys of the entities.
    var keys: Set<UInt32> = []
  }
  /// An image of the next generation.
  private struct PlacedImage {
    let image: SignedEntity.Image
    /// The stored record whose row the image keeps, or `nil` if it is in the next row of the new
    /// segment.
    let kept: ImageRecord?
  }
  private typealias ImageRecord = ImageTable.Record

  /// The number of images, or of entities, after which a generation is published, since pending
  /// ones are held in memory.
  private static let generationLimit = 16_384

  /// The last published generation.
  var generation: Int

  /// True if the catalogue had no generation when it was opened.
  private let isNew: Bool
  let directory: String
  let database: CatalogueDatabase
  /// The largest number of threads that merge segments.
  let threads: Int
  let isDryRun: Bool
  /// True if the current generation still has to be saved before the first publication.
  private var keepsPrevious: Bool
  private let lock: WriterLock
  /// The writer of the catalogue in PostgreSQL that the directory is a copy of, or `nil` if it is not
  /// a copy.
  let publisher: PostgresPublisher?
  /// The pending contents of the next generation.
  private var growing: [EntityType: Growth] = [:]
  /// True if the transaction of the next generation is open.
  private var isGrowing = false
  /// The settings to publish with the next generation.
  private var waitingSettings = ChangedSettings()
  /// The thumbnails, opened when the first one is added.
  private var thumbnails: KeptThumbnails?
  /// The segments that signatures of unchanged images are copied from.
  private var opened: [Int: SignatureSegment] = [:]

  /// Takes the writer's lock and opens or creates the catalogue.
  ///
  /// - Parameters:
  ///   - keepsPrevious: True if the current generation is saved for a rollback before the first
  ///     change.
  ///   - isDryRun: True if nothing is published.
  ///   - threads: The largest number of threads that merge segments.
  ///   - lockWait: The longest time to wait for another writer.
  /// - Throws: ``CatalogueError``.
  init(
    directory: String, keepsPrevious: Bool = false, isDryRun: Bool = false, threads: Int = 1,
    lockWait: Duration = WriterLock.standardWait
  ) throws(CatalogueError) {
    try CatalogueFolder.make(directory)
    let lock = try WriterLock(directory: directory, waiting: lockWait)
    let database = try CatalogueDatabase(writing: directory)
    let publisher = try Self.publisher(directory, database, isDryRun: isDryRun, lockWait)
    let generation = try database.tables.state.current().generation
    if !isDryRun {
      // A rollback is finished first: the saved generation refers to segments that would
      // otherwise be removed as orphans.
      try Self.finishRollback(directory, generation)
      try CatalogueFolder.removeOrphans(in: directory, except: database.tables.segments)
      let publish = database.beforeCommit
      database.beforeCommit = { [place = lock.place] () throws(CatalogueError) in
        try place.check()
        try publish?()
      }
    }
    self.keepsPrevious = keepsPrevious && generation > 0 && !isDryRun && publisher == nil
    self.isDryRun = isDryRun
    self.threads = threads
    self.lock = lock
    self.publisher = publisher
    self.database = database
    self.directory = directory
    self.generation = generation
    isNew = generation == 0
  }

  /// Brings the copy of a catalogue in PostgreSQL to its newest generation, and lets each further
  /// one be published there first.
  private static func publisher(
    _ directory: String, _ database: CatalogueDatabase, isDryRun: Bool, _ lockWait: Duration
  ) throws(CatalogueError) -> PostgresPublisher? {
    guard let origin = try database.tables.replica.origin() else { return nil }
    let location = try PostgresLocation(origin)
    guard !location.isEngine else { throw SegmentFiles.whole.mismatch(in: directory) }
    if isDryRun { return nil }
    let publisher = try PostgresPublisher(
      location, waiting: max(lockWait, WriterLock.standardWait))
    try database.tables.growth.begin()
    let reading = try PostgresConnection(location, for: .writing)
    _ = try PostgresFollower(reading, database, directory).follow()
    database.beforeCommit = { [unowned database] () throws(CatalogueError) in
      try publisher.publish(database.tables, directory)
    }
    return publisher
  }

  /// Opens each segment, so that a run does not pass for a success if what it leaves as it is cannot be searched.
  ///
  /// - Throws: ``CatalogueError`` of a missing or damaged file.
  func checkSegments() throws(CatalogueError) {
    if isDryRun { return }
    for record in try database.tables.segments.all() {
      _ = try Catalogue.open(record, in: directory)
    }
  }

  /// Saves the current generation once, before the first change.
  private mutating func keepPrevious() throws(CatalogueError) {
    try lock.place.check()
    guard keepsPrevious else { return }
    try savePrevious()
    keepsPrevious = false
  }

  /// Returns the stored entity of an id, or `nil` if there is none.
  func existing(_ id: EntityID) throws(CatalogueError) -> CatalogueTables.Existing? {
    try database.tables.existing(id)
  }

  /// Adds an entity to the next generation, which is published once it is large. It must not have been added since the last
  /// one.
  mutating func put(_ signed: SignedEntity) throws(CatalogueError) {
    if isDryRun { return }
    if signed.change == .none {
      // Thumbnails of unchanged images do not require a generation.
      if let existing = signed.existing {
        try putThumbnails(of: signed, key: existing.key)
        if signed.mark != signed.formerMark { try putMark(of: signed, key: existing.key) }
      }
      return try putNewReadings(of: signed)
    }
    try beginGrowing()
    do throws(CatalogueError) {
      try writeWaitingSettings()
      try write(signed)
    } catch {
      discard()
      throw error
    }
    let count = growing.values.reduce(0) { $0 + max($1.entities.count, $1.segment.count) }
    if count >= Self.generationLimit { try publish() }
  }

  /// Adds what is kept of an entity, which itself is unchanged, to the next generation.
  private mutating func putMark(
    of signed: SignedEntity, key: UInt32
  ) throws(CatalogueError) {
    try beginGrowing()
    do throws(CatalogueError) {
      try database.tables.kept.set(signed.mark, of: Int(key))
      try database.tables.entities.setRowHash(signed.recognizedRow, key: key)
    } catch {
      discard()
      throw error
    }
  }

  /// Adds the text and codes that came with the images of an unchanged entity to the next generation, if they are new.
  private mutating func putNewReadings(of signed: SignedEntity) throws(CatalogueError) {
    for image in signed.images {
      guard let reading = image.reading else { continue }
      let content = ReadingTable.ImageContent(byteCount: image.byteCount, hash: image.contentHash)
      if try database.tables.readings.reading(of: content)?.isSame(as: reading) == true { continue }
      try beginGrowing()
      do throws(CatalogueError) {
        try database.tables.readings.put(reading, of: content)
      } catch {
        discard()
        throw error
      }
    }
  }

  /// Gives images of an entity other embeddings in the next generation; all else stays. The entity must not have been added since
  /// the last one.
  ///
  /// - Parameter embeddings: The new embeddings, by the positions of the images.
  mutating func putEmbeddings(
    _ embeddings: [Int: ImageEmbedding], of existing: CatalogueTables.Existing, _ type: EntityType
  ) throws(CatalogueError) {
    try beginGrowing()
    do throws(CatalogueError) {
      let labels = try database.tables.labels.labels(ofKeys: [existing.key])[existing.key] ?? [:]
      var growth = growing.removeValue(forKey: type) ?? Growth()
      growth.keys.insert(existing.key)
      let images = existing.images.map { SignedEntity.Image($0) }
      for image in images {
        var signature = try signature(of: image)
        if let embedding = embeddings[image.position] { signature.embedding = embedding }
        growth.segment.append(
          signature, key: existing.key, tag: UInt32(clamping: image.position),
          filterBits: LabelBits.mask(of: labels.keys))
      }
      growth.entities.append(
        (existing.key, images.map { PlacedImage(image: $0, kept: nil) }, existing.images))
      growing[type] = growth
    } catch {
      discard()
      throw error
    }
  }

  /// Opens the transaction of the next generation unless it is open.
  mutating func beginGrowing() throws(CatalogueError) {
    if isGrowing { return }
    try keepPrevious()
    try database.begin()
    isGrowing = true
  }

  /// Removes an entity from the next generation. It must not have been added since the last one.
  ///
  /// - Returns: True if the entity existed.
  mutating func putRemoval(of id: EntityID) throws(CatalogueError) -> Bool {
    guard try database.tables.existing(id) != nil else { return false }
    if isDryRun { return true }
    try beginGrowing()
    do throws(CatalogueError) {
      return try database.remove(id)
    } catch {
      discard()
      throw error
    }
  }

  /// Returns the bridge of the published generation with further labels for a word.
  func bridge(
    adding labels: [String], to word: String
  ) throws(CatalogueError) -> LabelBridge {
    var targets = try database.tables.labelBridge.bridge().targets
    targets[LabelText.normalized(word), default: []].formUnion(labels.map(LabelText.normalized))
    return LabelBridge(targets: targets)
  }

  /// Returns the ids of all published entities.
  func allIDs() throws(CatalogueError) -> [EntityID] { try database.tables.entities.allIDs() }

  /// Removes entities and publishes the result.
  ///
  /// - Returns: The ids of the removed entities.
  mutating func remove(_ ids: [EntityID]) throws(CatalogueError) -> [EntityID] {
    if isGrowing { try publish() }
    if !ids.isEmpty { try keepPrevious() }
    var removed: [EntityID] = []
    try transaction { database throws(CatalogueError) in
      for id in ids where try database.remove(id) { removed.append(id) }
      return !removed.isEmpty
    }
    return removed
  }

  /// Publishes settings at once if they differ from the stored ones. A rollback to the run before does not restore those
  /// that it replaces: a run prepares its settings instead.
  mutating func put(_ settings: ShopSettings) throws(CatalogueError) {
    let changed = try ChangedSettings(settings, in: database.tables)
    try transaction { database throws(CatalogueError) in
      try changed.write(to: database.tables)
      return !changed.isEmpty
    }
  }

  /// Adds settings to the next generation, whatever publishes it, if they differ from the stored
  /// ones. Further ones must be other settings.
  mutating func prepare(_ settings: ShopSettings) throws(CatalogueError) {
    waitingSettings.add(try ChangedSettings(settings, in: database.tables))
  }

  private mutating func writeWaitingSettings() throws(CatalogueError) {
    try waitingSettings.write(to: database.tables)
    waitingSettings = ChangedSettings()
  }

  /// Returns the link settings of the next generation.
  func links() throws(CatalogueError) -> LinkSettings {
    var settings = try database.tables.settings.all()
    for (name, value) in waitingSettings.values { settings[name] = value }
    return try Catalogue.links(settings, directory)
  }

  /// Publishes what `body` writes, if it returns that it wrote something.
  mutating func transaction(
    _ body: (CatalogueDatabase) throws(CatalogueError) -> Bool
  ) throws(CatalogueError) {
    try database.begin()
    do throws(CatalogueError) {
      if try body(database), !isDryRun {
        generation = try database.commit()
      } else {
        try database.rollBack()
      }
    } catch {
      try? database.rollBack()
      throw error
    }
  }

  /// Publishes the pending contents, and merges segments. Records of images that were read before
  /// are then out of date.
  ///
  /// - Parameter mergeLimit: The number of live rows from which a segment is not merged.
  /// - Returns: The last published generation.
  mutating func finish(mergeLimit: Int = .max) throws(CatalogueError) -> Int {
    try thumbnails?.commit()
    if !isGrowing {
      // If there is no generation yet, publishes one even if nothing is pending.
      let hasNewThumbnails = try database.tables.growth.hasThumbnails()
      let isComplete = generation > 0 && waitingSettings.isEmpty && !hasNewThumbnails
      if isComplete || isDryRun { return generation }
      if waitingSettings.isUndoable { try keepPrevious() }
      try database.begin()
      isGrowing = true
    }
    try publish(mergeLimit: mergeLimit)
    if mergeLimit == .max, let publisher, let token = try database.tables.replica.token() {
      // The generation is published already. If storing a snapshot fails, a new copy only
      // takes longer.
      try? PostgresSnapshot.store(
        database.tables, directory, token: token, with: publisher.connection)
    }
    return generation
  }

  /// Publishes the pending contents as the next generation.
  private mutating func publish(mergeLimit: Int? = nil) throws(CatalogueError) {
    var isMerged = false
    do throws(CatalogueError) {
      try lock.place.check()
      try writeWaitingSettings()
      for type in EntityType.allCases {
        try writeSegment(of: type)
        if let mergeLimit, try mergeSegments(of: type, rowLimit: mergeLimit) { isMerged = true }
      }
      try thumbnails?.commit()
      generation = try database.commit()
      growing = [:]
      isGrowing = false
    } catch {
      discard()
      throw error
    }
    // The generation is published already, so a failure to remove old files is left to the next
    // writer.
    if isMerged { try? removeOrphans() }
  }

  /// Removes files that no generation uses, unless the directory is another one now.
  func removeOrphans() throws(CatalogueError) {
    try lock.place.check()
    try CatalogueFolder.removeOrphans(in: directory, except: database.tables.segments)
  }

  /// Removes the files of the catalogue if it is new and has no published entity, and its directory if nothing else
  /// is in it, so that a failed first run leaves nothing. The writer must not be used afterwards.
  mutating func removeIfNew() {
    guard isNew else { return }
    discard()
    guard !isDryRun, lock.place.isKept, let state = try? database.tables.state.current(),
      state.productCount + state.storeCount == 0
    else { return }
    let databases = [
      CatalogueDatabase.fileName, KeptThumbnails.fileName, FetchedPictures.fileName,
      PreviousCatalogue.fileName, RunHistory.fileName,
    ]
    for name in databases {
      for suffix in ["", "-wal", "-shm", "-journal"] { Folder.remove(name + suffix, in: directory) }
    }
    // The lock is removed last, because it keeps other writers out.
    Folder.remove(WriterLock.fileName, in: directory)
    Folder.removeIfEmpty(directory)
  }

  /// Drops what the next generation has so far.
  mutating func discard() {
    growing = [:]
    isGrowing = false
    thumbnails?.rollBack()
    try? database.rollBack()
  }

  /// Writes an entity. Its signatures are kept until their segment is written, unless the entity keeps the rows that
  /// it has.
  private mutating func write(_ signed: SignedEntity) throws(CatalogueError) {
    let labels = LabelText.indexed(signed.value.labels)
    let keepsRows = try keepsRows(signed, labels)
    let key = try database.upsert(
      signed.value, rowHash: signed.recognizedRow)
    if let mark = signed.mark { try database.tables.kept.set(mark, of: Int(key)) }
    if let feed = signed.feed { try assign([key], to: feed) }
    try putThumbnails(of: signed, key: key)
    for image in signed.images {
      guard let reading = image.reading else { continue }
      try database.tables.readings.put(
        reading, of: .init(byteCount: image.byteCount, hash: image.contentHash))
    }
    let type = signed.value.id.type
    var growth = growing.removeValue(forKey: type) ?? Growth()
    // An entity may be written only once in a generation. The rows of its images are known only
    // when the segment is written, so those of a first version would belong to no image, and
    // the segment could never be merged.
    guard growth.keys.insert(key).inserted else {
      throw CatalogueError(
        code: .corrupt, message: "\(signed.value.id) comes twice in one generation")
    }
    for image in signed.images where !keepsRows {
      var signature = try signature(of: image)
      if signed.embeddings != nil { signature.embedding = signed.newEmbedding(of: image) }
      growth.segment.append(
        signature, key: key, tag: UInt32(clamping: image.position),
        filterBits: LabelBits.mask(of: labels.keys))
    }
    growth.entities.append(
      (
        key, signed.images.map { PlacedImage(image: $0, kept: keepsRows ? $0.previous : nil) },
        keepsRows ? [] : signed.existing?.images ?? []
      ))
    growing[type] = growth
  }

  /// Returns whether the segment rows of an entity's images remain valid: nothing that is stored in
  /// them has changed.
  private func keepsRows(
    _ signed: SignedEntity, _ labels: [String: Int]
  ) throws(CatalogueError) -> Bool {
    guard signed.embeddings == nil, let existing = signed.existing,
      existing.images.count == signed.images.count,
      zip(existing.images, signed.images).allSatisfy({ old, new in
        old.position == new.position && old == new.previous
      })
    else { return false }
    return try database.tables.labels.labels(ofKeys: [existing.key])[existing.key] ?? [:] == labels
  }

  private mutating func putThumbnails(
    of signed: SignedEntity, key: UInt32
  ) throws(CatalogueError) {
    for image in signed.images {
      for thumbnail in image.thumbnails {
        if thumbnails == nil { thumbnails = try KeptThumbnails(writing: directory) }
        let picture = KeptThumbnails.Picture(entity: Int(key), contentHash: image.contentHash)
        try thumbnails?.put(thumbnail, of: picture)
        try database.tables.growth.noteThumbnails(of: key)
      }
    }
  }

  /// Writes the segment of one type, and the row of each image in it.
  private func writeSegment(of type: EntityType) throws(CatalogueError) {
    guard let growth = growing[type] else { return }
    var number = 0
    if growth.segment.count > 0 {
      let file = "\(type.rawValue)-\(generation + 1).segment"
      let bytes = growth.segment.encoded()
      try CatalogueFile.write(bytes, to: file, in: directory)
      number = try database.tables.segments.add(
        file: file, type: type, rows: growth.segment.count, byteCount: bytes.count)
    }
    var row = 0
    for (key, images, previous) in growth.entities {
      var records: [ImageRecord] = []
      for placed in images {
        let image = placed.image
        records.append(
          ImageRecord(
            position: image.position, path: image.path, byteCount: image.byteCount,
            modified: image.modified, contentHash: image.contentHash,
            segment: placed.kept?.segment ?? number, row: placed.kept?.row ?? row))
        if placed.kept == nil { row += 1 }
      }
      try database.replaceImages(of: key, with: records, previous: previous)
    }
  }

  private mutating func signature(of image: SignedEntity.Image) throws(CatalogueError) -> Signature
  {
    if let signature = image.signature { return signature }
    guard let previous = image.previous else {
      preconditionFailure("an image has a signature of its own or a previous one")
    }
    if opened[previous.segment] == nil {
      guard
        let record = try database.tables.segments.all().first(where: { $0.id == previous.segment })
      else {
        throw CatalogueError(
          code: .corrupt,
          message:
            "segment \(previous.segment) is not listed; \(CatalogueError.remedy)"
        )
      }
      opened[previous.segment] = try Catalogue.open(record, in: directory)
    }
    guard let segment = opened[previous.segment], previous.row < segment.count else {
      throw CatalogueError(
        code: .corrupt,
        message:
          "row \(previous.row) of segment \(previous.segment) does not exist; \(CatalogueError.remedy)"
      )
    }
    let signature = segment.signature(at: previous.row)
    // A damaged signature would be written to another segment, as if it were right.
    do throws(SegmentError) {
      try segment.checkUnchanged()
    } catch {
      throw CatalogueError(
        code: .corrupt,
        message: "segment \(previous.segment): \(error.message); \(CatalogueError.remedy)")
    }
    return signature
  }
}
