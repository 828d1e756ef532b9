import TestSupport
import Testing
@testable import PixelMatch

@Suite struct ConvexPolygonTests {
  private static func area(_ polygon: ConvexPolygon) -> Double {
    let corners = polygon.corners
    return corners.indices.reduce(0) { sum, index in
      let (a, b) = (corners[index], corners[(index + 1) % corners.count])
      return sum + (a.x * b.y - b.x * a.y) / 2
    }
  }

  private static func points(
    _ count: Int, seed: UInt64, in range: ClosedRange<Double>
  ) -> [SIMD2<Double>] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      SIMD2(.random(in: range, using: &generator), .random(in: range, using: &generator))
    }
  }

  /// Returns whether a point lies within a polygon whose corners are clockwise on a screen.
  private static func contains(_ polygon: ConvexPolygon, _ point: SIMD2<Double>) -> Bool {
    let corners = polygon.corners
    return corners.indices.allSatisfy { index in
      let (a, b) = (corners[index], corners[(index + 1) % corners.count])
      return (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x) >= -1e-9
    }
  }

  /// Would break if a corner were lost, or if the corners ran counterclockwise.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `a hull holds all its points and only its corners`(seed: UInt64) {
    let points = Self.points(40, seed: seed, in: -1...2)
    let hull = ConvexPolygon(hullOf: points)
    #expect(hull.corners.count >= 3 && Set(hull.corners).isSubset(of: points))
    #expect(points.allSatisfy { Self.contains(hull, $0) })
    let sums = hull.corners.map { $0.x + $0.y }
    #expect(sums.first == sums.min())
  }

  @Test func `what has no area has no corners`() {
    let line = (0..<9).map { SIMD2(Double($0), 2 * Double($0)) }
    for points in [[], [SIMD2(0.5, 0.5)], line, [SIMD2(.nan, 0), SIMD2(0, .infinity)]] {
      #expect(ConvexPolygon(hullOf: points).corners.isEmpty)
      #expect(ConvexPolygon(hullOf: points).clippedToUnitSquare().box == nil)
    }
  }

  /// Would break if an edge of the square were crossed without a corner there.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `clipping keeps what lies in the square`(seed: UInt64) {
    let hull = ConvexPolygon(hullOf: Self.points(8, seed: seed, in: -1...2))
    let clipped = hull.clippedToUnitSquare()
    for corner in clipped.corners {
      #expect((-1e-9...1 + 1e-9).contains(corner.x) && (-1e-9...1 + 1e-9).contains(corner.y))
    }
    for place in Self.points(60, seed: seed + 1000, in: 0...1) {
      #expect(
        Self.contains(hull, place) == (!clipped.corners.isEmpty && Self.contains(clipped, place)))
    }
  }

  @Test(arguments: [3, 5, 12])
  func `a polygon with fewer corners lies within it and loses little`(limit: Int) {
    let circle = (0..<64).map { index in
      let turn = 2 * Double.pi * Double(index) / 64
      return SIMD2(0.5 + 0.4 * cosine(turn), 0.5 + 0.4 * cosine(turn - .pi / 2))
    }
    let whole = ConvexPolygon(hullOf: circle)
    let simple = whole.simplified(toCorners: limit)
    #expect(simple.corners.count == limit)
    #expect(simple.corners.allSatisfy { Self.contains(whole, $0) })
    let kept = Self.area(simple) / Self.area(whole)
    #expect(kept > (limit == 12 ? 0.93 : limit == 5 ? 0.6 : 0.35))
  }

  /// The cosine by its series, which is enough for a drawing.
  private func cosine(_ turn: Double) -> Double {
    var (sum, term) = (1.0, 1.0)
    for step in 1...24 {
      term *= -turn * turn / Double((2 * step - 1) * (2 * step))
      sum += term
    }
    return sum
  }
}
