internal import PixelMatch

/// The SQLite file of a catalogue: entities, labels, full text, the generation and the list of live
/// segments.
///
/// Opened for reading, it holds one read transaction from `init` to `deinit`, so that all reads see
/// the same generation while a writer works.
package final class CatalogueDatabase {
  /// The file's name within a catalogue's directory.
  package static let fileName = "catalogue.sqlite"

  /// The number of bytes of the write-ahead log from which it is begun anew as soon as readers
  /// permit.
  static let logByteLimit = 64 << 20

  package let connection: CatalogueConnection

  /// The properties of entities; it remembers what was written.
  package private(set) lazy var properties = PropertyIndex(connection: connection)

  /// The texts of entities; it remembers what was written.
  package private(set) lazy var text = TextIndex(connection: connection)

  /// The differences between the stored counts and those of the next generation.
  var countChanges = CountChanges()

  /// The notes of what a generation adds.
  package private(set) lazy var growth = GrowthNotes(connection: connection)

  /// Called with everything that a generation has, before it is published; if it throws, it is not.
  package var beforeCommit: (() throws(CatalogueError) -> Void)?

  /// The differences of the counts in `state`, so that a commit does not count all rows.
  struct CountChanges {
    var entities: [EntityType: Int] = [:]
    var images = 0
  }

  /// The values that describe a generation as a whole.
  package struct State: Sendable, Hashable {
    package var generation: Int
    package var productCount: Int
    package var storeCount: Int
    package var imageCount: Int
    /// The random identity of the catalogue, in hexadecimal digits.
    package var identity: String
    /// The key that seals tokens, in hexadecimal digits.
    package var secret: String
  }

  /// The number of a generation, and its token if it comes from PostgreSQL, where a number is given
  /// again if a standby that was behind is promoted.
  struct Stamp: Sendable, Hashable {
    let generation: Int
    let token: String

    private enum Column: Int, SQLiteColumns { case generation, token }

    init?(_ connection: CatalogueConnection) throws(CatalogueError) {
      let found = try connection.first(
        """
        SELECT generation, (SELECT value FROM settings WHERE name = '\(tokenName)') AS token FROM state
        """
      ) { ($0.integer(Column.generation), $0.text(Column.token)) }
      guard let (generation, token) = found else { return nil }
      self.generation = generation
      self.token = token
    }
  }

  /// The name of the setting with the token of the generation in PostgreSQL.
  package static let tokenName = ShopSettings.replicaPrefix + "token"

  /// A segment file that is part of the generation.
  package struct SegmentRecord: Sendable, Hashable {
    package let id: Int
    package let file: String
    package let type: EntityType
    package let rows: Int
    package let byteCount: Int

    package init(id: Int, file: String, type: EntityType, rows: Int, byteCount: Int) {
      self.id = id
      self.file = file
      self.type = type
      self.rows = rows
      self.byteCount = byteCount
    }

    /// The beginning of the name of a file that has no signatures.
    package static let headPrefix = "head-"

    /// The name of the segment in PostgreSQL, which is that of a file with signatures.
    var name: String {
      file.hasPrefix(Self.headPrefix) ? String(file.dropFirst(Self.headPrefix.count)) : file
    }
  }

  /// An image whose signature is stored in a segment.
  package struct ImageRecord: Sendable, Hashable {
    package let position: Int
    package let path: String
    package let byteCount: Int
    /// The time of the last modification, in nanoseconds since 1970.
    package let modified: Int
    /// The hash of the file's bytes.
    package let contentHash: Int
    package let segment: Int
    package let row: Int

    package init(
      position: Int, path: String, byteCount: Int, modified: Int, contentHash: Int, segment: Int,
      row: Int
    ) {
      self.position = position
      self.path = path
      self.byteCount = byteCount
      self.modified = modified
      self.contentHash = contentHash
      self.segment = segment
      self.row = row
    }
  }

  /// Opens the current generation of a catalogue for reading.
  ///
  /// - Parameter refusesScans: True if the connection answers requests, so that a statement that
  ///   reads a whole table traps in debug builds.
  /// - Throws: ``CatalogueError`` with any code except `diskFull`.
  /// - Complexity: O(1).
  package init(reading directory: String, refusesScans: Bool = false) throws(CatalogueError) {
    let path = try Self.checkedPath(directory)
    do throws(CatalogueError) {
      connection = try Self.readingConnection(path, refusesScans: refusesScans)
    } catch {
      throw Self.diagnosed(error, path)
    }
    try checkVersions(directory)
  }

  /// Opens another connection for answering requests to a catalogue that this process has open.
  ///
  /// Unlike ``init(reading:)`` it does not open the file itself: closing it would release the locks
  /// of the other connections (<https://www.sqlite.org/howtocorrupt.html>, 2.2).
  package init(readingBeside directory: String) throws(CatalogueError) {
    connection = try Self.readingConnection(
      directory + "/" + Self.fileName, refusesScans: true)
  }

  /// Moves a connection for reading to the current generation.
  package func refresh() throws(CatalogueError) {
    try connection.execute("COMMIT; BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1")
  }

  private static let writingPragmas = """
    PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -65536; PRAGMA journal_size_limit = \(logByteLimit)
    """

  /// Opens or creates a catalogue for writing. The caller must hold the writer's lock.
  ///
  /// - Throws: ``CatalogueError``.
  package init(writing directory: String) throws(CatalogueError) {
    let path = directory + "/" + Self.fileName
    let byteCount = FileStatus(path)?.byteCount ?? 0
    if byteCount > 0 { _ = try Self.checkedPath(directory) }
    connection = try CatalogueConnection(path: path, mode: .write)
    // A run that was killed before it created the tables leaves a file without tables.
    let tableCount: Int
    do throws(CatalogueError) {
      tableCount = try number("SELECT count(*) FROM sqlite_schema")
    } catch {
      throw Self.diagnosed(error, path)
    }
    if tableCount == 0 {
      try connection.execute(CatalogueSchema.sql)
      try connection.statement(
        "INSERT INTO state VALUES(0, ?, 0, 0, 0, hex(randomblob(8)), hex(randomblob(32)))"
      ).bind(.integer(Int(Signature.version))).run()
      try connection.execute("COMMIT")
    }
    try connection.execute(Self.writingPragmas)
    try checkVersions(directory)
    if try !hasReadings() { try connection.execute(CatalogueSchema.additions) }
  }

  /// Opens a catalogue whose tables may have an older version, for converting them. The caller must hold
  /// the writer's lock.
  ///
  /// - Throws: ``CatalogueError``, with the code `otherSchemaVersion` for a version that cannot be converted.
  package init(upgrading directory: String) throws(CatalogueError) {
    connection = try CatalogueConnection(path: try Self.checkedPath(directory), mode: .write)
    try connection.execute(Self.writingPragmas)
    try checkApplication(directory)
    let version = try tableVersion()
    guard CatalogueSchema.oldestUpgradeable...CatalogueSchema.version ~= version else {
      throw Self.otherVersion(version, directory, else: Self.rebuildHint(directory))
    }
    try checkSignatures(directory)
  }

  /// Returns the length of the write-ahead log.
  static func logByteCount(_ directory: String) -> Int {
    FileStatus(directory + "/" + fileName + "-wal")?.byteCount ?? 0
  }

  /// Copies the write-ahead log into the database, as far as readers permit.
  ///
  /// - Returns: True if all of it was copied.
  package static func checkpoint(_ directory: String) throws(CatalogueError) -> Bool {
    let connection = try CatalogueConnection(path: directory + "/" + fileName, mode: .write)
    try connection.execute("PRAGMA synchronous = FULL")
    return try connection.first("PRAGMA wal_checkpoint(PASSIVE)") {
      $0.integer(CheckpointColumn.isBusy) == 0
        && $0.integer(CheckpointColumn.pages) == $0.integer(CheckpointColumn.copiedPages)
    } ?? false
  }

  private enum CheckpointColumn: Int, SQLiteColumns { case isBusy, pages, copiedPages }

  /// Opens a connection with a deferred transaction: the first read fixes the generation.
  private static func readingConnection(
    _ path: String, refusesScans: Bool
  ) throws(CatalogueError) -> CatalogueConnection {
    try CatalogueConnection(
      reading: path, refusesScans: refusesScans,
      begin: "BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1")
  }

  /// Returns the path of the file, after checking the directory and the length of the file.
  package static func checkedPath(_ directory: String) throws(CatalogueError) -> String {
    let hint = "make one with: vq index FEED --index \(directory)"
    guard let status = try status(of: directory) else {
      throw CatalogueError(
        code: .missing, message: "there is no index at '\(directory)'; \(hint)")
    }
    let path = directory + "/" + fileName
    guard status.isDirectory, let file = try Self.status(of: path) else {
      throw CatalogueError(
        code: .notACatalogue,
        message: "'\(directory)' is not a vq index (\(fileName) not found); \(hint)")
    }
    guard file.byteCount > 0 else { throw unfinished(directory) }
    guard file.byteCount >= 512 else {
      throw CatalogueError(
        code: .truncated, message: "'\(path)' has only \(file.byteCount) bytes; \(hint)")
    }
    return path
  }

  private static func status(of path: String) throws(CatalogueError) -> FileStatus? {
    do throws(StorageError) {
      return try FileStatus.ifPresent(path)
    } catch {
      throw CatalogueError(error)
    }
  }

  /// Returns the error of a file that SQLite calls corrupt, with the code `truncated` if pages are
  /// missing at its end. The header contains the number of pages
  /// (<https://www.sqlite.org/fileformat2.html>, 1.3).
  ///
  /// Must not be called for a file that is in use: a process that opens and closes a file beside
  /// SQLite releases SQLite's locks on it (<https://www.sqlite.org/howtocorrupt.html>, 2.2), and
  /// the next writer in another process would remove the log that readers of this process still
  /// need.
  private static func diagnosed(_ error: CatalogueError, _ path: String) -> CatalogueError {
    guard error.code == .corrupt, let file = FileStatus(path),
      let header = try? CatalogueFile.prefix(of: path, byteCount: 32), header.count == 32
    else { return error }
    func number(_ range: Range<Int>) -> Int { header[range].reduce(0) { $0 << 8 | Int($1) } }
    let byteCount = max(512, number(16..<18)) * number(28..<32)
    guard file.byteCount < byteCount else { return error }
    return CatalogueError(
      code: .truncated,
      message:
        "'\(path)' has \(file.byteCount) of \(byteCount) bytes; \(CatalogueError.remedy)"
    )
  }

  private func checkVersions(_ directory: String) throws(CatalogueError) {
    try checkApplication(directory)
    let schema = try tableVersion()
    guard schema == CatalogueSchema.version else {
      throw Self.otherVersion(schema, directory, else: Self.rebuildHint(directory))
    }
    try checkSignatures(directory)
  }

  private static func rebuildHint(_ directory: String) -> String {
    "remove it and rebuild it with: vq index FEED --index \(directory)"
  }

  /// Returns the version of the tables.
  package func tableVersion() throws(CatalogueError) -> Int { try number("PRAGMA user_version") }

  private func checkApplication(_ directory: String) throws(CatalogueError) {
    let application = try number("PRAGMA application_id")
    guard application != CatalogueSchema.applicationID else { return }
    if application == 0, try number("SELECT count(*) FROM sqlite_schema") == 0 {
      throw Self.unfinished(directory)
    }
    throw CatalogueError(
      code: .notACatalogue,
      message:
        "'\(directory)' is not a vq index (its \(Self.fileName) belongs to another program)")
  }

  private func checkSignatures(_ directory: String) throws(CatalogueError) {
    let signatures = try number("SELECT signatureVersion FROM state")
    guard signatures == Int(Signature.version) else {
      throw CatalogueError(
        code: .otherSignatureVersion,
        message: """
          '\(directory)' has signatures of version \(signatures); this build reads \
          \(Signature.version); \(Self.rebuildHint(directory))
          """)
    }
  }

  /// Returns the error of tables of another version, with what to do about it.
  static func otherVersion(
    _ version: Int, _ directory: String, else hint: String
  ) -> CatalogueError {
    let advice =
      if version > CatalogueSchema.version {
        "use the vq that wrote it, or a newer one"
      } else if version >= CatalogueSchema.oldestUpgradeable {
        "convert it with: vq catalogue upgrade --index \(directory)"
      } else {
        hint
      }
    return CatalogueError(
      code: .otherSchemaVersion,
      message: """
        '\(directory)' is an index of version \(version); this build reads \
        \(CatalogueSchema.version); \(advice)
        """)
  }

  /// Returns the error of a directory whose first `vq index` was interrupted before it created the
  /// tables.
  private static func unfinished(_ directory: String) -> CatalogueError {
    CatalogueError(
      code: .notACatalogue,
      message: """
        '\(directory)' is empty because its first index run was interrupted; run it again: \
        vq index FEED --index \(directory)
        """)
  }

  private func number(_ sql: String) throws(CatalogueError) -> Int {
    guard let number = try connection.first(sql, read: { $0.integer(0) }) else {
      throw Self.missingState
    }
    return number
  }

  /// The error of a catalogue whose table `state` is empty.
  static var missingState: CatalogueError {
    CatalogueError(
      code: .corrupt,
      message: "the catalogue has no state; \(CatalogueError.remedy)")
  }
}
