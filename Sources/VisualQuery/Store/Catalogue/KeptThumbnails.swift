package import PixelMatch

/// The thumbnails that the index stores in `thumbnails.sqlite` beside the catalogue, for servers
/// without the image files.
///
/// A thumbnail belongs to an entity and to the content of one of its images. A stored thumbnail
/// never changes, and only ``keep(_:sides:in:)`` removes any, so that every generation finds its
/// own. Thumbnails are committed before the generation that needs them.
package final class KeptThumbnails {
  /// The file's name within a catalogue's directory.
  package static let fileName = "thumbnails.sqlite"
  /// The accepted lengths of the longer side, in pixels.
  static let sides = 16...1024
  /// The largest number of sizes for each image.
  static let sideLimit = 4
  /// The quality of the JPEG files, on libjpeg's scale.
  package static let quality = 82

  /// One thumbnail of an image.
  package struct Thumbnail: Sendable {
    /// The requested length of the longer side; a smaller image is not enlarged.
    package let side: Int
    package let jpeg: [UInt8]

    package init(side: Int, jpeg: [UInt8]) {
      self.side = side
      self.jpeg = jpeg
    }
  }

  /// An image, identified by its entity and its content.
  package struct Picture: Sendable, Hashable {
    package let entity: Int
    package let contentHash: Int

    package init(entity: Int, contentHash: Int) {
      self.entity = entity
      self.contentHash = contentHash
    }
  }

  private let connection: CatalogueConnection
  private var isInTransaction = false
  private var waitingCount = 0
  /// The number of thumbnails after which they are committed, even without a generation.
  private static let batchLimit = 16_384

  /// Opens or creates the file of thumbnails of the catalogue in `directory`.
  ///
  /// - Throws: ``CatalogueError``.
  package init(writing directory: String) throws(CatalogueError) {
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

  /// Opens the thumbnails of the catalogue in `directory` for reading; returns `nil` if there are
  /// none.
  ///
  /// - Throws: ``CatalogueError``.
  package init?(reading directory: String) throws(CatalogueError) {
    let path = directory + "/" + Self.fileName
    guard FileStatus.exists(path) else { return nil }
    do throws(CatalogueError) {
      connection = try CatalogueConnection(reading: path)
      // A run that was killed before it created the table leaves an empty file.
      let tableCount = try connection.first("SELECT count(*) FROM sqlite_schema") { $0.onlyInteger }
      if (tableCount ?? 0) == 0 { return nil }
    } catch {
      throw Self.explained(error, path)
    }
  }

  private static func explained(_ error: CatalogueError, _ path: String) -> CatalogueError {
    guard [.corrupt, .notACatalogue].contains(error.code) else { return error }
    return CatalogueError(
      code: .corrupt,
      message: "'\(path)' is damaged; remove it, and the next index run recreates it")
  }

  // MARK: Reading

  private enum Column: Int, SQLiteColumns { case contentHash, side, jpeg }

  /// Returns the sides of the stored thumbnails of an entity, by the content hash of the image.
  package func sides(of entity: UInt32) throws(CatalogueError) -> [Int: Set<Int>] {
    var sides: [Int: Set<Int>] = [:]
    try connection.forEachRow(
      "SELECT contentHash, side FROM thumbnails WHERE entity = ?", [.integer(Int(entity))]
    ) { row in
      sides[row.integer(Column.contentHash), default: []].insert(row.integer(Column.side))
    }
    return sides
  }

  /// Calls `body` with the thumbnails of an entity.
  package func forEach(
    of entity: Int,
    _ body: (_ contentHash: Int, _ thumbnail: Thumbnail) throws(CatalogueError) -> Void
  ) throws(CatalogueError) {
    try connection.forEachRow(
      "SELECT \(Column.list) FROM thumbnails WHERE entity = ? ORDER BY contentHash, side",
      [.integer(entity)]
    ) { row throws(CatalogueError) in
      try body(
        row.integer(Column.contentHash),
        Thumbnail(side: row.integer(Column.side), jpeg: row.blob(Column.jpeg)))
    }
  }

  /// Returns the stored thumbnail of an image whose side fits best: the requested side, otherwise
  /// the smallest larger one, otherwise the largest.
  package func thumbnail(of picture: Picture, side: Int) throws(CatalogueError) -> Thumbnail? {
    try connection.first(
      """
      SELECT \(Column.list) FROM thumbnails WHERE entity = ? AND contentHash = ?
      ORDER BY side < ?, abs(side - ?) LIMIT 1
      """,
      [.integer(picture.entity), .integer(picture.contentHash), .integer(side), .integer(side)]
    ) { Thumbnail(side: $0.integer(Column.side), jpeg: $0.blob(Column.jpeg)) }
  }

  private enum Owner: Int, SQLiteColumns { case entity, contentHash }

  /// Returns the images that have a stored thumbnail.
  package func pictures() throws(CatalogueError) -> Set<Picture> {
    var pictures: Set<Picture> = []
    try connection.forEachRow("SELECT DISTINCT \(Owner.list) FROM thumbnails") { row in
      pictures.insert(
        Picture(entity: row.integer(Owner.entity), contentHash: row.integer(Owner.contentHash)))
    }
    return pictures
  }

  /// Returns the damage that SQLite finds in the file.
  package func damage() throws(CatalogueError) -> [String] {
    try connection.rows("PRAGMA integrity_check(20)") { row in
      row.onlyText == "ok" ? nil : "'\(Self.fileName)': \(row.onlyText)"
    }
  }

  // MARK: Writing

  /// Adds a thumbnail, which ``commit()`` makes durable.
  package func put(_ thumbnail: Thumbnail, of picture: Picture) throws(CatalogueError) {
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

  /// Commits the added thumbnails.
  package func commit() throws(CatalogueError) {
    guard isInTransaction else { return }
    try connection.execute("COMMIT")
    isInTransaction = false
    waitingCount = 0
  }

  /// Discards the thumbnails that were added since the last commit.
  package func rollBack() {
    guard isInTransaction else { return }
    try? connection.execute("ROLLBACK")
    isInTransaction = false
    waitingCount = 0
  }

  private enum Stored: Int, SQLiteColumns { case rowid, entity, contentHash, side }

  /// Removes all thumbnails except those of some images and sides, and shrinks the file.
  package static func keep(
    _ pictures: Set<Picture>, sides: Set<Int>, in directory: String
  ) throws(CatalogueError) {
    guard FileStatus.exists(directory + "/" + fileName) else { return }
    let connection = try KeptThumbnails(writing: directory).connection
    let lost: [Int] = try connection.rows(
      "SELECT \(Stored.list) FROM thumbnails"
    ) { row in
      let picture = Picture(
        entity: row.integer(Stored.entity), contentHash: row.integer(Stored.contentHash))
      let isKept = pictures.contains(picture) && sides.contains(row.integer(Stored.side))
      return isKept ? nil : row.integer(Stored.rowid)
    }
    if lost.isEmpty { return }
    try connection.execute("BEGIN IMMEDIATE")
    for number in lost {
      try connection.statement("DELETE FROM thumbnails WHERE rowid = ?").bind(.integer(number))
        .run()
    }
    try connection.execute("COMMIT")
    try connection.shrink()
  }
}

extension KeptThumbnails.Thumbnail {
  /// Makes a thumbnail of an encoded image.
  package init(of bytes: [UInt8], side: Int, decoder: ImageDecoder) throws(DecodeError) {
    self.side = side
    jpeg = try decoder.jpeg(of: bytes, longerSide: side, quality: KeptThumbnails.quality)
  }
}
