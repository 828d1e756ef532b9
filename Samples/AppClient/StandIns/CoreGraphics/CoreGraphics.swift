public import Foundation

/// <https://developer.apple.com/documentation/coregraphics/cgcolorspace>
public final class CGColorSpace: @unchecked Sendable {
  /// <https://developer.apple.com/documentation/coregraphics/cgcolorspace/srgb>: a `CFString`.
  public static let sRGB = "kCGColorSpaceSRGB"

  /// <https://developer.apple.com/documentation/coregraphics/cgcolorspace/init(name:)>
  public init?(name: String) {}
}

/// <https://developer.apple.com/documentation/corefoundation/cgaffinetransform>
public struct CGAffineTransform: Sendable {
  /// <https://developer.apple.com/documentation/corefoundation/cgaffinetransform/a>
  public let a: CGFloat

  /// <https://developer.apple.com/documentation/corefoundation/cgaffinetransform/init(scalex:y:)>
  public init(scaleX sx: CGFloat, y sy: CGFloat) { a = sx }
}
