internal import PixelMatch

/// Writes the next generations of a catalogue.
///
/// A generation's segment files are written and synced before the transaction that names them, so
/// that a kill at any moment leaves either the old generation or the new one.
struct CatalogueWriter: ~Copyable {
  /// Entities that become a generation together.
  struct Batch: Sendable {
    private(set) var entities: [SignedEntity] = []
    private var imageCount = 0
    /// Whether it is to be published before it grows.
    var isLarge: Bool { max(entities.count, imageCount) >= CatalogueWriter.generationLimit }

    mutating func append(_ signed: SignedEntity) {
      entities.append(signed)
      imageCount += signed.images.count
    }
  }

  /// Pictures, or entities, after which a generation is published: what waits stands in memory.
  private static let generationLimit = 16_384

  /// The last generation that was published.
  var generation: Int

  let directory: String
  let database: CatalogueDatabase
  private let isDryRun: Bool
  /// Whether what is there before the first publication is still to be kept.
  private var keepsPrevious: Bool
  private let lock: WriterLock
  private var pending = Batch()
  /// Segments that signatures of unchanged pictures are copied from.
  private var opened: [Int: SignatureSegment] = [:]

  /// Takes the writer's lock and opens the catalogue, or makes one.
  ///
  /// - Parameters:
  ///   - keepsPrevious: Whether what is there is kept, to go back to, before anything changes.
  ///   - isDryRun: Whether nothing is ever published.
  /// - Throws: ``CatalogueError``.
  init(
    directory: String, keepsPrevious: Bool = false, isDryRun: Bool = false
  ) throws(CatalogueError) {
    try DurableFile.makeDirectory(directory)
    let lock = try WriterLock(directory: directory)
    let database = try CatalogueDatabase(writing: directory)
    let generation = try database.state().generation
    if !isDryRun { try Self.removeOrphans(directory, database) }
    self.keepsPrevious = keepsPrevious && generation > 0 && !isDryRun
    self.isDryRun = isDryRun
    self.lock = lock
    self.database = database
    self.directory = directory
    self.generation = generation
  }

  /// Keeps what is there, once, before something changes.
  private mutating func keepPrevious() throws(CatalogueError) {
    guard keepsPrevious else { return }
    try savePrevious()
    keepsPrevious = false
  }

  /// What is there of an entity.
  func existing(_ id: EntityID) throws(CatalogueError) -> CatalogueDatabase.Existing? {
    try database.existing(id)
  }

  /// Adds an entity to the next generation, which is published once it is large.
  mutating func put(_ signed: SignedEntity) throws(CatalogueError) {
    guard signed.change != .none else { return }
    pending.append(signed)
    if pending.isLarge { try publish() }
  }

  /// What names all entities that are published.
  func allIDs() throws(CatalogueError) -> [EntityID] { try database.allIDs() }

  /// Removes entities, and publishes that.
  ///
  /// - Returns: Those that were there.
  mutating func remove(_ ids: [EntityID]) throws(CatalogueError) -> [EntityID] {
    if !pending.entities.isEmpty { try publish() }
    if !ids.isEmpty { try keepPrevious() }
    var removed: [EntityID] = []
    try transaction { database throws(CatalogueError) in
      for id in ids where try database.remove(id) { removed.append(id) }
      return !removed.isEmpty
    }
    return removed
  }

  /// Makes settings part of the next generation, unless they are so already.
  mutating func put(_ settings: ShopSettings) throws(CatalogueError) {
    try transaction { database throws(CatalogueError) in
      var changed = false
      let known = try database.settings()
      for (name, value) in settings.values where known[name] != value {
        try database.set(name, to: value)
        changed = true
      }
      if let bridge = settings.bridge, try database.bridge() != bridge {
        try database.replaceBridge(bridge)
        changed = true
      }
      return changed
    }
  }

  /// Where entities open.
  func links() throws(CatalogueError) -> LinkSettings {
    try Catalogue.links(try database.settings(), directory)
  }

  /// Publishes what `body` writes, if it says that it wrote something.
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

  /// Publishes what is pending.
  ///
  /// - Returns: The last generation.
  mutating func finish() throws(CatalogueError) -> Int {
    if !pending.entities.isEmpty || generation == 0 { try publish() }
    return generation
  }

  private mutating func publish() throws(CatalogueError) {
    let batch = pending
    pending = Batch()
    try publish(batch)
  }

  /// Makes some entities the next generation.
  mutating func publish(_ batch: Batch) throws(CatalogueError) {
    if isDryRun { return }
    try keepPrevious()
    try database.begin()
    do throws(CatalogueError) {
      for type in EntityType.allCases {
        try write(batch.entities.filter { $0.value.id.type == type }, type)
      }
      generation = try database.commit()
    } catch {
      try? database.rollBack()
      throw error
    }
  }

  /// Writes one type's entities and their segment.
  private mutating func write(_ entities: [SignedEntity], _ type: EntityType) throws(CatalogueError)
  {
    if entities.isEmpty { return }
    var segment = SegmentWriter()
    var keys: [UInt32] = []
    for signed in entities {
      let key = try database.upsert(
        signed.value, rowHash: signed.refused.isEmpty ? signed.rowHash : nil)
      keys.append(key)
      let bits = LabelBits.mask(of: LabelText.indexed(signed.value.labels))
      for image in signed.images {
        segment.append(
          try signature(of: image), key: key, tag: UInt32(clamping: image.position),
          filterBits: bits)
      }
    }
    var number = 0
    if segment.count > 0 {
      let file = "\(type.rawValue)-\(generation + 1).segment"
      let bytes = segment.encoded()
      try DurableFile.write(bytes, to: file, in: directory)
      number = try database.addSegment(
        file: file, type: type, rows: segment.count, byteCount: bytes.count)
    }
    var row = 0
    for (signed, key) in zip(entities, keys) {
      var records: [CatalogueDatabase.ImageRecord] = []
      for image in signed.images {
        records.append(
          CatalogueDatabase.ImageRecord(
            position: image.position, path: image.path, byteCount: image.byteCount,
            modified: image.modified, contentHash: image.contentHash, segment: number, row: row))
        row += 1
      }
      try database.replaceImages(of: key, with: records, former: signed.existing?.images ?? [])
    }
  }

  private mutating func signature(of image: SignedEntity.Image) throws(CatalogueError) -> Signature
  {
    if let signature = image.signature { return signature }
    guard let former = image.former else {
      preconditionFailure("a picture has a signature, or one that was there before")
    }
    if opened[former.segment] == nil {
      guard let record = try database.segments().first(where: { $0.id == former.segment }) else {
        throw CatalogueError(
          code: .corrupt, message: "segment \(former.segment) is not listed; index again")
      }
      opened[former.segment] = try Catalogue.open(record, in: directory)
    }
    guard let segment = opened[former.segment], former.row < segment.count else {
      throw CatalogueError(
        code: .corrupt, message: "row \(former.row) of segment \(former.segment) is not there")
    }
    return segment.signature(at: former.row)
  }

  func removeOrphans() throws(CatalogueError) { try Self.removeOrphans(directory, database) }

  /// Removes segment files that a killed run left behind before it could name them.
  private static func removeOrphans(
    _ directory: String, _ database: CatalogueDatabase
  ) throws(CatalogueError) {
    var live = Set(try database.segments().map(\.file))
    // A file that cannot be read is none to go back to.
    if let previous = try? PreviousCatalogue(directory: directory) {
      live.formUnion(previous.segmentFiles)
    }
    for name in DurableFile.names(in: directory)
    where (name.hasSuffix(".segment") || name.hasSuffix(".tmp")) && !live.contains(name) {
      DurableFile.remove(name, in: directory)
    }
  }
}
