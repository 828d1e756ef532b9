internal import PixelMatch
internal import Reading

/// Reads the text and codes of single images from where they are indexed, whoever asks: the same image gives the same reading.
struct ImageTextReader: Sendable {
  private let files: [ModelFile]
  private let text: TextReader
  private let images: StoredImages
  private let codes = CodeReader()

  /// The longer side of an image that is read, in pixels.
  private static let side = 1280

  /// - Parameters:
  ///   - files: The models of `text`.
  ///   - directory: The directory with the fetched images.
  ///   - folders: The folders that images are read from.
  init(files: [ModelFile], text: TextReader, directory: String, folders: PictureFolders) {
    (self.files, self.text) = (files, text)
    images = StoredImages(directory: directory, folders: folders, side: Self.side)
  }

  /// Reads an image, if it is the one that was indexed.
  ///
  /// - Throws: `ReadingError`; ``CatalogueError``; `CancellationError`.
  @concurrent func read(
    _ path: String, _ content: ReadingTable.ImageContent
  ) async throws -> Result<ImageReading, StoredImages.Unavailable> {
    try Task.checkCancellation()
    let pixels: PixelBuffer
    switch try images.pixels(of: path, content: content) {
    case .success(let opened): pixels = opened
    case .failure(let reason): return .failure(reason)
    }
    let reading = try await text.text(in: pixels) { Task.isCancelled }
    try Task.checkCancellation()
    return .success(
      ImageReading(
        models: files, lines: reading.lines,
        codes: codes?.codes(in: pixels) { Task.isCancelled } ?? [],
        unreadCount: reading.unreadCount))
  }
}
