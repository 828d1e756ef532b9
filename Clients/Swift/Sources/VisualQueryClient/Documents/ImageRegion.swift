/// A rectangle in an image: shares of its sides if no number is above 1, else pixels.
public struct ImageRegion: Codable, Sendable, Hashable {
  /// The distance from the left side.
  public let left: Double
  /// The distance from the top.
  public let top: Double
  /// The width.
  public let width: Double
  /// The height.
  public let height: Double

  /// Makes a rectangle.
  public init(left: Double, top: Double, width: Double, height: Double) {
    (self.left, self.top, self.width, self.height) = (left, top, width, height)
  }

  /// Reads a list of four numbers.
  public init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    left = try list.decode(Double.self)
    top = try list.decode(Double.self)
    width = try list.decode(Double.self)
    height = try list.decode(Double.self)
  }

  /// Writes a list of four numbers.
  public func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    for number in [left, top, width, height] { try list.encode(number) }
  }
}

/// A point in an image, in shares of its sides from the upper left.
public struct ImagePoint: Codable, Sendable, Hashable {
  /// The share of the width.
  public let x: Double
  /// The share of the height.
  public let y: Double

  /// Makes a point.
  public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }

  /// Reads a list of two numbers.
  public init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    x = try list.decode(Double.self)
    y = try list.decode(Double.self)
  }

  /// Writes a list of two numbers.
  public func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    try list.encode(x)
    try list.encode(y)
  }
}
