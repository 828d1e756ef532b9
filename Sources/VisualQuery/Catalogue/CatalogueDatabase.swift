internal import PixelMatch

/// The SQLite file of a catalogue: entities, labels, full text, the generation and the list of live
/// segments.
///
/// Opened to read, it holds one read transaction from `init` to `deinit`, so that everything that
/// is read belongs to one generation while a writer goes on.
final class CatalogueDatabase {
  /// The file's name within a catalogue's directory.
  static let fileName = "catalogue.sqlite"

  let connection: CatalogueConnection

  /// The numbers of the properties that were written since the last rollback, by name in UTF-8.
  var propertyNumbers: [[UInt8]: Int] = [:]

  /// What holds for a generation as a whole.
  struct State: Sendable, Hashable {
    var generation: Int
    var productCount: Int
    var storeCount: Int
    var imageCount: Int
    /// What tells this catalogue from any other, in hexadecimal digits.
    var identity: String
    /// What seals tokens, in hexadecimal digits.
    var secret: String
  }

  /// A segment file that is part of the generation.
  struct SegmentRecord: Sendable, Hashable {
    let id: Int
    let file: String
    let type: EntityType
    let rows: Int
    let byteCount: Int
  }

  /// A picture whose signature stands in a segment.
  struct ImageRecord: Sendable, Hashable {
    let position: Int
    let path: String
    let byteCount: Int
    /// Nanoseconds since 1970.
    let modified: Int
    /// Tells whether the file's bytes are what they were.
    let contentHash: Int
    let segment: Int
    let row: Int
  }

  /// Opens a catalogue to read the generation that is current now.
  ///
  /// - Parameter refusesScans: Whether the connection answers requests, so that in debug builds a
  ///   statement that reads a whole table traps.
  /// - Throws: ``CatalogueError`` with any code but `diskFull`.
  /// - Complexity: O(1).
  init(reading directory: String, refusesScans: Bool = false) throws(CatalogueError) {
    let path = try Self.checkedPath(directory)
    do throws(CatalogueError) {
      connection = try Self.readingConnection(path, refusesScans: refusesScans)
    } catch {
      throw Self.diagnosed(error, path)
    }
    try checkVersions(directory)
  }

  /// Opens one more connection to answer requests with, to a catalogue that this process has open.
  ///
  /// Unlike ``init(reading:)`` it never looks at the file itself: closing it would give up the locks
  /// of the other connections (<https://www.sqlite.org/howtocorrupt.html>, 2.2).
  init(readingBeside directory: String) throws(CatalogueError) {
    connection = try Self.readingConnection(
      directory + "/" + Self.fileName, refusesScans: true)
  }

  /// Goes on with the generation that is current now, where it was opened to read.
  func refresh() throws(CatalogueError) {
    try connection.execute("COMMIT; BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1")
  }

  /// Opens a catalogue to write, or makes one. The caller holds the writer's lock.
  ///
  /// - Throws: ``CatalogueError``.
  init(writing directory: String) throws(CatalogueError) {
    let path = directory + "/" + Self.fileName
    let byteCount = FileStatus(path)?.byteCount ?? 0
    if byteCount > 0 { _ = try Self.checkedPath(directory) }
    connection = try CatalogueConnection(path: path, mode: .write)
    // A run that was killed before it had made the tables leaves a file without any.
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
    try connection.execute(
      """
      PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -65536
      """)
    try checkVersions(directory)
  }

  /// A deferred transaction starts with the first read, which fixes the generation.
  private static func readingConnection(
    _ path: String, refusesScans: Bool
  ) throws(CatalogueError) -> CatalogueConnection {
    try CatalogueConnection(
      reading: path, refusesScans: refusesScans,
      begin: "BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1")
  }

  /// The file's path, once the directory and the file's length are as they should be.
  private static func checkedPath(_ directory: String) throws(CatalogueError) -> String {
    let hint = "make one with: vq index CATALOGUE --index \(directory)"
    guard let status = FileStatus(directory) else {
      throw CatalogueError(
        code: .missing, message: "there is no catalogue at '\(directory)'; \(hint)")
    }
    let path = directory + "/" + fileName
    guard status.isDirectory, let file = FileStatus(path) else {
      throw CatalogueError(
        code: .notACatalogue,
        message: "'\(directory)' is no catalogue: it has no \(fileName); \(hint)")
    }
    guard file.byteCount > 0 else { throw unfinished(directory) }
    guard file.byteCount >= 512 else {
      throw CatalogueError(
        code: .truncated, message: "'\(path)' has only \(file.byteCount) bytes; \(hint)")
    }
    return path
  }

  /// What is wrong with a file that SQLite calls corrupt: pages are missing at its end, or another
  /// thing. The header says how many there are (<https://www.sqlite.org/fileformat2.html>, 1.3).
  ///
  /// Not to be asked of a file that is in use: a process that opens and closes a file beside SQLite
  /// gives up SQLite's locks on it (<https://www.sqlite.org/howtocorrupt.html>, 2.2), and the next
  /// writer of another process would take away the log that readers here go on with.
  private static func diagnosed(_ error: CatalogueError, _ path: String) -> CatalogueError {
    guard error.code == .corrupt, let file = FileStatus(path),
      let header = try? CatalogueFile.prefix(of: path, byteCount: 32), header.count == 32
    else { return error }
    func number(_ range: Range<Int>) -> Int { header[range].reduce(0) { $0 << 8 | Int($1) } }
    let byteCount = max(512, number(16..<18)) * number(28..<32)
    guard file.byteCount < byteCount else { return error }
    return CatalogueError(
      code: .truncated,
      message: "'\(path)' has \(file.byteCount) of \(byteCount) bytes; index the catalogue again")
  }

  private func checkVersions(_ directory: String) throws(CatalogueError) {
    let hint = "rebuild with: vq index CATALOGUE --index \(directory) after removing it"
    let application = try number("PRAGMA application_id")
    guard application == CatalogueSchema.applicationID else {
      if application == 0, try number("SELECT count(*) FROM sqlite_schema") == 0 {
        throw Self.unfinished(directory)
      }
      throw CatalogueError(
        code: .notACatalogue, message: "'\(directory)' holds another program's \(Self.fileName)")
    }
    let schema = try number("PRAGMA user_version")
    guard schema == CatalogueSchema.version else {
      throw CatalogueError(
        code: .otherSchemaVersion,
        message: """
          '\(directory)' is a catalogue of version \(schema); this build reads \
          \(CatalogueSchema.version); \(hint)
          """)
    }
    let signatures = try number("SELECT signatureVersion FROM state")
    guard signatures == Int(Signature.version) else {
      throw CatalogueError(
        code: .otherSignatureVersion,
        message: """
          '\(directory)' has signatures of version \(signatures); this build reads \
          \(Signature.version); \(hint)
          """)
    }
  }

  /// The error of a directory whose first `vq index` was ended before it had made the tables.
  private static func unfinished(_ directory: String) -> CatalogueError {
    CatalogueError(
      code: .notACatalogue,
      message: """
        '\(directory)' is empty: its first index run was interrupted; run it again: \
        vq index CATALOGUE --index \(directory)
        """)
  }

  private func number(_ sql: String) throws(CatalogueError) -> Int {
    let statement = try connection.statement(sql)
    guard try statement.step() else {
      throw CatalogueError(code: .corrupt, message: "the catalogue lacks its state; index again")
    }
    let number = statement.integer(0)
    _ = try statement.step()
    return number
  }
}
