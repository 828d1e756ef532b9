import Synchronization

/// The file of a report. It is opened before the work begins, so that a wrong path does not cost an hour, and
/// gets its name when the report is whole. It is checked before that it replaces no file of the user.
final class ReportFile: Sendable {
  private let path: String
  /// The name of the file while it is written.
  private let name: String
  /// The open file, or `nil` if it is closed.
  private let descriptor: Mutex<FileDescriptor?>

  /// Creates a file.
  ///
  /// - Throws: ``CommandFailure``.
  init(path: String) throws {
    self.path = path
    // A terminal or a pipe cannot be replaced by renaming.
    name = FileDescriptor.isSpecial(path) ? path : path + ".tmp"
    descriptor = Mutex(try FileDescriptor.creating(name, for: path))
  }

  /// Writes the report.
  func write(_ page: ReportPage) throws { try write(page.text) }

  /// Writes the text of a report or of a drawing. If that fails, no part of it is left.
  func write(_ text: String) throws {
    do {
      try descriptor.withLock { try $0?.write(Array(text.utf8)) }
      close()
      if name != path { try FileDescriptor.rename(name, to: path) }
    } catch {
      discard()
      throw error
    }
  }

  /// Removes the file of a report that is not written.
  func discard() {
    close()
    if name != path { FileDescriptor.remove(name) }
  }

  private func close() {
    descriptor.withLock {
      $0?.close()
      $0 = nil
    }
  }
}
