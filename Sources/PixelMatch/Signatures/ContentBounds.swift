/// The part of a picture that is left without plain borders: letterbox bars, margins, the plain parts
/// of a screen around a picture.
struct ContentBounds {
  /// A pixel belongs to a plain line where it is about as near to the line's end as this, in Oklab.
  private static let nearness: Float = 0.05
  /// The share of a plain line's pixels that are so: text on a toolbar covers less than the rest.
  private static let plainShare = 0.8
  /// Plain lines within the content that do not divide it, as a share of the side.
  private static let gapShare = 0.05

  /// Columns.
  let x: Range<Int>
  /// Rows.
  let y: Range<Int>

  private init(x: Range<Int>, y: Range<Int>) { (self.x, self.y) = (x, y) }

  /// Finds the content, or `nil` where it is all of the picture or hardly any of it.
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
    guard share < 0.9, share > 0.08, min(x.count, y.count) >= 16 else { return nil }
    (self.x, self.y) = (x, y)
  }

  /// The same part of a picture of another size.
  ///
  /// One factor holds for both axes. The shorter side of the picture that the part was found in is rounded,
  /// so the part is cut off where it would reach beyond the other picture.
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

  /// The longest run of lines that are not plain, over short gaps.
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
