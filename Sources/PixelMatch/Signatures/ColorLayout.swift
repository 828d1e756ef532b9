/// The spatial distribution of color: an image as 8 × 8 cells of mean Oklab color.
///
/// It distinguishes images that a histogram confuses (the same colors at other positions) and
/// images that a brightness hash confuses (the same shape in another color).
package struct ColorLayout: Sendable, Hashable {
  /// The number of cells along each side.
  package static let side = 8
  /// The number of bytes of a layout: three per cell.
  package static let byteCount = 3 * side * side
  /// The scale at which *a* and *b* of ±0.4 fill a signed byte.
  private static let chromaScale: Float = 317

  /// Row-major cells of three bytes: `255 L`, `128 + 317 a` and `128 + 317 b`, rounded.
  package let bytes: [UInt8]

  /// Makes a layout from its bytes.
  ///
  /// - Precondition: `bytes` has ``byteCount`` elements.
  package init(bytes: [UInt8]) {
    precondition(bytes.count == Self.byteCount, "a color layout has \(Self.byteCount) bytes")
    self.bytes = bytes
  }

  /// Averages an image of any shape into cells. If the image has fewer pixels than cells, pixels
  /// are repeated.
  init(_ picture: OklabPicture) {
    bytes = Self.cells(of: picture, side: Self.side)
  }

  /// Returns the mean colors of cells of equal size, row-major, three bytes each as in ``bytes``. If the image
  /// has fewer pixels than cells, pixels are repeated.
  static func cells(of picture: OklabPicture, side: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(3 * side * side)
    func pixels(_ index: Int, of length: Int) -> Range<Int> {
      let start = index * length / side
      return start..<max(start + 1, (index + 1) * length / side)
    }
    let columns = (0..<side).map { pixels($0, of: picture.width) }
    for row in 0..<side {
      let rows = pixels(row, of: picture.height)
      // Keeps one sum for each cell of the row. They are independent, so the processor need
      // not wait for one addition before the next.
      var sums = [SIMD3<Float>](repeating: .zero, count: side)
      for y in rows {
        for column in 0..<side {
          var sum = sums[column]
          for x in columns[column] { sum += picture.pixels[y &* picture.width &+ x] }
          sums[column] = sum
        }
      }
      for column in 0..<side {
        let mean = sums[column] / Float(rows.count * columns[column].count)
        bytes.append(Self.byte(255 * mean[0]))
        bytes.append(Self.byte(128 + Self.chromaScale * mean[1]))
        bytes.append(Self.byte(128 + Self.chromaScale * mean[2]))
      }
    }
    return bytes
  }

  private static func byte(_ value: Float) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }

  /// Returns the layout of the image after `variant` is applied to it.
  package func applying(_ variant: DihedralVariant) -> ColorLayout {
    let last = Self.side - 1
    var turned: [UInt8] = []
    turned.reserveCapacity(Self.byteCount)
    for i in 0...last {
      for j in 0...last {
        let (row, column): (Int, Int)
        switch variant {
        case .original: (row, column) = (i, j)
        case .rotate90: (row, column) = (j, last - i)
        case .rotate180: (row, column) = (last - i, last - j)
        case .rotate270: (row, column) = (last - j, i)
        case .flipX: (row, column) = (last - i, j)
        case .flipY: (row, column) = (i, last - j)
        case .flipPlus1: (row, column) = (j, i)
        case .flipMinus1: (row, column) = (last - j, last - i)
        }
        let start = 3 * (row * Self.side + column)
        turned.append(contentsOf: bytes[start..<start + 3])
      }
    }
    return ColorLayout(bytes: turned)
  }

  /// The difference of two layouts.
  package struct Difference: Sendable, Hashable {
    /// The mean Oklab distance of cells at the same position, after the means of both images are
    /// equalized. No change of light or white balance explains it.
    package var residual: Double
    /// The Oklab distance of the two means. A change of light or white balance may explain it.
    package var shift: Double
    /// The mean Oklab distance of the four cells that differ most, as they are.
    package var largest: Double

    /// Makes a difference.
    package init(residual: Double, shift: Double, largest: Double) {
      (self.residual, self.shift, self.largest) = (residual, shift, largest)
    }
  }

  /// Compares the layouts cell by cell, with a higher weight for cells near the center.
  package func difference(from other: ColorLayout) -> Difference {
    let weights = Self.cellWeights
    var shift = SIMD3<Float>.zero
    for cell in 0..<weights.count {
      shift += weights[cell] * (color(cell) - other.color(cell))
    }
    var residual: Float = 0
    for cell in 0..<weights.count {
      residual += weights[cell] * Self.length(color(cell) - other.color(cell) - shift)
    }
    let largest = (0..<weights.count).map { Self.length(color($0) - other.color($0)) }.sorted()
      .suffix(4)
    return Difference(
      residual: Double(residual), shift: Double(Self.length(shift)),
      largest: Double(largest.reduce(0, +) / 4))
  }

  /// Returns the color of one cell in Oklab.
  func color(_ row: Int, _ column: Int) -> SIMD3<Float> { color(row * Self.side + column) }

  private func color(_ cell: Int) -> SIMD3<Float> { Self.color(of: bytes, at: cell) }

  /// Returns the color of a cell of three bytes in Oklab.
  static func color(of bytes: [UInt8], at cell: Int) -> SIMD3<Float> {
    SIMD3(
      Float(bytes[3 &* cell]) / 255, (Float(bytes[3 &* cell &+ 1]) - 128) / chromaScale,
      (Float(bytes[3 &* cell &+ 2]) - 128) / chromaScale)
  }

  /// The distance in Oklab within which a cell is of the background's color.
  static let groundDistance = 0.04
  /// The share of the border that must have one color for it to be the color of a background, and the share that
  /// suffices if three corners have this color: a round thing touches all edges of its image.
  static let (groundShare, corneredShare) = (0.6, 0.25)

  /// The content of a cell.
  enum Part: Hashable {
    /// The plain background.
    case ground
    /// A part of a thing at its edge: next to it is the background or the end of the image.
    case edge
    /// A part of a thing that is surrounded by the thing.
    case interior
  }

  /// The content of each cell. If the border has no single color, every cell counts as interior.
  var parts: [Part] {
    guard let ground else {
      return [Part](repeating: .interior, count: Self.side * Self.side)
    }
    let isThing = (0..<Self.side * Self.side).map { Self.standsOut(color($0), from: ground) }
    func isInterior(_ row: Int, _ column: Int) -> Bool {
      let inner = 1..<Self.side - 1
      guard inner.contains(row), inner.contains(column) else { return false }
      return (row - 1...row + 1).allSatisfy { row in
        (column - 1...column + 1).allSatisfy { isThing[row * Self.side + $0] }
      }
    }
    return isThing.indices.map { index in
      guard isThing[index] else { return .ground }
      return isInterior(index / Self.side, index % Self.side) ? .interior : .edge
    }
  }

  /// The color of the background, or `nil` if the border has no single color.
  var ground: SIMD3<Float>? {
    let last = Self.side - 1
    let border = (0..<Self.side * Self.side).filter {
      let (row, column) = ($0 / Self.side, $0 % Self.side)
      return row == 0 || column == 0 || row == last || column == last
    }.map(color)
    let corners = [color(0, 0), color(0, last), color(last, 0), color(last, last)]
    func isGround(_ color: SIMD3<Float>, share: Double) -> Bool {
      Double(border.count { !Self.standsOut($0, from: color) }) >= share * Double(border.count)
    }
    let middle = Self.median(border)
    if isGround(middle, share: Self.groundShare) { return middle }
    let corner = Self.median(corners)
    let alike = corners.count { !Self.standsOut($0, from: corner) }
    return alike >= 3 && isGround(corner, share: Self.corneredShare) ? corner : nil
  }

  private static func standsOut(_ color: SIMD3<Float>, from ground: SIMD3<Float>) -> Bool {
    length(color - ground) > Float(groundDistance)
  }

  /// Returns the median of each component.
  static func median(_ colors: [SIMD3<Float>]) -> SIMD3<Float> {
    var median = SIMD3<Float>.zero
    for lane in median.indices {
      median[lane] = colors.map { $0[lane] }.sorted()[colors.count / 2]
    }
    return median
  }

  /// The distance of a color from black, or of two colors if it is their difference.
  static func length(_ color: SIMD3<Float>) -> Float {
    (color[0] * color[0] + color[1] * color[1] + color[2] * color[2]).squareRoot()
  }

  /// The weights of the cells, twice as high at the center as at the border; they sum to 1.
  private static let cellWeights: [Float] = {
    let raw = (0..<side * side).map { index in
      let down = (Float(index / side) + 0.5) / Float(side) - 0.5
      let across = (Float(index % side) + 0.5) / Float(side) - 0.5
      return 1 / (1 + 4 * max(down * down, across * across))
    }
    let total = raw.reduce(0, +)
    return raw.map { $0 / total }
  }()
}
