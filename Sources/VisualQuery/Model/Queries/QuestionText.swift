package import Reading

/// A line of text of a question, as the device has read it.
package struct QuestionText: Sendable, Hashable {
  /// The text.
  package var text: String
  /// Left, top, width and height in shares of the image, or `nil` if the device does not tell its place.
  package var box: [Double]?

  /// Makes a text.
  package init(_ text: String, box: [Double]? = nil) { (self.text, self.box) = (text, box) }

  /// Makes a text of a line: its place is the box around its corners.
  package init(_ line: TextLine) {
    text = line.text
    guard line.corners.count == 4 else { return }
    let (xs, ys) = (line.corners.map(\.x), line.corners.map(\.y))
    let (left, top) = (xs.min()!, ys.min()!)
    box = [left, top, xs.max()! - left, ys.max()! - top]
  }

  /// The line, which the device is certain of.
  package var line: TextLine {
    var corners: [ReadPoint] = []
    if let box, box.count == 4 {
      let (right, bottom) = (box[0] + box[2], box[1] + box[3])
      corners = [(box[0], box[1]), (right, box[1]), (right, bottom), (box[0], bottom)]
        .map { ReadPoint(x: $0.0, y: $0.1) }
    }
    return TextLine(text: text, certainty: 1, corners: corners)
  }
}

/// In a token, a text without a place is a JSON string, as in tokens that are older than places.
extension QuestionText: Codable {
  private enum Key: CodingKey { case text, box }

  package init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      self.init(text)
      return
    }
    let parts = try decoder.container(keyedBy: Key.self)
    self.init(
      try parts.decode(String.self, forKey: .text),
      box: try parts.decode([Double].self, forKey: .box))
  }

  package func encode(to encoder: any Encoder) throws {
    guard let box else {
      var container = encoder.singleValueContainer()
      return try container.encode(text)
    }
    var parts = encoder.container(keyedBy: Key.self)
    try parts.encode(text, forKey: .text)
    try parts.encode(box, forKey: .box)
  }
}
