/// The pictures of a catalogue whose files cannot be opened in the places that the index names.
///
/// The index is whole without them: only thumbnails that it does not keep need the files.
public struct MissingPictures: Sendable, Hashable, Encodable {
  /// One of them.
  public struct Example: Sendable, Hashable, Encodable {
    /// The entity: `product:mug-red`.
    public let id: String
    /// The path as the index has it, relative to the root.
    public let path: String
    /// The reason why it cannot be opened.
    public let reason: String
  }

  /// The number of missing pictures.
  public private(set) var count = 0
  /// The number of pictures that are files, the missing ones among them.
  public private(set) var total = 0
  /// The first missing pictures, by entity and position.
  public private(set) var examples: [Example] = []

  private static let exampleLimit = 5

  /// Looks for every picture's file.
  ///
  /// - Parameter kept: The pictures whose files are not needed, since a thumbnail is kept.
  /// - Throws: ``CatalogueError``; `CancellationError`.
  init(
    _ database: CatalogueDatabase, folders: PictureFolders,
    except kept: Set<KeptThumbnails.Picture> = []
  ) throws {
    var (count, total, examples) = (0, 0, [Example]())
    try database.forEachImage { image throws(CatalogueError) in
      let path = image.record.path
      if FetchedPictures.isAddress(path) || Task.isCancelled { return }
      total += 1
      let picture = KeptThumbnails.Picture(
        entity: Int(image.key), contentHash: image.record.contentHash)
      if kept.contains(picture) { return }
      do throws(PictureFileError) {
        _ = try folders.status(of: path)
      } catch {
        count += 1
        guard examples.count < Self.exampleLimit else { return }
        examples.append(
          Example(id: image.entity.description, path: path, reason: error.message))
      }
    }
    try Task.checkCancellation()
    (self.count, self.total, self.examples) = (count, total, examples)
  }

  /// The missing pictures in a sentence; `nil` if there are none.
  public var sentence: String? {
    guard let first = examples.first else { return nil }
    let names = examples.map { "\($0.id) '\($0.path)'" }.joined(separator: ", ")
    let more = count > examples.count ? ", …" : ""
    return """
      \(count) of \(total) \(total == 1 ? "picture" : "pictures") cannot be opened: \(names)\(more) \
      (\(first.reason))
      """
  }
}
