public import AppIntents
public import CoreVideo

/// <https://developer.apple.com/documentation/visualintelligence/semanticcontentdescriptor>
public struct SemanticContentDescriptor: Sendable, _IntentValue {
  /// <https://developer.apple.com/documentation/visualintelligence/semanticcontentdescriptor/labels>
  public let labels: [String]
  /// <https://developer.apple.com/documentation/visualintelligence/semanticcontentdescriptor/pixelbuffer>
  public let pixelBuffer: CVReadOnlyPixelBuffer?

  /// Stand-in only: Apple's type has no initializer. A test that plays the system makes values with this one.
  public init(standInLabels labels: [String], pixelBuffer: CVReadOnlyPixelBuffer?) {
    self.labels = labels
    self.pixelBuffer = pixelBuffer
  }
}
