/// Transforms that map points onto others with the least sum of squared distances.
package enum LeastSquares {
  /// A point in each image.
  package struct Pair: Sendable, Hashable {
    package let from: SIMD2<Double>
    package let to: SIMD2<Double>
  }

  /// Returns the similarity, from at least two pairs (Umeyama, "Least-squares estimation of
  /// transformation parameters between two point patterns", TPAMI 1991,
  /// <https://doi.org/10.1109/34.88573>, in complex numbers).
  static func similarity(_ pairs: [Pair]) -> PlaneTransform? {
    guard pairs.count >= 2 else { return nil }
    let count = Double(pairs.count)
    let from = pairs.reduce(SIMD2.zero) { $0 + $1.from } / count
    let to = pairs.reduce(SIMD2.zero) { $0 + $1.to } / count
    var (cosine, sine, norm) = (0.0, 0.0, 0.0)
    for pair in pairs {
      let p = pair.from - from
      let q = pair.to - to
      cosine += p.x * q.x + p.y * q.y
      sine += p.x * q.y - p.y * q.x
      norm += p.x * p.x + p.y * p.y
    }
    guard norm > 1e-9 else { return nil }
    (cosine, sine) = (cosine / norm, sine / norm)
    return PlaneTransform(
      cosine: cosine, sine: sine, x: to.x - cosine * from.x + sine * from.y,
      y: to.y - sine * from.x - cosine * from.y)
  }

  /// Returns the affine map, from at least three pairs that are not collinear.
  static func affine(_ pairs: [Pair]) -> PlaneTransform? {
    guard pairs.count >= 3 else { return nil }
    var normal = Equations(count: 3, rightSides: 2)
    for pair in pairs {
      let row: InlineArray<3, Double> = [pair.from.x, pair.from.y, 1]
      for i in 0..<3 {
        for j in 0..<3 { normal[i, j] += row[i] * row[j] }
        normal[i, 3] += row[i] * pair.to.x
        normal[i, 4] += row[i] * pair.to.y
      }
    }
    guard normal.solve() else { return nil }
    return PlaneTransform(matrix: [
      normal[0, 3], normal[1, 3], normal[2, 3], normal[0, 4], normal[1, 4], normal[2, 4], 0, 0, 1,
    ])
  }

  /// Returns the homography, from at least four pairs in general position, by the direct linear
  /// transform with normalized points and a last entry of 1 (Hartley, Zisserman, "Multiple view
  /// geometry", 2nd ed., 4.1 and 4.4).
  static func homography(_ pairs: [Pair]) -> PlaneTransform? {
    guard pairs.count >= 4 else { return nil }
    let (from, fromBack) = normalization(pairs.lazy.map { $0.from })
    let (to, toBack) = normalization(pairs.lazy.map { $0.to })
    let (forth, other) = (from.entries, to.entries)
    var normal = Equations(count: 8, rightSides: 1)
    for pair in pairs {
      let p = forth(pair.from.x, pair.from.y)
      let q = other(pair.to.x, pair.to.y)
      normal.add([p.x, p.y, 1, 0, 0, 0, -q.x * p.x, -q.x * p.y], q.x)
      normal.add([0, 0, 0, p.x, p.y, 1, -q.y * p.x, -q.y * p.y], q.y)
    }
    guard normal.solve(), fromBack.matrix[8] != 0 else { return nil }
    let middle = PlaneTransform(matrix: (0..<8).map { normal[$0, 8] } + [1])
    return toBack.after(middle).after(from)
  }

  /// Returns the transform that moves the mean to zero and scales the mean distance from it to √2.
  private static func normalization(
    _ places: some Collection<SIMD2<Double>>
  ) -> (forth: PlaneTransform, back: PlaneTransform) {
    let mean = places.reduce(.zero, +) / Double(places.count)
    let spread =
      places.reduce(0) { sum, place in
        let offset = place - mean
        return sum + (offset.x * offset.x + offset.y * offset.y).squareRoot()
      } / Double(places.count)
    let scale = 2.0.squareRoot() / max(spread, 1e-9)
    return (
      PlaneTransform(matrix: [scale, 0, -scale * mean.x, 0, scale, -scale * mean.y, 0, 0, 1]),
      PlaneTransform(matrix: [1 / scale, 0, mean.x, 0, 1 / scale, mean.y, 0, 0, 1])
    )
  }

  /// Solves a linear system whose last columns are its right-hand sides, by elimination with the
  /// largest pivot. Returns `nil` if the solution is not unique.
  package static func solve(_ system: [[Double]]) -> [[Double]]? {
    let count = system.count
    var equations = Equations(count: count, rightSides: (system.first?.count ?? 0) - count)
    for row in 0..<count {
      for column in system[row].indices { equations[row, column] = system[row][column] }
    }
    guard equations.solve() else { return nil }
    return (0..<count).map { row in system[row].indices[count...].map { equations[row, $0] } }
  }

  /// A linear system whose last columns are its right-hand sides, and then its solution.
  private struct Equations {
    private let count: Int
    private let width: Int
    private var values: [Double]

    init(count: Int, rightSides: Int) {
      self.count = count
      width = count + rightSides
      values = [Double](repeating: 0, count: count * width)
    }

    subscript(row: Int, column: Int) -> Double {
      get { values[row * width + column] }
      set { values[row * width + column] = newValue }
    }

    /// Adds the products of the coefficients of an equation to a normal system of eight unknowns.
    mutating func add(_ row: InlineArray<8, Double>, _ right: Double) {
      for i in 0..<8 where row[i] != 0 {
        for j in 0..<8 { self[i, j] += row[i] * row[j] }
        self[i, 8] += row[i] * right
      }
    }

    /// Solves the system by elimination with the largest pivot, and divides the right-hand sides.
    ///
    /// - Returns: True if the solution is unique.
    mutating func solve() -> Bool {
      for column in 0..<count {
        var pivot = column
        for row in column..<count where abs(self[pivot, column]) < abs(self[row, column]) {
          pivot = row
        }
        guard abs(self[pivot, column]) > 1e-10 else { return false }
        if pivot != column {
          for k in 0..<width { values.swapAt(pivot * width + k, column * width + k) }
        }
        for row in 0..<count where row != column {
          let factor = self[row, column] / self[column, column]
          if factor == 0 { continue }
          for k in column..<width { self[row, k] -= factor * self[column, k] }
        }
      }
      for row in 0..<count {
        for k in count..<width { self[row, k] /= self[row, row] }
      }
      return true
    }
  }
}
