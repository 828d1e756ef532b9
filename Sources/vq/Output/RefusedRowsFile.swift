import Synchronization
import VisualQuery

/// A file of rejected rows, JSON Lines. It gets its final name at the end, so that the same run can
/// read the file of the previous run.
///
/// It has at most 64 MB; further rows are counted, and the last line says how many there are.
final class RefusedRowsFile: Sendable {
  /// The most bytes of the file. A feed can have millions of bad rows.
  static let byteLimit = 64_000_000
  /// The most bytes of a line; a longer one is written without the row.
  static let lineLimit = RejectedRowsList.lineLimit

  /// The final path of the file.
  let path: String
  private let byteLimit: Int
  private let isKeptWhereEmpty: Bool
  private let state = Mutex(State())

  private struct State {
    var descriptor: FileDescriptor?
    /// The name of the file while it is written.
    var name = ""
    var byteCount = 0
    /// The number of rows for which there is no room.
    var omittedCount = 0
    var lastLine = 0
    var failure: (any Error)?
  }

  /// Creates a file in any case. It is checked before that it replaces no file of the user.
  ///
  /// - Throws: The error of the system.
  init(path: String, byteLimit: Int = RefusedRowsFile.byteLimit) throws {
    self.path = path
    self.byteLimit = byteLimit
    isKeptWhereEmpty = true
    try state.withLock { try Self.open(&$0, path) }
  }

  /// Creates a file in an index once a row is rejected.
  init(index: String) {
    path = Self.path(inIndex: index)
    byteLimit = Self.byteLimit
    isKeptWhereEmpty = false
  }

  /// Returns the path of the file in an index.
  static func path(inIndex index: String) -> String {
    index + "/" + RejectedRowsList.fileName
  }

  /// The number of rows that were added after the file was full.
  var omittedCount: Int { state.withLock { $0.omittedCount } }

  /// Adds a row. An error is thrown when the file is closed, since the run continues without it.
  func append(_ row: RefusedRow) {
    state.withLock { state in
      do {
        if state.failure != nil { return }
        state.lastLine = row.line
        guard state.omittedCount == 0 else { return state.omittedCount += row.count }
        if state.descriptor == nil { try Self.open(&state, path) }
        var line = Array((try JSONLines.line(row) + "\n").utf8)
        if line.count > Self.lineLimit {
          line = Array((try JSONLines.line(row.withoutRow) + "\n").utf8)
        }
        guard state.byteCount + line.count <= byteLimit else {
          return state.omittedCount += row.count
        }
        state.byteCount += line.count
        try state.descriptor?.write(line)
      } catch {
        state.failure = error
      }
    }
  }

  /// Closes the file and gives it its final name.
  ///
  /// - Parameter isWhole: True if the run reached its end. If not, an existing file is only
  ///   replaced if rows were rejected.
  func close(isWhole: Bool) throws {
    try state.withLock { state in
      if state.omittedCount > 0, state.failure == nil {
        do {
          let report = RefusedRow.omitted(
            state.omittedCount, after: state.lastLine,
            reason:
              "\(state.omittedCount) further rejections and warnings have no room in this file")
          try state.descriptor?.write(Array((try JSONLines.line(report) + "\n").utf8))
        } catch {
          state.failure = error
        }
      }
      state.descriptor?.close()
      if let failure = state.failure {
        if state.descriptor != nil, state.name != path { FileDescriptor.remove(state.name) }
        state.descriptor = nil
        throw failure
      }
      guard state.descriptor != nil else {
        if isWhole && !isKeptWhereEmpty { FileDescriptor.remove(path) }
        return
      }
      state.descriptor = nil
      if state.name == path { return }
      if isWhole || state.byteCount > 0 {
        try FileDescriptor.rename(state.name, to: path)
      } else {
        FileDescriptor.remove(state.name)
      }
    }
  }

  private static func open(_ state: inout State, _ path: String) throws {
    // A terminal or a pipe cannot be replaced by renaming.
    state.name = FileDescriptor.isSpecial(path) ? path : path + ".tmp"
    // The file is not readable by others, because rows may have secrets, for example in
    // addresses.
    state.descriptor = try FileDescriptor.creating(state.name, for: path, mode: 0o640)
  }
}
