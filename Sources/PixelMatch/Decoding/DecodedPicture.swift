/// A decoded image, and the damage and the color space found in its file.
public struct DecodedPicture: Sendable {
  /// The pixels, upright.
  public let pixels: PixelBuffer
  /// The damage that was skipped, with the code `truncated` or `corrupt`; `nil` if none was found.
  public let damage: DecodeError?
  /// The color space that the file declares, and whether the pixels were converted from it; `nil` if
  /// they are sRGB as they are.
  public let profile: PictureProfile?
}
