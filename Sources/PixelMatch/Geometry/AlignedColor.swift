#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Compares the colors of a query image and another image at the positions that a transform aligns,
/// so that a red shirt ranks above a blue one in the same pose.
///
/// Only the thing is compared, not its background: if the background is plain, cells of its color are left out. If the
/// query shows the thing before another background, so are the cells at its edge, which have some of both, and what a
/// plain patch in front of the thing hides (`PlainPatches`). If both backgrounds are plain, the query is also compared with the
/// other's in place of its own (`PlainGround`). A query without color is compared only by lightness.
package struct AlignedColor: Sendable {
  /// The smallest number of cells within the query image that is significant.
  static let leastCells = 16
  /// The smallest number of cells of the background, and of the thing within its edge, that tell whether the
  /// background is another one and allow for it.
  static let leastPart = 4
  /// The difference of the colors of two backgrounds above which they are different ones.
  private static let otherGround = 0.1
  /// The number of samples along each side of a cell.
  private static let samples = 3

  /// The differences at which a transform is moved to where the colors agree better: a smaller difference is not
  /// another color, and a larger one is another color wherever the transform is moved to.
  private static let movable = 0.01...0.12

  /// The colors of the query's cells, row-major.
  private var colors: [SIMD3<Float>]
  private let patches: PlainPatches
  /// The plain background, or `nil` if there is none.
  private let ground: PlainGround?
  let size: SIMD2<Double>
  let isColorless: Bool

  /// Prepares the comparison of a query.
  package init(_ query: QuerySignature) {
    colors = query.colors.cells
    patches = PlainPatches(colors)
    ground = PlainGround(colors)
    size = SIMD2(Double(query.size.x), Double(query.size.y))
    isColorless = query.colorfulness < 0.5
  }

  /// Compares the cells of a layout with the colors of the query at the aligned positions, or at those a little beside
  /// them if they agree better: few keypoints place an image only roughly.
  ///
  /// - Parameters:
  ///   - layout: The colors of the other image.
  ///   - size: The other working image's width and height in pixels.
  ///   - transform: From the query's working image to the other's.
  ///   - covered: Boxes of the query in which other things lie in front, in shares of its sides.
  ///   - isCopy: True if the query is nearly the same image. If it has no color, its lightness is then compared as it
  ///     is: another light would make the gray of one tint that of another.
  /// - Returns: The root of the mean squared Oklab distance in the light that explains most of it, that is,
  ///   the difference that no change of white balance, brightness, contrast or saturation and no lamp at one side
  ///   explains; `nil` if too little of the other image lies within the query.
  /// - Complexity: O(cells).
  package func residual(
    of layout: ColorLayout, size: (width: Int, height: Int), under transform: PlaneTransform,
    outside covered: [ImageBox] = [], isCopy: Bool = false
  ) -> Double? {
    guard let back = transform.inverse else { return nil }
    let other = other(layout, size: size, hasSameLight: isColorless && isCopy)
    guard let difference = bestResidual(of: other, transform, back, covered) else { return nil }
    // In a gray copy, a darker background means that the whole image is darker, so the
    // background is not replaced.
    guard !other.hasSameLight, let ground, let otherGround = layout.ground,
      let colors = ground.replaced(by: otherGround, in: colors, from: Self.otherGround)
    else { return difference }
    // Compares again with the background replaced, because the thing may have been cut out and
    // put before another one.
    var query = self
    query.colors = colors
    return query.bestResidual(of: other, transform, back, covered).map { min($0, difference) }
      ?? difference
  }

  /// Returns the difference of the colors under a transform, or under one that is moved a little.
  private func bestResidual(
    of other: Other, _ transform: PlaneTransform, _ back: PlaneTransform, _ covered: [ImageBox]
  ) -> Double? {
    let difference = residual(of: other, transform, back, covered)
    guard let difference, Self.movable.contains(difference),
      let movedBack = registered(back, other, covered), let moved = movedBack.inverse,
      let movedDifference = residual(of: other, moved, movedBack, covered)
    else { return difference }
    return min(difference, movedDifference)
  }

  /// An image that the query is compared with.
  struct Other {
    let layout: ColorLayout
    /// The content of its cells.
    let parts: [ColorLayout.Part]
    /// The roots of the cone responses that its cells would have in an image like the query.
    let colors: [SIMD3<Float>]
    /// The working image's width and height in pixels.
    let size: (width: Int, height: Int)
    /// True if only the lightness of the query is compared, and as it is.
    let hasSameLight: Bool
  }

  /// Prepares an image that the query is compared with.
  func other(
    _ layout: ColorLayout, size: (width: Int, height: Int), hasSameLight: Bool
  ) -> Other {
    let side = ColorLayout.side
    return Other(
      layout: layout, parts: layout.parts,
      colors: (0..<side * side).map { kept(layout.color($0 / side, $0 % side)) }, size: size,
      hasSameLight: hasSameLight)
  }

  /// Returns the difference of the colors under a transform whose inverse is known.
  private func residual(
    of other: Other, _ transform: PlaneTransform, _ inverse: PlaneTransform, _ covered: [ImageBox]
  ) -> Double? {
    let (layout, size) = (other.layout, other.size)
    let back = inverse.entries
    func cells(_ hidden: [Bool]?) -> [Cell] { self.cells(of: other, back, covered, hidden) }
    let all = cells(nil)
    guard all.count >= Self.leastCells else { return nil }
    let whole = residual(all, hasSameLight: other.hasSameLight)
    guard let hidden = hidden(layout, size, transform) else { return whole }
    let visible = cells(hidden)
    let isThing = { (cell: Cell) in cell.part != .ground }
    guard visible.count >= Self.leastCells,
      2 * visible.count(where: isThing) >= all.count(where: isThing)
    else { return whole }
    return min(whole, residual(visible, hasSameLight: other.hasSameLight))
  }

  /// Returns the cells of an image that lie within the query, row by row.
  func cells(
    of other: Other, _ back: PlaneTransform.Entries, _ covered: [ImageBox], _ hidden: [Bool]?
  ) -> [Cell] {
    var cells: [Cell] = []
    cells.reserveCapacity(ColorLayout.side * ColorLayout.side)
    for row in 0..<ColorLayout.side {
      for column in 0..<ColorLayout.side {
        let index = row * ColorLayout.side + column
        guard let seen = mean(index, other.size, back, covered, hidden) else { continue }
        let place = SIMD2(Float(column), Float(row)) + 0.5
        cells.append(
          Cell(
            index: index, seen: Self.cones(seen), kept: other.colors[index],
            part: other.parts[index],
            place: place / Float(ColorLayout.side) - 0.5))
      }
    }
    return cells
  }

  /// Returns which cells of the query show a plain patch in front of the other image.
  func hidden(
    _ layout: ColorLayout, _ size: (width: Int, height: Int), _ transform: PlaneTransform
  ) -> [Bool]? {
    let forth = transform.entries
    let cell = self.size / Double(QueryColors.side)
    let other = SIMD2(Double(size.width), Double(size.height)) / Double(ColorLayout.side)
    return patches.covering { row, column in
      let place = forth((Double(column) + 0.5) * cell.x, (Double(row) + 0.5) * cell.y) / other
      let limit = Double(ColorLayout.side)
      guard place.x >= 0, place.y >= 0, place.x < limit, place.y < limit else { return nil }
      return layout.color(Int(place.y), Int(place.x))
    }
  }

  /// Returns the difference of the thing's cells in the light that explains most of it.
  private func residual(_ cells: [Cell], hasSameLight: Bool) -> Double {
    let ground = cells.filter { $0.part == .ground }
    let interior = cells.filter { $0.part == .interior }
    let things = cells.filter { $0.part != .ground }
    let thing = things.count >= Self.leastCells / 2 ? things : cells
    if hasSameLight { return Self.lightnessDifference(thing) }
    let lights = Self.lights(Self.ratios(cells))
    guard ground.count >= Self.leastPart, interior.count >= Self.leastPart else {
      return Self.residual(thing, in: lights)
    }
    // Rejects a light that explains the color of the thing but not that of the ground around
    // it, which would have the same light.
    func isSameGround(_ light: SIMD3<Double>) -> Bool {
      Self.distances(ground, Self.factors(light)).same <= Self.otherGround
    }
    let interiorLights = Self.lights(Self.ratios(interior)).filter(isSameGround)
    if interiorLights.isEmpty {
      // No light explains both the thing and its ground. Any single color can be turned into
      // any other by some light, so only changes of white light are allowed here.
      return Self.residual(interior, in: Self.whiteLights(Self.ratios(interior)))
    }
    let wholeLights = lights.filter(isSameGround)
    return Self.residual(thing, in: wholeLights.isEmpty ? interiorLights : wholeLights)
  }

  /// The mean color of one cell in both images, as roots of the cone responses.
  struct Cell {
    /// Its index in the other image's layout.
    let index: Int
    let seen: SIMD3<Float>
    let kept: SIMD3<Float>
    /// The content of the cell in the other image.
    let part: ColorLayout.Part
    /// The middle of the cell in shares of the other image's sides, from its middle.
    let place: SIMD2<Float>
  }

  /// Returns the cone responses that a color would have in an image like the query.
  private func kept(_ color: SIMD3<Float>) -> SIMD3<Float> {
    isColorless ? SIMD3(repeating: Self.grayLightness(of: color)) : Self.cones(color)
  }

  /// Returns the mean color of the query at a cell, or `nil` if half of the cell or more lies outside the query.
  ///
  /// - Parameter shift: How far beside the cell it is taken, in shares of the query's sides.
  func mean(
    _ index: Int, _ size: (width: Int, height: Int), _ back: PlaneTransform.Entries,
    _ covered: [ImageBox], _ hidden: [Bool]?, shift: SIMD2<Double> = .zero
  ) -> SIMD3<Float>? {
    let (row, column) = (index / ColorLayout.side, index % ColorLayout.side)
    var sum = SIMD3<Float>.zero
    var inside: Float = 0
    // Samples beyond the border of the query repeat its edge. Leaving them out would compare
    // the mean of a part with the mean of the whole cell.
    var beyond: (sum: SIMD3<Float>, count: Float) = (.zero, 0)
    let steps = ColorLayout.side * Self.samples
    for i in 0..<Self.samples {
      for j in 0..<Self.samples {
        let down = (Double(row * Self.samples + i) + 0.5) / Double(steps) * Double(size.height)
        let across = (Double(column * Self.samples + j) + 0.5) / Double(steps) * Double(size.width)
        let place = back(across, down) / self.size + shift
        guard place.x >= 0, place.y >= 0, place.x < 1, place.y < 1 else {
          beyond.sum += color(x: place.x, y: place.y)
          beyond.count += 1
          continue
        }
        if covered.contains(where: { $0.contains(x: place.x, y: place.y) }) { continue }
        if let hidden, hidden[Self.cell(x: place.x, y: place.y)] { continue }
        sum += color(x: place.x, y: place.y)
        inside += 1
      }
    }
    guard inside > Float(Self.samples * Self.samples) / 2 else { return nil }
    return (sum + beyond.sum) / (inside + beyond.count)
  }

  /// Returns the color of the query at a position, `0..<1` across and down, between those of the four nearest
  /// cells: a cell of the other image has parts of the cells at its border.
  func color(x: Double, y: Double) -> SIMD3<Float> {
    let side = QueryColors.side
    let last = Float(side - 1)
    let across = max(0, min(last, Float(x) * Float(side) - 0.5))
    let down = max(0, min(last, Float(y) * Float(side) - 0.5))
    let (column, row) = (min(Int(across), side - 2), min(Int(down), side - 2))
    let (right, below) = (across - Float(column), down - Float(row))
    let place = row * side + column
    let upper = colors[place] + right * (colors[place + 1] - colors[place])
    let lower = colors[place + side] + right * (colors[place + side + 1] - colors[place + side])
    return upper + below * (lower - upper)
  }

  /// Returns the index of the query's cell at a position, `0..<1` across and down.
  private static func cell(x: Double, y: Double) -> Int {
    let side = QueryColors.side
    // A position just below 1 times the side may round up to the side, which is why the result
    // is limited below.
    let (column, row) = (Int(x * Double(side)), Int(y * Double(side)))
    return min(row, side - 1) * side + min(column, side - 1)
  }

  // MARK: Light

  /// Returns the logarithm of the factor that maps each cone's response in the query to that in the
  /// other image (von Kries adaptation). It is the median over the cells, so that a minority of
  /// another color does not shift it.
  static func ratios(_ cells: [Cell]) -> SIMD3<Double> {
    var medians = SIMD3<Double>.zero
    for cone in 0..<3 {
      let ratios = cells.map {
        Double(log(max(0.05, $0.kept[cone]) / max(0.05, $0.seen[cone])))
      }.sorted()
      medians[cone] = ratios[ratios.count / 2]
    }
    return medians
  }

  /// Returns the changes of light that an image may have undergone: none, since its ground may have been
  /// replaced; one of each cone; and a larger one of brightness with a smaller one of color.
  static func lights(_ ratios: SIMD3<Double>) -> [SIMD3<Double>] {
    func clamped(_ ratios: SIMD3<Double>, _ limit: Double) -> SIMD3<Double> {
      ratios.clamped(lowerBound: SIMD3(repeating: -limit), upperBound: SIMD3(repeating: limit))
    }
    let brightness = SIMD3(repeating: ratios.sum() / 3)
    return [
      .zero, clamped(ratios, doubledLight),
      clamped(brightness, 2 * doubledLight) + clamped(ratios - brightness, largestCast),
    ]
  }

  /// Returns no change of light, and one of brightness.
  private static func whiteLights(_ ratios: SIMD3<Double>) -> [SIMD3<Double>] {
    let brightness = max(-2 * doubledLight, min(2 * doubledLight, ratios.sum() / 3))
    return [.zero, SIMD3(repeating: brightness)]
  }

  /// The logarithm of a doubling of the light. Cone responses are stored as cube roots.
  private static let doubledLight = 0.23
  /// The largest difference of a cone's ratio from the mean of all.
  private static let largestCast = 0.15

  static func factors(_ light: SIMD3<Double>) -> SIMD3<Float> {
    SIMD3(Float(exp(light[0])), Float(exp(light[1])), Float(exp(light[2])))
  }

  /// Returns the difference of cells in the light that explains most of it.
  private static func residual(_ cells: [Cell], in lights: [SIMD3<Double>]) -> Double {
    lights.reduce(.infinity) {
      let (same, vivid) = distances(cells, factors($1))
      return min($0, same, vivid)
    }
  }

  /// Returns the differences of cells in a light: with the chroma as it is, and with that of the query changed
  /// throughout, since cameras and filters make images paler or more vivid.
  ///
  /// Contrast and shadows change lightness more than chroma, so that it counts half. With the chroma as it is, the
  /// lightness may also rise towards one side. With both, an orange thing would be a brown one.
  private static func distances(
    _ cells: [Cell], _ factors: SIMD3<Float>
  ) -> (same: Double, vivid: Double) {
    // `rises` is how much lighter each cell of the other image is; `lightness` is the sum of
    // the squares of half of it.
    var rises: [Float] = []
    rises.reserveCapacity(cells.count)
    var lightness: Float = 0
    // The sums over all cells of the query's squared chroma, of the other image's squared chroma,
    // and of their products.
    var (seenChroma, keptChroma, product): (Float, Float, Float) = (0, 0, 0)
    for cell in cells {
      var seen = Kernels.oklab(ofCones: cell.seen * factors)
      var kept = Kernels.oklab(ofCones: cell.kept)
      rises.append(kept[0] - seen[0])
      let half = 0.5 * (kept[0] - seen[0])
      lightness += half * half
      (seen[0], kept[0]) = (0, 0)
      seenChroma += (seen * seen).sum()
      keptChroma += (kept * kept).sum()
      product += (seen * kept).sum()
    }
    let slope = slope(of: rises, cells)
    var sloped: Float = 0
    for (cell, rise) in zip(cells, rises) {
      let half = 0.5 * (rise - (slope * cell.place).sum())
      sloped += half * half
    }
    func distance(_ lightness: Float, chromaTimes factor: Float) -> Double {
      let chroma = keptChroma - factor * (2 * product - factor * seenChroma)
      return Double(((lightness + max(0, chroma)) / Float(cells.count)).squareRoot())
    }
    // `best` is the factor of the chroma with the smallest squared difference. Limiting it,
    // instead of rejecting a larger one, avoids a jump of the distance at the limit.
    let best = seenChroma > 0 ? product / seenChroma : 1
    let factor = max(1 / largestVividness, min(largestVividness, best))
    return (
      distance(min(lightness, sloped), chromaTimes: 1),
      distance(lightness, chromaTimes: factor) * (1 + vividnessDoubt * abs(log(Double(factor))))
    )
  }

  /// Returns how far the lightness of the other image rises from its one side to the other, across and down, compared
  /// with the query's: the plane of least squares.
  private static func slope(of rises: [Float], _ cells: [Cell]) -> SIMD2<Float> {
    let count = Float(cells.count)
    let middle = cells.reduce(SIMD2.zero) { $0 + $1.place } / count
    let mean = rises.reduce(0, +) / count
    var (squares, products, mixed): (SIMD2<Float>, SIMD2<Float>, Float) = (.zero, .zero, 0)
    for (cell, rise) in zip(cells, rises) {
      let place = cell.place - middle
      squares += place * place
      mixed += place.x * place.y
      products += place * max(-largestStep, min(largestStep, rise - mean))
    }
    // Adds a quarter of the spread that a whole image has. This damps the slope of a narrow
    // part, which is uncertain.
    squares += count / 50
    let determinant = squares.x * squares.y - mixed * mixed
    let slope =
      SIMD2(
        products.x * squares.y - products.y * mixed, products.y * squares.x - products.x * mixed)
      / determinant
    return slope.clamped(
      lowerBound: SIMD2(repeating: -largestSlope), upperBound: SIMD2(repeating: largestSlope))
  }

  /// The most by which a lamp makes one side of an image lighter than the other, in Oklab.
  private static let largestSlope: Float = 0.2
  /// The most that a cell says of the slope: shadows and reflections are not a slope.
  private static let largestStep: Float = 0.15
  /// The largest factor by which the chroma of an image may have changed.
  private static let largestVividness: Float = 2.2
  /// The extra weight of a difference if the chroma has changed: it is multiplied by one plus this times the logarithm of
  /// the factor.
  static let vividnessDoubt = 0.6

  /// Returns the inverse of ``Kernels/oklab(ofCones:)``.
  static func cones(_ lab: SIMD3<Float>) -> SIMD3<Float> {
    SIMD3(
      lab[0] + 0.396_337_78 * lab[1] + 0.215_803_76 * lab[2],
      lab[0] - 0.105_561_346 * lab[1] - 0.063_854_17 * lab[2],
      lab[0] - 0.089_484_18 * lab[1] - 1.291_485_5 * lab[2])
  }
}
