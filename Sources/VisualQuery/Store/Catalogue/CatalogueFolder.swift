/// The directory of a catalogue, and the file in it that has the tables.
package enum CatalogueFolder {
  /// Creates the directory of a catalogue and its parents.
  ///
  /// - Throws: ``CatalogueError``, with the code `invalidLocation` if the directory has files of others.
  package static func make(_ path: String) throws(CatalogueError) {
    try checkUse(of: path)
    try makeDirectory(path)
  }

  /// Checks that a directory has a catalogue or may get one: the files of a catalogue replace those of
  /// the same names. A directory may get one if it does not exist, or if it has only hidden files,
  /// `lost+found`, and what an interrupted or rejected first run leaves.
  ///
  /// - Throws: ``CatalogueError``, with the code `invalidLocation` if there are other files.
  package static func checkUse(of path: String) throws(CatalogueError) {
    guard let status = FileStatus(path) else { return }
    guard status.isDirectory else { throw isFile(path) }
    for name in [CatalogueDatabase.fileName, WriterLock.fileName]
    where FileStatus.exists(path + "/" + name) {
      return
    }
    guard let other = Folder.names(in: path).first(where: { !isLeftBehind($0, in: path) })
    else { return }
    throw CatalogueError(
      code: .invalidLocation,
      message:
        "'\(path)' has other files, such as '\(other)', and no index; an index requires a directory of its own"
    )
  }

  private static func isFile(_ path: String) -> CatalogueError {
    CatalogueError(code: .notACatalogue, message: "'\(path)' is a file; an index is a directory")
  }

  /// Returns whether a file in a directory without a catalogue may have been left by a run, or is not
  /// one of the user's files.
  private static func isLeftBehind(_ name: String, in directory: String) -> Bool {
    let path = directory + "/" + name
    if name.hasPrefix(".") || name == "lost+found" { return true }
    if name == RejectedRowsList.fileName {
      return FileStatus(path)?.byteCount == 0 || RejectedRowsList.isList(path)
    }
    // The folder of a copy from PostgreSQL that was interrupted.
    guard name == incomingName, FileStatus(path)?.isDirectory == true else { return false }
    let beginnings = [".", CatalogueDatabase.fileName, KeptThumbnails.fileName]
    return Folder.names(in: path).allSatisfy { name in
      beginnings.contains(where: name.hasPrefix)
        || [".segment", ".segment.tmp"].contains(where: name.hasSuffix)
    }
  }

  /// The name of the folder in which a copy is made before it gets into its directory.
  package static let incomingName = "incoming"

  private static func makeDirectory(_ path: String) throws(CatalogueError) {
    if let status = FileStatus(path) {
      guard status.isDirectory else { throw isFile(path) }
      return
    }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      try makeDirectory(String(path[..<slash]))
    }
    do throws(StorageError) {
      try Folder.make(path)
    } catch {
      throw CatalogueError(error)
    }
  }

  // MARK: The file with the tables

  /// Returns the path of the file, after checking the directory and the length of the file.
  package static func checkedPath(_ directory: String) throws(CatalogueError) -> String {
    let hint = "make one with: vq index FEED --index \(directory)"
    guard let status = try status(of: directory) else {
      throw CatalogueError(
        code: .missing, message: "there is no index at '\(directory)'; \(hint)")
    }
    let path = directory + "/" + CatalogueDatabase.fileName
    guard status.isDirectory, let file = try Self.status(of: path) else {
      throw CatalogueError(
        code: .notACatalogue,
        message:
          "'\(directory)' is not a vq index (\(CatalogueDatabase.fileName) not found); \(hint)")
    }
    guard file.byteCount > 0 else { throw unfinished(directory) }
    guard file.byteCount >= 512 else {
      throw CatalogueError(
        code: .truncated, message: "'\(path)' has only \(file.byteCount) bytes; \(hint)")
    }
    return path
  }

  private static func status(of path: String) throws(CatalogueError) -> FileStatus? {
    do throws(StorageError) {
      return try FileStatus.ifPresent(path)
    } catch {
      throw CatalogueError(error)
    }
  }

  /// Returns the error of a directory whose first `vq index` was interrupted before it created the
  /// tables.
  static func unfinished(_ directory: String) -> CatalogueError {
    CatalogueError(
      code: .notACatalogue,
      message: """
        '\(directory)' is empty because its first index run was interrupted; run it again: \
        vq index FEED --index \(directory)
        """)
  }

  /// Returns the error of a file that SQLite calls corrupt, with the code `truncated` if pages are
  /// missing at its end. The header contains the number of pages
  /// (<https://www.sqlite.org/fileformat2.html>, 1.3).
  ///
  /// Must not be called for a file that is in use: a process that opens and closes a file beside
  /// SQLite releases SQLite's locks on it (<https://www.sqlite.org/howtocorrupt.html>, 2.2), and
  /// the next writer in another process would remove the log that readers of this process still
  /// need.
  static func diagnosed(_ error: CatalogueError, _ path: String) -> CatalogueError {
    guard error.code == .corrupt, let file = FileStatus(path),
      let header = try? CatalogueFile.prefix(of: path, byteCount: 32), header.count == 32
    else { return error }
    func number(_ range: Range<Int>) -> Int { header[range].reduce(0) { $0 << 8 | Int($1) } }
    let byteCount = max(512, number(16..<18)) * number(28..<32)
    guard file.byteCount < byteCount else { return error }
    return CatalogueError(
      code: .truncated,
      message:
        "'\(path)' has \(file.byteCount) of \(byteCount) bytes; \(CatalogueError.remedy)"
    )
  }

  // MARK: The write-ahead log

  /// The number of bytes of the log from which it is begun anew as soon as readers permit.
  static let logByteLimit = 64 << 20

  /// Returns the length of the log.
  static func logByteCount(_ directory: String) -> Int {
    FileStatus(directory + "/" + CatalogueDatabase.fileName + "-wal")?.byteCount ?? 0
  }

  /// Copies the log into the file, as far as readers permit.
  ///
  /// - Returns: True if all of it was copied.
  package static func checkpoint(_ directory: String) throws(CatalogueError) -> Bool {
    let connection = try CatalogueConnection(
      path: directory + "/" + CatalogueDatabase.fileName, mode: .write)
    try connection.execute("PRAGMA synchronous = FULL")
    return try connection.first("PRAGMA wal_checkpoint(PASSIVE)") {
      $0.integer(CheckpointColumn.isBusy) == 0
        && $0.integer(CheckpointColumn.pages) == $0.integer(CheckpointColumn.copiedPages)
    } ?? false
  }

  private enum CheckpointColumn: Int, SQLiteColumns { case isBusy, pages, copiedPages }

  // MARK: Segment files

  /// Removes segment files that no generation names: those of merged segments, and what a killed run left. A
  /// reader that has them open keeps them, and one that does not find them opens the newer generation.
  ///
  /// The caller must hold the writer's lock, and have no transaction open.
  ///
  /// - Parameter segments: The segments of the newest generation.
  package static func removeOrphans(
    in directory: String, except segments: SegmentList
  ) throws(CatalogueError) {
    var live = Set(try segments.all().map(\.file))
    // A saved generation that cannot be read cannot be restored either.
    if let saved = try? PreviousCatalogue(directory: directory) {
      live.formUnion(saved.segmentFiles)
    }
    // Other temporary files may be in use, such as the list of rejected rows.
    let endings = [".segment", ".segment.tmp", PreviousCatalogue.fileName + ".tmp"]
    for name in Folder.names(in: directory)
    where endings.contains(where: name.hasSuffix) && !live.contains(name) {
      Folder.remove(name, in: directory)
    }
  }
}
