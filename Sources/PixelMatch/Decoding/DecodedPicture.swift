/// A decoded picture, and what was wrong with its file.
public struct DecodedPicture: Sendable {
  /// The pixels, upright.
  public let pixels: PixelBuffer
  /// The damage that was passed over, with the code `truncated` or `corrupt`; `nil` if none was found.
  public let damage: DecodeError?
}
