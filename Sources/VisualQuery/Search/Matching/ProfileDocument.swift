package import PixelMatch

/// The JSON form of the color space that an image's file declares.
package struct ProfileDocument: Sendable, Encodable {
  let name: String
  let applied: Bool
  /// The reason why the pixels are used as if they were sRGB; left out if they were converted.
  let ignored: String?

  /// Makes the document of one image.
  package init(_ profile: PictureProfile) {
    name = profile.name
    applied = profile.isApplied
    ignored = profile.reasonIgnored
  }
}
