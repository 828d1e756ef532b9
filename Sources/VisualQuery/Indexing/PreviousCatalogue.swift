/// What was before the last run: a copy of the database, whose segments are kept as long as it is.
struct PreviousCatalogue {
  static let fileName = "previous.sqlite"

  let path: String
  let generation: Int
  let segmentFiles: Set<String>

  /// `nil` where nothing was kept.
  init?(directory: String) throws(CatalogueError) {
    path = directory + "/" + Self.fileName
    guard FileStatus.exists(path) else { return nil }
    let connection = try CatalogueConnection(path: path, mode: .immutable)
    let state = try connection.statement("SELECT generation FROM state")
    guard try state.step() else { return nil }
    generation = state.integer(0)
    state.reset()
    let row = try connection.statement("SELECT file FROM segments")
    var files: Set<String> = []
    while try row.step() { files.insert(row.text(0)) }
    segmentFiles = files
  }

  /// Calls `body` with the path and the content of each of its pictures.
  func forEachImage(
    _ body: (_ path: String, _ picture: KeptThumbnails.Picture) -> Void
  ) throws(CatalogueError) {
    let connection = try CatalogueConnection(path: path, mode: .immutable)
    let row = try connection.statement("SELECT path, entity, contentHash FROM images")
    while try row.step() {
      body(
        row.text(0), KeptThumbnails.Picture(entity: row.integer(1), contentHash: row.integer(2)))
    }
  }
}
