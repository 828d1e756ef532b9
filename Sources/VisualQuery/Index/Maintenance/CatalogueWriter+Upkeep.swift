internal import PixelMatch

/// Compaction and rollback.
extension CatalogueWriter {
  /// Merges all segments, and removes unused files.
  mutating func compact() throws(CatalogueError) -> Int {
    var isMerged = false
    try database.begin()
    do throws(CatalogueError) {
      for type in EntityType.allCases where try mergeAllSegments(of: type) { isMerged = true }
      if isMerged { generation = try database.commit() } else { try database.rollBack() }
    } catch {
      try? database.rollBack()
      throw error
    }
    if isMerged { try removeOrphans() }
    try database.shrink()
    try forgetUnusedPictures()
    return generation
  }

  /// Removes fetched images and thumbnails that neither this generation nor the saved one uses.
  private func forgetUnusedPictures() throws(CatalogueError) {
    var paths: Set<String> = []
    var pictures: Set<KeptThumbnails.Picture> = []
    try database.tables.images.forEach { image throws(CatalogueError) in
      paths.insert(image.record.path)
      pictures.insert(
        KeptThumbnails.Picture(entity: Int(image.key), contentHash: image.record.contentHash))
    }
    try PreviousCatalogue(directory: directory)?.forEachImage { path, picture in
      paths.insert(path)
      pictures.insert(picture)
    }
    try FetchedPictures.removeAll(except: paths, in: directory)
    let sides = ShopSettings.thumbnailSides(try database.tables.settings.all())
    try KeptThumbnails.keep(pictures, sides: Set(sides), in: directory)
  }

  /// Saves the published generation for a rollback.
  func savePrevious(as name: String = PreviousCatalogue.fileName) throws(CatalogueError) {
    try PreviousCatalogue.save(database, in: directory, as: name)
  }

  /// Publishes the saved generation again and saves the current one.
  mutating func rollBackRun() throws(CatalogueError) -> Int {
    guard publisher == nil else {
      throw CatalogueError(
        code: .missing,
        message: "a catalogue in PostgreSQL is not rolled back; index the previous feed instead")
    }
    guard let previous = try PreviousCatalogue(directory: directory) else {
      throw CatalogueError(
        code: .missing, message: "'\(directory)' has no saved generation to roll back to")
    }
    let present = Set(Folder.names(in: directory))
    if let lost = previous.segmentFiles.first(where: { !present.contains($0) }) {
      throw CatalogueError(
        code: .corrupt, message: "'\(directory)' lacks '\(lost)', which the saved generation needs")
    }
    try savePrevious(as: PreviousCatalogue.undoneFileName)
    generation = try ContentExchange(database, path: previous.path).run()
    try CatalogueFile.commit(
      PreviousCatalogue.undoneFileName, as: PreviousCatalogue.fileName, in: directory)
    try removeOrphans()
    try RunHistory(directory: directory).undo(after: previous.generation)
    return generation
  }

  /// Makes the generation that a rollback undid the saved one, or removes its copy if the rollback
  /// was killed before its commit. Does nothing if there is no copy.
  ///
  /// The commit has happened if the copy is of the generation before the current one. Every writer
  /// calls this before it publishes, so no other generation can have been published since.
  static func finishRollback(_ directory: String, _ generation: Int) throws(CatalogueError) {
    let name = PreviousCatalogue.undoneFileName
    // If the database from before the rollback cannot be read, it cannot be restored either.
    guard let undone = try? PreviousCatalogue(directory: directory, name: name) else { return }
    if undone.generation == generation - 1 {
      try CatalogueFile.commit(name, as: PreviousCatalogue.fileName, in: directory)
    } else {
      Folder.remove(name, in: directory)
    }
  }
}
