#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The directions of a model's vectors in which images of one thing differ little, and different things much.
///
/// A model was trained on other things than a shop's, and part of what its vectors say is of the camera, the background or the pose. A linear
/// discriminant analysis (Rao, "The utilization of multiple measurements in problems of biological classification", 1948,
/// <https://doi.org/10.1111/j.2517-6161.1948.tb00008.x>) of the catalogue finds the rest: it needs things with several images.
package struct EmbeddingDirections: Sendable, Hashable {
  /// The most directions.
  package static let limit = 64
  /// The fewest images beyond the first one of their things, and the fewest things, that tell anything.
  private static let (leastFurtherImages, leastThings) = (32, 16)
  /// The variance within things that is added in every direction, as a share of the mean: a few images do not show all of it.
  private static let ridge = 1.0
  /// The rounds of the power iteration. Directions that are as good as others may be mixed with them, which changes no angle.
  private static let rounds = 30

  /// The model of the vectors: ``ImageEmbedding/model``.
  let model: UInt64
  /// The number of components of a vector.
  private let dimensions: Int
  /// The directions, one after another: whole numbers from -127 to 127.
  private let rows: [FloatRow]
  /// The factor of each direction, and the coordinate of the catalogue's mean, which is subtracted.
  private let (scales, means): ([Float], [Float])

  /// The number of directions.
  package var count: Int { scales.count }

  /// Returns the coordinates of a vector, scaled to the length 1; `nil` if it is of another model or is the mean.
  ///
  /// - Complexity: O(``count`` · dimensions).
  func coordinates(of embedding: ImageEmbedding) -> [Float]? {
    guard embedding.model == model, embedding.components.count == dimensions else { return nil }
    let inverse = embedding.inverseLength
    let components = FloatRow(embedding.components)
    var (result, squares) = ([Float](), Float(0))
    result.reserveCapacity(count)
    for direction in 0..<count {
      // A sum of whole numbers below 2²⁴, which is exact in any order.
      let sum = rows[direction].dot(components)
      let value = scales[direction] * sum * inverse - means[direction]
      result.append(value)
      squares += value * value
    }
    guard squares > 1e-12 else { return nil }
    let length = squares.squareRoot()
    return result.map { $0 / length }
  }

  // MARK: Fit

  /// Finds the directions of some things.
  ///
  /// - Parameter things: The embeddings of the images of each thing, all of one model.
  /// - Returns: `nil` if too few things have several images.
  /// - Complexity: O(images · dimensions² + dimensions³).
  package init?(_ things: [[ImageEmbedding]]) {
    guard let first = things.lazy.compactMap(\.first).first else { return nil }
    let (model, dimensions) = (first.model, first.components.count)
    let groups = things.map { images in
      images.filter { $0.model == model && $0.components.count == dimensions }
        .map { FloatRow($0) }
    }.filter { !$0.isEmpty }
    let further = groups.reduce(0) { $0 + $1.count - 1 }
    guard further >= Self.leastFurtherImages, groups.count >= Self.leastThings else { return nil }
    let centers = groups.map { FloatRow.mean(of: $0, dimensions) }
    var within = SymmetricMatrix(dimensions)
    for (group, center) in zip(groups, centers) where group.count > 1 {
      for image in group { within.add(image.minus(center)) }
    }
    var between = SymmetricMatrix(dimensions)
    let middle = FloatRow.mean(of: centers, dimensions)
    for center in centers { between.add(center.minus(middle)) }
    let trace = within.trace
    guard trace > 0 else { return nil }
    within.addToDiagonal(Self.ridge * trace / Double(dimensions))
    guard let root = CholeskyRoot(within) else { return nil }
    let count = min(Self.limit, groups.count - 1, dimensions)
    let spread = root.whitened(between).dominant(count, rounds: Self.rounds)
    let mean = FloatRow.mean(of: groups.flatMap { $0 }, dimensions)
    var (rows, scales, means) = ([FloatRow](), [Float](), [Float]())
    let directions = spread.map(root.solvedTransposed)
    for direction in directions {
      let peak = direction.reduce(0) { max($0, $1.magnitude) }
      guard peak > 0, peak.isFinite else { continue }
      let row = FloatRow(direction.map { Int8(($0 / peak * 127).rounded()) })
      let scale = Float(peak / 127)
      rows.append(row)
      scales.append(scale)
      means.append(scale * row.dot(mean))
    }
    // A common factor changes no angle, and keeps the numbers near one.
    let largest = scales.reduce(0) { max($0, $1) }
    guard largest > 0, largest.isFinite else { return nil }
    (self.model, self.dimensions, self.rows) = (model, dimensions, rows)
    (self.scales, self.means) = (scales.map { $0 / largest }, means.map { $0 / largest })
  }

  // MARK: Stored form

  /// The stored form: the model (8 bytes), the dimensions and the number of directions (2 each), factors and means (4 each), and the
  /// directions.
  package var stored: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: model)
    bytes.append(littleEndian: UInt16(dimensions))
    bytes.append(littleEndian: UInt16(count))
    for number in scales + means { bytes.append(littleEndian: number.bitPattern) }
    for row in rows {
      for index in 0..<dimensions { bytes.append(UInt8(bitPattern: Int8(row[index]))) }
    }
    return bytes
  }

  /// Reads the stored form.
  ///
  /// - Returns: `nil` if the bytes are not those of directions.
  package init?(stored bytes: [UInt8]) {
    guard bytes.count >= 12 else { return nil }
    model = bytes.littleEndian(at: 0, as: UInt64.self)
    dimensions = Int(bytes.littleEndian(at: 8, as: UInt16.self))
    let count = Int(bytes.littleEndian(at: 10, as: UInt16.self))
    guard (1...Self.limit).contains(count),
      (ImageEmbedding.dimensions.lowerBound...ImageEmbedding.componentLimit).contains(dimensions),
      bytes.count == 12 + count * (8 + dimensions)
    else { return nil }
    let numbers = (0..<2 * count).map {
      Float(bitPattern: bytes.littleEndian(at: 12 + 4 * $0, as: UInt32.self))
    }
    guard numbers.allSatisfy(\.isFinite) else { return nil }
    (scales, means) = (Array(numbers[..<count]), Array(numbers[count...]))
    let dimensions = dimensions
    rows = (0..<count).map { direction in
      let start = 12 + 8 * count + direction * dimensions
      return FloatRow(bytes[start..<start + dimensions].map { Int8(bitPattern: $0) })
    }
  }
}

/// A vector in parts of sixteen, the last one filled with zeros.
private struct FloatRow: Sendable, Hashable {
  typealias Part = SIMD16<Float>
  var parts: [Part]

  init(parts: [Part]) { self.parts = parts }

  /// Whole numbers as they are.
  init(_ numbers: [Int8]) { parts = Self.parts(numbers.map { Float($0) }) }

  /// The direction of an embedding.
  init(_ embedding: ImageEmbedding) {
    let inverse = embedding.inverseLength
    parts = Self.parts(embedding.components.map { Float($0) * inverse })
  }

  static func parts(_ numbers: [Float]) -> [Part] {
    var parts = [Part](repeating: .zero, count: (numbers.count + 15) / 16)
    for (index, number) in numbers.enumerated() { parts[index / 16][index % 16] = number }
    return parts
  }

  subscript(index: Int) -> Float { parts[index / 16][index % 16] }

  /// Returns the sum of the products.
  func dot(_ other: FloatRow) -> Float {
    var sum = Part.zero
    for index in 0..<min(parts.count, other.parts.count) {
      sum += parts[index] * other.parts[index]
    }
    return sum.sum()
  }

  func minus(_ other: FloatRow) -> FloatRow {
    FloatRow(parts: zip(parts, other.parts).map { $0 - $1 })
  }

  static func mean(of rows: [FloatRow], _ dimensions: Int) -> FloatRow {
    var sum = [Part](repeating: .zero, count: (dimensions + 15) / 16)
    for row in rows { for index in sum.indices { sum[index] += row.parts[index] } }
    return FloatRow(parts: sum.map { $0 / Float(max(1, rows.count)) })
  }
}

/// A symmetric matrix, which is a mean of outer products.
private struct SymmetricMatrix {
  let side: Int
  private var rows: [FloatRow]
  private var count: Float = 0
  private var diagonal = 0.0

  init(_ side: Int) {
    self.side = side
    let zero = FloatRow(parts: [FloatRow.Part](repeating: .zero, count: (side + 15) / 16))
    rows = [FloatRow](repeating: zero, count: side)
  }

  init(_ numbers: [[Double]]) {
    side = numbers.count
    rows = numbers.map { FloatRow(parts: FloatRow.parts($0.map { Float($0) })) }
    count = 1
  }

  /// Adds the outer product of a vector with itself.
  mutating func add(_ vector: FloatRow) {
    count += 1
    for row in 0..<side {
      let factor = vector[row]
      for part in vector.parts.indices { rows[row].parts[part] += factor * vector.parts[part] }
    }
  }

  mutating func addToDiagonal(_ number: Double) { diagonal += number }

  var trace: Double { (0..<side).reduce(0) { $0 + self[$1, $1] } }

  subscript(row: Int, column: Int) -> Double {
    Double(rows[row][column]) / Double(max(1, count)) + (row == column ? diagonal : 0)
  }

  /// Returns the eigenvectors of the largest eigenvalues, or others of the same space, by power iteration.
  func dominant(_ wanted: Int, rounds: Int) -> [[Double]] {
    // Any start that is not orthogonal to them does.
    var columns = (0..<wanted).map { column in
      (0..<side).map { row -> Double in
        let number = (row * 7919 + column * 104_729 + 13) % 1009
        return Double(number) / 1009 - 0.5
      }
    }
    Self.orthogonalize(&columns)
    for _ in 0..<rounds {
      let wide = (0..<side).map { row in FloatRow.parts(columns.map { Float($0[row]) }) }
      let width = wide[0].count
      for row in 0..<side {
        var sum = [FloatRow.Part](repeating: .zero, count: width)
        for other in 0..<side {
          let factor = rows[row][other]
          for part in 0..<width { sum[part] += factor * wide[other][part] }
        }
        let result = FloatRow(parts: sum)
        for column in 0..<wanted { columns[column][row] = Double(result[column]) }
      }
      Self.orthogonalize(&columns)
    }
    return columns
  }

  /// Makes vectors orthogonal and of length 1, those that depend on others zero.
  private static func orthogonalize(_ vectors: inout [[Double]]) {
    func dot(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }
    for index in vectors.indices {
      let before = dot(vectors[index], vectors[index])
      for other in 0..<index {
        let share = dot(vectors[index], vectors[other])
        for place in vectors[index].indices {
          vectors[index][place] -= share * vectors[other][place]
        }
      }
      let length = dot(vectors[index], vectors[index])
      let factor = length > 1e-10 * before ? 1 / length.squareRoot() : 0
      for place in vectors[index].indices { vectors[index][place] *= factor }
    }
  }
}

/// The lower triangular root of a positive definite matrix.
private struct CholeskyRoot {
  /// The rows up to the diagonal.
  private let rows: [[Double]]

  init?(_ matrix: SymmetricMatrix) {
    var rows: [[Double]] = []
    for row in 0..<matrix.side {
      var own: [Double] = []
      own.reserveCapacity(row + 1)
      for column in 0..<row {
        let other = rows[column]
        var sum = matrix[row, column]
        for index in 0..<column { sum -= own[index] * other[index] }
        own.append(sum / other[column])
      }
      let square = own.reduce(matrix[row, row]) { $0 - $1 * $1 }
      guard square > 0 else { return nil }
      own.append(square.squareRoot())
      rows.append(own)
    }
    self.rows = rows
  }

  /// Solves *L x* = *b*.
  private func solved(_ vector: [Double]) -> [Double] {
    var result = vector
    for row in rows.indices {
      let own = rows[row]
      var sum = result[row]
      for index in 0..<row { sum -= own[index] * result[index] }
      result[row] = sum / own[row]
    }
    return result
  }

  /// Solves *Lᵀ x* = *b*.
  func solvedTransposed(_ vector: [Double]) -> [Double] {
    var result = vector
    for row in rows.indices.reversed() {
      let own = rows[row]
      result[row] /= own[row]
      for index in 0..<row { result[index] -= own[index] * result[row] }
    }
    return result
  }

  /// Returns *L⁻¹ M L⁻ᵀ*.
  func whitened(_ matrix: SymmetricMatrix) -> SymmetricMatrix {
    let side = matrix.side
    // The columns of L⁻¹ M; M is symmetric.
    let half = (0..<side).map { column in solved((0..<side).map { matrix[column, $0] }) }
    return SymmetricMatrix((0..<side).map { row in solved((0..<side).map { half[$0][row] }) })
  }
}
