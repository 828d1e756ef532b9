/// The cells of a page: rectangles of an image that plain lines part from each other.
///
/// A recursive XY-cut (Nagy, Seth, "Hierarchical representation of optically scanned documents", ICPR 1984):
/// a rectangle is cut at its plain rows, each part at its plain columns, and so on. Photos have no plain
/// lines, so that most of them cost a look at the ends of their lines.
package enum PageLayout {
  /// The largest difference of a channel, of 255, between a pixel of a plain line and the line's end. It allows for
  /// what compression leaves of the images beside the line.
  private static let nearness = 16
  /// The same for trimming the border of a cell. It is smaller, so that a studio's background, on which the light changes
  /// slowly, stays in the cell.
  private static let borderNearness = 10
  /// The largest share of pixels that differ more in a plain line, because of noise and compression.
  private static let otherShare = 0.015
  /// The number of times that a part may be cut again.
  private static let depth = 6
  /// The smallest sides and area of a cell, as shares of the image's shorter side and area.
  private static let (leastSide, leastArea) = (0.065, 0.007)
  /// The largest ratio of a cell's sides. Longer ones are bars and lines of text.
  private static let longestRatio = 3.2
  /// The most cells.
  private static let limit = 12

  /// Returns the cells of an image, the largest first, none if it is not divided, or `nil` if it was told to stop.
  ///
  /// - Parameters:
  ///   - picture: The image, upright.
  ///   - shouldStop: Asked before each rectangle, and for every ``AskingPace/pixels`` pixels of its lines.
  /// - Complexity: O(*d* · pixels) for *d* cuts within each other, at most seven; a photo's lines end the look at them early.
  package static func cells(of picture: PixelBuffer, shouldStop: () -> Bool) -> [ImageBox]? {
    let page = Page(picture.reduced(toLongerSide: QuerySignature.workingSide))
    var leaves: [Page.Box] = []
    let whole = Page.Box(x: 0..<page.width, y: 0..<page.height)
    guard page.cut(whole, depth, into: &leaves, shouldStop) else { return nil }
    let area = page.width * page.height
    let shorter = Double(min(page.width, page.height))
    let cells = leaves.filter { leaf in
      let (least, most) = (min(leaf.x.count, leaf.y.count), max(leaf.x.count, leaf.y.count))
      let share = Double(leaf.area) / Double(area)
      return Double(least) >= leastSide * shorter && share >= leastArea
        && share < ContentBounds.wholeShare
        && Double(most) <= longestRatio * Double(least)
    }
    guard cells.count >= 2 else { return [] }
    let largestFirst = cells.sorted {
      ($1.area, $0.y.lowerBound, $0.x.lowerBound) < ($0.area, $1.y.lowerBound, $1.x.lowerBound)
    }
    return largestFirst.prefix(limit).map { cell in
      ImageBox(
        x: Double(cell.x.lowerBound) / Double(page.width),
        y: Double(cell.y.lowerBound) / Double(page.height),
        width: Double(cell.x.count) / Double(page.width),
        height: Double(cell.y.count) / Double(page.height))
    }
  }

  /// The pixels of an image, of which rectangles are cut.
  private struct Page {
    struct Box {
      var x: Range<Int>
      var y: Range<Int>
      var area: Int { x.count * y.count }
    }

    let width: Int
    let height: Int
    /// Row-major RGBA.
    private let pixels: [UInt8]

    init(_ picture: PixelBuffer) {
      (width, height) = (picture.width, picture.height)
      pixels = picture.packedRGBA
    }

    /// Adds the parts of a box that no plain line crosses; returns `false` if it was told to stop.
    func cut(
      _ box: Box, _ depth: Int, into leaves: inout [Box], _ shouldStop: () -> Bool
    ) -> Bool {
      if shouldStop() { return false }
      let rows = parts(box.y, of: box.x.count, shouldStop) {
        isPlain(from: $0 * width + box.x.lowerBound, step: 1, box.x.count, $1)
      }
      guard let rows else { return false }
      guard rows.count <= 1 else {
        return rows.allSatisfy { next(Box(x: box.x, y: $0), depth, into: &leaves, shouldStop) }
      }
      let inner = Box(x: box.x, y: rows.first ?? box.y)
      let columns = parts(inner.x, of: inner.y.count, shouldStop) {
        isPlain(from: inner.y.lowerBound * width + $0, step: width, inner.y.count, $1)
      }
      guard let columns else { return false }
      guard columns.count <= 1 else {
        return columns.allSatisfy {
          next(Box(x: $0, y: inner.y), depth, into: &leaves, shouldStop)
        }
      }
      let trimmed = Box(x: columns.first ?? inner.x, y: inner.y)
      // After the margins are trimmed, further rows and columns may be plain from end to end,
      // so the box is cut again.
      if trimmed.area < box.area, depth > 0 {
        return cut(trimmed, depth - 1, into: &leaves, shouldStop)
      }
      leaves.append(trimmed)
      return true
    }

    private func next(
      _ box: Box, _ depth: Int, into leaves: inout [Box], _ shouldStop: () -> Bool
    ) -> Bool {
      if depth > 0 { return cut(box, depth - 1, into: &leaves, shouldStop) }
      leaves.append(box)
      return true
    }

    /// Returns the runs of lines between plain lines, or `nil` if it was told to stop. Each is continued on both sides by lines that are plain only within
    /// ``nearness``: up to the middle of the gap, which may be noisy as a whole, and by half of its own length, so
    /// that a line of text stays small.
    ///
    /// - Parameter length: The number of pixels of a line.
    private func parts(
      _ lines: Range<Int>, of length: Int, _ shouldStop: () -> Bool,
      isPlain: (_ line: Int, _ nearness: Int) -> Bool
    ) -> [Range<Int>]? {
      var pace = AskingPace()
      var parts: [Range<Int>] = []
      for line in lines {
        if pace.isTime(after: length), shouldStop() { return nil }
        if isPlain(line, nearness) { continue }
        if let last = parts.last, last.upperBound == line {
          parts[parts.count - 1] = last.lowerBound..<line + 1
        } else {
          parts.append(line..<line + 1)
        }
      }
      if shouldStop() { return nil }
      return parts.indices.map { index in
        let part = parts[index]
        let before = index > 0 ? parts[index - 1].upperBound : lines.lowerBound
        let after = index + 1 < parts.count ? parts[index + 1].lowerBound : lines.upperBound
        let first = part.lowerBound - min(part.count, part.lowerBound - before) / 2
        let end = part.upperBound + min(part.count, after - part.upperBound) / 2
        var grown = part
        while grown.lowerBound > first, !isPlain(grown.lowerBound - 1, borderNearness) {
          grown = grown.lowerBound - 1..<grown.upperBound
        }
        while grown.upperBound < end, !isPlain(grown.upperBound, borderNearness) {
          grown = grown.lowerBound..<grown.upperBound + 1
        }
        return grown
      }
    }

    private func isPlain(from start: Int, step: Int, _ count: Int, _ nearness: Int) -> Bool {
      let most = Int(otherShare * Double(count))
      return [start, start + step * (count - 1)].contains { end in
        var others = 0
        for index in 0..<count where !isNear(start + step * index, end, nearness) {
          others += 1
          if others > most { return false }
        }
        return true
      }
    }

    private func isNear(_ a: Int, _ b: Int, _ nearness: Int) -> Bool {
      for channel in 0..<3
      where abs(Int(pixels[4 * a + channel]) - Int(pixels[4 * b + channel])) > nearness {
        return false
      }
      return true
    }
  }
}
