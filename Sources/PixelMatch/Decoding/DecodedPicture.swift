/// A decoded image, and the damage and the color space found in its file.
package struct DecodedPicture: Sendable {
  /// The pixels, upright.
  package let pixels: PixelBuffer
  /// The damage that was skipped, with the code `truncated` or `corrupt`; `nil` if none was found.
  package let damage: DecodeError?
  /// The color space that the file declares, and whether the pixels were converted from it; `nil` if
  /// they are sRGB as they are.
  package let profile: PictureProfile?
}
