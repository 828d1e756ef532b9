/// Why raw pixels make no picture.
public struct PixelBufferError: Error, Sendable, Hashable {
  /// What a program switches on.
  public enum Code: String, Sendable, CaseIterable {
    /// A side is below 1 or above ``PixelBuffer/sideLimit``.
    case badSize
    /// Rows overlap, or do not hold whole pixels.
    case badBytesPerRow
    /// Fewer bytes than the geometry needs.
    case notEnoughBytes
  }
  /// What is wrong.
  public let code: Code
  /// What is wrong, for people.
  public let message: String
}
