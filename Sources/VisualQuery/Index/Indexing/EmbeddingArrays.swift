import Synchronization

/// The arrays of embeddings that the rows of a feed name, which lie where images may lie.
final class EmbeddingArrays: Sendable {
  /// The number of files that are open at once: a feed mostly has one.
  private static let openLimit = 16

  private let folders: PictureFolders
  /// The arrays by the bytes of their files' names, or why there is none.
  private let opened = Mutex<[[UInt8]: Result<EmbeddingArray, EmbeddingArray.Failure>]>([:])

  init(_ folders: PictureFolders) { self.folders = folders }

  /// Returns a row of the array in a file.
  ///
  /// - Throws: ``EmbeddingArray/Failure``.
  func vector(at row: Int, of name: String) throws(EmbeddingArray.Failure) -> [Float] {
    try array(name).vector(at: row)
  }

  private func array(_ name: String) throws(EmbeddingArray.Failure) -> EmbeddingArray {
    let bytes = Array(name.utf8)
    if let known = opened.withLock({ $0[bytes] }) { return try known.get() }
    let found = Result { () throws(EmbeddingArray.Failure) in try open(name) }
    opened.withLock { arrays in
      if arrays.count >= Self.openLimit { arrays.removeAll() }
      arrays[bytes] = found
    }
    return try found.get()
  }

  private func open(_ name: String) throws(EmbeddingArray.Failure) -> EmbeddingArray {
    let file: OpenFile
    do throws(PictureFileError) {
      file = try folders.open(name)
    } catch {
      throw EmbeddingArray.Failure(reason: "cannot be opened: \(error.message)")
    }
    return try EmbeddingArray(file)
  }
}
