/// A line of text that was read in an image.
public struct TextLine: Sendable, Hashable {
  /// The text, without control characters, not empty.
  public var text: String
  /// The mean probability of the characters, `0...1`.
  public var certainty: Double
  /// The corners in the direction of reading: those of the beginning above, the end above, the end below and the
  /// beginning below.
  public var corners: [ReadPoint]

  /// Makes a line.
  public init(text: String, certainty: Double, corners: [ReadPoint]) {
    self.text = text
    self.certainty = certainty
    self.corners = corners
  }
}

/// The text of an image.
package struct TextReading: Sendable, Hashable {
  /// The lines, those with the largest area first.
  package var lines: [TextLine] = []
  /// The number of lines that were found but not read, because there were too many or the time was up.
  package var unreadCount = 0
  /// A Boolean value that indicates whether the image was looked at to the end: only lines beyond the limit are unread.
  package var isComplete = true

  /// Makes a reading without text.
  package init() {}
}
