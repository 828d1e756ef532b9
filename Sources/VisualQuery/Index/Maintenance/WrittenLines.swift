/// The lines of a file that vq has written itself, such as an export.
struct WrittenLines: ~Copyable {
  /// The most bytes of a line. It has the signatures of all images of an entity, some 10 KB each.
  static let lineLimit = 64 << 20

  private var records: RecordReader

  /// Opens a file.
  ///
  /// - Throws: ``CatalogueError`` with the code `unreadableInput`.
  init(path: String) throws(CatalogueError) {
    do throws(FeedError) {
      records = try RecordReader(path: path, recordLimit: Self.lineLimit, limits: .none)
    } catch {
      throw Self.unreadable(error)
    }
  }

  /// Returns the next line, or `nil` at the end.
  ///
  /// - Throws: ``CatalogueError`` with the code `unreadableInput`.
  mutating func next() throws(CatalogueError) -> RecordReader.Record? {
    do throws(FeedError) {
      return try records.next()
    } catch {
      throw Self.unreadable(error)
    }
  }

  private static func unreadable(_ error: FeedError) -> CatalogueError {
    CatalogueError(code: .unreadableInput, message: error.message)
  }
}
