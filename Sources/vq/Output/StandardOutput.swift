import Synchronization

/// Where results go: a buffer in front of standard output.
///
/// Whoever writes may hand over whole texts of any size, from any thread; a text is never mixed
/// with another's. What is buffered reaches the reader with `flush()`, which a command calls after
/// each answer that somebody may be waiting for, and which the process calls at its end.
///
/// A reader that has gone is not a failure: writing throws `OutputError.Code.closedPipe`, which ends
/// the command early and the process with exit code 0.
final class StandardOutput: Sendable {
  /// How many bytes are gathered before they are written.
  static let capacity = 1 << 16

  private let buffer = Mutex<[UInt8]>([])
  private let deliver: @Sendable ([UInt8]) throws(OutputError) -> Void

  /// - Parameter deliver: Takes all bytes that it is given, or throws.
  init(
    deliver: @escaping @Sendable ([UInt8]) throws(OutputError) -> Void =
      FileDescriptor.standardOutput.write
  ) {
    self.deliver = deliver
  }

  /// Writes a text as it is.
  func write(_ text: String) throws(OutputError) {
    try buffer.withLock { (bytes) throws(OutputError) in
      bytes += text.utf8
      if bytes.count >= Self.capacity { try empty(&bytes) }
    }
  }

  /// Writes a line.
  func writeLine(_ line: String) throws(OutputError) { try write(line + "\n") }

  /// Hands everything on to the reader.
  func flush() throws(OutputError) {
    try buffer.withLock { (bytes) throws(OutputError) in try empty(&bytes) }
  }

  /// Forgets the bytes even when they cannot be delivered: nobody would take them later.
  private func empty(_ bytes: inout [UInt8]) throws(OutputError) {
    let full = bytes
    bytes.removeAll(keepingCapacity: true)
    try deliver(full)
  }
}
