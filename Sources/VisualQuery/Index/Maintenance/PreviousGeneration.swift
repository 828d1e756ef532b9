#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
internal import PixelMatch

extension CatalogueUpkeep {
  /// Calls `body` with the generation that ``rollBack()`` would restore, opened for searching.
  ///
  /// Its database is copied to a temporary directory, and its segments are linked there.
  ///
  /// - Throws: ``CatalogueError`` with the code `missing` if no generation is saved; the errors of `body`.
  package func withPrevious<Result: Sendable>(
    _ body: (Catalogue) async throws -> Result
  ) async throws -> Result {
    guard let previous = try PreviousCatalogue(directory: directory) else {
      throw CatalogueError(
        code: .missing,
        message: "'\(directory)' has no saved generation; name another index with --before")
    }
    let temporary = try TemporaryFolder()
    defer { temporary.remove() }
    try previous.copy(to: temporary.path + "/" + CatalogueDatabase.fileName)
    try link(previous.segmentFiles, in: temporary)
    return try await body(try Catalogue(directory: temporary.path))
  }

  /// Makes links to some files of the catalogue in another folder.
  func link(_ files: some Sequence<String>, in folder: TemporaryFolder) throws(CatalogueError) {
    let absolute =
      directory.hasPrefix("/") ? directory : try Self.workingDirectory() + "/" + directory
    for file in files {
      guard
        unsafe symlink(
          FileName.systemName(absolute + "/" + file),
          FileName.systemName(folder.path + "/" + file)) == 0
      else {
        throw CatalogueError(StorageError("link", file))
      }
    }
  }

  private static func workingDirectory() throws(CatalogueError) -> String {
    // Sound: with no buffer, `getcwd` allocates a terminated text, which is freed here.
    guard let text = unsafe getcwd(nil, 0) else {
      throw CatalogueError(StorageError("find the working directory", "."))
    }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }
}
