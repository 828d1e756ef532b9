package import PixelMatch

/// Images of a catalogue that are asked as if they were photos of customers, one of each of some things.
///
/// The same catalogue gives the same images and the same edits, and one in which little has changed nearly the same: they are those with the smallest marks, which
/// depend on nothing but the bytes of the files.
package struct OwnImages: Sendable {
  /// The most images that are asked.
  package static let limit = 512
  /// The number of images below which each is edited in two ways.
  private static let fewImages = 128
  /// The number of marks by which catalogues are compared.
  private static let sketchLimit = 64
  private static let seed: UInt64 = 66

  /// An image of an entity.
  package struct Image: Sendable {
    package let id: EntityID
    package let key: UInt32
    /// The keys of the entities that have the same image, or nearly, among them its own.
    package fileprivate(set) var alike: Set<UInt32>
    fileprivate let mark: UInt64
    fileprivate let path: String
    fileprivate let content: ReadingTable.ImageContent
  }

  /// The images, in the order of their marks.
  package let images: [Image]
  /// The number of photos that are made of each image.
  package let editCount: Int
  /// The smallest marks of all images.
  package let sketch: [UInt32]
  private let files: StoredImages

  /// Chooses the images.
  ///
  /// - Throws: ``CatalogueError``; `CancellationError`.
  /// - Complexity: That of `DuplicateFinder`; no image is opened.
  package init(
    of catalogue: Catalogue, limit: Int = Self.limit, pool: WorkerPool = WorkerPool()
  ) async throws {
    files = StoredImages(
      directory: catalogue.directory, folders: PictureFolders(catalogue.picturePlaces),
      side: QuerySignature.workingSide)
    var chosen = try catalogue.read { database throws(CatalogueError) in
      try Self.smallest(max(limit, Self.sketchLimit), of: database.images)
    }
    sketch = chosen.prefix(Self.sketchLimit).map { UInt32(truncatingIfNeeded: $0.mark >> 32) }
    chosen.removeLast(max(0, chosen.count - limit))
    let clusters = try await DuplicateFinder(catalogue: catalogue, pool: pool).clusters(.same)
    let asked = Set(chosen.map(\.id.description))
    for cluster in clusters {
      let names = cluster.entities.map(\.id)
      guard names.contains(where: asked.contains) else { continue }
      let keys = Set(try catalogue.keys(of: names.compactMap { EntityID($0) }).values)
      for index in chosen.indices where keys.contains(chosen[index].key) {
        chosen[index].alike.formUnion(keys)
      }
    }
    images = chosen
    editCount = chosen.count < Self.fewImages ? 2 : 1
  }

  /// Returns the images with the smallest marks, one of each entity, and of equal files the first one.
  private static func smallest(
    _ count: Int, of table: ImageTable
  ) throws(CatalogueError) -> [Image] {
    var images: [Image] = []
    /// Keeps the smallest ones.
    func prune() {
      images.sort { ($0.mark, $0.key) < ($1.mark, $1.key) }
      var kept: [Image] = []
      var keys: Set<UInt32> = []
      for image in images {
        if let last = kept.last, last.mark == image.mark {
          kept[kept.count - 1].alike.insert(image.key)
        } else if kept.count == count {
          break
        } else if keys.insert(image.key).inserted {
          kept.append(image)
        }
      }
      images = kept
    }
    try table.forEach { owned throws(CatalogueError) in
      var random = SplitMix(state: UInt64(bitPattern: Int64(owned.record.contentHash)) ^ seed)
      images.append(
        Image(
          id: owned.entity, key: owned.key, alike: [owned.key], mark: random.next(),
          path: owned.record.path, content: ReadingTable.ImageContent(owned.record)))
      if images.count >= 4 * count + 1024 { prune() }
    }
    prune()
    return images
  }

  /// Returns an image as a photo of it might look, or `nil` if its file is not there, cannot be read, or is another one than was indexed.
  ///
  /// - Parameter edit: The number of the edit, below ``editCount``.
  /// - Throws: ``CatalogueError`` if the fetched images cannot be read.
  package func photo(of image: Image, edit: Int = 0) throws -> PixelBuffer? {
    guard case .success(let pixels) = try files.pixels(of: image.path, content: image.content)
    else { return nil }
    return PhotoEdit(number: image.mark &+ UInt64(edit)).applied(to: pixels)
  }
}
