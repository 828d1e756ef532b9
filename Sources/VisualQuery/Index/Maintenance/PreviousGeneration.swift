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
    let absolute = FilePath.absolute(directory)
    for file in files {
      do throws(StorageError) {
        try Folder.makeLink(folder.path + "/" + file, to: absolute + "/" + file)
      } catch {
        throw CatalogueError(error)
      }
    }
  }
}
