internal import PixelMatch

/// Moving a catalogue between a directory and PostgreSQL.
extension CatalogueReplica {
  /// The contents that were copied.
  package struct Copied: Sendable, Hashable {
    /// The generation, which is the same on both sides.
    package let generation: Int
    /// The number of products.
    package let products: Int
    /// The number of stores.
    package let stores: Int
    /// The number of images.
    package let images: Int
    /// The digest of the contents, which was computed on both sides, in hexadecimal digits.
    package let digest: String

    init(_ state: StateTable.State, _ digest: ContentDigest) {
      generation = state.generation
      products = state.productCount
      stores = state.storeCount
      images = state.imageCount
      self.digest = digest.text
    }
  }

  /// Makes the tables and roles of a catalogue in PostgreSQL, or brings them to this version.
  ///
  /// - Returns: The versions of the tables before and after; 0 if there were none.
  /// - Throws: ``CatalogueError``.
  package static func prepare(
    _ location: PostgresLocation, pool: WorkerPool = WorkerPool(width: 1)
  ) async throws -> (before: Int, after: Int) {
    try await withTaskExecutorPreference(pool) { @concurrent in
      let connection = try PostgresConnection(location, for: .writing)
      return (try PostgresSchema.prepare(connection), PostgresSchema.version)
    }
  }

  /// Copies a catalogue from a directory into PostgreSQL, which must have none, in one transaction.
  /// Tokens of its clients stay valid.
  ///
  /// - Throws: ``CatalogueError``; with the code `corrupt` if the digests differ. Nothing is copied
  ///   then.
  package static func copy(
    directory: String, to location: PostgresLocation, pool: WorkerPool = WorkerPool(width: 1)
  ) async throws -> Copied {
    try await withTaskExecutorPreference(pool) { @concurrent in
      _ = try CatalogueDatabase(reading: directory)
      let lock = try WriterLock(directory: directory, waiting: WriterLock.standardWait)
      let copied = try send(directory, location, under: lock)
      return copied
    }
  }

  private static func send(
    _ directory: String, _ location: PostgresLocation, under lock: borrowing WriterLock
  ) throws(CatalogueError) -> Copied {
    let database = try CatalogueDatabase(reading: directory)
    guard try SegmentFiles(database.tables.settings) == .whole else {
      throw SegmentFiles.whole.mismatch(in: directory)
    }
    for record in try database.tables.segments.all() {
      try Catalogue.verify(
        try Catalogue.open(record, in: directory), of: record.file, in: directory)
    }
    let digest = try ContentDigest(database.tables, directory)
    let publisher = try PostgresPublisher(location, waiting: WriterLock.standardWait)
    let token = try publisher.publishAll(database.tables, directory) {
      connection throws(CatalogueError) in
      try PostgresFeedback.send(of: directory, to: connection)
      try check(digest, try ContentDigest(connection))
    }
    try PostgresSnapshot.store(database.tables, directory, token: token, with: publisher.connection)
    return Copied(try database.tables.state.current(), digest)
  }

  /// Copies the newest generation from PostgreSQL into a new directory, which is then a catalogue of
  /// its own.
  ///
  /// - Throws: ``CatalogueError``; with the code `corrupt` if the digests differ.
  package static func copy(
    _ location: PostgresLocation, to directory: String, pool: WorkerPool = WorkerPool(width: 1)
  ) async throws -> Copied {
    try await withTaskExecutorPreference(pool) { @concurrent in
      try CatalogueFolder.make(directory)
      let lock = try WriterLock(directory: directory, waiting: WriterLock.standardWait)
      return try fetch(location, directory, under: lock)
    }
  }

  private static func fetch(
    _ location: PostgresLocation, _ directory: String, under lock: borrowing WriterLock
  ) throws(CatalogueError) -> Copied {
    let connection = try PostgresConnection(location, for: .reading)
    let database = try CatalogueDatabase(writing: directory)
    guard try database.tables.state.current().generation == 0 else {
      throw CatalogueError(
        code: .notACatalogue,
        message: "'\(directory)' is an index already; copy into a directory that does not exist")
    }
    let digest = try connection.transaction(PostgresFollower.snapshot) {
      () throws(CatalogueError) in
      guard try PostgresFollower(connection, database, directory).followInSnapshot() != nil else {
        throw CatalogueError(
          code: .missing, message: "PostgreSQL has no generation yet; index a feed into it first")
      }
      try PostgresFeedback.take(from: connection, into: directory)
      return try ContentDigest(connection)
    }
    try check(try ContentDigest(database.tables, directory), digest)
    try database.tables.replica.set(origin: nil)
    return Copied(try database.tables.state.current(), digest)
  }

  private static func check(
    _ directory: ContentDigest, _ server: ContentDigest
  ) throws(CatalogueError) {
    guard directory.text == server.text else {
      throw CatalogueError(
        code: .corrupt,
        message: """
          the copy differs: the directory has the digest \(directory.text), PostgreSQL \
          \(server.text); run 'vq catalogue verify', then copy again
          """)
    }
  }
}
