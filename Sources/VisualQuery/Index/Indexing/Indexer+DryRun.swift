/// The catalogue that a dry run works on.
extension Indexer {
  /// Returns a scratch catalogue for a dry run, or `nil` if the run can lock the catalogue itself and change nothing.
  ///
  /// It is empty if there is no catalogue yet. If this process may not write to the catalogue, as on a read-only mount, it is a copy
  /// of the tables beside links to the segments.
  ///
  /// - Throws: ``CatalogueError``.
  /// - Complexity: O(entities) for a copy; no signature is copied.
  func dryDirectory() throws(CatalogueError) -> TemporaryFolder? {
    let path = directory + "/" + CatalogueDatabase.fileName
    guard FileStatus.exists(path) else { return try TemporaryFolder() }
    guard PrivateFile.refusal(ofWriting: path) != nil else { return nil }
    let folder = try TemporaryFolder()
    do throws(CatalogueError) {
      try copyTables(to: folder)
      return folder
    } catch {
      folder.remove()
      throw error
    }
  }

  private func copyTables(to folder: TemporaryFolder) throws(CatalogueError) {
    let source = FilePath.absolute(directory)
    let reading = try CatalogueConnection(reading: source + "/" + CatalogueDatabase.fileName)
    try reading.copy(to: folder.path + "/" + CatalogueDatabase.fileName)
    do throws(StorageError) {
      for name in try Folder.readNames(in: source) where name.hasSuffix(".segment") {
        try Folder.makeLink(folder.path + "/" + name, to: source + "/" + name)
      }
    } catch {
      throw CatalogueError(error)
    }
  }
}
