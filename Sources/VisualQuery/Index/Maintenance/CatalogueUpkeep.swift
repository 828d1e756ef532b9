internal import PixelMatch
internal import Reading

/// Maintains a catalogue: status, verification, compaction, rollback, export and import.
///
/// All work is done on the threads of the pool. Functions that write take the writer's lock and
/// publish a new generation; readers keep theirs.
package struct CatalogueUpkeep: Sendable {
  /// The directory of the catalogue.
  package let directory: String
  let pool: WorkerPool

  /// Makes the upkeep of the catalogue in `directory`.
  package init(directory: String, pool: WorkerPool = WorkerPool()) {
    self.directory = directory
    self.pool = pool
  }

  // MARK: Inspection

  /// The status of a catalogue.
  package struct Status: Sendable, Hashable, Encodable {
    /// A file of signatures.
    package struct Segment: Sendable, Hashable, Encodable {
      /// The name of the file in the directory.
      package let file: String
      /// The type of the entities.
      package let type: EntityType
      /// The number of signatures.
      package let rows: Int
      /// The number of signatures that were replaced since the file was written.
      package let deadRows: Int
      /// The length of the file in bytes.
      package let bytes: Int
    }

    /// The number of the generation.
    package let generation: Int
    /// The number of products.
    package let products: Int
    /// The number of stores.
    package let stores: Int
    /// The number of images that can be found.
    package let images: Int
    /// The segments of the generation, oldest first.
    package let segments: [Segment]
    /// The length of all files of the generation, in bytes.
    package let bytes: Int
    /// The generation that ``rollBack()`` restores, or `nil` if there is none.
    package let previousGeneration: Int?
    /// The folder that relative image paths start from, or `nil` if none is set.
    package let imagesRoot: String?
    /// The folders outside the root that may contain images.
    package let outsideFolders: [String]
    /// The longer sides of the thumbnails that the index stores, in pixels.
    package let thumbnailSides: [Int]
    /// The fields of the shop's own that anyone may see, in ascending order.
    package let publicFields: [String]
    /// The templates for the links of entities without a URL of their own, by their type.
    package let links: [String: String]
    /// The schemes that links may have besides `https`, in ascending order.
    package let allowedSchemes: [String]
    /// The models that have read the text of images, those with the most images first; `nil` if none was read.
    package let text: [ReadImages]?
    /// The model that computed vectors of images; `nil` if none did.
    package let vectors: ImageModel?
    /// The fit of the confidence that counts; `nil` if there is none.
    package let fit: ShopFit?
    /// The answers to photos of the shop's own images; `nil` if it was not asked.
    package let own: ShopNull?
    /// The limits of what a run may take from the index.
    package let lossLimits: LossLimits
    /// The last run of each feed, the latest one first.
    package let lastRuns: [LastRun]

    /// The images that some models have read.
    package struct ReadImages: Sendable, Hashable, Encodable {
      /// The SHA-256 of each model, by the name of its file.
      package let models: [String: String]
      /// The number of images.
      package let images: Int
    }
  }

  /// Returns the status of the catalogue.
  ///
  /// - Throws: ``CatalogueError``.
  package func status() async throws -> Status {
    try await withTaskExecutorPreference(pool) { @concurrent in
      let database = try CatalogueDatabase(reading: directory)
      let state = try database.tables.state.current()
      let dead = try database.tables.segments.deadRows()
      let segments = try database.tables.segments.all().map {
        Status.Segment(
          file: $0.file, type: $0.type, rows: $0.rows, deadRows: dead[$0.id]?.count ?? 0,
          bytes: $0.byteCount)
      }
      let own = [
        CatalogueDatabase.fileName, FetchedPictures.fileName, KeptThumbnails.fileName,
      ].reduce(0) {
        $0 + (FileStatus(directory + "/" + $1)?.byteCount ?? 0)
      }
      let settings = try database.tables.settings.all()
      let places = ShopSettings.places(settings)
      let readings = try database.tables.readings.counts().map { models, count in
        Status.ReadImages(
          models: Dictionary(models.map { ($0.name, $0.digest) }) { first, _ in first },
          images: count)
      }
      return Status(
        generation: state.generation, products: state.productCount, stores: state.storeCount,
        images: state.imageCount, segments: segments,
        bytes: segments.reduce(own) { $0 + $1.bytes },
        previousGeneration: try PreviousCatalogue(directory: directory)?.generation,
        imagesRoot: places.root, outsideFolders: places.outside,
        thumbnailSides: ShopSettings.thumbnailSides(settings),
        publicFields: ShopSettings.publicFields(settings).sorted(),
        links: Dictionary(
          uniqueKeysWithValues: ShopSettings.templates(settings).map { ($0.rawValue, $1) }),
        allowedSchemes: ShopSettings.allowedSchemes(settings).sorted(),
        text: readings.isEmpty ? nil : readings, vectors: ImageModel(settings: settings),
        fit: try Catalogue.fits(settings, directory).current,
        own: try Catalogue.null(settings, directory),
        lossLimits: ShopSettings.lossLimits(settings),
        lastRuns: try RunHistory(directory: directory).latest().map(LastRun.init))
    }
  }

  /// Reads every byte of the catalogue and checks it: checksums, the signature of every image,
  /// references in both directions, counts.
  ///
  /// Image files are not part of the catalogue: see ``missingPictures()``.
  ///
  /// - Returns: Descriptions of the errors; empty if there are none.
  /// - Throws: ``CatalogueError`` if the catalogue cannot be opened; `CancellationError`.
  /// - Complexity: O(bytes of the catalogue).
  package func verify() async throws -> [String] {
    try await withTaskExecutorPreference(pool) { @concurrent in
      try findings(in: OpenedGeneration(directory: directory))
    }
  }

  func findings(in generation: OpenedGeneration) throws -> [String] {
    let database = generation.database
    var findings = try TableCheck(database).findings()
    findings += try Self.wrongEntities(database.tables.entities)
    var verifier = SegmentVerifier(deadRows: try database.tables.segments.deadRows())
    for (record, segment) in generation.segments {
      try Task.checkCancellation()
      verifier.add(record, segment)
    }
    try database.tables.images.forEach { image throws(CatalogueError) in verifier.check(image) }
    findings += verifier.finished()
    return try findings + (KeptThumbnails(reading: directory)?.damage() ?? [])
  }

  /// Returns the names of the segment files without seals, which earlier versions wrote: a search does not notice
  /// that they are damaged.
  package func unsealedSegments() async throws -> [String] {
    try await withTaskExecutorPreference(pool) { @concurrent in
      try OpenedGeneration(directory: directory).segments.compactMap { record, segment in
        (try? segment.get().isSealed) == false ? record.file : nil
      }
    }
  }

  /// Looks for the file of every image, in the folders of the catalogue.
  ///
  /// - Throws: ``CatalogueError``; `CancellationError`.
  /// - Complexity: O(images) system calls; no file is read.
  package func missingPictures() async throws -> MissingPictures {
    try await withTaskExecutorPreference(pool) { @concurrent in
      let database = try CatalogueDatabase(reading: directory)
      let places = ShopSettings.places(try database.tables.settings.all())
      return try MissingPictures(database.tables.images, folders: PictureFolders(places))
    }
  }

  private static func wrongEntities(
    _ entities: EntityTable
  ) throws(CatalogueError) -> [String] {
    var findings: [String] = []
    try entities.forEach { _, type, id, json throws(CatalogueError) in
      do throws(CatalogueError) {
        let value = try EntityTable.entity(json)
        if value.id.description != "\(type):\(id)" {
          findings.append("\(type):\(id) contains the fields of \(value.id)")
        }
      } catch {
        findings.append("\(type):\(id) cannot be read: \(error.message)")
      }
    }
    return findings
  }

  // MARK: Changes

  /// Rewrites the signatures without replaced ones into as few files as possible, shrinks the
  /// database, and removes fetched images that no entity uses.
  ///
  /// - Returns: The new generation, or the old one if nothing would be gained.
  /// - Throws: ``CatalogueError``; `CancellationError`.
  /// - Complexity: O(bytes of the catalogue); 4 bytes of memory for each image and each visual
  ///   word.
  package func compact() async throws -> Int {
    try await withTaskExecutorPreference(pool) { @concurrent in
      var writer = try CatalogueWriter(directory: directory, threads: pool.width)
      return try writer.compact()
    }
  }

  /// Restores the catalogue as it was before the last run that changed it, as a new generation. A
  /// second call undoes the first.
  ///
  /// - Returns: The new generation.
  /// - Throws: ``CatalogueError`` with the code `missing` if no generation is saved.
  package func rollBack() async throws -> Int {
    try await withTaskExecutorPreference(pool) { @concurrent in
      var writer = try CatalogueWriter(directory: directory)
      return try writer.rollBackRun()
    }
  }

  // MARK: Export

  /// Writes the catalogue as JSON Lines, `vq.export/1`: first the settings, then one line for each
  /// entity with the signatures of its images, in the order of types and ids. Equal contents give
  /// equal bytes.
  ///
  /// - Parameter write: Writes a line, which is given without its line break.
  /// - Throws: ``CatalogueError``; the errors of `write`; `CancellationError`.
  package func export(_ write: @escaping @Sendable (String) throws -> Void) async throws {
    try await withTaskExecutorPreference(pool) { @concurrent in
      let generation = try OpenedGeneration(directory: directory)
      try CatalogueExport(generation, directory: directory).write(write)
    }
  }

  /// Imports the output of ``export(_:)``, and replaces entities with the same ids. Its settings are published with the
  /// first entities.
  ///
  /// - Parameter path: The file, or `-` for standard input.
  /// - Returns: The number of imported entities.
  /// - Throws: ``CatalogueError`` with the code `unreadableInput` if a line is not part of an
  ///   export; a new catalogue that has no entity yet is then removed.
  package func importing(path: String) async throws -> Int {
    try await withTaskExecutorPreference(pool) { @concurrent in
      var reader = try ExportReader(path: path)
      var writer = try CatalogueWriter(
        directory: directory, keepsPrevious: true, threads: pool.width)
      var count = 0
      do {
        var settings = reader.settings
        settings.feeds = try writer.numbered(reader.feeds)
        try writer.prepare(settings)
        let numbers = Dictionary(
          settings.feeds.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
        while let entity = try reader.next(
          feeds: numbers,
          existing: { id throws(CatalogueError) in
            try writer.existing(id)
          })
        {
          try Task.checkCancellation()
          if entity.change == .none, let feed = entity.feed, let key = entity.existing?.key {
            try writer.putFeed(feed, ofKeys: [key])
          }
          try writer.put(entity)
          count += 1
        }
      } catch {
        writer.removeIfNew()
        throw error
      }
      _ = try writer.finish()
      return count
    }
  }
}
