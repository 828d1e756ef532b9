internal import PixelMatch

/// Thumbnails that the index keeps, in `thumbnails.sqlite` beside the catalogue, for servers that do not have the
/// pictures.
///
/// A thumbnail belongs to an entity and to the content of one of its pictures. One that was written never changes, and
/// only ``keep(_:sides:in:)`` removes any, so that every generation finds its own. Thumbnails are committed before the
/// generation that needs them.
final class KeptThumbnails {
  /// The file's name within a catalogue's directory.
  static let fileName = "thumbnails.sqlite"
  /// Longer sides of thumbnails, in pixels, that may be kept.
  static let sides = 16...1024
  /// The number of sizes that may be kept of a picture.
  static let sideLimit = 4
  /// The quality of the JPEG files, on libjpeg's scale.
  static let quality = 82

  /// One thumbnail of a picture.
  struct Thumbnail: Sendable {
    /// The longer side that was asked for; a smaller picture is not enlarged.
    let side: Int
    let jpeg: [UInt8]
  }

  /// A picture, by its entity and its content.
  struct Picture: Sendable, Hashable {
    let entity: Int
    let contentHash: Int
  }

  private let connection: CatalogueConnection
  private var isInTransaction = false
  private var waitingCount = 0
  /// Thumbnails after which those that were put are committed, even without a generation.
  private static let batchLimit = 16_384

  /// Opens the thumbnails of the catalogue in `directory`, or makes their file.
  ///
  /// - Throws: ``CatalogueError``.
  init(writing directory: String) throws(CatalogueError) {
    let path = directory + "/" + Self.fileName
    do throws(CatalogueError) {
      connection = try CatalogueConnection(path: path, mode: .write)
      try connection.execute(
        """
        PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
        CREATE TABLE IF NOT EXISTS thumbnails(
          entity INTEGER NOT NULL, contentHash INTEGER NOT NULL, side INTEGER NOT NULL,
          jpeg BLOB NOT NULL, UNIQUE(entity, contentHash, side)) STRICT;
        """)
    } catch {
      throw Self.explained(error, path)
    }
  }

  /// Opens the thumbnails of the catalogue in `directory` to read; `nil` if it keeps none.
  ///
  /// - Throws: ``CatalogueError``.
  init?(reading directory: String) throws(CatalogueError) {
    let path = directory + "/" + Self.fileName
    guard FileStatus.exists(path) else { return nil }
    do throws(CatalogueError) {
      connection = try CatalogueConnection(reading: path)
      // A run that was killed before it made the table left an empty file.
      let table = try connection.statement("SELECT count(*) FROM sqlite_schema")
      let isEmpty = try !table.step() || table.integer(0) == 0
      table.reset()
      if isEmpty { return nil }
    } catch {
      throw Self.explained(error, path)
    }
  }

  private static func explained(_ error: CatalogueError, _ path: String) -> CatalogueError {
    guard [.corrupt, .notACatalogue].contains(error.code) else { return error }
    return CatalogueError(
      code: .corrupt, message: "'\(path)' is damaged; remove it, and the next run makes it again")
  }

  // MARK: Reading

  /// The sides that are kept of each picture of an entity, by the content of the picture.
  func sides(of entity: UInt32) throws(CatalogueError) -> [Int: Set<Int>] {
    let row = try connection.statement("SELECT contentHash, side FROM thumbnails WHERE entity = ?")
      .bind(.integer(Int(entity)))
    var sides: [Int: Set<Int>] = [:]
    while try row.step() { sides[row.integer(0), default: []].insert(row.integer(1)) }
    return sides
  }

  /// The kept thumbnail of a picture that suits a side best: of that side, else the smallest larger one, else the
  /// largest.
  func thumbnail(of picture: Picture, side: Int) throws(CatalogueError) -> Thumbnail? {
    let row = try connection.statement(
      """
      SELECT side, jpeg FROM thumbnails WHERE entity = ? AND contentHash = ?
      ORDER BY side < ?, abs(side - ?) LIMIT 1
      """
    ).bind(
      .integer(picture.entity), .integer(picture.contentHash), .integer(side), .integer(side))
    guard try row.step() else { return nil }
    defer { row.reset() }
    return Thumbnail(side: row.integer(0), jpeg: row.blob(1))
  }

  /// The pictures of which a thumbnail is kept.
  func pictures() throws(CatalogueError) -> Set<Picture> {
    let row = try connection.statement("SELECT DISTINCT entity, contentHash FROM thumbnails")
    var pictures: Set<Picture> = []
    while try row.step() {
      pictures.insert(Picture(entity: row.integer(0), contentHash: row.integer(1)))
    }
    return pictures
  }

  /// The damage that SQLite finds in the file.
  func damage() throws(CatalogueError) -> [String] {
    let row = try connection.statement("PRAGMA integrity_check(20)")
    var found: [String] = []
    while try row.step() {
      if row.text(0) != "ok" { found.append("'\(Self.fileName)': \(row.text(0))") }
    }
    return found
  }

  // MARK: Writing

  /// Adds a thumbnail, which ``commit()`` makes durable.
  func put(_ thumbnail: Thumbnail, of picture: Picture) throws(CatalogueError) {
    if !isInTransaction {
      try connection.execute("BEGIN IMMEDIATE")
      isInTransaction = true
    }
    try connection.statement("INSERT OR REPLACE INTO thumbnails VALUES(?, ?, ?, ?)").bind(
      .integer(picture.entity), .integer(picture.contentHash), .integer(thumbnail.side),
      .blob(thumbnail.jpeg)
    ).run()
    waitingCount += 1
    if waitingCount >= Self.batchLimit { try commit() }
  }

  /// Makes the thumbnails that were put durable.
  func commit() throws(CatalogueError) {
    guard isInTransaction else { return }
    try connection.execute("COMMIT")
    isInTransaction = false
    waitingCount = 0
  }

  /// Gives up the thumbnails that were put since the last commit.
  func rollBack() {
    guard isInTransaction else { return }
    try? connection.execute("ROLLBACK")
    isInTransaction = false
    waitingCount = 0
  }

  /// Removes all thumbnails but those of some pictures and sides, and gives back their room.
  static func keep(
    _ pictures: Set<Picture>, sides: Set<Int>, in directory: String
  ) throws(CatalogueError) {
    guard FileStatus.exists(directory + "/" + fileName) else { return }
    let connection = try KeptThumbnails(writing: directory).connection
    let row = try connection.statement("SELECT rowid, entity, contentHash, side FROM thumbnails")
    var lost: [Int] = []
    while try row.step() {
      let picture = Picture(entity: row.integer(1), contentHash: row.integer(2))
      if !pictures.contains(picture) || !sides.contains(row.integer(3)) {
        lost.append(row.integer(0))
      }
    }
    if lost.isEmpty { return }
    try connection.execute("BEGIN IMMEDIATE")
    for number in lost {
      try connection.statement("DELETE FROM thumbnails WHERE rowid = ?").bind(.integer(number))
        .run()
    }
    try connection.execute("COMMIT; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
  }
}

extension KeptThumbnails.Thumbnail {
  /// Makes a thumbnail of an encoded picture.
  init(of bytes: [UInt8], side: Int, decoder: ImageDecoder) throws(DecodeError) {
    self.side = side
    jpeg = try decoder.jpeg(of: bytes, longerSide: side, quality: KeptThumbnails.quality)
  }
}
