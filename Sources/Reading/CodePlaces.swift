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
  /// The most places of bars in an image of one size, and in all.
  private static let (scalePlaceLimit, placeLimit) = (4, 8)
  /// The longer side, in pixels, of an image in which the bars of a code that fills it are narrower than a block.
  private static let smallestSide = 320

  /// A rectangle with bars, whose first side crosses them.
  let bars: [TextBox]
  /// Squares with finder patterns.
  let squares: [FinderSquare]

  /// Looks at an image, or returns `nil` if it was told to stop.
  ///
  /// - Parameters:
  ///   - gray: `width × height` values.
  ///   - shouldStop: Asked once a row of pixels or of blocks.
  init?(in gray: [UInt8], width: Int, height: Int, shouldStop: () -> Bool) {
    guard let bars = Self.allBars(in: gray, width: width, height: height, shouldStop),
      let squares = FinderPatterns.squares(in: gray, width: width, height: height, shouldStop)
    else { return nil }
    (self.bars, self.squares) = (bars, squares)
  }

  /// Returns the places of bars in the image and in smaller ones, of which each has half the width of the one before, the largest first.
  private static func allBars(
    in gray: [UInt8], width: Int, height: Int, _ shouldStop: () -> Bool
  ) -> [TextBox]? {
    var (level, width, height, scale) = (gray, width, height, 0)
    var found: [(area: Int, box: TextBox)] = []
    while true {
      guard let bars = bars(in: level, width: width, height: height, shouldStop) else { return nil }
      let factor = Float(1 << scale)
      found += bars.map { count, box in
        (
          count << (2 * scale),
          TextBox(center: box.center * factor, direction: box.direction, size: box.size * factor)
        )
      }
      if max(width, height) <= smallestSide || shouldStop() { break }
      level = CodeLoops.half(of: level, width: width, height: height)
      (width, height, scale) = (width / 2, height / 2, scale + 1)
    }
    return found.sorted { $1.area < $0.area }.prefix(placeLimit).map(\.box)
  }

  /// Returns the places of bars that are narrower than a block, with the number of their blocks.
  private static func bars(
    in gray: [UInt8], width: Int, height: Int, _ shouldStop: () -> Bool
  ) -> [(count: Int, box: TextBox)]? {
    let (columns, rows) = (width / block, height / block)
    guard columns > 0, rows > 0 else { return [] }
    var blocks: [SIMD2<Double>?] = []
    blocks.reserveCapacity(columns * rows)
    for row in 0..<rows {
      if shouldStop() { return nil }
      for column in 0..<columns {
        blocks.append(
          edges(in: gray, width: width, height: height, column * block, row * block))
      }
    }
    var found: [(count: Int, box: TextBox)] = []
    for start in blocks.indices {
      if start % columns == 0, shouldStop() { return nil }
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
    return Array(found.sorted { $1.count < $0.count }.prefix(scalePlaceLimit))
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
