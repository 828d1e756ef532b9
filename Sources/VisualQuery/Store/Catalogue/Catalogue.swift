package import PixelMatch
internal import Synchronization

/// One generation of a shop's catalogue, opened for searching.
///
/// It does not change while another process indexes: open the catalogue again to see the next
/// generation.
public final class Catalogue: Sendable {
  /// The number of this generation.
  public let generation: Int
  /// The number of entities of all types.
  package var entityCount: Int { state.productCount + state.storeCount }
  /// The number of images that can be found.
  package var imageCount: Int { state.imageCount }

  /// The directory of the catalogue.
  package let directory: String

  private let state: StateTable.State
  /// Tells this generation from other generations in the directory.
  let stamp: StateTable.Stamp?
  private let segments: [EntityType: [LiveSegment]]
  /// All segments, by file name.
  let files: [String: SignatureSegment]
  /// The place of posting lists and signatures, or `nil` if the segments have them.
  package let stored: StoredSegments?
  /// The error of the first read of the database that found a damaged file.
  let readDamage = Mutex<CatalogueError?>(nil)
  /// The connections that read this generation.
  let readers: CatalogueReaders
  /// The key sets of filters that were asked for.
  private let keySets = Mutex(KeySetCache())
  /// The words of the entities.
  let textIndexes = Mutex(PieceIndexCache())
  /// The nearness of strangers by the vectors of the last model that was asked for, and whether variants counted as one thing.
  let strangers = Mutex<[UInt64: (groups: Bool, nearness: StrangerNearness?)]>([:])
  /// The index in ``segments(of:)`` of each segment, by its number.
  let segmentIndices: [EntityType: [Int: Int]]
  /// The largest key of an entity.
  package let lastKey: UInt32
  /// The link templates and accepted schemes.
  package let links: LinkSettings
  /// The folders that images are read from.
  package let picturePlaces: PicturePlaces
  /// The fields of the shop's own that anyone may see.
  package let publicFields: Set<String>
  /// The shop's rules of what answers show.
  package let rules: ShopRules
  /// The shop's fits of the confidence.
  package let fits: ShopFits
  /// The answers to photos of the shop's own images, or `nil` if it was not asked.
  package let null: ShopNull?
  /// The model that computed the vectors of the images, or `nil` if none did.
  package let imageModel: ImageModel?
  /// The key that seals the tokens of clients.
  package let secret: [UInt8]
  /// The last generations.
  package let generations: GenerationLog
  /// The statements about answers, which are not part of the generation.
  package let feedback: FeedbackReader
  /// The random identity of the catalogue, which a catalogue that replaces it does not share.
  package var identity: String { state.identity }

  /// Opens the catalogue in a directory.
  ///
  /// - Parameters:
  ///   - directory: The catalogue's directory.
  ///   - readerCount: The number of threads that can read at the same time, `1...64`; each has a
  ///     connection to the file.
  /// - Throws: ``CatalogueError``; its message says what to do.
  /// - Complexity: O(segments); no signature is read.
  public convenience init(directory: String, readers readerCount: Int = 2) throws(CatalogueError) {
    try self.init(directory: directory, readers: readerCount, store: nil)
  }

  /// - Parameters:
  ///   - store: The place where posting lists and signatures are if the directory is a cache
  ///     without them.
  ///   - known: Segments that are open, by the names of their files. Those that are still the files of these names
  ///     are used again, so that what was compared with its seals is not compared again in each generation.
  package init(
    directory: String, readers readerCount: Int, store: (any CandidateStore)?,
    reusing known: [String: SignatureSegment] = [:]
  ) throws(CatalogueError) {
    let opened = try Self.open(directory, readerCount, store == nil ? .whole : .heads, known)
    let content = opened.content
    self.directory = directory
    feedback = FeedbackReader(directory: directory)
    readers = opened.readers
    state = content.state
    stamp = content.stamp
    lastKey = content.lastKey
    generation = state.generation
    generations = GenerationLog(stored: content.settings[GenerationLog.name])
    secret = Array(state.secret.utf8)
    links = try Self.links(content.settings, directory)
    picturePlaces = ShopSettings.places(content.settings)
    publicFields = ShopSettings.publicFields(content.settings)
    rules = try Self.rules(content.settings, directory)
    fits = try Self.fits(content.settings, directory)
    null = try Self.null(content.settings, directory)
    imageModel = ImageModel(settings: content.settings)
    var segments: [EntityType: [LiveSegment]] = [:]
    var names: [EntityType: [String]] = [:]
    var segmentIndices: [EntityType: [Int: Int]] = [:]
    for record in content.segments {
      guard let segment = opened.files[record.file] else { continue }
      segmentIndices[record.type, default: [:]][record.id] = segments[record.type]?.count ?? 0
      segments[record.type, default: []].append(
        LiveSegment(segment, deadRows: content.deadRows[record.id] ?? []))
      names[record.type, default: []].append(record.name)
    }
    self.segments = segments
    stored = store.map { StoredSegments(store: $0, names: names) }
    self.segmentIndices = segmentIndices
    files = opened.files
  }

  /// The parts of a generation that are opened together.
  private struct Opened {
    let readers: CatalogueReaders
    let content: Content
    let files: [String: SignatureSegment]
  }

  /// Opens the newest generation. A writer that merges segments may remove a file just before it is
  /// opened here; then there is a newer generation, which does not need it.
  private static func open(
    _ directory: String, _ readerCount: Int, _ kind: SegmentFiles,
    _ known: [String: SignatureSegment]
  ) throws(CatalogueError) -> Opened {
    var failedGeneration: Int?
    while true {
      let readers = try CatalogueReaders(directory: directory, count: readerCount)
      let content = try readers.read(stoppingWhen: { false }) { database throws(CatalogueError) in
        try Content(database)
      }
      let generation = content.state.generation
      guard SegmentFiles(content.settings) == kind else { throw kind.mismatch(in: directory) }
      do throws(CatalogueError) {
        var files: [String: SignatureSegment] = [:]
        for record in content.segments {
          let open = known[record.file]
          files[record.file] =
            if let open, isStill(open, record, in: directory) {
              open
            } else {
              try Self.open(record, in: directory, kind)
            }
        }
        return Opened(readers: readers, content: content, files: files)
      } catch {
        if failedGeneration == generation { throw Self.error(error, inGeneration: generation) }
        failedGeneration = generation
      }
    }
  }

  /// The contents of a generation that are read when it is opened.
  private struct Content: Sendable {
    let state: StateTable.State
    let stamp: StateTable.Stamp?
    let lastKey: UInt32
    let settings: [String: String]
    let segments: [SegmentList.Record]
    let deadRows: [Int: [Int]]

    init(_ database: CatalogueTables) throws(CatalogueError) {
      state = try database.state.current()
      stamp = try database.state.stamp()
      lastKey = try database.entities.lastKey()
      settings = try database.settings.all()
      segments = try database.segments.all()
      deadRows = try database.segments.deadRows()
    }
  }

  /// Returns whether an open segment is intact and the one of a record.
  private static func isStill(
    _ segment: SignatureSegment, _ record: SegmentList.Record, in directory: String
  ) -> Bool {
    guard segment.count == record.rows, segment.byteCount == record.byteCount,
      (try? segment.checkUnchanged()) != nil,
      let file = FileStatus(directory + "/" + record.file)
    else { return false }
    return segment.fileIdentity == MappedFileIdentity(device: file.device, inode: file.inode)
  }

  /// Opens a segment file and compares it with its record in the database.
  package static func open(
    _ record: SegmentList.Record, in directory: String, _ kind: SegmentFiles = .whole
  ) throws(CatalogueError) -> SignatureSegment {
    let path = directory + "/" + record.file
    let segment: SignatureSegment
    do throws(SegmentError) {
      segment = try kind.open(path)
    } catch {
      throw Self.damage(error, of: record.file, in: directory)
    }
    guard segment.count == record.rows, segment.byteCount == record.byteCount else {
      throw CatalogueError(
        code: segment.byteCount < record.byteCount ? .truncated : .corrupt,
        message: """
          '\(path)' has \(segment.count) rows in \(segment.byteCount) bytes; \
          \(record.rows) in \(record.byteCount) were written; \(CatalogueError.remedy)
          """,
        file: record.file)
    }
    return segment
  }

  package static func links(
    _ settings: [String: String], _ directory: String
  ) throws(CatalogueError) -> LinkSettings {
    do throws(LinkError) {
      return try ShopSettings.links(settings)
    } catch {
      throw CatalogueError(
        code: .corrupt, message: "'\(directory)' has a link template that \(error.message)")
    }
  }

  package static func rules(
    _ settings: [String: String], _ directory: String
  ) throws(CatalogueError) -> ShopRules {
    do throws(FieldError) {
      return try ShopSettings.rules(settings)
    } catch {
      throw CatalogueError(
        code: .corrupt,
        message: "'\(directory)' has rules of which '\(error.field ?? "rules")' \(error.reason)")
    }
  }

  package static func fits(
    _ settings: [String: String], _ directory: String
  ) throws(CatalogueError) -> ShopFits {
    do throws(FieldError) {
      return try ShopSettings.fits(settings)
    } catch {
      throw CatalogueError(
        code: .corrupt,
        message: "'\(directory)' has a fit of which '\(error.field ?? "fits")' \(error.reason)")
    }
  }

  package static func null(
    _ settings: [String: String], _ directory: String
  ) throws(CatalogueError) -> ShopNull? {
    do throws(FieldError) {
      return try ShopSettings.null(settings)
    } catch {
      throw CatalogueError(
        code: .corrupt,
        message:
          "'\(directory)' has answers to its own images of which '\(error.field ?? "null")' \(error.reason)"
      )
    }
  }

  /// A text that distinguishes the generation from every other one, even from one with the same number after a backup
  /// was restored.
  package var generationTag: String {
    "\(generation).\(String(generations.seal(of: generation) ?? 0, radix: 36))"
  }

  /// True for the copy of a catalogue in PostgreSQL.
  package var isCopy: Bool { stamp?.token.isEmpty == false }

  /// Returns the number of entities of a type.
  package func entityCount(of type: EntityType) -> Int {
    switch type {
    case .product: state.productCount
    case .store: state.storeCount
    }
  }

  /// Returns the signatures of the images of a type.
  package func segments(of type: EntityType) -> [LiveSegment] { segments[type] ?? [] }

  /// Returns the entities of some keys, without unknown keys.
  package func entities(keys: [UInt32]) throws(CatalogueError) -> [UInt32: EntityValue] {
    try read { database throws(CatalogueError) in try database.entities.values(ofKeys: keys) }
  }

  /// Returns the ids of some keys, without unknown keys.
  package func ids(keys: [UInt32]) throws(CatalogueError) -> [UInt32: EntityID] {
    try read { database throws(CatalogueError) in try database.entities.ids(ofKeys: keys) }
  }

  /// Returns the locations of some stores, without stores that have none.
  package func places(ofStores keys: [UInt32]) throws(CatalogueError) -> [UInt32: GeoPoint] {
    try read { database throws(CatalogueError) in try database.stores.places(ofKeys: keys) }
  }

  /// Returns the key of an entity, or `nil` if it is unknown.
  package func key(of id: EntityID) throws(CatalogueError) -> UInt32? {
    try read { database throws(CatalogueError) in try database.existing(id)?.key }
  }

  /// Returns the keys of some entities, without unknown ones.
  package func keys(of ids: [EntityID]) throws(CatalogueError) -> [EntityID: UInt32] {
    if ids.isEmpty { return [:] }
    return try read { database throws(CatalogueError) in
      var keys: [EntityID: UInt32] = [:]
      for id in ids { keys[id] = try database.existing(id)?.key }
      return keys
    }
  }

  /// Returns the normalized labels of some entities.
  package func labels(ofKeys keys: [UInt32]) throws(CatalogueError) -> [UInt32: [String: Int]] {
    try read { database throws(CatalogueError) in try database.labels.labels(ofKeys: keys) }
  }

  /// Returns the number of entities for each of some normalized labels.
  func labelFrequencies(_ labels: [String]) throws(CatalogueError) -> [String: Int] {
    try read { database throws(CatalogueError) in try database.labels.frequencies(of: labels) }
  }

  /// Returns the keys that answer a question, or `nil` if they are not kept.
  func keptKeys(of question: KeySetCache.Question) -> KeySet? {
    keySets.withLock { $0.keys(of: question) }
  }

  /// Keeps the keys that answer a question, within a limit of memory.
  func keep(_ keys: KeySet, of question: KeySetCache.Question) {
    keySets.withLock { $0.keep(keys, of: question) }
  }

  /// Calls `body` with the tables of a connection that no other thread is using.
  ///
  /// - Parameter shouldStop: Returns whether to stop. It is called while a statement runs and while
  ///   all connections are in use.
  /// - Throws: ``CatalogueError``; with the code `timedOut` if it was stopped.
  package func read<Result: Sendable>(
    stoppingWhen shouldStop: @escaping @Sendable () -> Bool = { Task.isCancelled },
    _ body: (CatalogueTables) throws(CatalogueError) -> Result
  ) throws(CatalogueError) -> Result {
    do throws(CatalogueError) {
      return try readers.read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
        try body(database)
      }
    } catch {
      throw noted(error)
    }
  }
}
