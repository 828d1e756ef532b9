public import PixelMatch

/// Reads the text of images: upright and turned lines, of any color.
///
/// The same models read the same image alike on one machine. On a processor with other instructions, probabilities differ in
/// their last digits, and so may a letter.
public struct TextReader: Sendable {
  /// The effort of a reading.
  public struct Options: Sendable, Hashable {
    /// The longer side of the image in which lines are looked for, in pixels.
    public var side: Int
    /// The most lines that are read, those with the largest area first.
    public var lineLimit: Int
    /// The most lines that are read at the same time.
    public var threads: Int

    /// Makes options.
    public init(side: Int = 640, lineLimit: Int = 24, threads: Int = 1) {
      self.side = side
      self.lineLimit = lineLimit
      self.threads = threads
    }
  }

  /// The certainty below which a line is read in the opposite direction, too.
  private static let doubtful = 0.7
  /// The certainty from which on a line is kept.
  private static let leastCertainty = 0.5

  private let detector: TextDetector
  private let recognizer: TextRecognizer

  init(detector: TextDetector, recognizer: TextRecognizer) {
    self.detector = detector
    self.recognizer = recognizer
  }

  /// Reads the text of an image.
  ///
  /// - Parameter shouldStop: Returns whether to end; the reading then has what was read so far.
  /// - Throws: ``ReadingError`` with the code `failed`.
  public func text(
    in image: PixelBuffer, options: Options = Options(),
    shouldStop: @escaping @Sendable () -> Bool = { false }
  ) async throws -> TextReading {
    var reading = TextReading()
    let pixels = ColorImage(image)
    let boxes: [TextBox]
    do throws(ReadingError) {
      boxes = try detector.boxes(in: pixels, side: options.side, shouldStop: shouldStop)
    } catch {
      guard error.code == .stopped else { throw error }
      reading.isComplete = false
      return reading
    }
    let read = Array(boxes.prefix(max(0, options.lineLimit)))
    let parts = max(1, min(options.threads, read.count))
    let lines = try await withThrowingTaskGroup(of: [(Int, Outcome)].self) { group in
      for part in 0..<parts {
        group.addTask {
          try stride(from: part, to: read.count, by: parts).map {
            ($0, try line(in: read[$0], of: pixels, shouldStop: shouldStop))
          }
        }
      }
      var lines = [Outcome](repeating: .unread, count: read.count)
      for try await part in group {
        for (index, line) in part { lines[index] = line }
      }
      return lines
    }
    for case .line(let line) in lines { reading.lines.append(line) }
    let stopped = lines.count { if case .unread = $0 { true } else { false } }
    reading.isComplete = stopped == 0
    reading.unreadCount = stopped + boxes.count - read.count
    return reading
  }

  private enum Outcome: Sendable {
    case line(TextLine)
    case illegible
    case unread
  }

  private func line(
    in box: TextBox, of image: ColorImage, shouldStop: () -> Bool
  ) throws(ReadingError) -> Outcome {
    do throws(ReadingError) {
      if shouldStop() { return .unread }
      var best = (box: box, text: try recognizer.text(in: box, of: image, shouldStop: shouldStop))
      if best.text.certainty < Self.doubtful {
        if shouldStop() { return .unread }
        let other = try recognizer.text(in: box.reversed, of: image, shouldStop: shouldStop)
        if other.certainty > best.text.certainty { best = (box.reversed, other) }
      }
      let text = best.text.text.split(separator: " ").joined(separator: " ")
      guard best.text.certainty >= Self.leastCertainty, !text.isEmpty else { return .illegible }
      let size = SIMD2(Float(image.width), Float(image.height))
      return .line(
        TextLine(
          text: text, certainty: best.text.certainty,
          corners: best.box.corners.map {
            ReadPoint(x: Double($0.x / size.x), y: Double($0.y / size.y))
          }))
    } catch {
      guard error.code == .stopped else { throw error }
      return .unread
    }
  }
}
