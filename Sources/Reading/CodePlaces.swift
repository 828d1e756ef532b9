internal import CReading

/// Finds the places of an image where a code may be: parallel bars, and the finder patterns of QR codes.
///
/// It looks at every pixel of few rows only, so that an image without a code costs next to nothing.
struct CodePlaces: Sendable {
  /// The side of a block, in pixels.
  private static let block = 16
  /// The mean square of twice the steps between pixels at or above which a block has strong edges.
  private static let leastEnergy = 1200.0
  /// The share of one direction among the edges of a block at or above which they are parallel.
  private static let leastCoherence = 0.75
  /// The share of the steps' sum in the sum of their sizes up to which bars alternate, rather than being one edge.
  private static let mostDrift = 0.35
  /// The least number of adjacent blocks with bars of one direction.
  private static let leastBlocks = 3
  /// The cosine of twice the angle by which directions of bars may differ, of some 13°.
  private static let sameDirection = 0.9
  /// The most places of either kind.
  private static let placeLimit = 4

  /// A rectangle with bars, whose first side crosses them.
  let bars: [TextBox]
  /// The square around three or more finder patterns of the same size, and the side of a module; `nil` if there are
  /// fewer.
  let finders: (box: TextBox, module: Float)?

  /// - Parameter gray: `width × height` values.
  init(in gray: [UInt8], width: Int, height: Int) {
    bars = Self.bars(in: gray, width: width, height: height)
    finders = FinderPatterns.box(in: gray, width: width, height: height)
  }

  private static func bars(in gray: [UInt8], width: Int, height: Int) -> [TextBox] {
    let (columns, rows) = (width / block, height / block)
    guard columns > 0, rows > 0 else { return [] }
    var blocks = (0..<columns * rows).map { index in
      edges(
        in: gray, width: width, height: height, index % columns * block, index / columns * block)
    }
    var found: [(count: Int, box: TextBox)] = []
    for start in blocks.indices {
      guard let first = blocks[start] else { continue }
      blocks[start] = nil
      var (members, next) = ([start], 0)
      var sum = first
      while next < members.count {
        let place = members[next]
        next += 1
        let (x, y) = (place % columns, place / columns)
        for row in max(0, y - 1)...min(rows - 1, y + 1) {
          for column in max(0, x - 1)...min(columns - 1, x + 1) {
            let index = row * columns + column
            guard let other = blocks[index],
              (other * sum).sum() > sameDirection * (sum * sum).sum().squareRoot()
            else { continue }
            blocks[index] = nil
            members.append(index)
            sum += other
          }
        }
      }
      guard members.count >= leastBlocks, let box = box(of: members, columns, sum) else { continue }
      found.append((members.count, box))
    }
    return found.sorted { $1.count < $0.count }.prefix(placeLimit).map(\.box)
  }

  /// Returns the direction that crosses the bars in a block, as a vector of length 1 with twice its angle, or `nil` if it
  /// has none.
  private static func edges(
    in gray: [UInt8], width: Int, height: Int, _ left: Int, _ top: Int
  ) -> SIMD2<Double>? {
    let columns = min(block, width - 1 - left)
    let rows = min(block, height - 1 - top)
    let count = columns * rows
    let sums = CodeLoops.edges(
      in: gray, width: width, from: top * width + left, columns: columns, rows: rows)
    let (xx, yy, xy) = (Int(sums.xx), Int(sums.yy), Int(sums.xy))
    let (sumX, sumY) = (Int(sums.sum_x), Int(sums.sum_y))
    let (sizeX, sizeY) = (Int(sums.size_x), Int(sums.size_y))
    guard count > 0, Double(xx + yy) >= leastEnergy * Double(count) else { return nil }
    let twice = SIMD2(Double(xx - yy), Double(2 * xy))
    let strength = (twice * twice).sum().squareRoot()
    guard strength >= leastCoherence * Double(xx + yy) else { return nil }
    // Across the bars of a code, steps up and down cancel out. At a single edge, they do not.
    let (sum, size) = xx >= yy ? (sumX, sizeX) : (sumY, sizeY)
    guard Double(abs(sum)) <= mostDrift * Double(size) else { return nil }
    return twice / strength
  }

  /// Returns the rectangle of blocks along the direction that crosses their bars, with a margin for the quiet zones.
  private static func box(of members: [Int], _ columns: Int, _ twice: SIMD2<Double>) -> TextBox? {
    let length = (twice * twice).sum().squareRoot()
    guard length > 0 else { return nil }
    // Half-angle formulas: `twice` has twice the angle of the direction.
    let cosine = ((1 + twice.x / length) / 2).squareRoot()
    let sine = ((1 - twice.x / length) / 2).squareRoot() * (twice.y < 0 ? -1 : 1)
    let direction = SIMD2(Float(cosine), Float(sine))
    let normal = SIMD2(-direction.y, direction.x)
    var low = SIMD2<Float>(repeating: .infinity)
    var high = SIMD2<Float>(repeating: -.infinity)
    for member in members {
      let center = SIMD2(
        (Float(member % columns) + 0.5) * Float(block),
        (Float(member / columns) + 0.5) * Float(block))
      let place = SIMD2((center * direction).sum(), (center * normal).sum())
      low = pointwiseMin(low, place)
      high = pointwiseMax(high, place)
    }
    let middle = (low + high) / 2
    return TextBox(
      center: direction * middle.x + normal * middle.y, direction: direction,
      // The added length covers the blocks at both ends, which may have too few bars to be
      // found.
      size: SIMD2(high.x - low.x + 5 * Float(block), high.y - low.y + Float(block)))
  }
}

/// The finder patterns of QR codes: dark and light in the ratio 1 : 1 : 3 : 1 : 1 along every line through their center
/// (ISO/IEC 18004, 6.3.3).
private enum FinderPatterns {
  /// The side of a block whose mean separates dark from light, in pixels.
  private static let block = 16

  /// The distance from the center of a pattern to the side of the code, and the quiet zone, in modules.
  private static let margin: Float = 7

  /// A pattern: its center and the length of its five parts.
  private struct Pattern {
    var center: SIMD2<Float>
    var length: Float
    var count = 1
  }

  /// Returns the square around three or more patterns of the same size, and the side of a module.
  static func box(
    in gray: [UInt8], width: Int, height: Int
  ) -> (box: TextBox, module: Float)? {
    guard width >= 2 * block, height >= 2 * block else { return nil }
    let isDark = dark(gray, width: width, height: height)
    var patterns: [Pattern] = []
    var found = [cr_finder_run](
      repeating: cr_finder_run(), count: max(width, height) / 2 + 1)
    for y in 0..<height {
      let count = CodeLoops.finderRuns(
        in: isDark, from: y * width, step: 1, count: width, into: &found)
      for run in found[..<count] {
        let (center, length) = (run.center, run.length)
        let x = Int(center)
        // A column through the center must have the same pattern.
        guard
          let (middle, other) = runs(in: isDark, from: x, step: width, count: height).first(where: {
            abs($0.center - Float(y)) < length / 4
          }), abs(other - length) < 0.4 * length,
          isOnDiagonals(isDark, width: width, height: height, x, Int(middle))
        else { continue }
        let place = SIMD2(center, middle)
        if let index = patterns.firstIndex(where: {
          let offset = $0.center - place
          return (offset * offset).sum() < length * length / 4
            && abs($0.length - length) < length / 3
        }) {
          // Keeps the longest line as the center: in a turned pattern, lines beside the
          // center are shorter.
          patterns[index].count += 1
          if length > patterns[index].length {
            patterns[index].length = length
            patterns[index].center = place
          }
        } else if patterns.count < 64 {
          patterns.append(Pattern(center: place, length: length))
        }
      }
    }
    patterns = patterns.filter { $0.count >= 2 }
    for pattern in patterns.sorted(by: { $1.length < $0.length }) {
      let alike = patterns.filter { abs($0.length - pattern.length) < pattern.length / 3 }
      guard alike.count >= 3 else { continue }
      // Of the three corner patterns, the two that are farthest apart lie at opposite corners.
      var farthest = (square: Float(0), diagonal: SIMD2<Float>(), center: SIMD2<Float>())
      for (index, one) in alike.enumerated() {
        for other in alike[..<index] {
          let offset = one.center - other.center
          let square = (offset * offset).sum()
          if square > farthest.square {
            farthest = (square, offset, (one.center + other.center) / 2)
          }
        }
      }
      let diagonal = farthest.diagonal / farthest.square.squareRoot()
      let direction =
        SIMD2(diagonal.x - diagonal.y, diagonal.x + diagonal.y) * Float(0.5).squareRoot()
      // Horizontal lines cross a turned pattern at a slant and are longer than its side,
      // which the factor corrects.
      let module = pattern.length / 7 * max(abs(direction.x), abs(direction.y))
      let side = (farthest.square / 2).squareRoot() + 2 * margin * module
      return (
        TextBox(
          center: farthest.center, direction: direction, size: SIMD2(repeating: side)), module
      )
    }
    return nil
  }

  /// Returns whether there is a pattern along both diagonals through a place, too: slanted stripes have none along one of
  /// them.
  private static func isOnDiagonals(
    _ isDark: [UInt8], width: Int, height: Int, _ x: Int, _ y: Int
  ) -> Bool {
    [(1, x, width - 1 - x), (-1, width - 1 - x, x)].allSatisfy { step, before, after in
      let start = min(before, y)
      let count = start + min(after, height - 1 - y) + 1
      return runs(
        in: isDark, from: (y - start) * width + x - step * start, step: width + step, count: count
      ).contains { abs($0.center - Float(start)) < $0.length / 4 }
    }
  }

  /// Returns for each pixel 1 if it is darker than the mean of the blocks around it, otherwise 0.
  private static func dark(_ gray: [UInt8], width: Int, height: Int) -> [UInt8] {
    let (columns, rows) = (width / block, height / block)
    var sums = [Int](repeating: 0, count: columns * rows)
    let pixels = gray.span
    for y in stride(from: 0, to: rows * block, by: 2) {
      for x in stride(from: 0, to: columns * block, by: 2) {
        sums[y / block * columns + x / block] &+= Int(pixels[y &* width &+ x])
      }
    }
    let share = block * block / 4
    let means = (0..<columns * rows).map { index -> Int in
      let (x, y) = (index % columns, index / columns)
      var (sum, count) = (0, 0)
      for row in max(0, y - 2)...min(rows - 1, y + 2) {
        for column in max(0, x - 2)...min(columns - 1, x + 2) {
          sum += sums[row * columns + column]
          count += share
        }
      }
      return sum / count
    }
    var isDark = [UInt8](repeating: 0, count: width * height)
    for y in 0..<height {
      let (row, line) = (min(y / block, rows - 1) * columns, y * width)
      for column in 0..<columns {
        let end = column == columns - 1 ? width : (column + 1) * block
        CodeLoops.dark(
          gray, line + column * block..<line + end, than: means[row + column], into: &isDark)
      }
    }
    return isDark
  }

  /// Returns the centers and lengths of patterns along a line of pixels.
  private static func runs(
    in isDark: [UInt8], from start: Int, step: Int, count: Int
  ) -> [(center: Float, length: Float)] {
    var found = [cr_finder_run](repeating: cr_finder_run(), count: count / 2 + 1)
    let number = CodeLoops.finderRuns(
      in: isDark, from: start, step: step, count: count, into: &found)
    return found[..<number].map { ($0.center, $0.length) }
  }
}
