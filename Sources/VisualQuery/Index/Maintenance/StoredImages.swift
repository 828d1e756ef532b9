internal import PixelMatch

/// Opens single images of a catalogue from where they were indexed: their folders, or as they were fetched.
struct StoredImages: Sendable {
  let directory: String
  let folders: PictureFolders
  /// The longer side of the pixels.
  let side: Int
  private let decoder = ImageDecoder()

  init(directory: String, folders: PictureFolders, side: Int) {
    (self.directory, self.folders, self.side) = (directory, folders, side)
  }

  /// The reason why an image cannot be opened.
  struct Unavailable: Error {
    let text: String
  }

  /// Returns the pixels of an image, if it is the one that was indexed.
  ///
  /// - Throws: ``CatalogueError`` if the fetched images cannot be read.
  func pixels(
    of path: String, content: ReadingTable.ImageContent
  ) throws -> Result<PixelBuffer, Unavailable> {
    func unavailable(_ reason: String) -> Result<PixelBuffer, Unavailable> {
      .failure(Unavailable(text: "\(ShownAddress.of(path)): \(reason)"))
    }
    do {
      guard let bytes = try bytes(of: path) else {
        return unavailable("the image is not kept; index it again from a file or a server")
      }
      let hash = Int(bitPattern: UInt(ContentHash.of(bytes)))
      guard content == .init(byteCount: bytes.count, hash: hash) else {
        return unavailable("it has changed since it was indexed; run 'vq index' first")
      }
      return .success(try decoder.decode(bytes, longerSide: side))
    } catch let error as PictureFileError {
      return unavailable(error.message)
    } catch let error as DecodeError {
      return unavailable(error.message)
    }
  }

  private func bytes(of path: String) throws -> [UInt8]? {
    if FetchedPictures.isAddress(path) { return try FetchedPictures.bytes(of: path, in: directory) }
    if UploadedImage.isName(path) { return nil }
    let file = try folders.open(path)
    let bytes = try decoder.contents(ofDescriptor: file.descriptor) { Task.isCancelled }
    // Keeps the descriptor open until the bytes are read.
    _ = consume file
    return bytes
  }
}
