/// A picture in memory.
public final class CVPixelBuffer: Sendable {}

/// A picture in memory that nobody writes to.
public struct CVReadOnlyPixelBuffer: Sendable {
  /// Lends the buffer.
  public func withUnsafeBuffer<Result>(_ body: (CVPixelBuffer) throws -> Result) rethrows -> Result
  {
    try body(CVPixelBuffer())
  }
}
