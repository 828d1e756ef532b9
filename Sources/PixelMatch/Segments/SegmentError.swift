/// An error in opening or reading a segment file.
public struct SegmentError: Error, Sendable, Hashable {
  /// The kind of the error, stable, for programs.
  public enum Code: String, Sendable, CaseIterable {
    /// The file does not exist.
    case missing
    /// The system denies reading the file.
    case unreadable
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
  public let code: Code
  /// The file, or `nil` for bytes in memory.
  public let path: String?
  /// The text for people.
  public let message: String

  init(code: Code, path: String?, message: String) {
    self.code = code
    self.path = path
    self.message = message
  }
}
