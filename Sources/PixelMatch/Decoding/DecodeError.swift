/// Why a picture was refused.
public struct DecodeError: Error, Sendable, Hashable {
  /// What a program switches on.
  public enum Code: String, Sendable, CaseIterable {
    /// There are no bytes.
    case empty
    /// Neither JPEG nor PNG, or a kind of them that is not read.
    case unsupportedFormat
    /// The bytes end before the picture does.
    case truncated
    /// The bytes are damaged.
    case corrupt
    /// More bytes than ``DecodeLimits/byteLimit``.
    case tooManyBytes
    /// More pixels than ``DecodeLimits/pixelLimit``.
    case tooManyPixels
    /// Decoding would cost more work or memory than the limits allow.
    case tooMuchWork
    /// The file is not there, is no file or may not be read.
    case unreadable
    /// The caller asked to stop.
    case cancelled
  }
  /// What is wrong.
  public let code: Code
  /// What is wrong, for people: what was found and what would be accepted.
  public let message: String

  /// Makes an error.
  package init(code: Code, message: String) {
    self.code = code
    self.message = message
  }
}
