/// One of the eight ways to turn and mirror a picture.
///
/// Names and order are those of the PDQ reference. Rotations are counterclockwise; the hash of a
/// variant is the hash of the picture so transformed.
public enum DihedralVariant: String, Sendable, Hashable, CaseIterable {
  /// The picture as it is.
  case original
  /// Turned by 90° counterclockwise.
  case rotate90
  /// Turned by 180°.
  case rotate180
  /// Turned by 270° counterclockwise.
  case rotate270
  /// Mirrored top to bottom.
  case flipX
  /// Mirrored left to right.
  case flipY
  /// Mirrored at the diagonal from top left to bottom right.
  case flipPlus1
  /// Mirrored at the other diagonal.
  case flipMinus1

  /// Whether a picture so transformed is a mirror image.
  public var isMirrored: Bool {
    switch self {
    case .original, .rotate90, .rotate180, .rotate270: false
    case .flipX, .flipY, .flipPlus1, .flipMinus1: true
    }
  }
}
