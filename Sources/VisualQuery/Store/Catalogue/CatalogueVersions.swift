internal import PixelMatch

/// The versions of the tables and signatures of a catalogue, and whether this build can use them.
struct CatalogueVersions {
  let connection: CatalogueConnection
  let directory: String

  /// Checks that this build reads the tables and signatures.
  ///
  /// - Throws: ``CatalogueError`` with the code `notACatalogue`, `otherSchemaVersion` or `otherSignatureVersion`.
  func check() throws(CatalogueError) {
    try checkTables { $0 == CatalogueSchema.version }
  }

  /// Checks that this build can convert the tables, and reads the signatures.
  ///
  /// - Throws: As ``check()``.
  func checkUpgradeable() throws(CatalogueError) {
    try checkTables { CatalogueSchema.oldestUpgradeable...CatalogueSchema.version ~= $0 }
  }

  private func checkTables(_ isAccepted: (Int) -> Bool) throws(CatalogueError) {
    try checkApplication()
    let version = try ofTables()
    guard isAccepted(version) else { throw other(version) }
    try checkSignatures()
  }

  /// Returns the version of the tables.
  func ofTables() throws(CatalogueError) -> Int { try number("PRAGMA user_version") }

  /// Returns whether the file has no tables: a run that was killed before it created them leaves it so.
  func isWithoutTables() throws(CatalogueError) -> Bool {
    try number("SELECT count(*) FROM sqlite_schema") == 0
  }

  private func checkApplication() throws(CatalogueError) {
    let application = try number("PRAGMA application_id")
    guard application != CatalogueSchema.applicationID else { return }
    if application == 0, try isWithoutTables() { throw CatalogueFolder.unfinished(directory) }
    throw CatalogueError(
      code: .notACatalogue,
      message:
        "'\(directory)' is not a vq index (its \(CatalogueDatabase.fileName) belongs to another program)"
    )
  }

  private func checkSignatures() throws(CatalogueError) {
    let signatures = try number("SELECT signatureVersion FROM state")
    guard signatures == Int(Signature.version) else {
      throw CatalogueError(
        code: .otherSignatureVersion,
        message: """
          '\(directory)' has signatures of version \(signatures); this build reads \
          \(Signature.version); \(rebuildHint)
          """)
    }
  }

  private var rebuildHint: String {
    "remove it and rebuild it with: vq index FEED --index \(directory)"
  }

  /// Returns the error of tables of another version, with what to do about it.
  private func other(_ version: Int) -> CatalogueError {
    let advice =
      if version > CatalogueSchema.version {
        "use the vq that wrote it, or a newer one"
      } else if version >= CatalogueSchema.oldestUpgradeable {
        "convert it with: vq catalogue upgrade --index \(directory)"
      } else {
        rebuildHint
      }
    return CatalogueError(
      code: .otherSchemaVersion,
      message: """
        '\(directory)' is an index of version \(version); this build reads \
        \(CatalogueSchema.version); \(advice)
        """)
  }

  private func number(_ sql: String) throws(CatalogueError) -> Int {
    guard let number = try connection.first(sql, read: { $0.onlyInteger }) else {
      throw StateTable.missing
    }
    return number
  }
}
