/// Reads a line of text by a model that gives, for each place along the line, the probabilities of all characters.
///
/// The text is the likeliest character of each place, repeated ones once, without blanks (Graves et al.,
/// "Connectionist temporal classification", ICML 2006, 3.2.1).
struct TextRecognizer: Sendable {
  /// The key of the characters in the model's metadata, one a line.
  static let charactersKey = "character"
  /// The most bytes of the list of characters.
  private static let charactersLimit = 1 << 20
  /// The height of a line if the model accepts any.
  private static let standardHeight = 48
  /// The widths of a line, in multiples of its height.
  private static let shapes: ClosedRange<Float> = 1...13
  /// A line's width is a multiple of this.
  private static let widthStep = 16

  let model: Model
  /// The characters in the order of the classes, of which the first is the blank.
  private let characters: [String]
  private let height: Int
  /// The width, if the model accepts only one.
  private let width: Int?

  /// Checks that a model takes and gives what it should.
  ///
  /// - Throws: ``ReadingError`` with the code `otherShape` or `failed`.
  init(_ model: Model) throws(ReadingError) {
    let input = model.shape(ofOutput: false)
    guard model.inputCount == 1, let input, input.count == 4, input[0] ?? 1 == 1,
      input[1] ?? 3 == 3, (16...128).contains(input[2] ?? Self.standardHeight),
      (16...2048).contains(input[3] ?? Self.standardHeight)
    else {
      throw ReadingError(
        code: .otherShape,
        message: """
          \(model.name) takes \(TextDetector.text(of: input)); a recognizer of text takes one line, \
          1 × 3 × 48 × any
          """)
    }
    guard let list = model.metadata(Self.charactersKey, limit: Self.charactersLimit) else {
      throw ReadingError(
        code: .otherShape,
        message: """
          \(model.name) has no list of characters; its metadata needs one under \
          '\(Self.charactersKey)', one character a line
          """)
    }
    self.model = model
    height = input[2] ?? Self.standardHeight
    width = input[3]
    var lines = list.split(separator: "\n", omittingEmptySubsequences: false).map {
      String(String.UnicodeScalarView($0.unicodeScalars.filter(Self.isVisible)))
    }
    if lines.last == "" { lines.removeLast() }
    // The last class of the published models is the space, which their lists lack.
    characters = [""] + lines + [" "]
    let wide = width ?? 4 * height
    let shape = [1, 3, height, wide]
    _ = try checked(
      model.runOnZeros(shape: shape, outputLimit: outputLimit(width: wide)))
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .surrogate, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }

  /// The most numbers for a line of some width: the probability of each class at each pixel.
  private func outputLimit(width: Int) -> Int { width * characters.count }

  /// Returns an output if it has the shape that is expected: the probabilities of each class at each place.
  private func checked(_ output: Tensor) throws(ReadingError) -> Tensor {
    let classes = output.shape.last ?? 0
    guard output.shape.count == 3, output.shape[0] == 1, output.shape[1] >= 1,
      (characters.count - 1...characters.count).contains(classes)
    else {
      throw ReadingError(
        code: .otherShape,
        message: """
          \(model.name) gives \(TextDetector.text(of: output.shape)); with \(characters.count - 2) characters in its \
          list, a recognizer of text gives 1 × any × \(characters.count)
          """)
    }
    return output
  }

  /// Reads the text of a rectangle of an image.
  ///
  /// - Returns: The text, which may be empty, and the mean probability of its characters.
  /// - Throws: ``ReadingError``.
  func text(
    in box: TextBox, of image: ColorImage, shouldStop: () -> Bool
  ) throws(ReadingError) -> (text: String, certainty: Double) {
    let shape = max(
      Self.shapes.lowerBound, min(Self.shapes.upperBound, box.size.x / max(1, box.size.y)))
    let natural = Int((shape * Float(height) / Float(Self.widthStep)).rounded(.up))
    let width = width ?? natural * Self.widthStep
    let corners = box.corners
    let frame = ColorImage.Frame(
      origin: corners[0], across: corners[1] - corners[0], down: corners[3] - corners[0])
    let input = Tensor(
      values: image.planes(of: frame, width: width, height: height), shape: [1, 3, height, width])
    return decode(
      try checked(
        model.run(input, outputLimit: outputLimit(width: width), shouldStop: shouldStop)))
  }

  private func decode(_ output: Tensor) -> (text: String, certainty: Double) {
    let (places, classes) = (output.shape[1], output.shape[2])
    let values = output.values.span
    var text = ""
    var (sum, count, last) = (0.0, 0, 0)
    for place in 0..<places {
      var (best, highest) = (0, -Float.infinity)
      for index in 0..<classes where values[place &* classes &+ index] > highest {
        (best, highest) = (index, values[place &* classes &+ index])
      }
      defer { last = best }
      if best == 0 || best == last { continue }
      text += characters[best]
      sum += Double(max(0, min(1, highest)))
      count += 1
    }
    return (text, count == 0 ? 0 : sum / Double(count))
  }
}
