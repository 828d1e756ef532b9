#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Compares the colors of a query image and another image at the positions that a transform aligns,
/// so that a red shirt ranks above a blue one in the same pose.
public struct AlignedColor: Sendable {
  /// The smallest number of cells within the query image that is significant.
  private static let leastCells = 16
  /// The number of samples along each side of a cell.
  private static let samples = 3

  private let colors: OklabPicture
  private let scale: SIMD2<Double>

  /// Prepares the comparison of a query.
  public init(_ query: QuerySignature) {
    colors = query.colors
    scale = SIMD2(
      Double(colors.width) / Double(query.size.x), Double(colors.height) / Double(query.size.y))
  }

  /// Compares the cells of a layout with the colors of the query at the aligned positions.
  ///
  /// - Parameters:
  ///   - layout: The colors of the other image.
  ///   - size: The other working image's width and height in pixels.
  ///   - transform: From the query's working image to the other's.
  ///   - covered: Boxes of the query in which other things lie in front, in shares of its sides.
  /// - Returns: The mean Oklab distance after the light is equalized, that is, the difference that
  ///   no change of white balance, brightness or contrast explains; `nil` if too little of the
  ///   other image lies within the query.
  public func residual(
    of layout: ColorLayout, size: (width: Int, height: Int), under transform: PlaneTransform,
    outside covered: [ImageBox] = []
  ) -> Double? {
    guard let back = transform.inverse else { return nil }
    var cells: [Cell] = []
    cells.reserveCapacity(ColorLayout.side * ColorLayout.side)
    for row in 0..<ColorLayout.side {
      for column in 0..<ColorLayout.side {
        guard let seen = mean(row, column, size, back, covered) else { continue }
        cells.append(
          Cell(seen: Self.cones(seen), kept: Self.cones(layout.color(row, column))))
      }
    }
    guard cells.count >= Self.leastCells else { return nil }
    let gains = Self.gains(cells)
    return Self.residual(
      cells, SIMD3(Float(exp(gains[0])), Float(exp(gains[1])), Float(exp(gains[2]))))
  }

  /// The mean color of one cell in both images, as roots of the cone responses.
  private struct Cell {
    let seen: SIMD3<Float>
    let kept: SIMD3<Float>
  }

  /// Returns the mean color of the query at a cell, or `nil` if most of the cell lies outside the
  /// query.
  private func mean(
    _ row: Int, _ column: Int, _ size: (width: Int, height: Int), _ back: PlaneTransform,
    _ covered: [ImageBox]
  ) -> SIMD3<Float>? {
    var sum = SIMD3<Float>.zero
    var inside: Float = 0
    let steps = ColorLayout.side * Self.samples
    for i in 0..<Self.samples {
      for j in 0..<Self.samples {
        let down = (Double(row * Self.samples + i) + 0.5) / Double(steps) * Double(size.height)
        let across = (Double(column * Self.samples + j) + 0.5) / Double(steps) * Double(size.width)
        let place = back(across, down) * scale
        guard place.x >= 0, place.y >= 0, place.x < Double(colors.width),
          place.y < Double(colors.height)
        else { continue }
        let (x, y) = (place.x / Double(colors.width), place.y / Double(colors.height))
        if covered.contains(where: { $0.contains(x: x, y: y) }) { continue }
        sum += colors.pixels[Int(place.y) * colors.width + Int(place.x)]
        inside += 1
      }
    }
    return inside > Float(Self.samples * Self.samples) / 2 ? sum / inside : nil
  }

  /// Returns the logarithm of the factor that maps each cone's response in the query to that in the
  /// other image (von Kries adaptation). It is the median over the cells, so that a minority of
  /// another color does not shift it.
  private static func gains(_ cells: [Cell]) -> SIMD3<Double> {
    var gains = SIMD3<Double>.zero
    for cone in 0..<3 {
      let ratios = cells.map {
        Double(log(max(0.05, $0.kept[cone]) / max(0.05, $0.seen[cone])))
      }.sorted()
      gains[cone] = max(-gainLimit, min(gainLimit, ratios[ratios.count / 2]))
    }
    return gains
  }

  /// The gain of a factor of 2 in light. Cone responses are stored as cube roots.
  private static let gainLimit = 0.23

  private static func residual(_ cells: [Cell], _ factors: SIMD3<Float>) -> Double {
    var sum: Float = 0
    for cell in cells {
      let difference =
        Kernels.oklab(ofCones: cell.seen * factors) - Kernels.oklab(ofCones: cell.kept)
      // Contrast and shadows change lightness more than chroma.
      let lightness = 0.5 * difference[0]
      sum +=
        (lightness * lightness + difference[1] * difference[1] + difference[2] * difference[2])
        .squareRoot()
    }
    return Double(sum) / Double(cells.count)
  }

  /// Returns the inverse of ``Kernels/oklab(ofCones:)``.
  private static func cones(_ lab: SIMD3<Float>) -> SIMD3<Float> {
    SIMD3(
      lab[0] + 0.396_337_78 * lab[1] + 0.215_803_76 * lab[2],
      lab[0] - 0.105_561_346 * lab[1] - 0.063_854_17 * lab[2],
      lab[0] - 0.089_484_18 * lab[1] - 1.291_485_5 * lab[2])
  }
}
