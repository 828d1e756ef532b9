/// The database of a copy in PostgreSQL, from which a new copy begins.
///
/// Most of the time that a new copy takes is that of SQLite, which makes the indexes of words, labels
/// and properties anew. A snapshot has them, so that only what changed since is written.
package enum PostgresSnapshot {
  /// The number of entities from which there are snapshots: fewer are written in a second.
  static let entityLimit = 1000
  /// The folder in which a copy is made, until it is complete.
  private static let folder = CatalogueFolder.incomingName
  private static let fileName = "snapshot.tmp"

  /// Stores the published contents of a directory, if none are stored yet, or a quarter of them is of
  /// a later generation.
  ///
  /// - Parameter token: The token of their generation in PostgreSQL.
  package static func store(
    _ tables: CatalogueTables, _ directory: String, token: String,
    with connection: PostgresConnection
  ) throws(CatalogueError) {
    let state = try tables.state.current()
    let count = state.productCount + state.storeCount
    guard count >= entityLimit else { return }
    try PostgresSchema.check(connection)
    let stored = try connection.run(
      """
      select max(last_sequence) from vq.generation
      where id = (select max(generation) from vq.snapshot)
      """
    ).first
    if let stored, !stored.isNull(SnapshotColumn.newest),
      try tables.sequences.last().sequence - stored.integer(SnapshotColumn.newest) < count / 4
    {
      return
    }
    Folder.remove(fileName, in: directory)
    defer { Folder.remove(fileName, in: directory) }
    let path = directory + "/" + fileName
    // Uses a separate connection, because a connection that reads a generation is within a
    // transaction.
    let source = try CatalogueConnection(
      path: directory + "/" + CatalogueDatabase.fileName, mode: .read)
    try source.copy(to: path)
    try ReplicaNotes.set(token: token, inFile: path)
    try connection.transaction { () throws(CatalogueError) in
      try connection.run("delete from vq.snapshot")
      var part = 0
      try connection.copyIn("copy vq.snapshot(generation, part, bytes) from stdin (format binary)")
      {
        put throws(CatalogueError) in
        try CatalogueFile.forEachPart(
          of: path, byteCount: PostgresPublisher.partByteCount
        ) { bytes throws(CatalogueError) in
          try put([.integer(state.generation), .integer(part), .bytes(bytes)])
          part += 1
        }
      }
    }
  }

  private enum SnapshotColumn: Int, PostgresColumns { case newest }

  /// Makes a new copy from the snapshot, in a folder of its own, and moves it into its directory once
  /// it is complete. Does nothing if there is no snapshot.
  static func build(
    _ connection: PostgresConnection, _ location: PostgresLocation, in directory: String
  ) throws(CatalogueError) {
    let incoming = directory + "/" + folder
    Folder.removeWithFiles(incoming)
    defer { Folder.removeWithFiles(incoming) }
    let isBuilt = try connection.transaction(PostgresFollower.snapshot) {
      () throws(CatalogueError) in
      try PostgresSchema.check(connection)
      guard try connection.run("select 1::bigint from vq.snapshot limit 1").first != nil else {
        return false
      }
      try CatalogueFolder.make(incoming)
      try CatalogueFile.write(to: CatalogueDatabase.fileName, in: incoming) {
        put throws(CatalogueError) in
        var offset = 0
        try connection.copyOut(
          "copy (select bytes from vq.snapshot order by generation, part) to stdout (format binary)"
        ) { row throws(CatalogueError) in
          try put(row.onlyBytes, offset)
          offset += row.onlyBytes.count
        }
      }
      let database = try CatalogueDatabase(writing: incoming)
      try database.tables.replica.set(origin: location.text)
      _ = try PostgresFollower(
        connection, database, incoming, location.files
      ).followInSnapshot(isComplete: false)
      return try CatalogueFolder.checkpoint(incoming)
    }
    if isBuilt { try move(incoming, to: directory) }
  }

  /// Moves the files of a complete copy, the database last.
  private static func move(_ incoming: String, to directory: String) throws(CatalogueError) {
    for name in Folder.names(in: incoming)
    where name.hasSuffix(".segment") || name == KeptThumbnails.fileName {
      try CatalogueFile.commit(folder + "/" + name, as: name, in: directory)
    }
    try CatalogueFile.commit(
      folder + "/" + CatalogueDatabase.fileName, as: CatalogueDatabase.fileName, in: directory)
  }
}
