/// The pairs of positions that keypoint hashes compare, rotated to each of 64 angles. Each pair with an even
/// number is followed by its mirror image.
enum KeypointPattern {
  /// The number of angles that patches are rotated to.
  static let angleCount = 64

  /// Returns the index of the table nearest to an angle in 256 steps of a turn.
  static func table(for angle: UInt8) -> Int { Int(angle &+ 2) / 4 }

  /// The pairs for each angle: column and row of the first position, then of the second.
  static let tables: [[SIMD4<Int8>]] = (0..<angleCount).map { step in
    let (cosine, sine) = IntegerAngle.direction(of: UInt8(step * 256 / angleCount))
    func turned(_ x: Int8, _ y: Int8) -> (Int8, Int8) {
      let (x, y) = (Int(x), Int(y))
      func rounded(_ fixed: Int) -> Int8 { Int8((fixed + 8192) >> 14) }
      return (rounded(x * cosine - y * sine), rounded(x * sine + y * cosine))
    }
    return pairs.map { pair in
      let (x0, y0) = turned(pair[0], pair[1])
      let (x1, y1) = turned(pair[2], pair[3])
      return SIMD4(x0, y0, x1, y1)
    }
  }
}
