#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An error in opening or reading a segment file.
package struct SegmentError: Error, Sendable, Hashable {
  /// The kind of the error, stable, for programs.
  package enum Code: String, Sendable, CaseIterable {
    /// The file does not exist.
    case missing
    /// The system denies reading the file.
    case unreadable
    /// The system has no open files or no memory left.
    case exhausted
    /// The file is not a segment.
    case notASegment
    /// The layout has another version.
    case otherFormatVersion
    /// The signatures have another version.
    case otherSignatureVersion
    /// The file ends before its columns do.
    case truncated
    /// A checksum or an offset is wrong.
    case corrupt
  }
  /// The kind of the error.
  package let code: Code
  /// The file, or `nil` for bytes in memory.
  package let path: String?
  /// The text for people.
  package let message: String

  init(code: Code, path: String?, message: String) {
    self.code = code
    self.path = path
    self.message = message
  }

  /// Makes the error of a system call that has just failed with an error number.
  init(_ action: String, _ path: String, _ number: Int32) {
    let lack = ResourceLack.advice(number)
    self.init(
      code: lack != nil ? .exhausted : number == ENOENT ? .missing : .unreadable, path: path,
      message: "cannot \(action) segment: \(systemMessage(number))" + (lack.map { "; \($0)" } ?? "")
    )
  }
}
