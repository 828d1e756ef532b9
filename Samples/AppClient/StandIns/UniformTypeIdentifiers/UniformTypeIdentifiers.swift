/// <https://developer.apple.com/documentation/uniformtypeidentifiers/uttype-swift.struct>
public struct UTType: Sendable, Hashable {
  /// <https://developer.apple.com/documentation/uniformtypeidentifiers/uttype-swift.struct/identifier>
  public let identifier: String

  /// <https://developer.apple.com/documentation/uniformtypeidentifiers/uttype-swift.struct/image>
  public static let image = UTType(identifier: "public.image")
}
