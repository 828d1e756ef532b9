#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
internal import PixelMatch

/// Writes the next generations of a catalogue.
///
/// A generation's segment files are written and synced before the transaction that names them, so
/// that a kill at any moment leaves either the old generation or the new one.
struct CatalogueWriter: ~Copyable {
  /// What the next generation has of one type.
  private struct Growth {
    var segment = SegmentWriter()
    var entities: [(key: UInt32, images: [SignedEntity.Image], former: [ImageRecord])] = []
  }
  private typealias ImageRecord = CatalogueDatabase.ImageRecord

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
  /// The next generation, whose transaction is open unless this is empty.
  private var growing: [EntityType: Growth] = [:]
  /// Settings that go in with the next generation.
  private var waitingSettings: [(name: String, value: String?)] = []
  /// Opened when the first one is put.
  private var thumbnails: KeptThumbnails?
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
    try Self.makeDirectory(directory)
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

  /// Makes a directory and those above it.
  private static func makeDirectory(_ path: String) throws(CatalogueError) {
    if let status = FileStatus(path) {
      if status.isDirectory { return }
      throw CatalogueError(
        code: .notACatalogue, message: "'\(path)' is a file; a catalogue is a directory")
    }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      try makeDirectory(String(path[..<slash]))
    }
    guard unsafe mkdir(path, 0o755) == 0 || errno == EEXIST else {
      throw CatalogueError(StorageError("make directory", path))
    }
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
    if isDryRun { return }
    if signed.change == .none {
      // Thumbnails of pictures that are there already need no generation.
      if let existing = signed.existing { try putThumbnails(of: signed, key: existing.key) }
      return
    }
    if growing.isEmpty {
      try keepPrevious()
      try database.begin()
    }
    do throws(CatalogueError) {
      try writeWaitingSettings()
      try write(signed)
    } catch {
      giveUp()
      throw error
    }
    let count = growing.values.reduce(0) { $0 + max($1.entities.count, $1.segment.count) }
    if count >= Self.generationLimit { try publish() }
  }

  /// What names all entities that are published.
  func allIDs() throws(CatalogueError) -> [EntityID] { try database.allIDs() }

  /// Removes entities, and publishes that.
  ///
  /// - Returns: Those that were there.
  mutating func remove(_ ids: [EntityID]) throws(CatalogueError) -> [EntityID] {
    if !growing.isEmpty { try publish() }
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

  /// Makes settings part of the next generation, however it comes about, unless they are so already.
  mutating func prepare(_ settings: ShopSettings) throws(CatalogueError) {
    let known = try database.settings()
    waitingSettings = settings.values.filter { known[$0.name] != $0.value }
  }

  private mutating func writeWaitingSettings() throws(CatalogueError) {
    for (name, value) in waitingSettings { try database.set(name, to: value) }
    waitingSettings = []
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

  /// Publishes what was put.
  ///
  /// - Returns: The last generation.
  mutating func finish() throws(CatalogueError) -> Int {
    try thumbnails?.commit()
    if growing.isEmpty {
      // A catalogue without entities is one, too.
      if (generation > 0 && waitingSettings.isEmpty) || isDryRun { return generation }
      try database.begin()
    }
    try publish()
    return generation
  }

  /// Makes what was put the next generation.
  private mutating func publish() throws(CatalogueError) {
    do throws(CatalogueError) {
      try writeWaitingSettings()
      for type in EntityType.allCases { try writeSegment(of: type) }
      try thumbnails?.commit()
      generation = try database.commit()
      growing = [:]
    } catch {
      giveUp()
      throw error
    }
  }

  private mutating func giveUp() {
    growing = [:]
    thumbnails?.rollBack()
    try? database.rollBack()
  }

  /// Writes an entity; its signatures wait for their segment.
  private mutating func write(_ signed: SignedEntity) throws(CatalogueError) {
    let key = try database.upsert(
      signed.value, rowHash: signed.refused.isEmpty ? signed.rowHash : nil)
    try putThumbnails(of: signed, key: key)
    let bits = LabelBits.mask(of: LabelText.indexed(signed.value.labels))
    let type = signed.value.id.type
    for image in signed.images {
      let signature = try signature(of: image)
      growing[type, default: Growth()].segment.append(
        signature, key: key, tag: UInt32(clamping: image.position), filterBits: bits)
    }
    growing[type, default: Growth()].entities.append(
      (key, signed.images, signed.existing?.images ?? []))
  }

  private mutating func putThumbnails(
    of signed: SignedEntity, key: UInt32
  ) throws(CatalogueError) {
    for image in signed.images {
      for thumbnail in image.thumbnails {
        if thumbnails == nil { thumbnails = try KeptThumbnails(writing: directory) }
        let picture = KeptThumbnails.Picture(entity: Int(key), contentHash: image.contentHash)
        try thumbnails?.put(thumbnail, of: picture)
      }
    }
  }

  /// Writes the segment of one type, and where each picture stands in it.
  private func writeSegment(of type: EntityType) throws(CatalogueError) {
    guard let growth = growing[type] else { return }
    var number = 0
    if growth.segment.count > 0 {
      let file = "\(type.rawValue)-\(generation + 1).segment"
      let bytes = growth.segment.encoded()
      try CatalogueFile.write(bytes, to: file, in: directory)
      number = try database.addSegment(
        file: file, type: type, rows: growth.segment.count, byteCount: bytes.count)
    }
    var row = 0
    for (key, images, former) in growth.entities {
      var records: [ImageRecord] = []
      for image in images {
        records.append(
          ImageRecord(
            position: image.position, path: image.path, byteCount: image.byteCount,
            modified: image.modified, contentHash: image.contentHash, segment: number, row: row))
        row += 1
      }
      try database.replaceImages(of: key, with: records, former: former)
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
    for name in Folder.names(in: directory)
    where (name.hasSuffix(".segment") || name.hasSuffix(".tmp")) && !live.contains(name) {
      Folder.remove(name, in: directory)
    }
  }
}
