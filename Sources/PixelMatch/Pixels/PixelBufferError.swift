/// An error in the geometry of raw pixels.
public struct PixelBufferError: Error, Sendable, Hashable {
  /// The kind of the error, stable, for programs.
  public enum Code: String, Sendable, CaseIterable {
    /// A side is less than 1 or greater than ``PixelBuffer/sideLimit``.
    case badSize
    /// Rows overlap, or do not hold whole pixels.
    case badBytesPerRow
    /// There are fewer bytes than the geometry requires.
    case notEnoughBytes
  }
  /// The kind of the error.
  public let code: Code
  /// The text for people.
  public let message: String
}
