/// The generation before the last run: a copy of the database, whose segments are kept as long as
/// it exists.
package struct PreviousCatalogue {
  package static let fileName = "previous.sqlite"
  /// The file with the generation that a rollback undoes, until that generation is the saved one.
  package static let undoneFileName = "undone.sqlite"

  package let path: String
  package let generation: Int
  package let segmentFiles: Set<String>

  /// Returns `nil` if no generation is saved.
  ///
  /// - Parameter name: The name of the file, ``fileName`` or ``undoneFileName``.
  package init?(directory: String, name: String = Self.fileName) throws(CatalogueError) {
    path = directory + "/" + name
    guard FileStatus.exists(path) else { return nil }
    let connection = try CatalogueConnection(path: path, mode: .immutable)
    let generation = try connection.first("SELECT generation FROM state") { $0.onlyInteger }
    guard let generation else { return nil }
    self.generation = generation
    segmentFiles = Set(try connection.rows("SELECT file FROM segments") { $0.onlyText })
  }

  /// Saves the published generation of a catalogue that is open for writing, completely or not at all.
  ///
  /// - Parameter name: The name of the file, ``fileName`` or ``undoneFileName``.
  package static func save(
    _ database: CatalogueDatabase, in directory: String, as name: String
  ) throws(CatalogueError) {
    let temporary = name + ".tmp"
    Folder.remove(temporary, in: directory)
    try database.connection.copy(to: directory + "/" + temporary)
    try CatalogueFile.commit(temporary, as: name, in: directory)
  }

  /// Writes the saved generation to another file.
  package func copy(to path: String) throws(CatalogueError) {
    try CatalogueConnection(path: self.path, mode: .immutable).copy(to: path)
  }

  private enum Column: Int, SQLiteColumns { case path, entity, contentHash }

  /// Calls `body` with the path and the content of each of its images.
  package func forEachImage(
    _ body: (_ path: String, _ picture: KeptThumbnails.Picture) -> Void
  ) throws(CatalogueError) {
    let connection = try CatalogueConnection(path: path, mode: .immutable)
    try connection.forEachRow("SELECT \(Column.list) FROM images") { row in
      body(
        row.text(Column.path),
        KeptThumbnails.Picture(
          entity: row.integer(Column.entity), contentHash: row.integer(Column.contentHash)))
    }
  }
}
