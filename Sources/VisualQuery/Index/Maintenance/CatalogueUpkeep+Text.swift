internal import PixelMatch
public import Reading

extension CatalogueUpkeep {
  /// The outcome of reading the text of a catalogue's images.
  public struct TextSummary: Sendable, Hashable, Encodable {
    /// The number of images that were read.
    public var read = 0
    /// The number of lines of text in them.
    public var lines = 0
    /// The number of bar codes and QR codes in them.
    public var codes = 0
    /// The number of images that cannot be opened or decoded, or have other contents than when they were indexed.
    public var unavailable = 0
    /// The reason for the first of these.
    public var firstReason: String?
    /// The generation with what was read.
    public var generation = 0
  }

  /// The number of images after which what was read is published, so that an interrupted run loses little.
  private static let batch = 256
  /// The longer side of an image that is read, in pixels.
  private static let side = 1280

  /// Reads the text and codes of the images that these models have not read yet.
  ///
  /// Images are read from their folders, or as they were fetched; those that came by upload are not kept and cannot be read.
  /// Other writers have their turn: the catalogue is only locked while a batch is stored.
  ///
  /// - Parameters:
  ///   - models: The models.
  ///   - progress: Called after each image with the number of finished images, of all, and of unavailable ones.
  /// - Throws: ``CatalogueError``, with the code `invalidLocation` for a copy of a catalogue in PostgreSQL, in which text is
  ///   not kept; `ReadingError` if a run of a model fails; `CancellationError` after the work so far was published.
  /// - Complexity: O(images); some 0.1 to 0.3 s a thread for each that was not read before.
  public func readText(
    by models: ReadingModels,
    progress: @escaping @Sendable (_ done: Int, _ total: Int, _ unavailable: Int) -> Void = {
      _, _, _ in
    }
  ) async throws -> TextSummary {
    try await withTaskExecutorPreference(pool) { @concurrent in
      try prepareReadings()
      let database = try CatalogueDatabase(reading: directory)
      let images = try database.unreadImages(by: models.files)
      let reader = ImageTextReader(
        models: models, directory: directory,
        folders: PictureFolders(ShopSettings.places(try database.settings.all())), side: Self.side)
      var summary = TextSummary(generation: try database.state().generation)
      for start in stride(from: 0, to: images.count, by: Self.batch) {
        let part = Array(images[start..<min(start + Self.batch, images.count)])
        var readings: [(CatalogueDatabase.ImageContent, ImageReading)] = []
        var failure: (any Error)?
        do {
          try await forEachInOrder(part, on: pool) { image in
            (image.content, try await reader.read(image))
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

  /// Opens the catalogue for writing once, so that it has tables of readings.
  private func prepareReadings() throws {
    let database = try CatalogueDatabase(reading: directory)
    if try database.replica.origin() != nil {
      throw CatalogueError(
        code: .invalidLocation,
        message: "'\(directory)' is a copy of an index in PostgreSQL, in which text is not kept")
    }
    if try !database.hasReadings() { _ = try CatalogueWriter(directory: directory) }
  }

  private func store(
    _ readings: [(content: CatalogueDatabase.ImageContent, reading: ImageReading)]
  ) throws(CatalogueError) -> Int {
    var writer = try CatalogueWriter(directory: directory)
    try writer.transaction { database throws(CatalogueError) in
      for (content, reading) in readings { try database.put(reading, of: content) }
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
      isChanged = try database.removeUnusedReadings()
      return isChanged
    }
    return isChanged ? writer.generation : nil
  }
}

/// Reads single images of a catalogue.
private struct ImageTextReader: Sendable {
  let models: ReadingModels
  let directory: String
  let folders: PictureFolders
  let side: Int
  private let decoder = ImageDecoder()
  private let codes = CodeReader()

  init(models: ReadingModels, directory: String, folders: PictureFolders, side: Int) {
    self.models = models
    self.directory = directory
    self.folders = folders
    self.side = side
  }

  /// The reason why an image cannot be read.
  struct Unavailable: Error {
    let text: String
  }

  /// - Throws: `ReadingError`; ``CatalogueError``; `CancellationError`.
  @concurrent func read(
    _ image: CatalogueDatabase.UnreadImage
  ) async throws -> Result<ImageReading, Unavailable> {
    try Task.checkCancellation()
    func unavailable(_ reason: String) -> Result<ImageReading, Unavailable> {
      .failure(Unavailable(text: "\(ShownAddress.of(image.path)): \(reason)"))
    }
    let pixels: PixelBuffer
    do {
      guard let bytes = try bytes(of: image.path) else {
        return unavailable("the image is not kept; index it again from a file or a server")
      }
      let hash = Int(bitPattern: UInt(ContentHash.of(bytes)))
      guard image.content == .init(byteCount: bytes.count, hash: hash) else {
        return unavailable("it has changed since it was indexed; run 'vq index' first")
      }
      pixels = try decoder.decode(bytes, longerSide: side)
    } catch let error as PictureFileError {
      return unavailable(error.message)
    } catch let error as DecodeError {
      return unavailable(error.message)
    }
    let reading = try await models.text.text(in: pixels) { Task.isCancelled }
    try Task.checkCancellation()
    return .success(
      ImageReading(
        models: models.files, lines: reading.lines, codes: codes?.codes(in: pixels) ?? [],
        unreadCount: reading.unreadCount))
  }

  private func bytes(of path: String) throws -> [UInt8]? {
    if FetchedPictures.isAddress(path) { return try FetchedPictures.bytes(of: path, in: directory) }
    if UploadedImage.isName(path) { return nil }
    let file = try folders.open(path)
    let bytes = try decoder.contents(ofDescriptor: file.descriptor)
    // The descriptor is open until here.
    _ = consume file
    return bytes
  }
}
