import Synchronization

/// The arrays of embeddings that the rows of a feed name, which lie where images may lie.
final class EmbeddingArrays: Sendable {
  /// The number of files that are open at once: a feed mostly has one.
  private static let openLimit = 16

  private let folders: PictureFolders
  private let opened = Mutex<[String: EmbeddingArray]>([:])

  init(_ folders: PictureFolders) { self.folders = folders }

  /// Returns a row of the array in a file.
  ///
  /// - Throws: ``EmbeddingArray/Failure``.
  func vector(at row: Int, of name: String) throws(EmbeddingArray.Failure) -> [Float] {
    try array(name).vector(at: row)
  }

  private func array(_ name: String) throws(EmbeddingArray.Failure) -> EmbeddingArray {
    if let array = opened.withLock({ $0[name] }) { return array }
    let file: OpenFile
    do throws(PictureFileError) {
      file = try folders.open(name)
    } catch {
      throw EmbeddingArray.Failure(reason: "cannot be opened: \(error.message)")
    }
    let array = try EmbeddingArray(file)
    opened.withLock { arrays in
      if arrays.count >= Self.openLimit { arrays.removeAll() }
      arrays[name] = array
    }
    return array
  }
}
