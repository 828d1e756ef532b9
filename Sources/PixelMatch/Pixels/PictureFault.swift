/// Tells images that do not show one thing: those with nothing but text, and those that are put together from several images.
///
/// Both tests are made for few false findings: they say `true` only if nothing else explains the pixels. The constants were chosen
/// with 3 637 images of products, photos, packages, labels and drawings, none of which is one of these.
package enum PictureFault {
  /// The longer side of the image that is looked at, in pixels.
  private static let side = 512

  // MARK: Text

  /// The largest difference of a channel, of 255, of pixels that belong to the ground; the smallest one of those that do not.
  private static let (groundNearness, inkDistance) = (24, 48)
  /// The least share of the ground, and the shares of what is not ground.
  private static let (leastGround, inkShares) = (0.55, 0.01...0.4)
  /// The fewest pixels, and pixels of height, of a letter.
  private static let (leastArea, leastHeight) = (6, 4)
  /// The fewest letters, letters of a line, and lines.
  private static let (leastLetters, leastOfLine, leastLines) = (15, 4, 2)
  /// The most pieces: an image with more is noise.
  private static let pieceLimit = 20_000
  /// The least share of the ink that lies in lines.
  private static let leastInLines = 0.8

  /// Returns whether an image shows text on a plain ground, and nothing else: at least two lines of letters that are of one height and hold
  /// nearly all that is not ground.
  package static func isText(_ picture: PixelBuffer) -> Bool {
    let plane = Plane(picture.reduced(toLongerSide: side))
    let ground = plane.mostFrequentColor
    var (groundCount, ink) = (0, [Bool](repeating: false, count: plane.width * plane.height))
    var inkCount = 0
    for index in ink.indices {
      let difference = plane.difference(index, ground)
      if difference <= groundNearness { groundCount += 1 }
      if difference > inkDistance {
        ink[index] = true
        inkCount += 1
      }
    }
    let count = Double(ink.count)
    guard Double(groundCount) >= leastGround * count, inkShares.contains(Double(inkCount) / count),
      let pieces = pieces(of: ink, width: plane.width)
    else { return false }
    let letters = pieces.filter {
      $0.area >= leastArea && $0.height >= leastHeight && 5 * $0.height <= plane.height
        && 3 * $0.width <= plane.width
    }.sorted { ($0.middle, $0.left) < ($1.middle, $1.left) }
    var lines: [[Piece]] = []
    for letter in letters {
      // A line is as high as its first letter.
      if let index = lines.firstIndex(where: { ($0[0].top...$0[0].bottom).contains(letter.middle) })
      {
        lines[index].append(letter)
      } else {
        lines.append([letter])
      }
    }
    let full = lines.filter { $0.count >= leastOfLine }
    let even = full.count { line in
      let median = line.map(\.height).sorted()[line.count / 2]
      let alike = line.count { 2 * $0.height >= median && 5 * $0.height <= 8 * median }
      return 5 * alike >= 3 * line.count
    }
    let inLines = full.joined().reduce(0) { $0 + $1.area }
    return letters.count >= leastLetters && even >= leastLines
      && Double(inLines) >= leastInLines * Double(inkCount)
  }

  /// A connected piece of ink, with the box around it.
  private struct Piece {
    var left: Int
    var right: Int
    var top: Int
    var bottom: Int
    var area = 0
    var width: Int { right - left + 1 }
    var height: Int { bottom - top + 1 }
    var middle: Int { (top + bottom) / 2 }
  }

  /// Returns the connected pieces, corners included, or `nil` if there are too many.
  private static func pieces(of ink: [Bool], width: Int) -> [Piece]? {
    var parents: [Int] = []
    func root(_ label: Int) -> Int {
      var label = label
      while parents[label] != label {
        parents[label] = parents[parents[label]]
        label = parents[label]
      }
      return label
    }
    var labels = [Int](repeating: -1, count: ink.count)
    for index in ink.indices where ink[index] {
      let x = index % width
      var around = x > 0 ? [index - 1] : []
      if index >= width {
        around.append(index - width)
        if x > 0 { around.append(index - width - 1) }
        if x + 1 < width { around.append(index - width + 1) }
      }
      for other in around where labels[other] >= 0 {
        let theirs = root(labels[other])
        if labels[index] < 0 {
          labels[index] = theirs
        } else {
          let own = root(labels[index])
          parents[max(own, theirs)] = min(own, theirs)
        }
      }
      if labels[index] < 0 {
        labels[index] = parents.count
        parents.append(parents.count)
        if parents.count > pieceLimit { return nil }
      }
    }
    var pieces: [Int: Piece] = [:]
    for index in ink.indices where labels[index] >= 0 {
      let (x, y) = (index % width, index / width)
      var piece =
        pieces[root(labels[index])] ?? Piece(left: x, right: x, top: y, bottom: y)
      piece.left = min(piece.left, x)
      piece.right = max(piece.right, x)
      piece.bottom = y
      piece.area += 1
      pieces[root(labels[index])] = piece
    }
    return Array(pieces.values)
  }

  // MARK: Several images

  /// The largest difference of a channel, of 255, from the mean of a plain line, and the largest share of other pixels.
  private static let (lineNearness, otherShare) = (12, 0.01)
  /// The least difference of a channel from the gap, and the least share of such pixels, in the lines beside it.
  private static let (tileDistance, tileShare) = (10, 0.8)
  /// The share of a side at each end at which a gap is a frame, and the largest share of a gap.
  private static let (frameShare, gapShare) = (0.15, 0.12)

  /// Returns whether an image is divided from end to end by a plain gap that has pictures on both sides: unlike the ground between two
  /// things, what is beside the gap differs from it nearly everywhere.
  package static func isCollage(_ picture: PixelBuffer) -> Bool {
    let plane = Plane(picture.reduced(toLongerSide: side))
    return plane.hasGap(lines: plane.height, step: plane.width, length: plane.width, along: 1)
      || plane.hasGap(lines: plane.width, step: 1, length: plane.height, along: plane.width)
  }

  /// The pixels of an image.
  private struct Plane {
    let width: Int
    let height: Int
    /// Row-major RGBA.
    private let pixels: [UInt8]

    init(_ picture: PixelBuffer) {
      (width, height) = (picture.width, picture.height)
      pixels = picture.packedRGBA
    }

    /// Returns the largest difference of a channel of a pixel from a color.
    func difference(_ index: Int, _ color: SIMD3<Int>) -> Int {
      (0..<3).reduce(0) { max($0, abs(Int(pixels[4 * index + $1]) - color[$1])) }
    }

    private func color(_ index: Int) -> SIMD3<Int> {
      SIMD3(Int(pixels[4 * index]), Int(pixels[4 * index + 1]), Int(pixels[4 * index + 2]))
    }

    /// The mean of the most frequent colors, in 16 steps of each channel.
    var mostFrequentColor: SIMD3<Int> {
      func bin(_ color: SIMD3<Int>) -> Int {
        color[0] / 16 * 256 + color[1] / 16 * 16 + color[2] / 16
      }
      var counts = [Int](repeating: 0, count: 4096)
      var sums = [SIMD3<Int>](repeating: .zero, count: 4096)
      for index in 0..<width * height {
        let color = color(index)
        counts[bin(color)] += 1
        sums[bin(color)] &+= color
      }
      let best = counts.indices.max { counts[$0] < counts[$1] } ?? 0
      return sums[best] / max(1, counts[best])
    }

    /// Returns the mean color of a line, or `nil` if it is not plain.
    private func plainColor(from start: Int, _ length: Int, along: Int) -> SIMD3<Int>? {
      var sum = SIMD3<Int>.zero
      for place in 0..<length { sum &+= color(start + place * along) }
      let mean = sum / length
      var others = 0
      let limit = Int(otherShare * Double(length))
      for place in 0..<length where difference(start + place * along, mean) > lineNearness {
        others += 1
        if others > limit { return nil }
      }
      return mean
    }

    /// Returns whether a line is part of a picture beside a gap of a color.
    private func isTile(from start: Int, _ length: Int, along: Int, _ gap: SIMD3<Int>) -> Bool {
      let count = (0..<length).count { difference(start + $0 * along, gap) > tileDistance }
      return Double(count) >= tileShare * Double(length)
    }

    /// Returns whether one of some parallel lines begins a gap.
    ///
    /// - Parameters:
    ///   - step: The pixels from a line to the next one.
    ///   - along: The pixels from a place on a line to the next one.
    func hasGap(lines: Int, step: Int, length: Int, along: Int) -> Bool {
      func hasTile(_ places: [Int], _ gap: SIMD3<Int>) -> Bool {
        places.contains {
          (0..<lines).contains($0) && isTile(from: $0 * step, length, along: along, gap)
        }
      }
      var line = 0
      while line < lines {
        guard let first = plainColor(from: line * step, length, along: along) else {
          line += 1
          continue
        }
        let start = line
        while line < lines, let next = plainColor(from: line * step, length, along: along),
          (0..<3).allSatisfy({ abs(next[$0] - first[$0]) <= 8 })
        { line += 1 }
        let inner = frameShare * Double(lines)..<(1 - frameShare) * Double(lines)
        guard line - start >= 2, inner.contains(Double(start)), inner.contains(Double(line)),
          Double(line - start) <= gapShare * Double(lines),
          let gap = plainColor(from: (start + line) / 2 * step, length, along: along)
        else { continue }
        // Compression leaves a line or two between the gap and the picture.
        if hasTile((1...3).map { start - $0 }, gap), hasTile((0...2).map { line + $0 }, gap) {
          return true
        }
      }
      return false
    }
  }
}
