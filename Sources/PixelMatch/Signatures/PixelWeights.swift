/// The weights of an image's pixels: higher near the center, where people point, and very low on a
/// plain studio background.
struct PixelWeights {
  /// The weights, row-major, above zero.
  let weights: [Float]
  /// The sum of the weights.
  let total: Float

  /// Computes the weights of the pixels of an image.
  ///
  /// - Complexity: O(pixels).
  init(_ picture: OklabPicture) {
    let background = StudioBackground(picture)
    var weights: [Float] = []
    weights.reserveCapacity(picture.pixels.count)
    var total: Float = 0
    let squaredAcross = (0..<picture.width).map { x in
      let across = (Float(x) + 0.5) / Float(picture.width) - 0.5
      return across * across
    }
    for y in 0..<picture.height {
      let down = (Float(y) + 0.5) / Float(picture.height) - 0.5
      for x in 0..<picture.width {
        // About a Gaussian of 0.22 of the side, without an exponential, whose last bit differs
        // between C libraries.
        let falloff = 1 + 5 * (down * down + squaredAcross[x])
        let weight =
          background.foreground(picture.pixels[y &* picture.width &+ x])
          / (falloff * falloff * falloff)
        total += weight
        weights.append(weight)
      }
    }
    self.weights = weights
    self.total = total
  }
}

/// The plain color behind the object of a studio image, if there is one.
private struct StudioBackground {
  /// The color of the border, or `nil` if the border has more than one color.
  private let color: SIMD3<Float>?

  init(_ picture: OklabPicture) {
    let depth = max(1, min(picture.width, picture.height) / 32)
    var border: [SIMD3<Float>] = []
    for y in 0..<picture.height {
      let row = y * picture.width..<(y + 1) * picture.width
      let isWhole = min(y, picture.height - 1 - y) < depth || picture.width <= 2 * depth
      border += picture.pixels[isWhole ? row : row.prefix(depth)]
      if !isWhole { border += picture.pixels[row.suffix(depth)] }
    }
    // The median of a few hundred pixels is close to that of all.
    let sample = stride(from: 0, to: border.count, by: 8).map { border[$0] }
    func median(_ axis: Int) -> Float { sample.map { $0[axis] }.sorted()[sample.count / 2] }
    let middle = SIMD3(median(0), median(1), median(2))
    let near = border.count { squaredLength($0 - middle) < 0.06 * 0.06 }
    color = near * 10 > border.count * 6 ? middle : nil
  }

  /// Returns how surely a pixel belongs to the object. A background keeps a small weight, because
  /// the object may have its color.
  func foreground(_ pixel: SIMD3<Float>) -> Float {
    guard let color else { return 1 }
    let distance = squaredLength(pixel - color).squareRoot()
    return max(0.03, min(1, (distance - 0.03) / 0.05))
  }
}

private func squaredLength(_ vector: SIMD3<Float>) -> Float {
  vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]
}
