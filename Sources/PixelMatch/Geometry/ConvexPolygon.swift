/// A convex polygon in a plane whose *y* grows downward.
package struct ConvexPolygon: Sendable, Hashable {
  /// The corners, clockwise as they are seen on a screen, the first one nearest to the upper left; empty
  /// if there is no area.
  package private(set) var corners: [SIMD2<Double>]

  /// Makes the hull of some points, which may be in any order (Andrew, "Another efficient algorithm for
  /// convex hulls in two dimensions", 1979, <https://doi.org/10.1016/0020-0190(79)90072-3>).
  ///
  /// - Complexity: O(*n* log *n*).
  package init(hullOf points: [SIMD2<Double>]) {
    let sorted = Set(points.filter { $0.x.isFinite && $0.y.isFinite })
      .sorted { ($0.x, $0.y) < ($1.x, $1.y) }
    func chain(_ points: some Sequence<SIMD2<Double>>) -> [SIMD2<Double>] {
      var chain: [SIMD2<Double>] = []
      for point in points {
        while chain.count >= 2,
          Self.turn(chain[chain.count - 2], chain[chain.count - 1], point) <= 1e-12
        {
          chain.removeLast()
        }
        chain.append(point)
      }
      return Array(chain.dropLast())
    }
    corners = chain(sorted) + chain(sorted.reversed())
    if corners.count < 3 { corners = [] }
    startAtUpperLeft()
  }

  /// Twice the area of a triangle; above zero if its corners are clockwise on a screen.
  private static func turn(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>) -> Double {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
  }

  private mutating func startAtUpperLeft() {
    guard let first = corners.indices.min(by: { sum(corners[$0]) < sum(corners[$1]) }) else {
      return
    }
    corners = Array(corners[first...] + corners[..<first])
    func sum(_ corner: SIMD2<Double>) -> Double { corner.x + corner.y }
  }

  /// Returns whether a point lies in the polygon.
  func contains(_ point: SIMD2<Double>) -> Bool {
    !corners.isEmpty
      && corners.indices.allSatisfy { index in
        Self.turn(corners[index], corners[(index + 1) % corners.count], point) >= 0
      }
  }

  /// Returns the part of the polygon within the square from 0 to 1 (Sutherland, Hodgman, "Reentrant polygon
  /// clipping", 1974, <https://doi.org/10.1145/360767.360802>).
  package func clippedToUnitSquare() -> ConvexPolygon {
    var points = corners
    for (axis, limit, sign) in [(0, 0.0, 1.0), (0, 1, -1), (1, 0, 1), (1, 1, -1)] {
      var kept: [SIMD2<Double>] = []
      for (index, point) in points.enumerated() {
        let previous = points[index == 0 ? points.count - 1 : index - 1]
        let (from, to) = (sign * (previous[axis] - limit), sign * (point[axis] - limit))
        if (from < 0) != (to < 0) {
          var crossing = previous + (point - previous) * (from / (from - to))
          crossing[axis] = limit
          kept.append(crossing)
        }
        if to >= 0 { kept.append(point) }
      }
      points = kept
    }
    return ConvexPolygon(hullOf: points)
  }

  /// Returns a polygon with at most `limit` corners: the corners that cut off least are left out.
  ///
  /// - Precondition: `limit` is at least 3.
  package func simplified(toCorners limit: Int) -> ConvexPolygon {
    var points = corners
    while points.count > limit {
      let count = points.count
      let least = points.indices.min { area($0) < area($1) }!
      points.remove(at: least)
      func area(_ index: Int) -> Double {
        Self.turn(points[(index + count - 1) % count], points[index], points[(index + 1) % count])
      }
    }
    return ConvexPolygon(hullOf: points)
  }

  /// The smallest box around the polygon, or `nil` if it has no area.
  package var box: ImageBox? {
    guard let first = corners.first else { return nil }
    let (low, high) = corners.reduce((first, first)) { bounds, corner in
      (pointwiseMin(bounds.0, corner), pointwiseMax(bounds.1, corner))
    }
    return ImageBox(x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y)
  }
}
