/// The color space that an image's file declares, if it is not sRGB, and whether the pixels were
/// converted from it.
package struct PictureProfile: Sendable, Hashable {
  /// The name: the description of an ICC profile, for example `Display P3`, or the PNG chunk and its
  /// values, for example `gAMA 1.8`.
  package let name: String
  /// The reason why the declaration was ignored and the pixels are used as if they were sRGB; `nil`
  /// if they were converted.
  package let reasonIgnored: String?

  /// A Boolean value that indicates whether the pixels were converted to sRGB.
  package var isApplied: Bool { reasonIgnored == nil }
}
