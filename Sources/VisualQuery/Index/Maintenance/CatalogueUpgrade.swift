/// The conversion of an index that an older version of `vq` wrote.
package struct CatalogueUpgrade: Sendable, Hashable, Encodable {
  /// The version of the tables that was found.
  package let from: Int
  /// The version of the tables now.
  package let to: Int
  /// The number of converted entities; 0 if the index had the newest version already.
  package let entities: Int
}

extension CatalogueUpkeep {
  /// The version of the tables that this library writes and reads.
  package static var indexVersion: Int { CatalogueSchema.version }
  /// The oldest version of the tables that ``upgrade(_:)`` converts.
  package static var oldestUpgradeableVersion: Int { CatalogueSchema.oldestUpgradeable }

  /// Converts the tables to the newest version in one transaction: a cancelled or killed conversion leaves the
  /// index as it was, for the version that wrote it.
  ///
  /// Entities, images, signatures, settings, the identity and the generation stay the same, so that tokens of clients
  /// remain valid. Everything that is derived from entities is made again. The saved generation of
  /// ``rollBack()`` is dropped, because its tables have the old version.
  ///
  /// - Parameter progress: Called after each entity with the number of converted entities, and with that of all.
  /// - Throws: ``CatalogueError`` with the code `otherSchemaVersion` or `otherSignatureVersion` if the
  ///   version is too old or too new, with the code `invalidLocation` for a copy of a catalogue in PostgreSQL;
  ///   `CancellationError`.
  /// - Complexity: O(entities); no signature is read.
  package func upgrade(
    _ progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) async throws -> CatalogueUpgrade {
    try await withTaskExecutorPreference(pool) { @concurrent in
      // Opened first, so that a mistyped directory gets no lock file.
      if (try? CatalogueDatabase(reading: directory)) != nil {
        return CatalogueUpgrade(
          from: CatalogueSchema.version, to: CatalogueSchema.version, entities: 0)
      }
      _ = try CatalogueFolder.checkedPath(directory)
      let lock = try WriterLock(directory: directory, waiting: WriterLock.standardWait)
      let database = try CatalogueDatabase(upgrading: directory)
      if try database.tables.replica.origin() != nil {
        throw CatalogueError(
          code: .invalidLocation,
          message: """
            '\(directory)' is a copy of an index in PostgreSQL; remove it, and it is made again
            """)
      }
      let from: Int
      let count: Int
      do throws(CatalogueError) {
        (from, count) = try database.rebuildDerivedTables { done, total throws(CatalogueError) in
          if Task.isCancelled {
            throw CatalogueError(code: .timedOut, message: "the upgrade was interrupted")
          }
          progress(done, total)
        }
      } catch {
        try Task.checkCancellation()
        throw error
      }
      for name in [PreviousCatalogue.fileName, PreviousCatalogue.undoneFileName] {
        Folder.remove(name, in: directory)
      }
      _ = try? CatalogueFolder.checkpoint(directory)
      _ = consume lock
      return CatalogueUpgrade(from: from, to: CatalogueSchema.version, entities: count)
    }
  }
}
