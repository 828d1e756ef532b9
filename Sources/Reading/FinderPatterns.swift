internal import CReading

/// A square in which a QR code may be.
struct FinderSquare: Sendable {
  let box: TextBox
  /// The side of a module in pixels.
  let module: Float
  /// The number of finder patterns that it is drawn around: three of one code, or those of several.
  let patternCount: Int
}

/// The finder patterns of QR codes: dark and light in the ratio 1 : 1 : 3 : 1 : 1 along every line through their center
/// (ISO/IEC 18004, 6.3.3).
///
/// The look follows a column and two diagonals from each place where a row has the pattern, but only as far as the pattern
/// may reach. The patterns of a row overlap little, so that the work is in proportion to the pixels, however many patterns an
/// image shows.
enum FinderPatterns {
  /// The side of a block whose mean separates dark from light, in pixels.
  private static let block = 16

  /// The distance from the center of a pattern to the side of the code, and the quiet zone, in modules.
  private static let margin: Float = 7

  /// The lengths of a pattern along a column and along a diagonal, over that along a row: less or more than this is another pattern.
  private static let (columnLengths, longestDiagonal) = (Float(0.6)...1.4, Float(2))

  /// The distance from its center, in lengths of the pattern along a row, to which a column and a diagonal are followed. All parts of a pattern
  /// that is not too long end before.
  private static let reach: Float = 2

  /// The most patterns that are told apart.
  private static let patternLimit = 64

  /// The most patterns of one size that may be those of one code and of a few beside it. With more, the smallest squares of three are
  /// looked at: zbar tries all triples in an image, and cannot be stopped.
  private static let crowd = 12
  /// The most squares in a crowd.
  private static let squareLimit = 4
  /// In a crowd, the least distance of two patterns of one code in lengths of a pattern, and by how much the two sides of its corner, and the cosine
  /// between them, may differ from those of a square. Two patterns of the smallest code, turned by 45°, have a distance of 1.41 lengths.
  private static let (leastSide, squareness) = (Float(1.3), Float(0.15))

  /// A pattern: its center and the length of its five parts.
  private struct Pattern {
    var center: SIMD2<Float>
    var length: Float
    var count = 1
  }

  /// Returns the square around three or more patterns of the same size, or a few in a crowd; `nil` if it was told to stop.
  ///
  /// - Parameter shouldStop: Asked for each row.
  /// - Complexity: O(pixels).
  static func squares(
    in gray: [UInt8], width: Int, height: Int, _ shouldStop: () -> Bool
  ) -> [FinderSquare]? {
    guard width >= 2 * block, height >= 2 * block else { return [] }
    guard let isDark = dark(gray, width: width, height: height, shouldStop),
      let patterns = patterns(in: isDark, width: width, height: height, shouldStop)
    else { return nil }
    for pattern in patterns.sorted(by: { $1.length < $0.length }) {
      let alike = patterns.filter { abs($0.length - pattern.length) < pattern.length / 3 }
      guard alike.count >= 3 else { continue }
      if shouldStop() { return nil }
      return alike.count <= crowd
        ? [square(around: alike, length: pattern.length)]
        : smallestSquares(among: alike, length: pattern.length)
    }
    return []
  }

  /// Returns the patterns that at least two rows show.
  private static func patterns(
    in isDark: [UInt8], width: Int, height: Int, _ shouldStop: () -> Bool
  ) -> [Pattern]? {
    var patterns: [Pattern] = []
    var rows = LineRuns(longest: max(width, height))
    var lines = LineRuns(longest: max(width, height))
    for y in 0..<height {
      if shouldStop() { return nil }
      for run in rows.patterns(in: isDark, from: y * width, step: 1, count: width) {
        let (center, length) = (run.center, run.length)
        let x = Int(center)
        // A column through the center must have the same pattern, and so must both diagonals: slanted stripes have none along one of them.
        let column = lines.pattern(
          in: isDark, from: x, step: width, count: height, around: y, reach: length * reach
        ) {
          abs($0.center - Float(y)) < length / 4 && columnLengths.contains($0.length / length)
        }
        guard let middle = column?.center else { continue }
        let down = Int(middle)
        let isOnDiagonals = [(1, x, width - 1 - x), (-1, width - 1 - x, x)].allSatisfy {
          step, before, after in
          let start = min(before, down)
          return lines.pattern(
            in: isDark, from: (down - start) * width + x - step * start, step: width + step,
            count: start + min(after, height - 1 - down) + 1, around: start, reach: length * reach
          ) {
            abs($0.center - Float(start)) < $0.length / 4 && $0.length < longestDiagonal * length
          } != nil
        }
        if isOnDiagonals { add(SIMD2(center, middle), length, to: &patterns) }
      }
    }
    return patterns.filter { $0.count >= 2 }
  }

  private static func add(_ place: SIMD2<Float>, _ length: Float, to patterns: inout [Pattern]) {
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
    } else if patterns.count < patternLimit {
      patterns.append(Pattern(center: place, length: length))
    }
  }

  /// Returns the square of which the two patterns that are farthest apart are opposite corners.
  private static func square(around patterns: [Pattern], length: Float) -> FinderSquare {
    // Of the three corner patterns, the two that are farthest apart lie at opposite corners.
    var farthest = (square: Float(0), diagonal: SIMD2<Float>(), center: SIMD2<Float>())
    for (index, one) in patterns.enumerated() {
      for other in patterns[..<index] {
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
    let module = length / 7 * max(abs(direction.x), abs(direction.y))
    let side = (farthest.square / 2).squareRoot() + 2 * margin * module
    return FinderSquare(
      box: TextBox(
        center: farthest.center, direction: direction, size: SIMD2(repeating: side)),
      module: module, patternCount: patterns.count)
  }

  /// Returns the smallest squares of three patterns, each with another corner.
  private static func smallestSquares(among patterns: [Pattern], length: Float) -> [FinderSquare] {
    var found: [(side: Float, corner: Int, one: Int, other: Int)] = []
    for corner in patterns.indices {
      var smallest: (side: Float, corner: Int, one: Int, other: Int)?
      for one in patterns.indices where one != corner {
        let first = patterns[one].center - patterns[corner].center
        let side = (first * first).sum().squareRoot()
        guard side >= leastSide * length, side < smallest?.side ?? .infinity else { continue }
        for other in patterns.indices where other != corner && other != one {
          let second = patterns[other].center - patterns[corner].center
          let ratio = (second * second).sum().squareRoot() / side
          guard abs(ratio - 1) < squareness,
            abs((first * second).sum()) < squareness * side * side * ratio
          else { continue }
          smallest = (side, corner, one, other)
          break
        }
      }
      if let smallest { found.append(smallest) }
    }
    return found.sorted { ($0.side, $0.corner) < ($1.side, $1.corner) }.prefix(squareLimit).map {
      square(around: [$0.corner, $0.one, $0.other].map { patterns[$0] }, length: length)
    }
  }

  /// Returns for each pixel 1 if it is darker than the mean of the blocks around it, otherwise 0; `nil` if it was told to stop.
  private static func dark(
    _ gray: [UInt8], width: Int, height: Int, _ shouldStop: () -> Bool
  ) -> [UInt8]? {
    let (columns, rows) = (width / block, height / block)
    var sums = [Int](repeating: 0, count: columns * rows)
    let pixels = gray.span
    for y in stride(from: 0, to: rows * block, by: 2) {
      if shouldStop() { return nil }
      for x in stride(from: 0, to: columns * block, by: 2) {
        sums[y / block * columns + x / block] &+= Int(pixels[y &* width &+ x])
      }
    }
    var isDark = [UInt8](repeating: 0, count: width * height)
    for row in 0..<rows {
      if shouldStop() { return nil }
      let means = (0..<columns).map { mean(sums, around: $0, row, columns, rows) }
      for y in row * block..<(row == rows - 1 ? height : (row + 1) * block) {
        let line = y * width
        for column in 0..<columns {
          let end = column == columns - 1 ? width : (column + 1) * block
          CodeLoops.dark(
            gray, line + column * block..<line + end, than: means[column], into: &isDark)
        }
      }
    }
    return isDark
  }

  /// Returns the mean of the 5 × 5 blocks around one.
  private static func mean(
    _ sums: [Int], around column: Int, _ row: Int, _ columns: Int, _ rows: Int
  ) -> Int {
    var (sum, count) = (0, 0)
    for y in max(0, row - 2)...min(rows - 1, row + 2) {
      for x in max(0, column - 2)...min(columns - 1, column + 2) {
        sum += sums[y * columns + x]
        count += block * block / 4
      }
    }
    return sum / count
  }
}

/// The places of a line of pixels that have the ratios of a finder pattern; its memory serves for one line after another.
private struct LineRuns {
  /// A place with the pattern: its center on the line, and the length of its five parts.
  typealias Run = (center: Float, length: Float)

  private var found: [cr_finder_run]

  /// - Parameter longest: The length of the longest line.
  init(longest: Int) {
    found = [cr_finder_run](repeating: cr_finder_run(), count: longest / 2 + 1)
  }

  /// Returns the places along a line of `count` pixels, `step` apart.
  mutating func patterns(in isDark: [UInt8], from start: Int, step: Int, count: Int) -> [Run] {
    let number = CodeLoops.finderRuns(
      in: isDark, from: start, step: step, count: count, into: &found)
    return found[..<number].map { ($0.center, $0.length) }
  }

  /// Returns the first place near a pixel of a line that is accepted.
  ///
  /// - Parameters:
  ///   - place: The index of the pixel on the line.
  ///   - reach: The number of pixels on each side of it that are looked at.
  mutating func pattern(
    in isDark: [UInt8], from start: Int, step: Int, count: Int, around place: Int, reach: Float,
    where isAccepted: (Run) -> Bool
  ) -> Run? {
    let first = max(0, place - Int(reach) - 2)
    let end = min(count, place + Int(reach) + 3)
    let number = CodeLoops.finderRuns(
      in: isDark, from: start + step * first, step: step, count: end - first, into: &found)
    for run in found[..<number] {
      let moved = (center: run.center + Float(first), length: run.length)
      if isAccepted(moved) { return moved }
    }
    return nil
  }
}
