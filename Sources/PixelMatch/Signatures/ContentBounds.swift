/// The part of an image within plain borders, such as letterbox bars, margins, and the plain parts of a screen.
struct ContentBounds {
  /// The largest Oklab distance, approximately, of a pixel of a plain line from the line's end.
  private static let nearness: Float = 0.05
  /// The smallest share of such pixels in a plain line. It is below 1 because text on a toolbar is part of the line.
  private static let plainShare = 0.8
  /// The largest gap of plain lines that does not divide the content, as a share of the side.
  private static let gapShare = 0.05
  /// The shares of the image at or below which the content is too small to count, and at or above which it counts as
  /// the whole image.
  static let (hardlyAny, wholeShare) = (0.08, 0.9)
  /// The shortest side of the content, in pixels.
  private static let leastSide = 16

  /// The columns.
  let x: Range<Int>
  /// The rows.
  let y: Range<Int>

  private init(x: Range<Int>, y: Range<Int>) { (self.x, self.y) = (x, y) }

  /// Finds the content. Returns `nil` if it is the whole image or hardly any of it.
  ///
  /// - Complexity: O(pixels).
  init?(_ picture: OklabPicture) {
    var x = 0..<picture.width
    var y = 0..<picture.height
    for _ in 0..<2 {
      y = Self.longestRun(y) { row in
        Self.isPlain(x.lazy.map { picture.pixels[row * picture.width + $0] })
      }
      x = Self.longestRun(x) { column in
        Self.isPlain(y.lazy.map { picture.pixels[$0 * picture.width + column] })
      }
    }
    let share = Double(x.count * y.count) / Double(picture.width * picture.height)
    guard share < Self.wholeShare, share > Self.hardlyAny, min(x.count, y.count) >= Self.leastSide
    else { return nil }
    (self.x, self.y) = (x, y)
  }

  /// Returns the same part of the image at another size.
  ///
  /// One factor applies to both axes. Because the shorter side of the analyzed image is rounded,
  /// the part is clipped to the size of the other image.
  func scaled(by factor: Double, within size: SIMD2<Int>) -> ContentBounds {
    func scaled(_ range: Range<Int>, _ side: Int) -> Range<Int> {
      let first = min(side - 1, Int(Double(range.lowerBound) * factor))
      return first..<min(side, max(first + 1, Int(Double(range.upperBound) * factor)))
    }
    return ContentBounds(x: scaled(x, size.x), y: scaled(y, size.y))
  }

  private static func isPlain(_ line: some BidirectionalCollection<SIMD3<Float>>) -> Bool {
    guard let first = line.first, let last = line.last else { return true }
    let most = Int((1 - plainShare) * Double(line.count))
    return [first, last].contains { end in
      var others = 0
      for pixel in line {
        let difference = pixel - end
        if (difference * difference).sum() > nearness * nearness {
          others += 1
          if others > most { return false }
        }
      }
      return true
    }
  }

  /// Returns the longest run of lines that are not plain, across short gaps.
  private static func longestRun(_ lines: Range<Int>, isPlain: (Int) -> Bool) -> Range<Int> {
    let gap = max(1, Int(Double(lines.count) * gapShare))
    var best = lines.lowerBound..<lines.lowerBound
    var start: Int?
    var last = lines.lowerBound
    for line in lines where !isPlain(line) {
      if start == nil || line - last > gap { start = line }
      last = line
      if line + 1 - start! > best.count { best = start!..<line + 1 }
    }
    return best
  }
}
