/// A directory that is removed at the end of the run that created it.
package struct TemporaryFolder: Sendable {
  package let path: String

  package init() throws(CatalogueError) {
    do throws(StorageError) {
      path = try Folder.makeTemporary()
    } catch {
      throw CatalogueError(error)
    }
  }

  package func remove() { Folder.removeWithFiles(path) }
}
