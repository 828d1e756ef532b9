internal import Synchronization

/// The active statements of a catalogue, as they are at the moment.
package final class FeedbackReader: Sendable {
  private struct Opened {
    let connection: CatalogueConnection
    let inode: UInt64
    /// The version of the data that the index was made from.
    var version: Int?
    var index = FeedbackIndex.empty
  }

  private let path: String
  private let opened = Mutex<Opened?>(nil)

  init(directory: String) { path = directory + "/" + KeptFeedback.fileName }

  /// Returns the statements.
  ///
  /// - Throws: ``CatalogueError``.
  /// - Complexity: One look at the file system if nothing was ever said; one more read of the file's
  ///   version otherwise; O(statements) after a change.
  package func index() throws(CatalogueError) -> FeedbackIndex {
    guard let file = FileStatus(path) else { return .empty }
    let path = path
    return try opened.withLock { opened throws(CatalogueError) in
      if opened?.inode != file.inode {
        opened = nil
        // A process that was killed before it created the table leaves an empty file.
        if file.byteCount == 0 { return .empty }
        opened = Opened(connection: try CatalogueConnection(reading: path), inode: file.inode)
      }
      guard let connection = opened?.connection else { return .empty }
      let version = try connection.first("PRAGMA data_version") { $0.onlyInteger }
      if version != opened?.version {
        opened?.index = FeedbackIndex(try Self.statements(connection))
        opened?.version = version
      }
      return opened?.index ?? .empty
    }
  }

  private static func statements(
    _ connection: CatalogueConnection
  ) throws(CatalogueError) -> [(number: Int, content: FeedbackStatement.Content)] {
    let tableCount = try connection.first("SELECT count(*) FROM sqlite_schema") { $0.onlyInteger }
    if (tableCount ?? 0) == 0 { return [] }
    return try connection.rows(
      "SELECT \(StatementRow.columns) FROM statements WHERE state = 'active' ORDER BY number"
    ) { row in StatementRow.statement(row).map { ($0.number, $0.content) } }
  }
}
