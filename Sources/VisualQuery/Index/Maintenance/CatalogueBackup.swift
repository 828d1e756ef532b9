internal import PixelMatch

/// Copies a catalogue with everything that is in its directory, while servers read it and runs write it.
///
/// The copy is a directory that answers as the original did at one moment: with the same entities, images, settings and
/// rules, the same fetched files, thumbnails, statements of people, numbers and runs, and the same tokens. The
/// generation that a rollback would restore is left out.
struct CatalogueBackup {
  /// The bytes that are copied at once.
  private static let partByteCount = 1 << 20
  /// The files that are copied with their generation, or that belong to none.
  private static let otherFiles: Set = [
    CatalogueDatabase.fileName, PreviousCatalogue.fileName, PreviousCatalogue.undoneFileName,
  ]

  let directory: String
  let target: String

  private var partial: String { target + ".partial" }

  /// Writes the copy beside its place, checks it, and moves it there.
  func make() async throws -> CatalogueUpkeep.Backup {
    guard !FileStatus.exists(target) else {
      throw CatalogueError(
        code: .invalidLocation, message: "'\(target)' exists; a backup is a new directory")
    }
    try CatalogueFolder.make(partial)
    // Another backup to the same place is refused; one that was killed has left its files.
    let lock = try WriterLock(directory: partial)
    for name in Folder.names(in: partial) where name != WriterLock.fileName {
      Folder.remove(name, in: partial)
    }
    let generation: Int
    do {
      generation = try copyGeneration()
      try copyOthers()
      let copy = try OpenedGeneration(directory: partial)
      let findings = try CatalogueUpkeep(directory: partial).findings(in: copy)
      if let first = findings.first {
        throw CatalogueError(
          code: .corrupt, message: "the copy is not in order: \(first); see 'vq catalogue verify'")
      }
    } catch {
      Folder.removeWithFiles(partial)
      throw error
    }
    do {
      try Folder.move(partial, to: target)
    } catch {
      throw CatalogueError(error)
    }
    _ = consume lock
    let state = try CatalogueDatabase(reading: target).tables.state.current()
    let byteCount = Folder.names(in: target).reduce(0) {
      $0 + (FileStatus(target + "/" + $1)?.byteCount ?? 0)
    }
    return CatalogueUpkeep.Backup(
      generation: generation, entityCount: state.productCount + state.storeCount,
      byteCount: byteCount)
  }

  /// Copies the newest generation, and returns its number.
  ///
  /// A writer may remove files that the copied generation needs: then there is a newer one, which is copied instead.
  private func copyGeneration() throws -> Int {
    var failed: Int?
    while true {
      Folder.remove(CatalogueDatabase.fileName, in: partial)
      try CatalogueDatabase.copy(of: directory, to: partial + "/" + CatalogueDatabase.fileName)
      let database = try CatalogueDatabase(reading: partial)
      let generation = try database.tables.state.current().generation
      do throws(CatalogueError) {
        for record in try database.tables.segments.all()
        where !FileStatus.exists(partial + "/" + record.file) {
          try copy(record.file)
        }
        return generation
      } catch {
        if failed == generation { throw error }
        failed = generation
      }
    }
  }

  /// Copies the files that belong to no generation.
  private func copyOthers() throws {
    for name in Folder.names(in: directory) where !Self.otherFiles.contains(name) {
      try Task.checkCancellation()
      if name.hasSuffix(".sqlite") {
        try copyDatabase(name)
      } else if name == RejectedRowsList.fileName {
        try copy(name)
      }
    }
  }

  private func copyDatabase(_ name: String) throws(CatalogueError) {
    let (from, to) = (directory + "/" + name, partial + "/" + name)
    do throws(CatalogueError) {
      try CatalogueConnection(path: from, mode: .read).copy(to: to)
    } catch {
      // A folder that may not be written to has no place for the shared memory of a log.
      guard !FileStatus.exists(from + "-wal") else { throw error }
      Folder.remove(name, in: partial)
      try CatalogueConnection(path: from, mode: .immutable).copy(to: to)
    }
    // As long as SQLite has not stored the copy, a power cut could take it.
    try CatalogueFile.commit(name, as: name, in: partial)
  }

  private func copy(_ name: String) throws(CatalogueError) {
    try CatalogueFile.write(to: name, in: partial) { put throws(CatalogueError) in
      var offset = 0
      try CatalogueFile.forEachPart(
        of: directory + "/" + name, byteCount: Self.partByteCount
      ) { part throws(CatalogueError) in
        try put(part, offset)
        offset += part.count
      }
    }
  }
}

extension CatalogueUpkeep {
  /// A backup that was made.
  package struct Backup: Sendable, Hashable {
    package let generation: Int
    package let entityCount: Int
    package let byteCount: Int
  }

  /// Copies the catalogue with everything in its directory into a new directory, as it is at one moment, while others
  /// read and write it.
  ///
  /// The copy is checked as by ``verify()``. Killed at any moment, nothing is at `target`; the next backup to the same place removes what is left.
  ///
  /// - Parameter target: The path of a directory that does not exist.
  /// - Throws: ``CatalogueError`` with the code `invalidLocation` if `target` exists, `locked` if another backup to it is
  ///   at work, `diskFull`, or any code of a catalogue that cannot be read; `CancellationError`.
  /// - Complexity: O(bytes of the directory).
  package func backUp(to target: String) async throws -> Backup {
    try await withTaskExecutorPreference(pool) { @concurrent in
      try await CatalogueBackup(directory: directory, target: target).make()
    }
  }
}
