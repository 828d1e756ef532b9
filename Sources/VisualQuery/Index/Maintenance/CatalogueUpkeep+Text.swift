internal import PixelMatch
package import Reading

extension CatalogueUpkeep {
  /// The outcome of reading the text of a catalogue's images.
  package struct TextSummary: Sendable, Hashable, Encodable {
    /// The number of images that were read.
    package var read = 0
    /// The number of lines of text in them.
    package var lines = 0
    /// The number of bar codes and QR codes in them.
    package var codes = 0
    /// The number of images that cannot be opened or decoded, or have other contents than when they were indexed.
    package var unavailable = 0
    /// The reason for the first of these.
    package var firstReason: String?
    /// The generation with what was read.
    package var generation = 0
  }

  /// The number of images after which what was read is published, so that an interrupted run loses little.
  private static let batch = 256

  /// Reads the text and codes of the images that these models have not read yet.
  ///
  /// Images are read from their folders, or as they were fetched; those that came by upload are not kept and cannot be read.
  /// Other writers have their turn: the catalogue is only locked while a batch is stored.
  ///
  /// - Parameters:
  ///   - models: The models.
  ///   - progress: Called after each image with the number of finished images, of all, and of unavailable ones.
  /// - Throws: ``CatalogueError``; `ReadingError` if a run of a model fails; `CancellationError` after the work so far was published.
  /// - Complexity: O(images); some 0.1 to 0.3 s a thread for each that was not read before.
  package func readText(
    by models: ReadingModels,
    progress: @escaping @Sendable (_ done: Int, _ total: Int, _ unavailable: Int) -> Void = {
      _, _, _ in
    }
  ) async throws -> TextSummary {
    guard let text = models.text else {
      return TextSummary(generation: try await status().generation)
    }
    return try await withTaskExecutorPreference(pool) { @concurrent in
      try prepareReadings()
      let database = try CatalogueDatabase(reading: directory)
      let images = try database.tables.readings.unread(by: models.files)
      let reader = ImageTextReader(
        files: models.files, text: text, directory: directory,
        folders: PictureFolders(ShopSettings.places(try database.tables.settings.all())))
      var summary = TextSummary(generation: try database.tables.state.current().generation)
      for start in stride(from: 0, to: images.count, by: Self.batch) {
        let part = Array(images[start..<min(start + Self.batch, images.count)])
        var readings: [(ReadingTable.ImageContent, ImageReading)] = []
        var failure: (any Error)?
        do {
          try await forEachInOrder(part, on: pool) { image in
            (image.content, try await reader.read(image.path, image.content))
          } take: { content, outcome in
            switch outcome {
            case .success(let reading):
              readings.append((content, reading))
              summary.read += 1
              summary.lines += reading.lines.count
              summary.codes += reading.codes.count
            case .failure(let reason):
              summary.unavailable += 1
              summary.firstReason = summary.firstReason ?? reason.text
            }
            progress(summary.read + summary.unavailable, images.count, summary.unavailable)
          }
        } catch {
          failure = error
        }
        if !readings.isEmpty { summary.generation = try store(readings) }
        if let failure { throw failure }
      }
      if let generation = try removeUnusedReadings() { summary.generation = generation }
      return summary
    }
  }

  /// Opens the catalogue for writing once if it has no tables of readings, or is a copy of one in PostgreSQL, which may refuse.
  private func prepareReadings() throws {
    let database = try CatalogueDatabase(reading: directory)
    guard try SegmentFiles(database.tables.settings) == .whole else {
      throw SegmentFiles.whole.mismatch(in: directory)
    }
    let isCopy = try database.tables.replica.origin() != nil
    if try isCopy || !database.tables.readings.exists() {
      _ = try CatalogueWriter(directory: directory)
    }
  }

  private func store(
    _ readings: [(content: ReadingTable.ImageContent, reading: ImageReading)]
  ) throws(CatalogueError) -> Int {
    var writer = try CatalogueWriter(directory: directory)
    try writer.transaction { database throws(CatalogueError) in
      for (content, reading) in readings { try database.tables.readings.put(reading, of: content) }
      return true
    }
    return writer.generation
  }

  /// Removes readings of images that are gone.
  ///
  /// - Returns: The new generation, or `nil` if there were none.
  private func removeUnusedReadings() throws(CatalogueError) -> Int? {
    var writer = try CatalogueWriter(directory: directory)
    var isChanged = false
    try writer.transaction { database throws(CatalogueError) in
      isChanged = try database.tables.readings.removeUnused()
      return isChanged
    }
    return isChanged ? writer.generation : nil
  }
}
