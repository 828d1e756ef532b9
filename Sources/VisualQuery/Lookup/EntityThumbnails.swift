public import PixelMatch

/// Small pictures of a catalogue's entities: those that the index keeps, else made from the files that were indexed, which
/// are opened only in the places that the index names.
///
/// Nothing that is made here is kept: a server caches it by entity, size and generation.
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
  /// - Throws: `DecodeError` if no suitable thumbnail is kept and the file cannot be opened or decoded;
  ///   ``CatalogueError``; `CancellationError`.
  /// - Complexity: O(pixels of the file).
  public func jpeg(of id: EntityID, image: Int = 0, size: Size) async throws -> [UInt8]? {
    try await withTaskExecutorPreference(pool) { @concurrent in
      let image = try catalogue.read { database throws(CatalogueError) in
        let image = try database.image(of: id, position: image)
        return image.map { Indexed(path: $0.path, picture: $0.picture) }
      }
      guard let image else { return nil }
      let kept = try KeptThumbnails(reading: catalogue.directory)?
        .thumbnail(of: image.picture, side: size.longerSide)
      if let kept, kept.side == size.longerSide { return kept.jpeg }
      do {
        if let made = try made(of: image.path, size) { return made }
        return try kept.map { kept throws(DecodeError) in try small(kept.jpeg, size) }
      } catch let error as DecodeError where error.code == .cancelled {
        throw CancellationError()
      } catch let error as DecodeError {
        guard let kept else { throw error }
        return try small(kept.jpeg, size)
      }
    }
  }

  /// A picture as the catalogue has it.
  private struct Indexed: Sendable {
    let path: String
    let picture: KeptThumbnails.Picture
  }

  /// A thumbnail made of the picture's own file.
  private func made(of path: String, _ size: Size) throws -> [UInt8]? {
    if FetchedPictures.isAddress(path) {
      return try FetchedPictures.bytes(of: path, in: catalogue.directory)
        .map { bytes throws(DecodeError) in try small(bytes, size) }
    }
    // Opened anew for every picture, since the folder may be replaced while a generation is served.
    let file: OpenFile
    do throws(PictureFileError) {
      file = try PictureFolders(catalogue.picturePlaces).open(path)
    } catch {
      throw DecodeError(code: .unreadable, message: error.message)
    }
    return try small(decoder.contents(ofDescriptor: file.descriptor), size)
  }

  private func small(_ bytes: [UInt8], _ size: Size) throws(DecodeError) -> [UInt8] {
    try KeptThumbnails.Thumbnail(of: bytes, side: size.longerSide, decoder: decoder).jpeg
  }
}
