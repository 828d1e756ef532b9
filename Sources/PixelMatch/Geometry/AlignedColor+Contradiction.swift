#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The part of a thing that is of another color.
///
/// A mean over cells does not tell another color from a rough alignment: of a person in another shirt, all cells but
/// those of the shirt agree. So the light is taken from most of the image, and what it leaves is looked for in one place.
extension AlignedColor {
  /// Returns the share of a thing, `0...1`, that its largest connected part of another color has.
  ///
  /// The query is compared in one light, the one in which most cells agree: a plausible one (`plausible(_:)`), so that
  /// no light makes a red thing blue. A part that looks alike nearby is of the same color, as is one that differs no more than
  /// the rest of the image.
  ///
  /// - Parameters:
  ///   - layout: The colors of the other image.
  ///   - size: The other working image's width and height in pixels.
  ///   - transform: From the query's working image to the other's.
  ///   - claim: The parts of the query in which keypoints agree, or `nil` if the whole images lie over each other. The thing is
  ///     looked for within their hull: beyond it, a photo shows what is around the thing.
  ///   - inliers: The keypoints that agree, or `nil` if the whole images lie over each other. A few place an image only roughly.
  ///   - covered: Boxes of the query in which other things lie in front, in shares of its sides.
  /// - Returns: Zero if too little of the other image lies within the query.
  /// - Complexity: O(cells).
  package func contradiction(
    of layout: ColorLayout, size: (width: Int, height: Int), under transform: PlaneTransform,
    within claim: ImageClaim? = nil, inliers: Int? = nil, outside covered: [ImageBox] = []
  ) -> Double {
    guard let inverse = transform.inverse else { return 0 }
    let other = other(layout, size: size, hasSameLight: false)
    let back = inverse.entries
    let hidden = hidden(layout, size, transform)
    var cells = cells(of: other, back, covered, hidden)
    if hidden != nil, cells.count < Self.leastCells {
      cells = self.cells(of: other, back, covered, nil)
    }
    guard cells.count >= Self.leastCells else { return 0 }
    var things = cells.filter { $0.part != .ground }
    if things.count < Self.leastCells / 2 { things = cells }
    if let hull = claim?.hull {
      let sides = SIMD2(Double(size.width), Double(size.height))
      things = things.filter { cell in
        let place = (SIMD2<Double>(cell.place) + 0.5) * sides
        return hull.contains(back(place.x, place.y) / self.size)
      }
      guard things.count >= Self.leastWithinHull else { return 0 }
    }
    func mean(_ cell: Cell, _ shift: SIMD2<Double>) -> SIMD3<Float>? {
      self.mean(cell.index, size, back, covered, hidden, shift: shift)
    }
    let view = view(of: cells, things)
    let share = largestPart(of: things, among: cells, in: view, inliers: inliers, mean: mean)
    guard share > Self.leastContradiction, inliers.map({ $0 >= Alignment.chanceInliers }) ?? true,
      let toned = toned(view, cells)
    else { return share }
    return min(
      share, largestPart(of: things, among: cells, in: toned, inliers: inliers, mean: mean))
  }

  /// Returns the largest connected part of a thing that is of another color in a view, as a share of the thing.
  ///
  /// - Parameter mean: Returns the color of the query at a cell, or beside it.
  private func largestPart(
    of things: [Cell], among cells: [Cell], in view: View, inliers: Int?,
    mean: (Cell, SIMD2<Double>) -> SIMD3<Float>?
  ) -> Double {
    let noise = min(Self.largestNoise, cells.map { view.difference($0) }.sorted()[cells.count / 2])
    let roughness = max(
      Self.share(of: Self.roughNoise, below: noise),
      inliers.map { 1 - Self.share(of: Self.exactInliers, below: Float($0)) } ?? 0)
    var excesses = [Float](repeating: 0, count: ColorLayout.side * ColorLayout.side)
    // The cells that differ wherever they are looked for.
    var core: Set<Int> = []
    var shifted = ShiftedDifferences(cells, roughness: roughness)
    for cell in things {
      let limit = Self.leastDifference + Self.noiseWeight * noise + view.tolerance(for: cell)
      func excess(_ difference: Float) -> Float {
        max(0, min(1, (difference - limit) / Self.clearDifference))
      }
      guard view.difference(cell) > limit else { continue }
      let found = shifted.differences(of: cell) { cell, shift in
        mean(cell, shift).map { view.difference(cell, seen: Self.cones($0)) }
          ?? view.difference(cell)
      }
      excesses[cell.index] = excess(found.agreed)
      if excess(found.least) > Self.leastExcess { core.insert(cell.index) }
    }
    let byIndex = Dictionary(uniqueKeysWithValues: things.map { ($0.index, $0) })
    let largest = Self.regions(of: excesses).map { region in
      (sum: region.reduce(0) { $0 + excesses[$1] }, cells: region.map { byIndex[$0]! })
    }.filter {
      // If keypoints agree, something in front can hide only a part of the thing. A region
      // larger than that is a contradiction even if its colors look foreign.
      let cells = $0.cells.filter { core.contains($0.index) }
      return Double(cells.count) > Self.largestHidden * Double(things.count)
        || !view.isForeign(cells)
    }.max { $0.sum < $1.sum }
    return largest.map { Double($0.sum) / Double(things.count) } ?? 0
  }

  /// A way to see the query: in a light, and paler or more vivid.
  private struct View {
    let light: SIMD3<Double>
    /// The factor of the cone responses.
    let factors: SIMD3<Float>
    /// The factor of the chroma.
    var vividness: Float
    /// The lightness that is added.
    var veil: Float = 0
    /// The factor of the lightness before that.
    var contrast: Float = 1

    /// The color of a cell of the query.
    func color(_ cones: SIMD3<Float>) -> SIMD3<Float> {
      var color = Kernels.oklab(ofCones: cones * factors)
      color[0] = veil + contrast * color[0]
      color[1] *= vividness
      color[2] *= vividness
      return color
    }

    func difference(_ cell: Cell) -> Float { difference(cell, seen: cell.seen) }

    func difference(_ cell: Cell, seen: SIMD3<Float>) -> Float {
      ColorLayout.length(
        SIMD3(AlignedColor.lightnessWeight, 1, 1)
          * (Kernels.oklab(ofCones: cell.kept) - color(seen)))
    }

    /// Returns the difference that an unusual light or vividness leaves in a vivid color: neither is the same for all colors. A
    /// colored light leaves some in every color, since what is white in it is often brighter than an image can tell.
    func tolerance(for cell: Cell) -> Float {
      func chroma(_ color: SIMD3<Float>) -> Float {
        (color[1] * color[1] + color[2] * color[2]).squareRoot()
      }
      let mean = light.sum() / 3
      let cast = max(light.max() - mean, mean - light.min())
      return AlignedColor.toleranceWeight
        * max(chroma(Kernels.oklab(ofCones: cell.kept)), chroma(color(cell.seen)))
        * (abs(log(vividness / contrast)) + 4 * Float(cast)) + AlignedColor.castTolerance
        * Float(cast)
    }

    /// Returns whether a part is something in front of the thing: much plainer than what it hides, and lighter or darker in
    /// other places. A thing of another color has the same shades.
    func isForeign(_ cells: [Cell]) -> Bool {
      guard cells.count >= 3 else { return false }
      let seen = cells.map { Kernels.oklab(ofCones: $0.seen * factors) }
      let kept = cells.map { Kernels.oklab(ofCones: $0.kept) }
      let variety = AlignedColor.variety(kept)
      return variety > AlignedColor.leastVariety
        && AlignedColor.variety(seen) < AlignedColor.plainShare * variety
        && !(AlignedColor.correlation(seen.map { $0[0] }, kept.map { $0[0] })
          > AlignedColor.sameShades)
    }
  }

  /// The differences of cells at places a little beside their own.
  private struct ShiftedDifferences {
    private static let side = ColorLayout.side
    private static let shifts = [.zero] + AlignedColor.shifts

    /// The cells by their indices.
    private let cells: [Cell?]
    /// The differences at the first shift, then those at the next; negative where they were not measured.
    private var known: [Float]
    /// The degree to which each cell has a shift of its own, `0...1`: 0 if the image aligns exactly, 1 if roughly.
    private let roughness: Float

    init(_ cells: [Cell], roughness: Float) {
      self.roughness = roughness
      var places = [Cell?](repeating: nil, count: Self.side * Self.side)
      for cell in cells { places[cell.index] = cell }
      self.cells = places
      known = [Float](repeating: -1, count: Self.shifts.count * places.count)
    }

    /// Returns the difference of a cell at the shift that agrees best, and the least at any shift. Alone, a cell with an edge
    /// finds any color between the two, so in an image that aligns exactly the cells around it must agree with its shift, too.
    ///
    /// - Parameter measure: Returns the difference of a cell at a shift.
    mutating func differences(
      of cell: Cell, measure: (Cell, SIMD2<Double>) -> Float
    ) -> (agreed: Float, least: Float) {
      let (row, column) = (cell.index / Self.side, cell.index % Self.side)
      let reach = roughness < 1 ? 1 : 0
      var least = Float.infinity
      var best = (cost: Float.infinity, difference: Float.infinity)
      for (number, shift) in Self.shifts.enumerated() {
        var cost: Float = 0
        for i in max(0, row - reach)...min(Self.side - 1, row + reach) {
          for j in max(0, column - reach)...min(Self.side - 1, column + reach) {
            guard let other = cells[i * Self.side + j] else { continue }
            let place = number * cells.count + other.index
            if known[place] < 0 { known[place] = measure(other, shift) }
            cost += min(AlignedColor.countedDifference, known[place])
          }
        }
        let own = known[number * cells.count + cell.index]
        least = min(least, own)
        if cost < best.cost { best = (cost, own) }
      }
      return (best.difference + roughness * (least - best.difference), least)
    }
  }

  /// Returns the share of a range that lies below a value, `0...1`.
  private static func share(of range: ClosedRange<Float>, below value: Float) -> Float {
    max(0, min(1, (value - range.lowerBound) / (range.upperBound - range.lowerBound)))
  }

  // MARK: Light

  /// Returns the view in which most cells agree. It is the one with the smallest sum of differences, each counted up to a
  /// limit, so that another color does not decide; a change of vividness has to be worth it.
  private func view(of cells: [Cell], _ things: [Cell]) -> View {
    let ground = cells.filter { $0.part == .ground }
    let whole = Self.plausible(Self.ratios(cells))
    var lights = [.zero, whole, Self.white(whole), Self.plausible(Self.ratios(things))]
    if ground.count >= Self.leastPart {
      let light = Self.plausible(Self.ratios(ground))
      lights += [light, Self.white(light)]
    }
    var best: (cost: Float, view: View)?
    for light in lights {
      for vividness in isColorless ? [1] : Self.vividnesses {
        let view = View(light: light, factors: Self.factors(light), vividness: vividness)
        let cost = Self.cost(of: view, over: cells)
        if best.map({ cost < $0.cost }) ?? true { best = (cost, view) }
      }
    }
    return best!.view
  }

  /// Returns the sum of the differences of cells, each counted up to a limit, and more the more unusual the vividness is.
  private static func cost(of view: View, over cells: [Cell]) -> Float {
    let sum = cells.reduce(Float.zero) { $0 + min(Self.countedDifference, view.difference($1)) }
    return sum * (1 + Float(vividnessDoubt) * abs(log(view.vividness / view.contrast)))
  }

  /// Returns a view without the veil and with the contrast of the other image, or `nil` if none is plausible, or few cells agree better.
  private func toned(_ view: View, _ cells: [Cell]) -> View? {
    let lights = view.light == .zero ? [.zero] : [view.light, .zero]
    let views = lights.compactMap { toned($0, cells) }.flatMap { toned in
      // A veil makes colors paler, so that they are more vivid without it.
      (isColorless ? [1] : Self.vividnesses.filter { $0 >= 1 }).map { vividness in
        var view = toned
        view.vividness *= vividness
        return (cost: Self.cost(of: view, over: cells), view: view)
      }
    }
    guard let best = views.min(by: { $0.cost < $1.cost }),
      best.cost < Self.worthToning * Self.cost(of: view, over: cells)
    else { return nil }
    return best.view
  }

  /// Returns the view in a light without the veil, or `nil` if none is plausible.
  ///
  /// The contrast is the median of the slopes of pairs of cells (Sen, "Estimates of the regression coefficient based on Kendall's tau", 1968), which
  /// a part of another color does not decide. It is one of the lightness: what has another hue keeps it.
  private func toned(_ light: SIMD3<Double>, _ cells: [Cell]) -> View? {
    let factors = Self.factors(light)
    let points = cells.map { cell in
      (
        seen: Kernels.oklab(ofCones: cell.seen * factors)[0],
        kept: Kernels.oklab(ofCones: cell.kept)[0]
      )
    }
    var slopes: [Float] = []
    for (index, point) in points.enumerated() {
      for other in points[..<index] where abs(point.seen - other.seen) > Self.leastStep {
        slopes.append((point.kept - other.kept) / (point.seen - other.seen))
      }
    }
    guard slopes.count >= cells.count else { return nil }
    slopes.sort()
    let contrast = slopes[slopes.count / 2]
    let veil = points.map { $0.kept - contrast * $0.seen }.sorted()[points.count / 2]
    guard Self.contrasts.contains(contrast), (-Self.largestVeil...0).contains(veil) else {
      return nil
    }
    return View(
      light: light, factors: factors, vividness: contrast, veil: veil, contrast: contrast)
  }

  /// Returns the nearest light that there is, for the logarithms of the factors of the cones: brighter or darker, and warmer
  /// or colder. Lamps and daylight differ in blue, and little between green and red.
  private static func plausible(_ ratios: SIMD3<Double>) -> SIMD3<Double> {
    func clamped(_ value: Double, _ limit: Double) -> Double { max(-limit, min(limit, value)) }
    let brightness = (ratios[0] + ratios[1]) / 2
    let light = clamped(brightness, largestBrightness)
    let redness = clamped(ratios[0] - ratios[1], largestRedness) / 2
    return SIMD3(
      light + redness, light - redness, light + clamped(ratios[2] - brightness, largestBlueness))
  }

  private static func white(_ light: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(repeating: light.sum() / 3)
  }

  // MARK: Parts

  /// Returns the connected parts of cells with an excess, as their indices.
  private static func regions(of excess: [Float]) -> [[Int]] {
    let side = ColorLayout.side
    var isTaken = excess.map { $0 <= leastExcess }
    var regions: [[Int]] = []
    for first in excess.indices where !isTaken[first] {
      isTaken[first] = true
      var region = [first]
      var next = 0
      while next < region.count {
        let (row, column) = (region[next] / side, region[next] % side)
        next += 1
        for i in max(0, row - 1)...min(side - 1, row + 1) {
          for j in max(0, column - 1)...min(side - 1, column + 1) where !isTaken[i * side + j] {
            isTaken[i * side + j] = true
            region.append(i * side + j)
          }
        }
      }
      regions.append(region)
    }
    return regions
  }

  /// Returns the median distance of colors from their median.
  private static func variety(_ colors: [SIMD3<Float>]) -> Float {
    let middle = ColorLayout.median(colors)
    return colors.map { ColorLayout.length($0 - middle) }.sorted()[colors.count / 2]
  }

  /// Returns the coefficient of correlation of two series, `-1...1`; not a number if one is constant.
  private static func correlation(_ a: [Float], _ b: [Float]) -> Float {
    let count = Float(a.count)
    let (meanA, meanB) = (a.reduce(0, +) / count, b.reduce(0, +) / count)
    var (product, squaresA, squaresB): (Float, Float, Float) = (0, 0, 0)
    for (a, b) in zip(a, b) {
      product += (a - meanA) * (b - meanB)
      squaresA += (a - meanA) * (a - meanA)
      squaresB += (b - meanB) * (b - meanB)
    }
    return product / (squaresA * squaresB).squareRoot()
  }

  // MARK: Constants, chosen on the data that docs/quality-trials.md names

  /// The difference in Oklab below which a cell counts as equal, the factor by which the differences of the rest of
  /// the image raise that bound, and the most by which they raise it. The median cell differs by 0.02 in photos, and
  /// by less than 0.01 in copies.
  private static let (leastDifference, noiseWeight, largestNoise): (Float, Float, Float) =
    (0.015, 2.5, 0.04)
  /// The number of cells within the hull of the keypoints at which a share of them is
  /// significant.
  private static let leastWithinHull = 6
  /// The largest share of a thing that something in front can hide.
  private static let largestHidden = 0.7
  /// The further difference at which a color is clearly another one.
  private static let clearDifference: Float = 0.03
  /// The excess up to which a cell is not part of a region.
  private static let leastExcess: Float = 0.1
  /// The weight of lightness: shades change it more than chroma.
  private static let lightnessWeight: Float = 0.6
  /// The weight of a difference where the rest of the image differs as well.
  private static let toleranceWeight: Float = 0.25
  /// The difference for each unit of the cast of a light.
  private static let castTolerance: Float = 0.12
  /// The difference of the median cell from which on an image aligns roughly, and at which each cell has its own shift.
  private static let roughNoise: ClosedRange<Float> = 0.005...0.0125
  /// The number of inliers up to which an image aligns roughly, and from which on it may align exactly.
  private static let exactInliers: ClosedRange<Float> = 24...48
  /// The largest difference that counts in the choice of a light, or of a shift.
  private static let countedDifference: Float = 0.06
  /// The share of a thing in another color below which it indicates nothing. Above it, a veil and another contrast may explain it if keypoints
  /// agree beyond chance.
  package static let leastContradiction = 0.08
  /// The difference of lightness of two cells that tells the contrast.
  private static let leastStep: Float = 0.1
  /// The factors by which the contrast of the query may be less than that of the other image, and the largest lightness of a veil. A query with more
  /// contrast than a shop's image is one of another color: white is taken for gray.
  private static let (contrasts, largestVeil): (ClosedRange<Float>, Float) = (1.05...2, 1)
  /// The share of the differences up to which a veil and another contrast are worth it.
  private static let worthToning: Float = 0.8
  /// The factors of vividness that are tried, the likeliest first.
  private static let vividnesses: [Float] = [1, 0.5, 0.7, 1.4, 1.9, 2.4]
  /// The largest logarithms of the factors of a light, as cube roots: for brightness a factor of 8, for the cones of blue, and
  /// between those of red and green.
  private static let (largestBrightness, largestBlueness, largestRedness) = (0.7, 0.2, 0.06)
  /// The median distance of colors above which they vary, the share of it below which others are plain, and the
  /// correlation of lightness from which on the shades are the same.
  private static let (leastVariety, plainShare, sameShades): (Float, Float, Float) =
    (0.04, 0.6, 0.92)
  /// The distance, in cells, of the neighboring places at which the color of a cell is looked for as well.
  private static let shift = 0.7
  /// The place of a cell and its eight neighboring places, as offsets in shares of the query's sides.
  private static let shifts: [SIMD2<Double>] = {
    let step = shift / Double(QueryColors.side)
    return [-step, 0, step].flatMap { x in [-step, 0, step].map { SIMD2(x, $0) } }
      .filter { $0 != .zero }
  }()
}
