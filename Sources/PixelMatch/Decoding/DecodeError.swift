/// An error in reading or decoding an image.
public struct DecodeError: Error, Sendable, Hashable {
  /// The kind of the error, stable, for programs.
  public enum Code: String, Sendable, CaseIterable {
    /// There are no bytes.
    case empty
    /// The bytes are of no format that is accepted and can be decoded here.
    case unsupportedFormat
    /// The bytes end before the image does.
    case truncated
    /// The bytes are damaged.
    case corrupt
    /// The image has more bytes than ``DecodeLimits/byteLimit``.
    case tooManyBytes
    /// The image has more pixels than ``DecodeLimits/pixelLimit``.
    case tooManyPixels
    /// Decoding would cost more work or memory than the limits allow.
    case tooMuchWork
    /// The path does not exist, is not a file, or may not be read.
    case unreadable
    /// The caller stopped the decoding.
    case cancelled
  }
  /// The kind of the error.
  public let code: Code
  /// The text for people: what was found and what would be accepted.
  public let message: String

  /// The error of a decoding that its caller stopped.
  static let cancelled = DecodeError(code: .cancelled, message: "decoding was cancelled")

  /// Makes an error.
  package init(code: Code, message: String) {
    self.code = code
    self.message = message
  }
}
