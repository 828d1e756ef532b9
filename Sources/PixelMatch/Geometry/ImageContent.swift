/// The part of an image that its thing takes up, without a plain background around it.
///
/// The background of a studio image is darker toward the floor and the corners. It is a surface of second
/// degree through the colors of the border, without those that the thing covers.
package struct ImageContent {
  /// The distance in Oklab within which a cell of the border supports the surface.
  private static let supportDistance = 0.03
  /// The difference in lightness that a shadow on the background makes at most.
  private static let shadow = 0.12
  /// The share of the border, its cells nearest to the median color, through which the first surface is fitted.
  private static let firstShare = 0.7
  /// The most repetitions of the fit with the cells near the surface.
  private static let repetitions = 6

  private static let side = ColorLayout.side
  private static let border = (0..<side * side).filter {
    [0, side - 1].contains($0 / side) || [0, side - 1].contains($0 % side)
  }

  /// The corners of the parts of cells that the thing covers, in shares of the image's sides; the corners of the
  /// image if it has no plain background, or nothing in front of it.
  package let corners: [SIMD2<Double>]

  /// Finds the content of an image by its color layout.
  package init(_ layout: ColorLayout) {
    let whole: [SIMD2<Double>] = [SIMD2(0, 0), SIMD2(1, 0), SIMD2(1, 1), SIMD2(0, 1)]
    let parts = Self.cells(of: layout).map(Self.parts) ?? []
    corners = parts.isEmpty ? whole : parts
  }

  // MARK: The background

  /// A cell in front of a plain background.
  private struct Cell {
    /// The distance in Oklab between its color and that of the background.
    let contrast: Double
    /// True if it stands out from the background and its shadows.
    let isThing: Bool
  }

  /// Returns the cells of an image, or `nil` if there is no plain background.
  private static func cells(of layout: ColorLayout) -> [Cell]? {
    let colors = (0..<side * side).map { cell in
      let color = layout.color(cell / side, cell % side)
      return SIMD3(Double(color.x), Double(color.y), Double(color.z))
    }
    var median = SIMD3<Double>.zero
    for lane in median.indices {
      median[lane] = border.map { colors[$0][lane] }.sorted()[border.count / 2]
    }
    var support = Array(
      border.sorted { (length(colors[$0] - median), $0) < (length(colors[$1] - median), $1) }
        .prefix(Int(Double(border.count) * firstShare)))
    var (contrast, shadowless): ([Double], [Double]) = ([], [])
    for _ in 0..<repetitions {
      guard let ground = surface(through: support, colors) else { return nil }
      contrast = colors.indices.map { length(colors[$0] - ground[$0]) }
      shadowless = colors.indices.map { distance(of: colors[$0], from: ground[$0]) }
      let near = border.filter { contrast[$0] < supportDistance }
      if near == support || near.count < border.count / 2 { break }
      support = near
    }
    let plain = border.count { contrast[$0] < ColorLayout.groundDistance }
    guard Double(plain) >= ColorLayout.groundShare * Double(border.count) else { return nil }
    return zip(contrast, shadowless).map {
      Cell(contrast: $0, isThing: $1 > ColorLayout.groundDistance)
    }
  }

  /// Returns the colors of all cells on the surface of second degree through some of them.
  private static func surface(
    through cells: [Int], _ colors: [SIMD3<Double>]
  ) -> [SIMD3<Double>]? {
    var normal = [[Double]](repeating: [Double](repeating: 0, count: 9), count: 6)
    for cell in cells {
      let terms = terms(cell)
      for i in 0..<6 {
        for j in 0..<6 { normal[i][j] += terms[i] * terms[j] }
        for lane in 0..<3 { normal[i][6 + lane] += terms[i] * colors[cell][lane] }
      }
    }
    guard let solution = LeastSquares.solve(normal) else { return nil }
    return colors.indices.map { cell in
      let terms = terms(cell)
      var color = SIMD3<Double>.zero
      for i in 0..<6 {
        color += terms[i] * SIMD3(solution[i][0], solution[i][1], solution[i][2])
      }
      return color
    }
  }

  private static func terms(_ cell: Int) -> [Double] {
    let x = (Double(cell % side) + 0.5) / Double(side) - 0.5
    let y = (Double(cell / side) + 0.5) / Double(side) - 0.5
    return [1, x, y, x * x, x * y, y * y]
  }

  /// The distance of a color from the background's, beyond what a shadow darkens.
  private static func distance(of color: SIMD3<Double>, from ground: SIMD3<Double>) -> Double {
    var difference = color - ground
    if difference[0] < 0 { difference[0] = min(0, difference[0] + shadow) }
    return length(difference)
  }

  private static func length(_ color: SIMD3<Double>) -> Double {
    (color * color).sum().squareRoot()
  }

  // MARK: The thing

  /// Returns the corners of the parts of cells that stand out.
  ///
  /// A cell at the edge of the thing has a mixture of its color and the background's, which tells how much of
  /// the cell the thing covers.
  private static func parts(_ cells: [Cell]) -> [SIMD2<Double>] {
    /// The beginning and the end of the thing along each row, or each column.
    func extents(_ cell: (_ line: Int, _ place: Int) -> Int) -> [(from: Double, to: Double)?] {
      /// The share of an outermost cell that the thing covers.
      func covered(_ line: Int, _ outer: Int, _ inner: Int) -> Double {
        guard (0..<side).contains(inner), cells[cell(line, inner)].isThing else { return 1 }
        return min(1, cells[cell(line, outer)].contrast / cells[cell(line, inner)].contrast)
      }
      return (0..<side).map { line in
        let things = (0..<side).filter { cells[cell(line, $0)].isThing }
        guard let first = things.first, let last = things.last else { return nil }
        return (
          Double(first + 1) - covered(line, first, first + 1),
          Double(last) + covered(line, last, last - 1)
        )
      }
    }
    let rows = extents { row, column in row * side + column }
    let columns = extents { column, row in row * side + column }
    var corners: [SIMD2<Double>] = []
    for cell in cells.indices where cells[cell].isThing {
      let (row, column) = (cell / side, cell % side)
      guard let across = rows[row], let down = columns[column] else { continue }
      for x in [max(across.from, Double(column)), min(across.to, Double(column + 1))] {
        for y in [max(down.from, Double(row)), min(down.to, Double(row + 1))] {
          corners.append(SIMD2(x, y) / Double(side))
        }
      }
    }
    return corners
  }
}
