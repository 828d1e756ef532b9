import Synchronization

/// The output for results: a buffer in front of standard output.
///
/// Any thread may write texts of any size; texts are never interleaved. The buffer is written by
/// `flush()`, which a command calls after each answer that a reader may be waiting for, and which
/// the process calls at its end.
///
/// A closed pipe is not a failure: writing throws `OutputError.Code.closedPipe`, which ends the
/// command early and the process with exit code 0.
final class StandardOutput: Sendable {
  /// The number of bytes that are buffered before they are written.
  static let capacity = 1 << 16

  private let buffer = Mutex<[UInt8]>([])
  private let deliver: @Sendable ([UInt8]) throws(OutputError) -> Void

  /// - Parameter deliver: Writes all bytes, or throws.
  init(
    deliver: @escaping @Sendable ([UInt8]) throws(OutputError) -> Void =
      FileDescriptor.standardOutput.write
  ) {
    self.deliver = deliver
  }

  /// Writes a text unchanged.
  func write(_ text: String) throws(OutputError) {
    try buffer.withLock { (bytes) throws(OutputError) in
      bytes += text.utf8
      if bytes.count >= Self.capacity { try empty(&bytes) }
    }
  }

  /// Writes a line.
  func writeLine(_ line: String) throws(OutputError) { try write(line + "\n") }

  /// Writes the buffer to standard output.
  func flush() throws(OutputError) {
    try buffer.withLock { (bytes) throws(OutputError) in try empty(&bytes) }
  }

  /// Discards the bytes even if they cannot be written, because a later attempt would fail too.
  private func empty(_ bytes: inout [UInt8]) throws(OutputError) {
    let full = bytes
    bytes.removeAll(keepingCapacity: true)
    try deliver(full)
  }
}
