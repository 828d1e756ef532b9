import Synchronization
import VisualQuery

/// A file of refused rows, JSON Lines. It takes its name at the end, so that the same run can read the
/// file of the run before.
final class RefusedRowsFile: Sendable {
  /// Where the rows are at the end.
  let path: String
  private let isKeptWhereEmpty: Bool
  private let state = Mutex(State())

  private struct State {
    var descriptor: FileDescriptor?
    /// What the file is called while it is written.
    var name = ""
    var isEmpty = true
    var failure: (any Error)?
  }

  /// A file that is made in any case.
  ///
  /// - Throws: What forbids that.
  init(path: String) throws {
    self.path = path
    isKeptWhereEmpty = true
    try state.withLock { try Self.open(&$0, path) }
  }

  /// A file beside an index, which is there only where a row was refused.
  init(index: String) {
    path = index + "/rejected.jsonl"
    isKeptWhereEmpty = false
  }

  /// Adds a row; a failure shows when the file is closed, since the run goes on without it.
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

  /// Ends the file and gives it its name.
  ///
  /// - Parameter isWhole: Whether the run came to its end; else what is there is only replaced by
  ///   something.
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
    // A terminal or a pipe cannot be renamed to.
    state.name = FileDescriptor.isSpecial(path) ? path : path + ".tmp"
    state.descriptor = try FileDescriptor.creating(state.name)
  }
}
