import Synchronization
import VisualQuery

/// A file of refused rows, JSON Lines, written as they come.
final class RefusedRowsFile: Sendable {
  private let descriptor: FileDescriptor
  private let failure = Mutex<OutputError?>(nil)

  /// Makes or empties the file.
  init(path: String) throws {
    descriptor = try FileDescriptor.creating(path)
  }

  /// Adds a row; a failure shows when the file is closed, since the run goes on without it.
  func append(_ row: RefusedRow) {
    do {
      try descriptor.write(Array((JSONLines.line(row) + "\n").utf8))
    } catch {
      failure.withLock { $0 = $0 ?? (error as? OutputError) }
    }
  }

  /// Ends the file.
  func close() throws {
    descriptor.close()
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}
