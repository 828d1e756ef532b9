/// The plain background of a query image, and the share of each cell of ``QueryColors`` that the thing in front covers.
///
/// With both, the thing can be shown in front of another background: a cell holds the mean of the Oklab colors of its pixels, so
/// that at the edge of the thing it is a mixture of the thing's color and the background's.
struct PlainGround: Sendable {
  private let color: SIMD3<Float>
  /// The share of each cell that shows the background, `0...1`, row-major.
  private let shares: [Float]

  /// Finds the background of an image.
  ///
  /// - Parameter colors: The colors of the cells of ``QueryColors``.
  /// - Returns: `nil` if the border has no single color, or nothing is in front.
  init?(_ colors: [SIMD3<Float>]) {
    let side = QueryColors.side
    let border = colors.indices.filter {
      [0, side - 1].contains($0 / side) || [0, side - 1].contains($0 % side)
    }
    var ground = SIMD3<Float>.zero
    for lane in ground.indices {
      ground[lane] = border.map { colors[$0][lane] }.sorted()[border.count / 2]
    }
    let isNear = colors.map {
      ColorLayout.length($0 - ground) < Float(ColorLayout.groundDistance)
    }
    guard
      Double(border.count { isNear[$0] }) >= ColorLayout.groundShare * Double(border.count)
    else { return nil }
    let isGround = Self.connected(isNear, from: border)
    guard isGround.contains(false) else { return nil }
    color = ground
    shares = Self.shares(of: isGround, colors, ground)
  }

  /// Returns the colors of the cells with another color in place of the background's, or `nil` if it is the same but for
  /// shades.
  ///
  /// - Parameter least: The distance in Oklab from which on it is another color.
  func replaced(
    by other: SIMD3<Float>, in colors: [SIMD3<Float>], from least: Double
  ) -> [SIMD3<Float>]? {
    let change = other - color
    guard Double(ColorLayout.length(change)) > least else { return nil }
    return zip(colors, shares).map { $0 + $1 * change }
  }

  /// Returns which cells are connected with one of the border: what is of the background's color within the thing is part of it.
  private static func connected(_ isNear: [Bool], from border: [Int]) -> [Bool] {
    let side = QueryColors.side
    var isConnected = [Bool](repeating: false, count: isNear.count)
    var open = border.filter { isNear[$0] }
    for cell in open { isConnected[cell] = true }
    while let cell = open.popLast() {
      for next in neighbors[cell] where isNear[next] && !isConnected[next] {
        guard next / side == cell / side || next % side == cell % side else { continue }
        isConnected[next] = true
        open.append(next)
      }
    }
    return isConnected
  }

  /// Returns the share of each cell that shows the background: all of its own cells, and next to them as much as the colors
  /// behind the edge tell.
  private static func shares(
    of isGround: [Bool], _ colors: [SIMD3<Float>], _ ground: SIMD3<Float>
  ) -> [Float] {
    let isEdge = isGround.indices.map { cell in
      !isGround[cell] && neighbors[cell].contains { isGround[$0] }
    }
    return isGround.indices.map { cell in
      if isGround[cell] { return 1 }
      if !isEdge[cell] { return 0 }
      let contrast = colors[cell] - ground
      let things = neighbors[cell].filter { !isGround[$0] }
      let inner = things.filter { !isEdge[$0] }
      // Where the thing is so narrow that all its cells are at its edge, the cell with the
      // highest contrast is taken as its pure color.
      var thing = contrast
      if inner.isEmpty {
        for neighbor in things.map({ colors[$0] - ground })
        where ColorLayout.length(neighbor) > ColorLayout.length(thing) { thing = neighbor }
      } else {
        thing = inner.reduce(.zero) { $0 + (colors[$1] - ground) } / Float(inner.count)
      }
      let covered = (contrast * thing).sum() / max(1e-6, (thing * thing).sum())
      return max(0, min(1, 1 - covered))
    }
  }

  /// The up to eight cells around each cell.
  private static let neighbors: [[Int]] = {
    let side = QueryColors.side
    return (0..<side * side).map { cell in
      let (row, column) = (cell / side, cell % side)
      return (max(0, row - 1)...min(side - 1, row + 1)).flatMap { i in
        (max(0, column - 1)...min(side - 1, column + 1)).map { i * side + $0 }
      }.filter { $0 != cell }
    }
  }()
}
