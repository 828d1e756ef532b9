package import Reading

/// The text and codes of images, by the content of the image: an image that is moved, or that several entities have, is
/// read once.
extension CatalogueDatabase {
  /// The content of an image.
  package struct ImageContent: Sendable, Hashable {
    let byteCount: Int
    let hash: Int

    package init(_ image: ImageRecord) {
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
  package func hasReadings() throws(CatalogueError) -> Bool {
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

  /// Returns the reading of an image, or `nil` if it was not read. ``hasReadings()`` must be true.
  package func reading(of content: ImageContent) throws(CatalogueError) -> ImageReading? {
    let row = try connection.first(
      """
      SELECT readings.json, readingModels.json FROM readings
      JOIN readingModels ON id = models WHERE contentHash = ? AND byteCount = ?
      """, [.integer(content.hash), .integer(content.byteCount)]
    ) { ($0.text(0), $0.text(1)) }
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

  /// Returns the images that some models have not read, each content once, in the order of the entities.
  ///
  /// - Complexity: O(images) time and memory.
  package func unreadImages(by models: [ModelFile]) throws(CatalogueError) -> [UnreadImage] {
    var seen: Set<ImageContent> = []
    var images: [UnreadImage] = []
    try connection.forEachRow(
      """
      SELECT i.byteCount, i.contentHash, i.path, r.models FROM images i
      LEFT JOIN readings r ON r.contentHash = i.contentHash AND r.byteCount = i.byteCount
      ORDER BY i.entity, i.position
      """, isScan: true
    ) { row in
      let content = ImageContent(byteCount: row.integer(0), hash: row.integer(1))
      guard row.text(3) != ImageReading.id(of: models), seen.insert(content).inserted else {
        return
      }
      images.append(UnreadImage(content: content, path: row.text(2)))
    }
    return images
  }

  /// Returns the number of images that each set of models has read, the most first.
  package func readingCounts() throws(CatalogueError) -> [(models: [ModelFile], count: Int)] {
    guard try hasReadings() else { return [] }
    return try connection.rows(
      """
      SELECT m.json, count(*) FROM images i
      JOIN readings r ON r.contentHash = i.contentHash AND r.byteCount = i.byteCount
      JOIN readingModels m ON m.id = r.models GROUP BY m.id ORDER BY count(*) DESC, m.id
      """, isScan: true
    ) { row in
      ImageReading.models(try? JSONValue(stored: row.text(0))).map { ($0, row.integer(1)) }
    }
  }

  /// Returns whether images were read, and never by some models.
  func isReadOnlyByOthers(than models: [ModelFile]) throws(CatalogueError) -> Bool {
    guard try hasReadings() else { return false }
    let known = try connection.rows("SELECT id FROM readingModels", isScan: true) { $0.text(0) }
    return !known.isEmpty && !known.contains(ImageReading.id(of: models))
  }

  /// Removes the readings of images that no entity has.
  ///
  /// - Returns: True if there were any.
  package func removeUnusedReadings() throws(CatalogueError) -> Bool {
    try connection.execute(
      """
      DELETE FROM readings WHERE NOT EXISTS (
        SELECT 1 FROM images i
        WHERE i.contentHash = readings.contentHash AND i.byteCount = readings.byteCount);
      """)
    return connection.changedRowCount > 0
  }
}
