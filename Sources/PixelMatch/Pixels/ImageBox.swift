/// A rectangle of an image, in shares of its sides.
public struct ImageBox: Sendable, Hashable {
  /// The left edge.
  public let x: Double
  /// The upper edge.
  public let y: Double
  /// The width.
  public let width: Double
  /// The height.
  public let height: Double

  /// Makes a rectangle.
  public init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// Returns whether a place lies within the rectangle.
  func contains(x: Double, y: Double) -> Bool {
    x >= self.x && y >= self.y && x < self.x + width && y < self.y + height
  }
}
