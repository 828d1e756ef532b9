public import PixelMatch

/// Thumbnails of a catalogue's entities. They are those that the index stores, or are made from the
/// indexed files, which are only opened in the folders of the index.
///
/// Thumbnails that are made here are not stored: a server caches them by entity, size and
/// generation.
public struct EntityThumbnails: Sendable {
  /// The size of a thumbnail.
  public enum Size: String, Sendable, Hashable, Codable, CaseIterable {
    /// For a list.
    case small
    /// For a card.
    case large
    /// For a whole screen.
    case extraLarge

    /// The largest length of the longer side, in pixels.
    package var longerSide: Int {
      switch self {
      case .small: 160
      case .large: 480
      case .extraLarge: 1024
      }
    }
  }

  /// The generation that is read.
  package let catalogue: Catalogue
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

  /// A thumbnail and the content that it was made of.
  package struct Thumbnail: Sendable, Hashable {
    /// A JPEG file, upright.
    package let jpeg: [UInt8]
    /// The tag of the image's content, as in ``PublicProjection/imageURL(of:at:)``. It differs from
    /// that of the URL if the file has changed since it was indexed.
    package let contentTag: String

    /// Makes a value.
    package init(jpeg: [UInt8], contentTag: String) {
      self.jpeg = jpeg
      self.contentTag = contentTag
    }
  }

  /// Returns a thumbnail as an upright JPEG file.
  ///
  /// - Parameters:
  ///   - id: The entity.
  ///   - image: The index of the image in the entity's `images`.
  ///   - size: The size.
  /// - Returns: `nil` if the entity or the image does not exist, or if a fetched image is no longer
  ///   stored.
  /// - Throws: `DecodeError` if no suitable thumbnail is stored and the file cannot be opened or
  ///   decoded; ``CatalogueError``; `CancellationError`.
  /// - Complexity: O(pixels of the file).
  public func jpeg(of id: EntityID, image: Int = 0, size: Size) async throws -> [UInt8]? {
    try await thumbnail(of: id, image: image, size: size)?.jpeg
  }

  /// A thumbnail with the tag of its content; otherwise as ``jpeg(of:image:size:)``.
  package func thumbnail(
    of id: EntityID, image: Int = 0, size: Size
  ) async throws -> Thumbnail? {
    try await withTaskExecutorPreference(pool) { @concurrent in
      let image = try catalogue.read { database throws(CatalogueError) in
        let image = try database.images.image(of: id, position: image)
        return image.map { Indexed(path: $0.path, picture: $0.picture) }
      }
      guard let image else { return nil }
      let kept = try KeptThumbnails(reading: catalogue.directory)?
        .thumbnail(of: image.picture, side: size.longerSide)
      let tag = ContentTag.text(ofHash: image.picture.contentHash)
      func reduced(_ kept: KeptThumbnails.Thumbnail) throws(DecodeError) -> Thumbnail {
        Thumbnail(jpeg: try small(kept.jpeg, size), contentTag: tag)
      }
      if let kept, kept.side == size.longerSide {
        return Thumbnail(jpeg: kept.jpeg, contentTag: tag)
      }
      do {
        if let made = try made(of: image.path, size) { return made }
        return try kept.map { kept throws(DecodeError) in try reduced(kept) }
      } catch let error as DecodeError where error.code == .cancelled {
        throw CancellationError()
      } catch let error as DecodeError {
        guard let kept else { throw error }
        return try reduced(kept)
      }
    }
  }

  /// The stored record of an image.
  private struct Indexed: Sendable {
    let path: String
    let picture: KeptThumbnails.Picture
  }

  /// Makes a thumbnail from the file of the image.
  private func made(of path: String, _ size: Size) throws -> Thumbnail? {
    if FetchedPictures.isAddress(path) {
      return try FetchedPictures.bytes(of: path, in: catalogue.directory)
        .map { bytes throws(DecodeError) in try thumbnail(of: bytes, size) }
    }
    // An image that was indexed from memory has no file, so it has only the thumbnails that are
    // stored.
    if UploadedImage.isName(path) { return nil }
    // Opened for every image, because the folder may be replaced while a generation is served.
    let file: OpenFile
    do throws(PictureFileError) {
      file = try PictureFolders(catalogue.picturePlaces).open(path)
    } catch {
      throw DecodeError(code: .unreadable, message: "'\(path)': \(error.message)")
    }
    return try thumbnail(
      of: decoder.contents(ofDescriptor: file.descriptor) { Task.isCancelled }, size)
  }

  private func thumbnail(of bytes: [UInt8], _ size: Size) throws(DecodeError) -> Thumbnail {
    Thumbnail(
      jpeg: try small(bytes, size),
      contentTag: ContentTag.text(
        ofHash: Int(bitPattern: UInt(ContentHash.of(bytes)))))
  }

  private func small(_ bytes: [UInt8], _ size: Size) throws(DecodeError) -> [UInt8] {
    try KeptThumbnails.Thumbnail(of: bytes, side: size.longerSide, decoder: decoder).jpeg
  }
}
