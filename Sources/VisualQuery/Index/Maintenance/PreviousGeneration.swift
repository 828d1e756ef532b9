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
    let absolute = FilePath.absolute(directory)
    for file in previous.segmentFiles {
      do throws(StorageError) {
        try Folder.makeLink(temporary.path + "/" + file, to: absolute + "/" + file)
      } catch {
        throw CatalogueError(error)
      }
    }
    return try await body(try Catalogue(directory: temporary.path))
  }
}
