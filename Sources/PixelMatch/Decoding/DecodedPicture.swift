/// A decoded image and the damage found in its file.
public struct DecodedPicture: Sendable {
  /// The pixels, upright.
  public let pixels: PixelBuffer
  /// The damage that was skipped, with the code `truncated` or `corrupt`; `nil` if none was found.
  public let damage: DecodeError?
}
