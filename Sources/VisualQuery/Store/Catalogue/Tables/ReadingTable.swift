package import Reading

/// The tables `readings` and `readingModels`: the text and codes of images, by the content of the image. An image that is
/// moved, or that several entities have, is read once.
package struct ReadingTable {
  let connection: CatalogueConnection

  /// The content of an image.
  package struct ImageContent: Sendable, Hashable {
    package let byteCount: Int
    package let hash: Int

    package init(_ image: ImageTable.Record) {
      byteCount = image.byteCount
      hash = image.contentHash
    }

    package init(byteCount: Int, hash: Int) {
      self.byteCount = byteCount
      self.hash = hash
    }
  }

  /// Returns whether there are tables of readings: a catalogue that an earlier version wrote gets them when it is opened for
  /// writing.
  package func exists() throws(CatalogueError) -> Bool {
    try connection.first(
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'readings'"
    ) { _ in true } ?? false
  }

  /// Stores the reading of an image, in place of an earlier one.
  package func put(_ reading: ImageReading, of content: ImageContent) throws(CatalogueError) {
    let id = ImageReading.id(of: reading.models)
    try connection.statement("INSERT OR IGNORE INTO readingModels VALUES(?, ?)")
      .bind(.text(id), .text(ImageReading.json(of: reading.models).text)).run()
    try connection.statement("INSERT OR REPLACE INTO readings VALUES(?, ?, ?, ?)").bind(
      .integer(content.hash), .integer(content.byteCount), .text(id), .text(reading.json.text)
    ).run()
  }

  /// A reading as its rows have it, for a copy of them.
  package struct Stored: Sendable {
    package let content: ImageContent
    /// The short name of the models, and their JSON form.
    package let (modelsID, models): (String, String)
    /// The JSON form of the reading.
    package let json: String

    package init(content: ImageContent, modelsID: String, models: String, json: String) {
      (self.content, self.json) = (content, json)
      (self.modelsID, self.models) = (modelsID, models)
    }
  }

  /// Stores a copy of a reading, in place of an earlier one.
  package func put(_ stored: Stored) throws(CatalogueError) {
    try connection.statement("INSERT OR IGNORE INTO readingModels VALUES(?, ?)")
      .bind(.text(stored.modelsID), .text(stored.models)).run()
    try connection.statement("INSERT OR REPLACE INTO readings VALUES(?, ?, ?, ?)").bind(
      .integer(stored.content.hash), .integer(stored.content.byteCount), .text(stored.modelsID),
      .text(stored.json)
    ).run()
  }

  private enum StoredReading: Int, SQLiteColumns {
    case contentHash, byteCount, id, models, json

    static let list =
      "r.contentHash, r.byteCount, m.id, m.json AS models, r.json"
  }

  /// The readings that ``forEachStored(_:_:)`` gives.
  package enum Selection {
    case all
    /// The readings of images that an entity has.
    case used
    /// The readings that were added or changed since the last publication elsewhere (``GrowthNotes``).
    case new

    fileprivate var sql: String {
      switch self {
      case .all: ""
      case .used:
        " WHERE (r.contentHash, r.byteCount) IN (SELECT contentHash, byteCount FROM images)"
      case .new:
        " WHERE (r.contentHash, r.byteCount) IN (SELECT contentHash, byteCount FROM temp.changedReadings)"
      }
    }
  }

  /// Calls `body` with readings, in the order of their contents.
  package func forEachStored(
    _ selection: Selection, _ body: (Stored) throws(CatalogueError) -> Void
  ) throws(CatalogueError) {
    guard try exists() else { return }
    try connection.forEachRow(
      """
      SELECT \(StoredReading.list) FROM readings r JOIN readingModels m ON m.id = r.models\(selection.sql)
      ORDER BY r.contentHash, r.byteCount
      """, isScan: true
    ) { row throws(CatalogueError) in
      try body(
        Stored(
          content: ImageContent(
            byteCount: row.integer(StoredReading.byteCount),
            hash: row.integer(StoredReading.contentHash)),
          modelsID: row.text(StoredReading.id), models: row.text(StoredReading.models),
          json: row.text(StoredReading.json)))
    }
  }

  private enum JSONAndModels: Int, SQLiteColumns {
    case json, models

    static let list = "readings.json, readingModels.json"
  }

  /// Returns the reading of an image, or `nil` if it was not read. ``exists()`` must be true.
  package func reading(of content: ImageContent) throws(CatalogueError) -> ImageReading? {
    let row = try connection.first(
      """
      SELECT \(JSONAndModels.list) FROM readings
      JOIN readingModels ON id = models WHERE contentHash = ? AND byteCount = ?
      """, [.integer(content.hash), .integer(content.byteCount)]
    ) { ($0.text(JSONAndModels.json), $0.text(JSONAndModels.models)) }
    guard let (text, names) = row, let json = try? JSONValue(stored: text),
      let models = ImageReading.models(try? JSONValue(stored: names))
    else { return nil }
    return ImageReading(json: json, models: models)
  }

  /// An image that is to be read.
  package struct UnreadImage: Sendable, Hashable {
    package let content: ImageContent
    package let path: String
  }

  private enum ReadImage: Int, SQLiteColumns {
    case byteCount, contentHash, path, models

    static let list = "i.byteCount, i.contentHash, i.path, r.models"
  }

  /// Returns the images that some models have not read, each content once, in the order of the entities.
  ///
  /// - Complexity: O(images) time and memory.
  package func unread(by models: [ModelFile]) throws(CatalogueError) -> [UnreadImage] {
    var seen: Set<ImageContent> = []
    var images: [UnreadImage] = []
    try connection.forEachRow(
      """
      SELECT \(ReadImage.list) FROM images i
      LEFT JOIN readings r ON r.contentHash = i.contentHash AND r.byteCount = i.byteCount
      ORDER BY i.entity, i.position
      """, isScan: true
    ) { row in
      let content = ImageContent(
        byteCount: row.integer(ReadImage.byteCount), hash: row.integer(ReadImage.contentHash))
      guard row.text(ReadImage.models) != ImageReading.id(of: models),
        seen.insert(content).inserted
      else { return }
      images.append(UnreadImage(content: content, path: row.text(ReadImage.path)))
    }
    return images
  }

  private enum ModelsAndCount: Int, SQLiteColumns {
    case models, images

    static let list = "m.json, count(*) AS images"
  }

  /// Returns the number of images that each set of models has read, the most first.
  package func counts() throws(CatalogueError) -> [(models: [ModelFile], count: Int)] {
    guard try exists() else { return [] }
    return try connection.rows(
      """
      SELECT \(ModelsAndCount.list) FROM images i
      JOIN readings r ON r.contentHash = i.contentHash AND r.byteCount = i.byteCount
      JOIN readingModels m ON m.id = r.models GROUP BY m.id ORDER BY images DESC, m.id
      """, isScan: true
    ) { row in
      ImageReading.models(try? JSONValue(stored: row.text(ModelsAndCount.models)))
        .map { ($0, row.integer(ModelsAndCount.images)) }
    }
  }

  /// Returns whether images were read, and never by some models.
  func isReadOnlyByOthers(than models: [ModelFile]) throws(CatalogueError) -> Bool {
    guard try exists() else { return false }
    let known = try connection.rows("SELECT id FROM readingModels", isScan: true) { $0.onlyText }
    return !known.isEmpty && !known.contains(ImageReading.id(of: models))
  }

  /// Removes the readings of images that no entity has.
  ///
  /// - Returns: True if there were any.
  package func removeUnused() throws(CatalogueError) -> Bool {
    try connection.execute(
      """
      DELETE FROM readings
      WHERE (contentHash, byteCount) NOT IN (SELECT contentHash, byteCount FROM images);
      """)
    return connection.changedRowCount > 0
  }

  /// Returns whether any image was read.
  package func hasAny() throws(CatalogueError) -> Bool {
    guard try exists() else { return false }
    return try connection.first(
      // No integer is below this bound, so the condition is true of every row.
      "SELECT 1 FROM readings WHERE contentHash >= ? LIMIT 1", [.integer(.min)]
    ) { _ in true } ?? false
  }

  private enum ReadEntity: Int, SQLiteColumns {
    case entity, json, models

    static let list = "i.entity, r.json, r.models"
  }

  /// Calls `body` with the reading of each image of each entity.
  ///
  /// - Parameter models: The models whose readings count, or `nil` for those of any.
  func forEach(
    by models: [ModelFile]?, _ body: (_ key: UInt32, _ reading: ImageReading) -> Void
  ) throws(CatalogueError) {
    guard try exists() else { return }
    try connection.forEachRow(
      """
      SELECT \(ReadEntity.list) FROM images i
      JOIN readings r ON r.contentHash = i.contentHash AND r.byteCount = i.byteCount
      WHERE i.position < \(EntityValue.imageLimit)
      """, isScan: true
    ) { row in
      if let models, row.text(ReadEntity.models) != ImageReading.id(of: models) { return }
      guard let json = try? JSONValue(stored: row.text(ReadEntity.json)),
        let reading = ImageReading(json: json, models: [])
      else { return }
      body(UInt32(clamping: row.integer(ReadEntity.entity)), reading)
    }
  }
}
