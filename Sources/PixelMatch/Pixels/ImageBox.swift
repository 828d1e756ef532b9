/// A rectangle of an image, in shares of its sides.
package struct ImageBox: Sendable, Hashable {
  /// The left edge.
  package let x: Double
  /// The upper edge.
  package let y: Double
  /// The width.
  package let width: Double
  /// The height.
  package let height: Double

  /// Makes a rectangle.
  package init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// Returns whether a place lies within the rectangle.
  func contains(x: Double, y: Double) -> Bool {
    x >= self.x && y >= self.y && x < self.x + width && y < self.y + height
  }
}
