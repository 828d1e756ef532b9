/// One of the eight rotations and reflections of an image.
///
/// Names and order are those of the PDQ reference. Rotations are counterclockwise. The hash of a
/// variant is the hash of the image after the transformation.
package enum DihedralVariant: String, Sendable, Hashable, CaseIterable {
  /// The unchanged image.
  case original
  /// Rotated by 90° counterclockwise.
  case rotate90
  /// Rotated by 180°.
  case rotate180
  /// Rotated by 270° counterclockwise.
  case rotate270
  /// Mirrored top to bottom.
  case flipX
  /// Mirrored left to right.
  case flipY
  /// Mirrored along the diagonal from top left to bottom right.
  case flipPlus1
  /// Mirrored along the other diagonal.
  case flipMinus1

  /// A Boolean value that indicates whether the transformed image is a mirror image.
  package var isMirrored: Bool {
    switch self {
    case .original, .rotate90, .rotate180, .rotate270: false
    case .flipX, .flipY, .flipPlus1, .flipMinus1: true
    }
  }
}
