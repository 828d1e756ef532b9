/// Transforms that map points onto others with the least sum of squared distances.
package enum LeastSquares {
  /// A point in each image.
  struct Pair {
    let from: SIMD2<Double>
    let to: SIMD2<Double>
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
    var normal = [[Double]](repeating: [Double](repeating: 0, count: 5), count: 3)
    for pair in pairs {
      let row = [pair.from.x, pair.from.y, 1]
      for i in 0..<3 {
        for j in 0..<3 { normal[i][j] += row[i] * row[j] }
        normal[i][3] += row[i] * pair.to.x
        normal[i][4] += row[i] * pair.to.y
      }
    }
    guard let solved = solve(normal) else { return nil }
    return PlaneTransform(matrix: [
      solved[0][0], solved[1][0], solved[2][0], solved[0][1], solved[1][1], solved[2][1], 0, 0, 1,
    ])
  }

  /// Returns the homography, from at least four pairs in general position, by the direct linear
  /// transform with normalized points and a last entry of 1 (Hartley, Zisserman, "Multiple view
  /// geometry", 2nd ed., 4.1 and 4.4).
  static func homography(_ pairs: [Pair]) -> PlaneTransform? {
    guard pairs.count >= 4 else { return nil }
    let (from, fromBack) = normalization(pairs.map(\.from))
    let (to, toBack) = normalization(pairs.map(\.to))
    var normal = [[Double]](repeating: [Double](repeating: 0, count: 9), count: 8)
    for pair in pairs {
      let p = from(pair.from.x, pair.from.y)
      let q = to(pair.to.x, pair.to.y)
      for (row, right) in [
        ([p.x, p.y, 1, 0, 0, 0, -q.x * p.x, -q.x * p.y], q.x),
        ([0, 0, 0, p.x, p.y, 1, -q.y * p.x, -q.y * p.y], q.y),
      ] {
        for i in 0..<8 where row[i] != 0 {
          for j in 0..<8 { normal[i][j] += row[i] * row[j] }
          normal[i][8] += row[i] * right
        }
      }
    }
    guard let solved = solve(normal), fromBack.matrix[8] != 0 else { return nil }
    let middle = PlaneTransform(matrix: solved.map { $0[0] } + [1])
    return toBack.after(middle).after(from)
  }

  /// Returns the transform that moves the mean to zero and scales the mean distance from it to √2.
  private static func normalization(
    _ places: [SIMD2<Double>]
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
    var rows = system
    let count = rows.count
    for column in 0..<count {
      let pivot = (column..<count).max { abs(rows[$0][column]) < abs(rows[$1][column]) }!
      guard abs(rows[pivot][column]) > 1e-10 else { return nil }
      rows.swapAt(pivot, column)
      for row in 0..<count where row != column {
        let factor = rows[row][column] / rows[column][column]
        if factor == 0 { continue }
        for k in column..<rows[row].count { rows[row][k] -= factor * rows[column][k] }
      }
    }
    return rows.indices.map { row in rows[row][count...].map { $0 / rows[row][row] } }
  }
}
