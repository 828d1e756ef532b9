internal import PixelMatch

/// Engine mode: the choice of shards.
extension CatalogueReplica {
  /// Makes a catalogue in PostgreSQL for engine mode: from now on, every publication also writes posting
  /// lists and signatures. Those of the segments that exist are written at once.
  ///
  /// - Parameters:
  ///   - shards: The addresses of the databases that keep them, in their order; `nil` is the catalogue's
  ///     own. If there are none, they are removed, and engine mode ends.
  ///   - location: The database of the catalogue.
  ///   - pool: The threads to work on.
  /// - Returns: For each shard, whether it has an index of vectors.
  /// - Throws: ``CatalogueError``; with the code `notPermitted` if the number of shards would change.
  @discardableResult
  package static func setShards(
    _ shards: [PostgresLocation?], of location: PostgresLocation,
    pool: WorkerPool = WorkerPool(width: 1)
  ) async throws -> [ShardVectors] {
    try await withTaskExecutorPreference(pool) { @concurrent in
      let all = shards.enumerated().map { number, shard in
        PostgresShard(number: number, location: shard?.connecting(as: location.user))
      }
      let publisher = try PostgresPublisher(location, waiting: WriterLock.standardWait)
      let files = try ChunkFolder(publisher.connection)
      defer { files.remove() }
      try checkCount(of: all, publisher.connection)
      let connections = try all.map { shard throws(CatalogueError) in
        guard let location = shard.location else { return publisher.connection }
        let connection = try PostgresConnection(location, for: .writing)
        _ = try PostgresSchema.prepare(connection)
        return connection
      }
      let vectors = try connections.map(PostgresVectors.prepare)
      try replace(all, publisher.connection, files)
      for case (let connection, .indexed) in zip(connections, vectors) {
        try PostgresVectors.makeIndex(connection)
      }
      return vectors
    }
  }

  /// Checks that the number of shards stays, which decides where a row is.
  private static func checkCount(
    of shards: [PostgresShard], _ connection: PostgresConnection
  ) throws(CatalogueError) {
    let former = try PostgresShard.all(connection)
    guard former.isEmpty || shards.isEmpty || former.count == shards.count else {
      throw CatalogueError(
        code: .notPermitted,
        message: """
          there are \(former.count) shards, not \(shards.count); a shard can move to another \
          database, but for another number of them run this with --shard none first
          """)
    }
  }

  private static func replace(
    _ shards: [PostgresShard], _ connection: PostgresConnection, _ files: ChunkFolder
  ) throws(CatalogueError) {
    try connection.transaction { () throws(CatalogueError) in
      try connection.run(
        "select pg_advisory_xact_lock($1)", [.integer(PostgresSchema.Lock.publication.key)])
      if shards.isEmpty {
        try PostgresPostings(connection, try PostgresShard.all(connection)).remove()
        return try PostgresShard.replace(with: [], connection)
      }
      try PostgresShard.replace(with: shards, connection)
      try PostgresPostings(connection, shards).update(checkingPosted: true) {
        number throws(CatalogueError) in
        try files.segment(number)
      }
    }
  }
}

/// A temporary folder with segments that are read from PostgreSQL, one at a time.
private struct ChunkFolder {
  private let connection: PostgresConnection
  private let folder: TemporaryFolder
  private static let fileName = "segment"

  init(_ connection: PostgresConnection) throws(CatalogueError) {
    self.connection = connection
    folder = try TemporaryFolder()
  }

  private enum SegmentColumn: Int, PostgresColumns { case id, kind, rows, bytes }

  /// Reads the live segment of a number.
  func segment(_ number: Int) throws(CatalogueError) -> SignatureSegment? {
    let listed = try connection.run(
      """
      select \(SegmentColumn.list) from vq.segment
      where number = $1 and died is null and kind <> 'entities'
      """, [.integer(number)]
    ).first
    guard let listed, let type = EntityType(rawValue: listed.text(SegmentColumn.kind)) else {
      return nil
    }
    try CatalogueFile.write(to: Self.fileName, in: folder.path) { put throws(CatalogueError) in
      var offset = 0
      try connection.copyOut(
        """
        copy (select bytes from vq.chunk where segment = \(listed.integer(SegmentColumn.id)) \
        order by part) \
        to stdout (format binary)
        """
      ) { row throws(CatalogueError) in
        try put(row.onlyBytes, offset)
        offset += row.onlyBytes.count
      }
    }
    return try Catalogue.open(
      SegmentList.Record(
        id: number, file: Self.fileName, type: type, rows: listed.integer(SegmentColumn.rows),
        byteCount: listed.integer(SegmentColumn.bytes)), in: folder.path)
  }

  func remove() { folder.remove() }
}
