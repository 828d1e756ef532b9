import Synchronization
import VisualQuery

/// A file of rejected rows, JSON Lines. It gets its final name at the end, so that the same run can
/// read the file of the previous run.
final class RefusedRowsFile: Sendable {
  /// The final path of the file.
  let path: String
  private let isKeptWhereEmpty: Bool
  private let state = Mutex(State())

  private struct State {
    var descriptor: FileDescriptor?
    /// The name of the file while it is written.
    var name = ""
    var isEmpty = true
    var failure: (any Error)?
  }

  /// Creates a file in any case.
  ///
  /// - Throws: The error of the system.
  init(path: String) throws {
    self.path = path
    isKeptWhereEmpty = true
    try state.withLock { try Self.open(&$0, path) }
  }

  /// Creates a file in an index once a row is rejected.
  init(index: String) {
    path = Self.path(inIndex: index)
    isKeptWhereEmpty = false
  }

  /// Returns the path of the file in an index.
  static func path(inIndex index: String) -> String { index + "/rejected.jsonl" }

  /// Adds a row. An error is thrown when the file is closed, since the run continues without it.
  func append(_ row: RefusedRow) {
    state.withLock { state in
      do {
        if state.failure != nil { return }
        if state.descriptor == nil { try Self.open(&state, path) }
        state.isEmpty = false
        try state.descriptor?.write(Array((JSONLines.line(row) + "\n").utf8))
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
      state.descriptor?.close()
      if let failure = state.failure { throw failure }
      guard state.descriptor != nil else {
        if isWhole && !isKeptWhereEmpty { FileDescriptor.remove(path) }
        return
      }
      state.descriptor = nil
      if state.name == path { return }
      if isWhole || !state.isEmpty {
        try FileDescriptor.rename(state.name, to: path)
      } else {
        FileDescriptor.remove(state.name)
      }
    }
  }

  private static func open(_ state: inout State, _ path: String) throws {
    // A terminal or a pipe cannot be replaced by renaming.
    state.name = FileDescriptor.isSpecial(path) ? path : path + ".tmp"
    state.descriptor = try FileDescriptor.creating(state.name)
  }
}
