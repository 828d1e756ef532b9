public import PixelMatch

/// What is asked: what somebody points at, as pixels, as words, or as both.
///
/// The counterpart of Apple's `SemanticContentDescriptor`.
public struct SemanticContent: Sendable {
  /// Coarse English words for what is seen, in no order. Unknown ones cost nothing.
  public var labels: [String]
  /// The picture, upright.
  public var pixelBuffer: PixelBuffer?
  /// The part of the picture that is meant; `nil` means all of it.
  public var region: PictureRegion?

  /// Makes a question from labels, a picture or both.
  public init(
    labels: [String] = [], pixelBuffer: PixelBuffer? = nil, region: PictureRegion? = nil
  ) {
    self.labels = labels
    self.pixelBuffer = pixelBuffer
    self.region = region
  }
}
