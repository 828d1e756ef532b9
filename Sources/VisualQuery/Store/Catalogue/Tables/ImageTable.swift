/// The table `images`: the file of each image of an entity, and the row of its signature.
package struct ImageTable {
  let connection: CatalogueConnection

  /// An image whose signature is stored in a segment.
  package struct Record: Sendable, Hashable {
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

  private enum Shown: Int, SQLiteColumns { case position, path, entity, contentHash }

  /// An indexed image of an entity.
  package struct ShownImage: Sendable {
    package let id: EntityID
    package let position: Int
    package let path: String
    package let picture: KeptThumbnails.Picture

    fileprivate init(_ id: EntityID, _ row: CatalogueStatement) {
      self.id = id
      position = row.integer(Shown.position)
      path = row.text(Shown.path)
      picture = KeptThumbnails.Picture(
        entity: row.integer(Shown.entity), contentHash: row.integer(Shown.contentHash))
    }
  }

  /// Returns the path and the content hash of an image of an entity, or `nil` if it is not indexed.
  package func image(of id: EntityID, position: Int) throws(CatalogueError) -> ShownImage? {
    try connection.first(
      """
      SELECT \(Shown.list) FROM images JOIN entities ON key = entity
      WHERE type = ? AND id = ? AND position = ?
      """, [.text(id.type.rawValue), .text(id.value), .integer(position)]
    ) { ShownImage(id, $0) }
  }

  /// Returns the indexed images of some entities, each entity once.
  package func images(of ids: [EntityID]) throws(CatalogueError) -> [ShownImage] {
    var images: [ShownImage] = []
    for id in Set(ids) {
      images += try connection.rows(
        Self.shownByID, [.text(id.type.rawValue), .text(id.value)]
      ) { ShownImage(id, $0) }
    }
    return images
  }

  private static let shownByID = """
    SELECT \(Shown.list) FROM images JOIN entities ON key = entity WHERE type = ? AND id = ?
    """

  private enum Column: Int, SQLiteColumns {
    case position, path, byteCount, modified, contentHash, segment, row
  }

  /// Returns the images of an entity, in their order.
  func records(ofKey key: Int) throws(CatalogueError) -> [Record] {
    try connection.rows(Self.byKey, [.integer(key)]) { row in
      Record(
        position: row.integer(Column.position), path: row.text(Column.path),
        byteCount: row.integer(Column.byteCount), modified: row.integer(Column.modified),
        contentHash: row.integer(Column.contentHash), segment: row.integer(Column.segment),
        row: row.integer(Column.row))
    }
  }

  private static let byKey =
    "SELECT \(Column.list) FROM images WHERE entity = ? ORDER BY position"

  private enum Content: Int, SQLiteColumns { case byteCount, contentHash }

  /// Returns a text for the content of the first image of some entities, without those whose first image is not indexed.
  package func contents(ofKeys keys: [UInt32]) throws(CatalogueError) -> [UInt32: String] {
    var contents: [UInt32: String] = [:]
    for key in keys {
      contents[key] = try connection.first(
        "SELECT \(Content.list) FROM images WHERE entity = ? AND position = 0",
        [.integer(Int(key))]
      ) { "\($0.integer(Content.byteCount)) \($0.integer(Content.contentHash))" }
    }
    return contents
  }

  private enum Place: Int, SQLiteColumns { case segment, row }

  /// Returns the segments and rows of the images of an entity, in their order.
  func rows(ofKey key: UInt32) throws(CatalogueError) -> [(segment: Int, row: Int)] {
    try connection.rows(
      "SELECT \(Place.list) FROM images WHERE entity = ? ORDER BY position", [.integer(Int(key))]
    ) { ($0.integer(Place.segment), $0.integer(Place.row)) }
  }

  private enum Owned: Int, SQLiteColumns {
    case type, id, key, position, path, byteCount, modified, contentHash, segment, row

    static func record(_ row: CatalogueStatement) -> Record {
      Record(
        position: row.integer(Self.position), path: row.text(Self.path),
        byteCount: row.integer(Self.byteCount), modified: row.integer(Self.modified),
        contentHash: row.integer(Self.contentHash), segment: row.integer(Self.segment),
        row: row.integer(Self.row))
    }
  }

  /// An image with its entity.
  package struct OwnedImage {
    package let entity: EntityID
    package let key: UInt32
    package let record: Record
  }

  /// Calls `body` with all images, by the key of their entity and their position.
  package func forEach(
    _ body: (OwnedImage) throws(CatalogueError) -> Void
  ) throws(CatalogueError) {
    try connection.forEachRow(
      """
      SELECT \(Owned.list) FROM images JOIN entities ON key = entity ORDER BY entity, position
      """, isScan: true
    ) { row throws(CatalogueError) in
      guard let type = EntityType(rawValue: row.text(Owned.type)) else { return }
      try body(
        OwnedImage(
          entity: EntityID(type: type, value: row.text(Owned.id)),
          key: UInt32(clamping: row.integer(Owned.key)), record: Owned.record(row)))
    }
  }

  /// An entity whose row and images are as they were indexed.
  package struct Untouched {
    package let key: UInt32
    package let id: EntityID
    /// The number of the feed that it belongs to, or `nil` if it has none.
    package let feed: Int?
    package fileprivate(set) var imageCount = 0
  }

  private enum UntouchedColumn: Int, SQLiteColumns {
    case type, id, key, position, path, byteCount, modified, contentHash, segment, row, feed

    // One statement for all of it, because it runs for each row of each night.
    static let byRowHash = statement(
      "(SELECT feed FROM entityFeeds WHERE entityFeeds.entity = key)")
    static let byRowHashOfFeed = statement("?2")

    private static func statement(_ feed: String) -> String {
      """
      SELECT \(Owned.list), \(feed)
      FROM entities LEFT JOIN images ON images.entity = key WHERE rowHash = ?1
      """
    }
  }

  /// Returns the entity that was indexed from a row, or `nil` if the row or one of its images was not indexed completely or has
  /// changed. There must be tables of feeds (``FeedTable/exists()``).
  ///
  /// - Parameters:
  ///   - onlyFeed: The number of the feed that all entities belong to, or `nil` if each is to be asked for its own.
  ///   - isUntouched: Returns whether an image is unchanged, given the key of its entity and its record.
  package func untouched(
    rowHash: Int, ofOnlyFeed onlyFeed: Int?,
    _ isUntouched: (Int, Record) throws(CatalogueError) -> Bool
  ) throws(CatalogueError) -> Untouched? {
    let row =
      if let onlyFeed {
        try connection.statement(UntouchedColumn.byRowHashOfFeed)
          .bind(.integer(rowHash), .integer(onlyFeed))
      } else {
        try connection.statement(UntouchedColumn.byRowHash).bind(.integer(rowHash))
      }
    defer { row.reset() }
    var found: Untouched?
    while try row.step() {
      guard let type = EntityType(rawValue: row.text(UntouchedColumn.type)) else { return nil }
      let id = EntityID(type: type, value: row.text(UntouchedColumn.id))
      guard found == nil || found?.id == id else { return nil }
      let key = row.integer(UntouchedColumn.key)
      if found == nil {
        found = Untouched(
          key: UInt32(clamping: key), id: id,
          feed: row.isNull(UntouchedColumn.feed) ? nil : row.integer(UntouchedColumn.feed))
      }
      if row.isNull(UntouchedColumn.position) { continue }
      guard try isUntouched(key, Owned.record(row)) else { return nil }
      if row.integer(UntouchedColumn.position) < EntityValue.imageLimit { found?.imageCount += 1 }
    }
    return found
  }

  // MARK: Writing

  package func insert(_ image: Record, of key: Int) throws(CatalogueError) {
    try connection.statement("INSERT INTO images VALUES(?, ?, ?, ?, ?, ?, ?, ?)").bind(
      .integer(key), .integer(image.position), .text(image.path),
      .integer(image.byteCount), .integer(image.modified), .integer(image.contentHash),
      .integer(image.segment), .integer(image.row)
    ).run()
  }

  /// Removes the images of an entity.
  ///
  /// - Returns: The number of images.
  func remove(ofKey key: UInt32) throws(CatalogueError) -> Int {
    try connection.statement("DELETE FROM images WHERE entity = ?").bind(.integer(Int(key))).run()
    return connection.changedRowCount
  }

  /// Records the row of the signature of an image, wherever it was.
  package func place(
    of key: UInt32, position: Int, at row: (segment: Int, row: Int)
  ) throws(CatalogueError) {
    try connection.statement(
      "UPDATE images SET segment = ?, row = ? WHERE entity = ? AND position = ?"
    ).bind(
      .integer(row.segment), .integer(row.row), .integer(Int(key)), .integer(position)
    ).run()
  }

  /// Records that the signature of an image was moved to another row.
  ///
  /// - Returns: True if the image was in the row that it was moved from.
  package func move(
    of key: UInt32, position: Int, from old: (segment: Int, row: Int),
    to new: (segment: Int, row: Int)
  ) throws(CatalogueError) -> Bool {
    try connection.statement(
      """
      UPDATE images SET segment = ?, row = ?
      WHERE entity = ? AND position = ? AND segment = ? AND row = ?
      """
    ).bind(
      .integer(new.segment), .integer(new.row), .integer(Int(key)), .integer(position),
      .integer(old.segment), .integer(old.row)
    ).run()
    return connection.changedRowCount == 1
  }
}
