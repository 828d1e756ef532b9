/// The weights of an image's pixels: higher near the center, where people point, and very low on a
/// plain studio background.
struct PixelWeights {
  /// The weights, row-major, above zero.
  let weights: [Float]

  /// Computes the weights of the pixels of an image.
  ///
  /// - Complexity: O(pixels).
  init(_ picture: OklabPicture) {
    // The weights approximate a Gaussian whose deviation is 0.22 of the side. They avoid `exp`,
    // whose last bit differs between C libraries.
    func squaredDistances(_ side: Int) -> [Float] {
      (0..<side).map { place in
        let distance = (Float(place) + 0.5) / Float(side) - 0.5
        return distance * distance
      }
    }
    weights = Kernels.native.colorWeights(
      picture.pixels.span, across: squaredDistances(picture.width),
      down: squaredDistances(picture.height), ground: StudioBackground(picture).color)
  }
}

/// The plain color behind the object of a studio image, if there is one.
private struct StudioBackground {
  /// The largest distance in Oklab of a pixel of the border from the background's color.
  private static let nearness: Float = 0.06

  /// The color of the border, or `nil` if the border has more than one color.
  let color: SIMD3<Float>?

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
    func median(_ axis: Int) -> Float {
      element(ofRank: sample.count / 2, in: sample.map { $0[axis] })
    }
    let middle = SIMD3(median(0), median(1), median(2))
    let limit = Self.nearness * Self.nearness
    let near = border.count { squaredLength($0 - middle) < limit }
    color = Double(near) > ColorLayout.groundShare * Double(border.count) ? middle : nil
  }
}

private func squaredLength(_ vector: SIMD3<Float>) -> Float {
  vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]
}
