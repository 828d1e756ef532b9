/// The parts of an image that something was recognized by: cells of a grid of 16 × 16, one bit each.
package struct ImageClaim: Sendable, Hashable {
  /// Cells along each side.
  static let side = 16

  private var cells = SIMD4<UInt64>()

  /// Claims nothing.
  package init() {}

  /// Claims the cell at a place, in shares of the sides, `0...1`.
  package mutating func insert(x: Double, y: Double) { insert(Self.cell(x: x, y: y)) }

  private mutating func insert(_ index: Int) { cells[index >> 6] |= 1 << UInt64(index & 63) }

  /// Returns the index of the cell at a place.
  private static func cell(x: Double, y: Double) -> Int {
    func part(_ share: Double) -> Int { min(side - 1, max(0, Int(share * Double(side)))) }
    return part(y) * side + part(x)
  }

  /// Returns whether the cell at a place, in shares of the sides, is claimed.
  package func contains(x: Double, y: Double) -> Bool { isClaimed(Self.cell(x: x, y: y)) }

  /// Claims every cell whose center lies in a box.
  package init(_ box: ImageBox) {
    for index in 0..<Self.side * Self.side {
      let center = Self.center(of: index)
      if box.contains(x: center.x, y: center.y) { insert(x: center.x, y: center.y) }
    }
  }

  /// Returns the claim of an image that is a part of a larger one, as a claim of the larger one.
  ///
  /// - Parameter box: The part, in shares of the sides of the larger image.
  package func placed(in box: ImageBox) -> ImageClaim {
    var claim = ImageClaim()
    for index in 0..<Self.side * Self.side where isClaimed(index) {
      let center = Self.center(of: index)
      claim.insert(x: box.x + center.x * box.width, y: box.y + center.y * box.height)
    }
    return claim
  }

  private func isClaimed(_ index: Int) -> Bool { cells[index >> 6] >> UInt64(index & 63) & 1 == 1 }

  private static func center(of index: Int) -> (x: Double, y: Double) {
    ((Double(index % side) + 0.5) / Double(side), (Double(index / side) + 0.5) / Double(side))
  }

  /// The hull of the claimed cells, in shares of the sides.
  var hull: ConvexPolygon {
    let half = 0.5 / Double(Self.side)
    return ConvexPolygon(
      hullOf: (0..<Self.side * Self.side).filter(isClaimed).flatMap { index in
        let center = Self.center(of: index)
        return [SIMD2(-half, -half), SIMD2(half, -half), SIMD2(-half, half), SIMD2(half, half)]
          .map { SIMD2(center.x, center.y) + $0 }
      })
  }

  /// The claim of every cell whose center lies within the hull of the claimed ones.
  package var filled: ImageClaim {
    let hull = hull
    var claim = ImageClaim()
    for index in 0..<Self.side * Self.side {
      let center = Self.center(of: index)
      if hull.contains(SIMD2(center.x, center.y)) { claim.insert(x: center.x, y: center.y) }
    }
    return claim
  }

  /// Returns the claim of what either claims.
  package func union(_ other: ImageClaim) -> ImageClaim {
    var claim = self
    claim.cells |= other.cells
    return claim
  }

  /// Returns the claim without the cells of another one.
  package func subtracting(_ other: ImageClaim) -> ImageClaim {
    var claim = self
    claim.cells &= ~other.cells
    return claim
  }

  /// Returns the claim of the cells that several claims have in common.
  ///
  /// - Parameter least: The number of claims that have a cell.
  package static func shared(by least: Int, of claims: [ImageClaim]) -> ImageClaim {
    var shared = ImageClaim()
    for index in 0..<side * side where claims.count(where: { $0.isClaimed(index) }) >= least {
      shared.insert(index)
    }
    return shared
  }

  /// The number of claimed cells.
  package var count: Int { cells.bitCount }

  /// The number of claimed cells whose centers lie in a box.
  package func count(in box: ImageBox) -> Int {
    (0..<Self.side * Self.side).count { index in
      let center = Self.center(of: index)
      return isClaimed(index) && box.contains(x: center.x, y: center.y)
    }
  }

  /// The share of the cells that both claim among those of the smaller claim, `0...1`; 1 if one of them is
  /// empty, since it is then not known to be elsewhere.
  package func overlap(with other: ImageClaim) -> Double {
    let smaller = min(count, other.count)
    return smaller == 0 ? 1 : Double((cells & other.cells).bitCount) / Double(smaller)
  }
}

extension SIMD4<UInt64> {
  fileprivate var bitCount: Int { indices.reduce(0) { $0 + self[$1].nonzeroBitCount } }
}
