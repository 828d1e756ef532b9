public import PixelMatch

/// Small pictures of a catalogue's entities, made from the files that were indexed.
///
/// Nothing is kept: whoever serves them caches them by entity, size and generation.
public struct EntityThumbnails: Sendable {
  /// How large a thumbnail is.
  public enum Size: String, Sendable, Hashable, Codable, CaseIterable {
    /// For a list.
    case small
    /// For a card.
    case large

    /// The longer side in pixels, at most.
    public var longerSide: Int {
      switch self {
      case .small: 160
      case .large: 480
      }
    }
  }

  /// What is read: one generation.
  public let catalogue: Catalogue
  private let pool: WorkerPool
  private let decoder: ImageDecoder

  /// Makes thumbnails for a catalogue.
  public init(
    catalogue: Catalogue, pool: WorkerPool = WorkerPool(), decoder: ImageDecoder = ImageDecoder()
  ) {
    self.catalogue = catalogue
    self.pool = pool
    self.decoder = decoder
  }

  /// A thumbnail as a JPEG file, upright.
  ///
  /// - Parameters:
  ///   - id: Whose picture.
  ///   - image: Which of its pictures, by its place in the entity's `images`.
  ///   - size: How large.
  /// - Returns: `nil` where there is no such entity or picture, or one of a server that is kept no more.
  /// - Throws: `DecodeError` where the file has gone or changed since; ``CatalogueError``;
  ///   `CancellationError`.
  /// - Complexity: O(pixels of the file).
  public func jpeg(of id: EntityID, image: Int = 0, size: Size) async throws -> [UInt8]? {
    try await withTaskExecutorPreference(pool) { @concurrent in
      let path = try catalogue.read { database throws(CatalogueError) in
        try database.imagePath(of: id, position: image)
      }
      guard let path else { return nil }
      do {
        guard let bytes = try contents(of: path) else { return nil }
        let picture = try decoder.decode(bytes, longerSide: size.longerSide)
        return picture.jpeg(quality: 82)
      } catch let error as DecodeError where error.code == .cancelled {
        throw CancellationError()
      }
    }
  }

  private func contents(of path: String) throws -> [UInt8]? {
    FetchedPictures.isAddress(path)
      ? try FetchedPictures.bytes(of: path, in: catalogue.directory)
      : try decoder.contents(ofFile: path)
  }
}
