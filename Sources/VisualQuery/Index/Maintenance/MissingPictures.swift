/// The images of a catalogue whose files cannot be opened in the folders of the index.
///
/// The index works without them: only thumbnails that it does not store require the files.
package struct MissingPictures: Sendable, Hashable, Encodable {
  /// One missing image.
  package struct Example: Sendable, Hashable, Encodable {
    /// The id of the entity, such as `product:mug-red`.
    package let id: String
    /// The path as it is stored, relative to the root.
    package let path: String
    /// The reason why the file cannot be opened.
    package let reason: String
  }

  /// The number of missing images.
  package private(set) var count = 0
  /// The number of images that are files, including missing ones.
  package private(set) var total = 0
  /// The first missing images, by entity and position.
  package private(set) var examples: [Example] = []

  private static let exampleLimit = 5

  /// Looks for the file of every image.
  ///
  /// - Parameter kept: The images whose files are not required, because a thumbnail is stored.
  /// - Throws: ``CatalogueError``; `CancellationError`.
  init(
    _ images: ImageTable, folders: PictureFolders,
    except kept: Set<KeptThumbnails.Picture> = []
  ) throws {
    var (count, total, examples) = (0, 0, [Example]())
    try images.forEach { image throws(CatalogueError) in
      let path = image.record.path
      if FetchedPictures.isAddress(path) || UploadedImage.isName(path) { return }
      if Task.isCancelled { return }
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
          Example(
            id: image.entity.description, path: ShownAddress.of(path), reason: error.message))
      }
    }
    try Task.checkCancellation()
    (self.count, self.total, self.examples) = (count, total, examples)
  }

  /// A sentence about the missing images, or `nil` if there are none.
  package var sentence: String? {
    guard let first = examples.first else { return nil }
    let names = examples.map { "\($0.id) '\($0.path)'" }.joined(separator: ", ")
    let more = count > examples.count ? ", …" : ""
    return """
      \(count) of \(total) \(total == 1 ? "image" : "images") cannot be opened: \(names)\(more) \
      (\(first.reason))
      """
  }
}
