public import CoreVideo

/// What a person points at.
public struct SemanticContentDescriptor: Sendable {
  /// Words for it.
  public let labels: [String]
  /// The picture.
  public let pixelBuffer: CVReadOnlyPixelBuffer?
}
