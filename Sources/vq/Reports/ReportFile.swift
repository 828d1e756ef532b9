/// The file of a report. It is opened before the work begins, so that a wrong path does not cost an hour, and
/// gets its name when the report is whole.
struct ReportFile: Sendable {
  private let path: String
  /// The name of the file while it is written.
  private let name: String
  private let descriptor: FileDescriptor

  /// Creates a file.
  ///
  /// - Throws: ``CommandFailure``.
  init(path: String) throws {
    self.path = path
    // A terminal or a pipe cannot be replaced by renaming.
    name = FileDescriptor.isSpecial(path) ? path : path + ".tmp"
    descriptor = try FileDescriptor.creating(name)
  }

  /// Writes the report.
  func write(_ page: ReportPage) throws { try write(page.text) }

  /// Writes the text of a report or of a drawing.
  func write(_ text: String) throws {
    defer { descriptor.close() }
    try descriptor.write(Array(text.utf8))
    if name != path { try FileDescriptor.rename(name, to: path) }
  }

  /// Removes the file of a report that is not written.
  func discard() {
    descriptor.close()
    if name != path { FileDescriptor.remove(name) }
  }
}
