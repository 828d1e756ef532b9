/// Stand-in only: a text with `${name}` for each part of it that is not text. What may be a part depends on the subject, as with Apple's types.
public struct StandInInterpolation<Subject>: StringInterpolationProtocol {
  var text = ""

  /// <https://developer.apple.com/documentation/swift/stringinterpolationprotocol>
  public init(literalCapacity: Int, interpolationCount: Int) {}

  /// <https://developer.apple.com/documentation/swift/stringinterpolationprotocol>
  public mutating func appendLiteral(_ literal: String) { text += literal }
}
