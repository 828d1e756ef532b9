/// Why a segment file cannot be used.
public struct SegmentError: Error, Sendable, Hashable {
  /// What a program switches on.
  public enum Code: String, Sendable, CaseIterable {
    /// There is no such file.
    case missing
    /// The system does not let us read it.
    case unreadable
    /// It is no segment at all.
    case notASegment
    /// Its layout is of another version.
    case otherFormatVersion
    /// Its signatures are of another version.
    case otherSignatureVersion
    /// It ends before its columns do.
    case truncated
    /// A checksum or an offset is wrong.
    case corrupt
  }
  /// What is wrong.
  public let code: Code
  /// The file, or `nil` for bytes in memory.
  public let path: String?
  /// What is wrong, for people.
  public let message: String

  init(code: Code, path: String?, message: String) {
    self.code = code
    self.path = path
    self.message = message
  }
}
