/// Moves a transform to where the colors agree (Lucas, Kanade, "An iterative image registration technique", IJCAI 1981).
extension AlignedColor {
  /// The number of times that the transform is moved.
  private static let steps = 2
  /// The difference of colors above which a cell counts less, because another thing may lie in
  /// front.
  private static let otherColor: Float = 0.05
  /// The error that is expected of the colors as a whole, in Oklab.
  private static let colorError = 0.076
  /// The errors that are expected of a transform, in shares of the mean side: of its shifts, and of its stretch and turn about the middle.
  private static let (shiftError, turnError) = (0.02, 0.05)
  /// The expected errors of the shifts across and down, of the stretch and of the turn, in this order.
  private static let errors = [shiftError, shiftError, turnError, turnError]
  /// The most by which one step moves any of them.
  private static let largestMove = 0.06

  /// Returns a transform from another image to the query that is moved, stretched and turned a little, so that the
  /// colors of the query are more like those of the image; `nil` if too little of that lies within the query.
  ///
  /// Each step solves the linear equations for the move that leaves the smallest squared difference, weighed against
  /// what is expected of keypoints.
  func registered(
    _ back: PlaneTransform, _ other: Other, _ covered: [ImageBox]
  ) -> PlaneTransform? {
    var back = back
    for _ in 0..<Self.steps {
      let cells = cells(of: other, back.entries, covered, nil)
      guard cells.count >= Self.leastCells, let light = Self.lights(Self.ratios(cells)).last,
        let moves = moves(cells, back.entries, other.size, Self.factors(light))
      else { return nil }
      back = back.after(Self.move(moves, of: other.size))
    }
    return back
  }

  /// Returns the moves of the transform, in the order of ``errors``.
  private func moves(
    _ cells: [Cell], _ back: PlaneTransform.Entries, _ size: (width: Int, height: Int),
    _ factors: SIMD3<Float>
  ) -> [Double]? {
    let sides = SIMD2(Double(size.width), Double(size.height))
    let reach = sides.sum() / 2
    let half = 0.5 / Double(ColorLayout.side)
    // Lightness has half the weight of chroma, as in the difference that this minimizes.
    let counted = SIMD3<Float>(0.5, 1, 1)
    /// The color of the query at a position in shares of the other image's sides.
    func color(_ place: SIMD2<Double>) -> SIMD3<Float> {
      let there = back(place.x * sides.x, place.y * sides.y) / self.size
      return Kernels.oklab(ofCones: Self.cones(self.color(x: there.x, y: there.y)) * factors)
    }
    var system = Self.errors.indices.map { row in
      var equation = [Double](repeating: 0, count: Self.errors.count + 1)
      equation[row] = (Self.colorError / Self.errors[row]) * (Self.colorError / Self.errors[row])
      return equation
    }
    for cell in cells {
      let middle = SIMD2<Double>(cell.place) + 0.5
      // If a cell moves, the change of its mean is the difference between the colors at its
      // opposite edges.
      let across =
        color(middle + SIMD2(half, 0)) - color(middle - SIMD2(half, 0))
      let down = color(middle + SIMD2(0, half)) - color(middle - SIMD2(0, half))
      let alongX = counted * across * Float(reach / (2 * half * sides.x))
      let alongY = counted * down * Float(reach / (2 * half * sides.y))
      let arm = SIMD2<Float>(SIMD2<Double>(cell.place) * sides / reach)
      let slopes = [
        alongX, alongY, alongX * arm.x + alongY * arm.y, alongY * arm.x - alongX * arm.y,
      ]
      let difference =
        counted
        * (Kernels.oklab(ofCones: cell.kept) - Kernels.oklab(ofCones: cell.seen * factors))
      let weight = 1 / max(1, ColorLayout.length(difference) / Self.otherColor)
      for (row, slope) in slopes.enumerated() {
        for (column, other) in slopes.enumerated() {
          system[row][column] += Double(weight * (slope * other).sum())
        }
        system[row][slopes.count] += Double(weight * (slope * difference).sum())
      }
    }
    return LeastSquares.solve(system)?.map { max(-Self.largestMove, min(Self.largestMove, $0[0])) }
  }

  /// Returns the map of an image to itself that shifts, stretches and turns it about its middle.
  private static func move(_ moves: [Double], of size: (width: Int, height: Int)) -> PlaneTransform
  {
    let middle = SIMD2(Double(size.width), Double(size.height)) / 2
    let shift = SIMD2(moves[0], moves[1]) * middle.sum()
    let (stretch, turn) = (1 + moves[2], moves[3])
    return PlaneTransform(
      cosine: stretch, sine: turn,
      x: middle.x + shift.x - stretch * middle.x + turn * middle.y,
      y: middle.y + shift.y - turn * middle.x - stretch * middle.y)
  }
}
