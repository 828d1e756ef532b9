import VisualQuery

/// A part of a file of rejected rows, which may be too large to be read at once.
struct RefusedRowsPage: Sendable {
  /// The reason why there is no page.
  enum Failure: Error {
    /// The cursor is not one of a page.
    case invalidCursor
    /// The file was replaced since the cursor was made.
    case isReplaced
  }

  /// The lines, without line breaks.
  private(set) var lines: [[UInt8]] = []
  /// The cursor of the next page, or `nil` if this is the last one.
  private(set) var next: String?

  /// The number of bytes after which a page ends before it has as many lines as it may have.
  private static let byteLimit = 4_000_000
  private static let partLength = 1 << 16

  /// Reads a page; one of a missing file is empty.
  ///
  /// - Parameters:
  ///   - cursor: The cursor of the page before, or `nil` for the first page.
  ///   - limit: The most lines.
  init(of path: String, after cursor: String?, limit: Int) throws {
    guard let file = FileDescriptor.reading(path) else {
      if cursor != nil { throw Failure.isReplaced }
      return
    }
    defer { file.close() }
    let version = file.version
    var offset = 0
    if let cursor {
      let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, cursor.utf8.count <= 200, let number = Int(parts[1]), number >= 0
      else {
        throw Failure.invalidCursor
      }
      guard parts[0] == version else { throw Failure.isReplaced }
      offset = number
    }
    var line: [UInt8] = []
    var readCount = 0
    while let part = try file.bytes(at: offset, limit: Self.partLength) {
      var rest = part[...]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        lines.append(line + rest[..<end])
        line = []
        rest = rest[(end + 1)...]
        guard lines.count < limit, readCount + end < Self.byteLimit else {
          let position = offset + end + 1
          if position < file.byteCount { next = "\(version).\(position)" }
          return
        }
      }
      // A line that is this long without an end was not written by this program.
      if line.count + rest.count > 2 * RefusedRowsFile.lineLimit { return }
      line += rest
      offset += part.count
      readCount += part.count
    }
    if !line.isEmpty { lines.append(line) }
  }
}
