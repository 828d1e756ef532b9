/// A rectangle, turned by any angle, round a line of text.
struct TextBox: Sendable {
  var center: SIMD2<Float>
  /// The direction of the first side, of length 1.
  var direction: SIMD2<Float>
  /// The lengths of the side along `direction` and of the other one.
  var size: SIMD2<Float>

  /// The direction of the other side, to the right of the first on a screen.
  var normal: SIMD2<Float> { SIMD2(-direction.y, direction.x) }

  /// Returns whether a point is within the rectangle.
  func contains(_ point: SIMD2<Float>) -> Bool {
    let place = point - center
    return abs((place * direction).sum()) <= size.x / 2 && abs((place * normal).sum()) <= size.y / 2
  }

  /// The corners, from the one at the beginning of both sides, in the order of the clock.
  var corners: [SIMD2<Float>] {
    let (along, across) = (direction * size.x / 2, normal * size.y / 2)
    return [
      center - along - across, center + along - across, center + along + across,
      center - along + across,
    ]
  }

  /// Returns the smallest rectangle round points, or `nil` if they are on one line.
  ///
  /// One side of it lies on a side of the hull of the points (Freeman and Shapira, "Determining the minimum-area
  /// encasing rectangle for an arbitrary closed curve", 1975).
  init?(around points: [SIMD2<Float>]) {
    let hull = Self.hull(of: points)
    guard hull.count >= 3 else { return nil }
    var best: TextBox?
    for (index, start) in hull.enumerated() {
      let side = hull[(index + 1) % hull.count] - start
      let length = (side * side).sum().squareRoot()
      guard length > 0 else { continue }
      let (direction, normal) = (side / length, SIMD2(-side.y, side.x) / length)
      var low = SIMD2<Float>(repeating: .infinity)
      var high = SIMD2<Float>(repeating: -.infinity)
      for point in hull {
        let place = SIMD2((point * direction).sum(), (point * normal).sum())
        low = pointwiseMin(low, place)
        high = pointwiseMax(high, place)
      }
      let (middle, size) = ((low + high) / 2, high - low)
      if best.map({ size.x * size.y < $0.size.x * $0.size.y }) ?? true {
        best = TextBox(
          center: direction * middle.x + normal * middle.y, direction: direction, size: size)
      }
    }
    guard let best else { return nil }
    self = best
  }

  /// Makes an upright rectangle from two opposite corners.
  init(from low: SIMD2<Float>, to high: SIMD2<Float>) {
    self.init(center: (low + high) / 2, direction: SIMD2(1, 0), size: high - low)
  }

  init(center: SIMD2<Float>, direction: SIMD2<Float>, size: SIMD2<Float>) {
    self.center = center
    self.direction = direction
    self.size = size
  }

  /// The corners of the convex hull, by Andrew's monotone chain.
  private static func hull(of points: [SIMD2<Float>]) -> [SIMD2<Float>] {
    let sorted = points.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
    func chain(_ points: some Sequence<SIMD2<Float>>) -> [SIMD2<Float>] {
      var chain: [SIMD2<Float>] = []
      for point in points {
        while chain.count >= 2 {
          let (a, b) = (
            chain[chain.count - 1] - chain[chain.count - 2], point - chain[chain.count - 1]
          )
          if a.x * b.y - a.y * b.x > 0 { break }
          chain.removeLast()
        }
        chain.append(point)
      }
      return chain
    }
    return Array(chain(sorted).dropLast()) + chain(sorted.reversed()).dropLast()
  }

  /// The rectangle grown on all sides, as its text is wider than what a detector marks: by the share of its area to its
  /// perimeter (Liao et al., "Real-time scene text detection with differentiable binarization", 2020, 3.5).
  func grown(by ratio: Float) -> TextBox {
    let distance = size.x * size.y * ratio / (2 * (size.x + size.y))
    return TextBox(center: center, direction: direction, size: size + 2 * distance)
  }

  /// The rectangle whose first side is the direction of reading: of the long side, or of the side that is nearer to level if
  /// the sides are similar, from left to right, or downward if it is steep.
  var inReadingDirection: TextBox {
    var box = self
    let isLong = max(size.x, size.y) >= 1.5 * min(size.x, size.y)
    let turns = isLong ? size.y > size.x : abs(direction.y) > abs(direction.x)
    if turns {
      box.direction = normal
      box.size = SIMD2(size.y, size.x)
    }
    let isSteep = abs(box.direction.y) > abs(box.direction.x)
    if isSteep ? box.direction.y < 0 : box.direction.x < 0 { box.direction = -box.direction }
    return box
  }

  /// True if the direction of reading is nearer to upright than to level.
  var isSteep: Bool { abs(direction.y) > abs(direction.x) }

  /// The rectangle whose first side has the opposite direction.
  var reversed: TextBox {
    TextBox(center: center, direction: -direction, size: size)
  }

  /// The rectangle in an image of another scale. If the scales of both sides differ a little, so do the angles.
  func scaled(by scale: SIMD2<Float>) -> TextBox {
    let (along, across) = (direction * scale * size.x, normal * scale * size.y)
    let length = (along * along).sum().squareRoot()
    return TextBox(
      center: center * scale, direction: along / length,
      size: SIMD2(length, (across * across).sum().squareRoot()))
  }

  var area: Float { size.x * size.y }
}
