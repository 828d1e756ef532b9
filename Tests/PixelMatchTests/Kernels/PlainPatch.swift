import Foundation
import TestSupport

/// The angle and the hash of a patch in plain code, as `docs/signature.md` defines them.
enum PlainPatch {
  /// The number of samples along each side.
  static let side = 18

  /// Returns random samples.
  static func random(seed: UInt64, count: Int = side * side) -> [Int16] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in Int16.random(in: 0...6375, using: &generator) }
  }

  /// Sums of 5 × 5 pixels.
  struct Plane {
    let sums: [UInt16]
    let width: Int
    let height: Int

    /// The sum at a place, or the nearest one of the edge.
    func at(_ x: Int, _ y: Int) -> Int {
      Int(sums[max(0, min(height - 1, y)) * width + max(0, min(width - 1, x))])
    }
  }

  // MARK: Angles

  /// Returns the peak of the histogram of gradients, in 256 steps of a turn.
  static func angle(in plane: Plane, x: Int, y: Int) -> UInt8 {
    var histogram = [Float](repeating: 0, count: 32)
    for dy in stride(from: -14, through: 14, by: 2) {
      for dx in stride(from: -14, through: 14, by: 2) where dx * dx + dy * dy <= 14 * 14 {
        let column = max(0, min(plane.width - 1, x + dx))
        let row = max(0, min(plane.height - 1, y + dy))
        let across = Float(plane.at(column + 1, row) - plane.at(column - 1, row))
        let down = Float(plane.at(column, row + 1) - plane.at(column, row - 1))
        let weight = Float((256 * exp(-Double(dx * dx + dy * dy) / 72)).rounded())
        let size = (across * across + down * down).squareRoot() * weight
        histogram[Int(turn(across, down)) % 32] += size.rounded(.down)
      }
    }
    for _ in 0..<8 {
      let bins = histogram
      for bin in 0..<32 {
        histogram[bin] = bins[(bin + 31) % 32] + bins[bin] + bins[(bin + 1) % 32]
      }
    }
    let peak = histogram.firstIndex(of: histogram.max()!)!
    let (left, right) = (histogram[(peak + 31) % 32], histogram[(peak + 1) % 32])
    let bend = 2 * histogram[peak] - left - right
    let shift = bend > 0 ? 0.5 * ((right - left) / bend) : 0
    let vertex = Float(peak) + 0.5 + shift
    return UInt8(truncatingIfNeeded: Int(vertex * 8 + 0.5))
  }

  /// Returns the direction of a gradient in 32 parts of a turn, by the polynomial for the arc tangent of
  /// Abramowitz and Stegun, 4.4.49.
  static func turn(_ x: Float, _ y: Float) -> Float {
    let ratio = min(abs(x), abs(y)) / max(abs(x), abs(y), 1)
    let coefficients: [Float] = [-0.0851330, 0.1801410, -0.3302995, 0.9998660]
    let series = coefficients.reduce(0.0208351 as Float) { $0 * (ratio * ratio) + $1 }
    let octant = ratio * series * (32 / 6.2831853)
    let quadrant = abs(y) > abs(x) ? 8 - octant : octant
    let half = x < 0 ? 16 - quadrant : quadrant
    return y < 0 ? 32 - half : half
  }

  // MARK: Hashes

  /// Returns the samples of a patch, two pixels apart and turned by an angle.
  static func samples(in plane: Plane, x: Int, y: Int, angle: UInt8) -> [Int16] {
    let turn = Double(angle) * .pi / 128
    let (cosine, sine) = (Int((cos(turn) * 16384).rounded()), Int((sin(turn) * 16384).rounded()))
    func rounded(_ fixed: Int) -> Int { (fixed + 8192) >> 14 }
    return stride(from: -17, through: 17, by: 2).flatMap { v in
      stride(from: -17, through: 17, by: 2).map { u in
        Int16(
          plane.at(
            x + rounded(u * cosine - v * sine), y + rounded(u * sine + v * cosine)))
      }
    }
  }

  /// The weight of a row or column of gradients in each of five cells: a triangle as wide as two cells, times a Gaussian.
  static let cellWeights: [[Int]] = (0..<5).map { cell in
    (0..<16).map { place in
      let center = (Double(cell) + 0.5) * 3.2 - 0.5
      let triangle = max(0, 1 - abs(Double(place) - center) / 3.2)
      let away = Double(place) - 7.5
      return Int((32 * triangle * exp(-away * away / 128)).rounded())
    }
  }

  /// Returns the roots of the gradients' sums by row of cells, cell and direction, and a sixteenth of the root of all.
  static func inputs(of samples: [Int16]) -> [Int] {
    func sample(_ x: Int, _ y: Int) -> Int { Int(samples[y * side + x]) }
    var sums = [Int](repeating: 0, count: 200)
    for y in 0..<16 {
      for x in 0..<16 {
        let across = sample(x + 2, y + 1) - sample(x, y + 1)
        let down = sample(x + 1, y + 2) - sample(x + 1, y)
        let toward = [
          across, across + down, down, down - across, -across, -across - down, -down, across - down,
        ]
        for cell in 0..<25 {
          let weight = cellWeights[cell / 5][y] * cellWeights[cell % 5][x]
          for direction in 0..<8 {
            sums[8 * cell + direction] += weight * max(0, toward[direction])
          }
        }
      }
    }
    func root(_ sum: Int) -> Float { Float(sum).squareRoot() }
    return sums.map { Int(root($0)) } + [Int(root(sums.reduce(0, +)) / 16)]
  }

  /// The weights of the inputs for each bit, as the header of the kernels lists them: by pair of inputs, bit and input.
  static let projections: [[Int]] = {
    let header = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Sources/CKernels/keypoint_projections.h")
    let text = try! String(contentsOf: header, encoding: .utf8)
    let list = text[text.firstIndex(of: "{")!...].dropFirst().prefix { $0 != "}" }
    let numbers = list.split { $0 == "," || $0.isWhitespace }.map { Int($0)! }
    precondition(numbers.count == 101 * 96 * 2)
    return (0..<96).map { bit in
      (0..<201).map { input in numbers[(input / 2 * 96 + bit) * 2 + input % 2] }
    }
  }()

  /// Returns the projections of a patch; a bit is set if its projection is positive.
  static func values(of samples: [Int16]) -> [Int] {
    let inputs = inputs(of: samples)
    return projections.map { weights in zip(weights, inputs).reduce(0) { $0 + $1.0 * $1.1 } }
  }

  /// Returns the signs of projections.
  static func words(of values: [Int]) -> SIMD3<UInt32> {
    var words = SIMD3<UInt32>.zero
    for (bit, value) in values.enumerated() where value > 0 {
      words[bit / 32] |= 1 << UInt32(bit % 32)
    }
    return words
  }

  /// Returns the six of the first 24 bits whose projections are nearest to zero.
  static func doubts(of values: [Int]) -> [UInt8] {
    let order = (0..<24).sorted { (abs(values[$0]), $0) < (abs(values[$1]), $1) }
    return order.prefix(6).map { UInt8($0) }
  }
}
