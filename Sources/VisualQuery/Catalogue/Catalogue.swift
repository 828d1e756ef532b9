internal import PixelMatch
internal import Synchronization

/// One generation of a shop's catalogue, opened to be searched.
///
/// It stays as it is while another process indexes: open it again to see the next generation.
public final class Catalogue: Sendable {
  /// The number of this generation.
  public let generation: Int
  /// Number of entities of all types.
  public var entityCount: Int { state.productCount + state.storeCount }
  /// Number of pictures that can be found.
  public var imageCount: Int { state.imageCount }

  /// Where it is.
  let directory: String

  private let state: CatalogueDatabase.State
  private let segments: [EntityType: [LiveSegment]]
  /// All segments by the names of their files.
  let files: [String: SignatureSegment]
  /// The error of the first read of the database that found a damaged file.
  let readDamage = Mutex<CatalogueError?>(nil)
  /// The connections that read this generation.
  let readers: CatalogueReaders
  /// The greatest key of an entity.
  let lastKey: UInt32
  /// Where entities open.
  public let links: LinkSettings
  /// The places that pictures are read from.
  public let picturePlaces: PicturePlaces
  /// What seals the tokens that clients keep.
  let secret: [UInt8]
  /// What tells this catalogue from any other, also from one that took its place.
  public var identity: String { state.identity }

  /// Opens the catalogue in a directory.
  ///
  /// - Parameters:
  ///   - directory: The catalogue's directory.
  ///   - readerCount: The number of threads that read at the same time without waiting for each other,
  ///     `1...64`; each has a connection to the file.
  /// - Throws: ``CatalogueError``; its message says what to do.
  /// - Complexity: O(segments): no signature is read.
  public init(directory: String, readers readerCount: Int = 2) throws(CatalogueError) {
    let readers = try CatalogueReaders(directory: directory, count: readerCount)
    self.directory = directory
    self.readers = readers
    let content = try readers.read(stoppingWhen: { false }) { database throws(CatalogueError) in
      try Content(database)
    }
    state = content.state
    lastKey = content.lastKey
    generation = state.generation
    secret = Array(state.secret.utf8)
    links = try Self.links(content.settings, directory)
    picturePlaces = ShopSettings.places(content.settings)
    var segments: [EntityType: [LiveSegment]] = [:]
    var files: [String: SignatureSegment] = [:]
    for record in content.segments {
      do throws(CatalogueError) {
        let segment = try Self.open(record, in: directory)
        segments[record.type, default: []].append(
          LiveSegment(segment, deadRows: content.deadRows[record.id] ?? []))
        files[record.file] = segment
      } catch {
        throw Self.error(error, inGeneration: generation)
      }
    }
    self.segments = segments
    self.files = files
  }

  /// What is read of a generation when it is opened.
  private struct Content: Sendable {
    let state: CatalogueDatabase.State
    let lastKey: UInt32
    let settings: [String: String]
    let segments: [CatalogueDatabase.SegmentRecord]
    let deadRows: [Int: [Int]]

    init(_ database: CatalogueDatabase) throws(CatalogueError) {
      state = try database.state()
      lastKey = try database.lastKey()
      settings = try database.settings()
      segments = try database.segments()
      deadRows = try database.deadRows()
    }
  }

  /// Opens a segment file and holds it against what the database says of it.
  static func open(
    _ record: CatalogueDatabase.SegmentRecord, in directory: String
  ) throws(CatalogueError) -> SignatureSegment {
    let path = directory + "/" + record.file
    let segment: SignatureSegment
    do throws(SegmentError) {
      segment = try SignatureSegment(path: path)
    } catch {
      throw Self.damage(error, of: record.file, in: directory)
    }
    guard segment.count == record.rows, segment.byteCount == record.byteCount else {
      throw CatalogueError(
        code: segment.byteCount < record.byteCount ? .truncated : .corrupt,
        message: """
          '\(path)' has \(segment.count) rows in \(segment.byteCount) bytes; \
          \(record.rows) in \(record.byteCount) were written; index the catalogue again
          """,
        file: record.file)
    }
    return segment
  }

  static func links(
    _ settings: [String: String], _ directory: String
  ) throws(CatalogueError) -> LinkSettings {
    do throws(LinkError) {
      return try ShopSettings.links(settings)
    } catch {
      throw CatalogueError(
        code: .corrupt, message: "'\(directory)' has a link template that \(error.message)")
    }
  }

  /// Number of entities of a type.
  public func entityCount(of type: EntityType) -> Int {
    switch type {
    case .product: state.productCount
    case .store: state.storeCount
    }
  }

  /// The signatures of a type's pictures.
  func segments(of type: EntityType) -> [LiveSegment] { segments[type] ?? [] }

  /// The entities of some keys; keys that name none are left out.
  func entities(keys: [UInt32]) throws(CatalogueError) -> [UInt32: EntityValue] {
    try read { database throws(CatalogueError) in try database.entities(keys: keys) }
  }

  /// What names the entities of some keys; keys that name none are left out.
  func ids(keys: [UInt32]) throws(CatalogueError) -> [UInt32: EntityID] {
    try read { database throws(CatalogueError) in try database.ids(keys: keys) }
  }

  /// Where some stores stand, as far as that is known.
  func places(ofStores keys: [UInt32]) throws(CatalogueError) -> [UInt32: GeoPoint] {
    try read { database throws(CatalogueError) in try database.places(ofStores: keys) }
  }

  /// The key of an entity, or `nil` where there is none.
  func key(of id: EntityID) throws(CatalogueError) -> UInt32? {
    try read { database throws(CatalogueError) in try database.existing(id)?.key }
  }

  /// The normalised labels of some entities.
  func labels(ofKeys keys: [UInt32]) throws(CatalogueError) -> [UInt32: Set<String>] {
    try read { database throws(CatalogueError) in try database.labels(ofKeys: keys) }
  }

  /// How many entities have each of some normalised labels.
  func labelFrequencies(_ labels: [String]) throws(CatalogueError) -> [String: Int] {
    try read { database throws(CatalogueError) in try database.labelFrequencies(labels) }
  }

  /// Reads with a connection that nobody else uses.
  ///
  /// - Parameter shouldStop: Whether to stop, asked while a statement runs and while all connections
  ///   are in use.
  /// - Throws: ``CatalogueError``; with the code `timedOut` if it was stopped.
  func read<Result: Sendable>(
    stoppingWhen shouldStop: @escaping @Sendable () -> Bool = { Task.isCancelled },
    _ body: (CatalogueDatabase) throws(CatalogueError) -> Result
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
