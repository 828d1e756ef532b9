/// Finds the lines of text of an image by a model that gives each pixel's probability to be text.
///
/// The model and what is made of its output are those of Liao et al., "Real-time scene text detection with
/// differentiable binarization", AAAI 2020, <https://arxiv.org/abs/1911.08947>.
struct TextDetector: Sendable {
  /// The probability from which on a pixel is text.
  private static let pixelThreshold: Float = 0.3
  /// The mean probability in a rectangle from which on it is a line.
  private static let boxThreshold: Float = 0.5
  /// See ``TextBox/grown(by:)``.
  private static let growth: Float = 1.6
  /// The shortest side of a line, in pixels of the model.
  private static let leastSide: Float = 3
  /// The most parts that are looked at.
  private static let partLimit = 1000
  /// The longer side of an image in the first look, which tells whether there is any text.
  static let glanceSide = 448
  /// The probability that some pixel has in the first look if there is text. Of 379 photos of packages with text at a side of 640, the first
  /// look misses three.
  static let glanceThreshold: Float = 0.05
  /// The sides of the model's input are multiples of this.
  static let sideStep = 32
  /// The longest side of the model's input.
  static let sideLimit = 1280

  let model: Model

  /// Checks that a model takes and gives what it should.
  ///
  /// - Throws: ``ReadingError`` with the code `otherShape` or `failed`.
  init(_ model: Model) throws(ReadingError) {
    let input = model.shape(ofOutput: false)
    guard model.inputCount == 1, let input, input.count == 4, input[0] ?? 1 == 1,
      input[1] ?? 3 == 3, input[2] == nil, input[3] == nil
    else {
      throw ReadingError(
        code: .otherShape,
        message: """
          \(model.name) takes \(Self.text(of: input)); a detector of text takes one image of any size, 1 × 3 × any × any
          """)
    }
    self.model = model
    let side = 2 * Self.sideStep
    let shape = [1, 3, side, side]
    _ = try checked(
      model.runOnZeros(shape: shape, outputLimit: side * side), width: side, height: side)
  }

  /// A text of a shape, for messages.
  static func text(of shape: [Int?]?) -> String {
    guard let shape else { return "no floating-point numbers" }
    return shape.isEmpty
      ? "one number" : shape.map { $0.map(String.init) ?? "any" }.joined(separator: " × ")
  }

  /// Returns the values of an output if it has the shape that is expected.
  private func checked(
    _ output: Tensor, width: Int, height: Int
  ) throws(ReadingError) -> [Float] {
    guard output.shape.suffix(2) == [height, width], output.values.count == height * width else {
      throw ReadingError(
        code: .otherShape,
        message: """
          \(model.name) gives \(Self.text(of: output.shape)) for an image of \(height) × \(width); \
          a detector of text gives 1 × 1 × \(height) × \(width)
          """)
    }
    return output.values
  }

  /// The probability of each pixel of an image to be text, at the size that the model saw.
  struct TextMap {
    fileprivate let values: [Float]
    fileprivate let width: Int
    fileprivate let height: Int
    fileprivate let toImage: SIMD2<Float>

    /// The highest probability of any pixel.
    var highest: Float { values.max() ?? 0 }
  }

  /// Returns the probability of each pixel of an image to be text.
  ///
  /// - Parameter side: The longer side of the image as the model sees it, at most ``sideLimit``.
  /// - Throws: ``ReadingError``.
  func map(
    of image: ColorImage, side: Int, shouldStop: () -> Bool
  ) throws(ReadingError) -> TextMap {
    let scale = Float(min(side, Self.sideLimit)) / Float(max(image.width, image.height))
    func length(_ side: Int) -> Int {
      Self.sideStep * max(1, Int((Float(side) * scale / Float(Self.sideStep)).rounded()))
    }
    let (width, height) = (length(image.width), length(image.height))
    let frame = ColorImage.Frame(
      origin: SIMD2(), across: SIMD2(Float(image.width), 0), down: SIMD2(0, Float(image.height)))
    let input = Tensor(
      values: image.planes(of: frame, width: width, height: height), shape: [1, 3, height, width])
    let values = try checked(
      model.run(input, outputLimit: height * width, shouldStop: shouldStop), width: width,
      height: height)
    return TextMap(
      values: values, width: width, height: height,
      toImage: SIMD2(Float(image.width) / Float(width), Float(image.height) / Float(height)))
  }

  /// Returns the lines of an image, those with the largest area first, in pixels of the image.
  func boxes(in map: TextMap) -> [TextBox] {
    let (values, width, height) = (map.values, map.width, map.height)
    let parts = Self.parts(of: values, width: width, height: height)
    let boxes = parts.compactMap { part -> TextBox? in
      guard let box = TextBox(around: part), min(box.size.x, box.size.y) >= Self.leastSide,
        Self.mean(of: values, in: box, width: width, height: height) >= Self.boxThreshold
      else { return nil }
      return box.grown(by: Self.growth).scaled(by: map.toImage).inReadingDirection
    }
    return boxes.sorted {
      ($1.area, $0.center.y, $0.center.x) < ($0.area, $1.center.y, $1.center.x)
    }
  }

  /// The borders of connected parts of text: for each, the ends of its rows, as corners of pixels.
  private static func parts(of map: [Float], width: Int, height: Int) -> [[SIMD2<Float>]] {
    var isOpen = map.map { $0 > pixelThreshold }
    var parts: [[SIMD2<Float>]] = []
    var stack: [Int] = []
    for start in map.indices where isOpen[start] {
      if parts.count == partLimit { break }
      isOpen[start] = false
      stack.append(start)
      var ends: [Int: (first: Int, last: Int)] = [:]
      while let place = stack.popLast() {
        let (x, y) = (place % width, place / width)
        let end = ends[y]
        ends[y] = (min(end?.first ?? x, x), max(end?.last ?? x, x))
        for row in max(0, y - 1)...min(height - 1, y + 1) {
          for column in max(0, x - 1)...min(width - 1, x + 1) where isOpen[row * width + column] {
            isOpen[row * width + column] = false
            stack.append(row * width + column)
          }
        }
      }
      var border: [SIMD2<Float>] = []
      for (y, end) in ends.sorted(by: { $0.key < $1.key }) {
        let (left, right) = (Float(end.first), Float(end.last + 1))
        for row in [Float(y), Float(y + 1)] {
          border.append(SIMD2(left, row))
          border.append(SIMD2(right, row))
        }
      }
      parts.append(border)
    }
    return parts
  }

  /// Returns the mean probability at a grid of places in a rectangle.
  private static func mean(of map: [Float], in box: TextBox, width: Int, height: Int) -> Float {
    let columns = max(4, min(64, Int(box.size.x)))
    let rows = max(4, min(64, Int(box.size.y)))
    var sum: Float = 0
    for row in 0..<rows {
      for column in 0..<columns {
        let along = ((Float(column) + 0.5) / Float(columns) - 0.5) * box.size.x
        let across = ((Float(row) + 0.5) / Float(rows) - 0.5) * box.size.y
        let place = box.center + box.direction * along + box.normal * across
        let (x, y) = (Int(place.x), Int(place.y))
        if (0..<width).contains(x), (0..<height).contains(y) { sum += map[y * width + x] }
      }
    }
    return sum / Float(rows * columns)
  }
}
