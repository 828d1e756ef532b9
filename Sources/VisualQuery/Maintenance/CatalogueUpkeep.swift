internal import PixelMatch

/// What a shop does with a catalogue besides filling and asking it.
///
/// Everything runs on the threads of the pool. What writes takes the writer's lock, and publishes a
/// new generation; readers go on with theirs.
public struct CatalogueUpkeep: Sendable {
  /// The directory of the catalogue.
  public let directory: String
  private let pool: WorkerPool

  /// Makes the upkeep of the catalogue in `directory`.
  public init(directory: String, pool: WorkerPool = WorkerPool()) {
    self.directory = directory
    self.pool = pool
  }

  // MARK: Looking

  /// What stands in a catalogue, and where.
  public struct Status: Sendable, Hashable, Encodable {
    /// A file of signatures.
    public struct Segment: Sendable, Hashable, Encodable {
      /// Its name in the directory.
      public let file: String
      /// Whose pictures it has.
      public let type: EntityType
      /// Signatures in it.
      public let rows: Int
      /// Those among them that were replaced since.
      public let deadRows: Int
      /// Its length.
      public let bytes: Int
    }

    /// The number of the generation.
    public let generation: Int
    /// Products.
    public let products: Int
    /// Stores.
    public let stores: Int
    /// Pictures that can be found.
    public let images: Int
    /// The live segments, oldest first.
    public let segments: [Segment]
    /// Bytes of all live files together.
    public let bytes: Int
    /// The generation that ``rollBack()`` goes back to; `nil` where there is none.
    public let previousGeneration: Int?
    /// The folder that relative picture paths start from; `nil` if none was named yet.
    public let imagesRoot: String?
    /// The folders besides the root that pictures may be in.
    public let outsideFolders: [String]
    /// The longer sides of the thumbnails that the index keeps, in pixels.
    public let thumbnailSides: [Int]
  }

  /// Says what stands in the catalogue.
  ///
  /// - Throws: ``CatalogueError``.
  public func status() async throws -> Status {
    try await withTaskExecutorPreference(pool) { @concurrent in
      let database = try CatalogueDatabase(reading: directory)
      let state = try database.state()
      let dead = try database.deadRows()
      let segments = try database.segments().map {
        Status.Segment(
          file: $0.file, type: $0.type, rows: $0.rows, deadRows: dead[$0.id]?.count ?? 0,
          bytes: $0.byteCount)
      }
      let own = [
        CatalogueDatabase.fileName, FetchedPictures.fileName, KeptThumbnails.fileName,
      ].reduce(0) {
        $0 + (FileStatus(directory + "/" + $1)?.byteCount ?? 0)
      }
      let settings = try database.settings()
      let places = ShopSettings.places(settings)
      return Status(
        generation: state.generation, products: state.productCount, stores: state.storeCount,
        images: state.imageCount, segments: segments,
        bytes: segments.reduce(own) { $0 + $1.bytes },
        previousGeneration: try PreviousCatalogue(directory: directory)?.generation,
        imagesRoot: places.root, outsideFolders: places.outside,
        thumbnailSides: ShopSettings.thumbnailSides(settings))
    }
  }

  /// Reads every byte of the catalogue and holds it against what it should be: checksums, the
  /// signature of every picture, references in both directions, counts.
  ///
  /// The files of pictures are not part of the catalogue: see ``missingPictures()``.
  ///
  /// - Returns: What is wrong, in words; empty where all is well.
  /// - Throws: ``CatalogueError`` where the catalogue cannot be opened at all; `CancellationError`.
  /// - Complexity: O(bytes of the catalogue).
  public func verify() async throws -> [String] {
    try await withTaskExecutorPreference(pool) { @concurrent in
      let database = try CatalogueDatabase(reading: directory)
      var findings = try database.contradictions()
      findings += try Self.wrongEntities(database)
      var verifier = SegmentVerifier(deadRows: try database.deadRows())
      for record in try database.segments() {
        try Task.checkCancellation()
        verifier.add(record, in: directory)
      }
      try database.forEachImage { image throws(CatalogueError) in verifier.check(image) }
      findings += verifier.finished()
      return try findings + (KeptThumbnails(reading: directory)?.damage() ?? [])
    }
  }

  /// Looks for the file of every picture, in the places that the catalogue names.
  ///
  /// - Throws: ``CatalogueError``; `CancellationError`.
  /// - Complexity: O(pictures) system calls; no file is read.
  public func missingPictures() async throws -> MissingPictures {
    try await withTaskExecutorPreference(pool) { @concurrent in
      let database = try CatalogueDatabase(reading: directory)
      let places = ShopSettings.places(try database.settings())
      return try MissingPictures(database, folders: PictureFolders(places))
    }
  }

  private static func wrongEntities(
    _ database: CatalogueDatabase
  ) throws(CatalogueError) -> [String] {
    var findings: [String] = []
    try database.forEachEntity { _, type, id, json throws(CatalogueError) in
      do throws(CatalogueError) {
        let value = try CatalogueDatabase.entity(json)
        if value.id.description != "\(type):\(id)" {
          findings.append("\(type):\(id) holds the fields of \(value.id)")
        }
      } catch {
        findings.append("\(type):\(id) cannot be read: \(error.message)")
      }
    }
    return findings
  }

  // MARK: Changing

  /// Writes the signatures that are in use anew, without those that were replaced, and as few files
  /// of them as there can be; gives back what the database does not use, and forgets fetched pictures
  /// that nothing names.
  ///
  /// - Returns: The new generation, or the old one where there is nothing to gain.
  /// - Throws: ``CatalogueError``; `CancellationError`.
  /// - Complexity: O(bytes of the catalogue); memory is that of one segment of 131 072 pictures.
  public func compact() async throws -> Int {
    try await withTaskExecutorPreference(pool) { @concurrent in
      var writer = try CatalogueWriter(directory: directory)
      return try writer.compact()
    }
  }

  /// Makes the catalogue what it was before the last run of an indexer that changed it, as a new
  /// generation; done twice, it undoes itself.
  ///
  /// - Returns: The new generation.
  /// - Throws: ``CatalogueError`` with the code `missing` where nothing was kept to go back to.
  public func rollBack() async throws -> Int {
    try await withTaskExecutorPreference(pool) { @concurrent in
      var writer = try CatalogueWriter(directory: directory)
      return try writer.rollBackRun()
    }
  }

  // MARK: Export

  /// Writes the catalogue as JSON Lines, `vq.export/1`: settings first, then an entity a line with
  /// its pictures' signatures, in the order of types and ids. Equal contents give equal bytes,
  /// however they came about.
  ///
  /// - Parameter write: Takes a line without its end.
  /// - Throws: ``CatalogueError``; what `write` throws; `CancellationError`.
  public func export(_ write: @escaping @Sendable (String) throws -> Void) async throws {
    try await withTaskExecutorPreference(pool) { @concurrent in
      let database = try CatalogueDatabase(reading: directory)
      try CatalogueExport(database, directory: directory).write(write)
    }
  }

  /// Puts in what ``export(_:)`` wrote; what is there of the same ids is replaced.
  ///
  /// - Parameter path: The file, or `-` for standard input.
  /// - Returns: How many entities there were.
  /// - Throws: ``CatalogueError`` with the code `unreadableInput` where a line is none of an export's.
  public func importing(path: String) async throws -> Int {
    try await withTaskExecutorPreference(pool) { @concurrent in
      var reader = try ExportReader(path: path)
      var writer = try CatalogueWriter(directory: directory, keepsPrevious: true)
      try writer.put(reader.settings)
      var count = 0
      while let entity = try reader.next(existing: { id throws(CatalogueError) in
        try writer.existing(id)
      }) {
        try Task.checkCancellation()
        try writer.put(entity)
        count += 1
      }
      _ = try writer.finish()
      return count
    }
  }
}
