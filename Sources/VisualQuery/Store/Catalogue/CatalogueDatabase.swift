internal import PixelMatch

/// The SQLite file of a catalogue: what opens it, what makes a generation, and what changes several of its ``tables``.
///
/// Opened for reading, it holds one read transaction from `init` to `deinit`, so that all reads see
/// the same generation while a writer works.
package final class CatalogueDatabase {
  /// The file's name within a catalogue's directory.
  package static let fileName = "catalogue.sqlite"

  let connection: CatalogueConnection

  /// The tables, each with the statements about it.
  package let tables: CatalogueTables

  /// The differences between the stored counts and those of the next generation.
  private var countChanges = StateTable.CountChanges()

  /// Called with everything that a generation has, before it is published; if it throws, it is not.
  package var beforeCommit: (() throws(CatalogueError) -> Void)?

  private init(_ connection: CatalogueConnection) {
    self.connection = connection
    tables = CatalogueTables(connection)
  }

  // MARK: Opening

  /// Opens the current generation of a catalogue for reading.
  ///
  /// - Parameter refusesScans: True if the connection answers requests, so that a statement that
  ///   reads a whole table traps in debug builds.
  /// - Throws: ``CatalogueError`` with any code except `diskFull`.
  /// - Complexity: O(1).
  package convenience init(
    reading directory: String, refusesScans: Bool = false
  ) throws(CatalogueError) {
    let path = try CatalogueFolder.checkedPath(directory)
    let connection: CatalogueConnection
    do throws(CatalogueError) {
      connection = try Self.readingConnection(path, refusesScans: refusesScans)
    } catch {
      throw CatalogueFolder.diagnosed(error, path)
    }
    try CatalogueVersions(connection: connection, directory: directory).check()
    self.init(connection)
  }

  /// Copies the newest generation's tables to another file, which has its changes in a log from then on.
  package static func copy(of directory: String, to path: String) throws(CatalogueError) {
    let file = directory + "/" + fileName
    do throws(CatalogueError) {
      try CatalogueConnection(path: file, mode: .read).copy(to: path)
    } catch {
      // A catalogue in a folder that may not be written to has no log.
      guard !FileStatus.exists(file + "-wal") else { throw error }
      try CatalogueConnection(path: file, mode: .immutable).copy(to: path)
    }
    // Without a log, readers of the copy would keep writers out.
    try CatalogueConnection(path: path, mode: .write).execute("PRAGMA journal_mode = WAL")
  }

  /// Opens another connection for answering requests to a catalogue that this process has open.
  ///
  /// Unlike ``init(reading:)`` it does not open the file itself: closing it would release the locks
  /// of the other connections (<https://www.sqlite.org/howtocorrupt.html>, 2.2).
  package convenience init(readingBeside directory: String) throws(CatalogueError) {
    self.init(
      try Self.readingConnection(directory + "/" + Self.fileName, refusesScans: true))
  }

  /// Opens a connection with a deferred transaction: the first read fixes the generation.
  private static func readingConnection(
    _ path: String, refusesScans: Bool
  ) throws(CatalogueError) -> CatalogueConnection {
    try CatalogueConnection(
      reading: path, refusesScans: refusesScans,
      begin: "BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1")
  }

  /// Moves a connection for reading to the current generation.
  package func refresh() throws(CatalogueError) {
    try connection.execute("COMMIT; BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1")
  }

  private static let writingPragmas = """
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -65536; PRAGMA journal_size_limit = \(CatalogueFolder.logByteLimit)
    """

  /// Opens or creates a catalogue for writing. The caller must hold the writer's lock.
  ///
  /// - Throws: ``CatalogueError``.
  package convenience init(writing directory: String) throws(CatalogueError) {
    let path = directory + "/" + Self.fileName
    let byteCount = FileStatus(path)?.byteCount ?? 0
    if byteCount > 0 { _ = try CatalogueFolder.checkedPath(directory) }
    let connection = try CatalogueConnection(path: path, mode: .write)
    let versions = CatalogueVersions(connection: connection, directory: directory)
    let isNew: Bool
    do throws(CatalogueError) {
      isNew = try versions.isWithoutTables()
    } catch {
      throw CatalogueFolder.diagnosed(error, path)
    }
    if isNew {
      try connection.execute(CatalogueSchema.sql)
      try StateTable(connection: connection).insert(signatureVersion: Int(Signature.version))
      try connection.execute("COMMIT")
    }
    try connection.execute(Self.writingPragmas)
    try versions.check()
    // Writes nothing if there is nothing to add.
    try connection.execute(CatalogueSchema.additions)
    self.init(connection)
  }

  /// Opens a catalogue whose tables may have an older version, for converting them. The caller must hold
  /// the writer's lock.
  ///
  /// - Throws: ``CatalogueError``, with the code `otherSchemaVersion` for a version that cannot be converted.
  package convenience init(upgrading directory: String) throws(CatalogueError) {
    let connection = try CatalogueConnection(
      path: try CatalogueFolder.checkedPath(directory), mode: .write)
    try connection.execute(Self.writingPragmas)
    try CatalogueVersions(connection: connection, directory: directory).checkUpgradeable()
    self.init(connection)
  }

  // MARK: Generations

  /// Starts the next generation, which is invisible to others until ``commit()``.
  package func begin() throws(CatalogueError) {
    countChanges = StateTable.CountChanges()
    try connection.execute("BEGIN IMMEDIATE")
  }

  /// Discards everything written since ``begin()``.
  package func rollBack() throws(CatalogueError) {
    tables.forgetWritten()
    try connection.execute("ROLLBACK")
  }

  /// Publishes everything written since ``begin()``, in one step.
  ///
  /// - Parameter recounts: True if the entities and images are counted again, because the contents
  ///   were replaced as a whole.
  /// - Returns: The number of the new generation.
  /// - Complexity: O(changes); O(catalogue) if it recounts.
  package func commit(recounts: Bool = false) throws(CatalogueError) -> Int {
    if recounts {
      try tables.state.recount()
      countChanges = StateTable.CountChanges()
    }
    try tables.state.advance(countChanges)
    try tables.history.note()
    try beforeCommit?()
    try connection.execute("COMMIT")
    countChanges = StateTable.CountChanges()
    return try tables.state.current().generation
  }

  /// Runs `body` in a transaction that makes no generation: what it writes belongs to one that is known elsewhere. Rolled
  /// back if it throws.
  package func replace(_ body: () throws(CatalogueError) -> Void) throws(CatalogueError) {
    try begin()
    do throws(CatalogueError) {
      // Rows are replaced table by table, so references may be wrong in between.
      try connection.execute("PRAGMA defer_foreign_keys = ON")
      try body()
      try connection.execute("COMMIT")
    } catch {
      try? rollBack()
      throw error
    }
    countChanges = StateTable.CountChanges()
  }

  // MARK: Entities in all tables

  /// The numbers of an entity that another catalogue has given to it.
  package struct Place {
    let key: Int
    /// The place in the list of changes.
    let sequence: Int

    package init(key: Int, sequence: Int) {
      self.key = key
      self.sequence = sequence
    }
  }

  /// Adds an entity, or replaces the one with the same type and id, which keeps its key.
  ///
  /// - Parameter place: The numbers of the entity; `nil` for the next ones.
  package func upsert(
    _ value: EntityValue, rowHash: Int?, at place: Place? = nil
  ) throws(CatalogueError) -> UInt32 {
    let key: Int
    if let existing = try tables.entities.stored(value.id) {
      key = existing.key
      try tables.entities.update(value, rowHash: rowHash, key: key)
      try removeDetails(of: key, existing.json)
      try tables.kept.set(nil, of: key)
    } else {
      key = try tables.entities.insert(value, rowHash: rowHash, key: place?.key)
      countChanges.entities[value.id.type, default: 0] += 1
    }
    try tables.changeLog.note(value.id, key: key, sequence: place?.sequence)
    try insertDetails(of: key, value)
    return UInt32(clamping: key)
  }

  /// Adds the rows of an entity in all tables that are derived from its JSON form.
  private func insertDetails(of key: Int, _ value: EntityValue) throws(CatalogueError) {
    try tables.labels.insert(value, key: key)
    try tables.text.insert(value, key: key)
    try tables.stores.insert(value, key: key)
    try tables.properties.insert(value, key: key)
  }

  /// Removes the rows of an entity in all tables except `entities` and `images`.
  private func removeDetails(of key: Int, _ json: String) throws(CatalogueError) {
    try tables.labels.remove(key: key)
    try tables.text.remove(key: key)
    try tables.stores.remove(key: key)
    try tables.properties.remove(key: key, json: json)
  }

  /// Removes an entity and marks the segment rows of its images as dead.
  ///
  /// - Returns: True if the entity existed.
  package func remove(_ id: EntityID) throws(CatalogueError) -> Bool {
    guard let existing = try tables.existing(id) else { return false }
    try replaceImages(of: existing.key, with: [], previous: existing.images)
    try removeDetails(of: Int(existing.key), existing.json)
    try tables.kept.set(nil, of: Int(existing.key))
    try tables.entities.remove(key: Int(existing.key))
    try tables.feeds.remove(key: Int(existing.key))
    countChanges.entities[id.type, default: 0] -= 1
    try tables.changeLog.note(id, key: nil)
    return true
  }

  /// Replaces the images of an entity and marks the segment rows of the previous ones as dead.
  package func replaceImages(
    of key: UInt32, with images: [ImageTable.Record], previous: [ImageTable.Record]
  ) throws(CatalogueError) {
    countChanges.images += images.count - (try tables.images.remove(ofKey: key))
    for image in images { try tables.images.insert(image, of: Int(key)) }
    for image in previous { try tables.segments.addDeadRow(image.row, of: image.segment) }
  }

  // MARK: All contents

  /// Makes the file as small as its contents.
  package func shrink() throws(CatalogueError) { try connection.shrink() }

  /// Removes all contents, but neither the list of generations of the origin nor the origin.
  package func removeContents() throws(CatalogueError) {
    tables.forgetWritten()
    try connection.execute(
      """
      DELETE FROM images; DELETE FROM deadRows; DELETE FROM labels; DELETE FROM labelFrequencies;
      DELETE FROM stock; DELETE FROM places; DELETE FROM segments; DELETE FROM properties;
      DELETE FROM propertyNames; DELETE FROM entities; DELETE FROM changes; DELETE FROM entityText;
      DELETE FROM wordParts; DELETE FROM labelBridge; DELETE FROM readings; DELETE FROM readingModels;
      DELETE FROM entityFeeds; DELETE FROM keptValues;
      """)
    try tables.settings.removeContents()
  }

  /// Makes all derived tables again from the entities, and sets their version, in one transaction.
  ///
  /// - Parameter progress: Called after each entity, with the number of converted ones and that of all; it ends the
  ///   conversion by throwing.
  /// - Returns: The version before, and the number of entities.
  package func rebuildDerivedTables(
    _ progress: (Int, Int) throws(CatalogueError) -> Void
  ) throws(CatalogueError) -> (version: Int, entities: Int) {
    let version = try connection.first("PRAGMA user_version") { $0.onlyInteger } ?? 0
    let total = try tables.entities.count()
    var done = 0
    try replace { () throws(CatalogueError) in
      for table in CatalogueSchema.derivedTables {
        try connection.execute("DROP TABLE IF EXISTS \(table)")
      }
      try connection.execute(CatalogueSchema.derived)
      try tables.entities.forEach { key, _, _, json throws(CatalogueError) in
        // An entity that cannot be read is kept as it is, and reported by `verify` and `doctor`.
        if let value = EntityTable.readableEntity(json) {
          try insertDetails(of: Int(key), value)
        }
        done += 1
        try progress(done, total)
      }
      try connection.execute("PRAGMA user_version = \(CatalogueSchema.version)")
    }
    return (version, done)
  }
}
