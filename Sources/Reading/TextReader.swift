package import PixelMatch

/// Reads the text of images: upright and turned lines, of any color.
///
/// The same models read the same image alike on one machine. On a processor with other instructions, probabilities differ in
/// their last digits, and so may a letter.
package struct TextReader: Sendable {
  /// The effort of a reading.
  package struct Options: Sendable, Hashable {
    /// The longer side of the image in which lines are looked for, in pixels.
    package var side: Int
    /// The most lines that are read, those with the largest area first.
    package var lineLimit: Int
    /// The most lines that are read at the same time.
    package var threads: Int

    /// Makes options.
    package init(side: Int = 640, lineLimit: Int = 24, threads: Int = 1) {
      self.side = side
      self.lineLimit = lineLimit
      self.threads = threads
    }
  }

  /// The certainty below which a line is read in the opposite direction, too.
  private static let doubtful = 0.7
  /// The certainty from which on a line is kept.
  private static let leastCertainty = 0.5

  let detector: TextDetector
  let recognizer: TextRecognizer

  init(detector: TextDetector, recognizer: TextRecognizer) {
    self.detector = detector
    self.recognizer = recognizer
  }

  /// Reads the text of an image.
  ///
  /// A first look at a small size tells whether there is any text, so that an image without costs little. If the time does not suffice for
  /// looking more closely, the lines of the first look are read, and the reading is incomplete.
  ///
  /// - Parameters:
  ///   - image: The image.
  ///   - options: The effort.
  ///   - end: The instant at which the reading ends with what was read so far, or `nil` for none.
  ///   - shouldStop: Returns whether to end at once.
  /// - Throws: ``ReadingError`` with the code `failed`.
  package func text(
    in image: PixelBuffer, options: Options = Options(), until end: ContinuousClock.Instant? = nil,
    shouldStop: @escaping @Sendable () -> Bool = { false }
  ) async throws -> TextReading {
    let isOver: @Sendable () -> Bool = {
      shouldStop() || (end.map { ContinuousClock.now >= $0 } ?? false)
    }
    var reading = TextReading()
    let pixels = ColorImage(image)
    let found: (boxes: [TextBox], isWhole: Bool)
    do throws(ReadingError) {
      found = try lines(in: pixels, side: options.side, until: end, isOver: isOver)
    } catch {
      guard error.code == .stopped else { throw error }
      reading.isComplete = false
      return reading
    }
    let boxes = Array(found.boxes.prefix(max(0, options.lineLimit)))
    var read = try await recognized(boxes, of: pixels, threads: options.threads, isOver)
    var unread = read.count { $0 == nil }
    // Reads doubtful lines in the opposite direction as well, but only after all lines were
    // read once, so that a deadline costs as few lines as possible.
    let doubtful = read.indices.filter { index in
      read[index].map { $0.certainty < Self.doubtful } ?? false
    }
    let others = try await recognized(
      doubtful.map { boxes[$0].reversed }, of: pixels, threads: options.threads, isOver)
    var isEveryDirectionRead = true
    for (index, other) in zip(doubtful, others) {
      guard let other else {
        isEveryDirectionRead = false
        // The deadline passed before the opposite direction was tried, so an uncertain line
        // counts as not read.
        if read[index]?.certainty ?? 0 < Self.leastCertainty { unread += 1 }
        continue
      }
      if other.certainty > read[index]?.certainty ?? 0 { read[index] = other }
    }
    let size = SIMD2(Float(image.width), Float(image.height))
    reading.lines = read.compactMap { $0.flatMap { $0.line(in: size) } }
    reading.isComplete = found.isWhole && unread == 0 && isEveryDirectionRead
    reading.unreadCount = unread + found.boxes.count - boxes.count
    return reading
  }

  /// Returns the lines of an image, those with the largest area first, and whether they were looked for at the size that was asked for.
  private func lines(
    in image: ColorImage, side: Int, until end: ContinuousClock.Instant?, isOver: () -> Bool
  ) throws(ReadingError) -> (boxes: [TextBox], isWhole: Bool) {
    let start = ContinuousClock.now
    let glanceSide = min(side, TextDetector.glanceSide)
    let glance = try detector.map(of: image, side: glanceSide, shouldStop: isOver)
    if side <= glanceSide { return (detector.boxes(in: glance), true) }
    guard glance.highest >= TextDetector.glanceThreshold else { return ([], true) }
    let ratio = Double(side) / Double(glanceSide)
    let now = ContinuousClock.now
    // Predicts how long detection at full size takes: as long as the first look at a smaller size,
    // times the ratio of the numbers of pixels.
    if let end, now + (now - start) * (ratio * ratio) >= end {
      return (detector.boxes(in: glance), false)
    }
    return (detector.boxes(in: try detector.map(of: image, side: side, shouldStop: isOver)), true)
  }

  /// A line as it was read in one direction.
  private struct Recognized: Sendable {
    let box: TextBox
    let text: String
    let certainty: Double

    /// Returns the line if it is legible.
    func line(in size: SIMD2<Float>) -> TextLine? {
      let text = text.split(separator: " ").joined(separator: " ")
      guard certainty >= TextReader.leastCertainty, !text.isEmpty else { return nil }
      return TextLine(
        text: text, certainty: certainty,
        corners: box.corners.map { ReadPoint(x: Double($0.x / size.x), y: Double($0.y / size.y)) })
    }
  }

  /// Reads rectangles of an image; those that were not read before the end are `nil`.
  private func recognized(
    _ boxes: [TextBox], of image: ColorImage, threads: Int, _ isOver: @escaping @Sendable () -> Bool
  ) async throws -> [Recognized?] {
    let parts = max(1, min(threads, boxes.count))
    return try await withThrowingTaskGroup(of: [(Int, Recognized?)].self) { group in
      for part in 0..<parts {
        group.addTask {
          try stride(from: part, to: boxes.count, by: parts).map {
            ($0, try recognized(boxes[$0], of: image, isOver))
          }
        }
      }
      var read = [Recognized?](repeating: nil, count: boxes.count)
      for try await part in group {
        for (index, line) in part { read[index] = line }
      }
      return read
    }
  }

  private func recognized(
    _ box: TextBox, of image: ColorImage, _ isOver: () -> Bool
  ) throws(ReadingError) -> Recognized? {
    if isOver() { return nil }
    do throws(ReadingError) {
      let (text, certainty) = try recognizer.text(in: box, of: image, shouldStop: isOver)
      return Recognized(box: box, text: text, certainty: certainty)
    } catch {
      guard error.code == .stopped else { throw error }
      return nil
    }
  }
}
