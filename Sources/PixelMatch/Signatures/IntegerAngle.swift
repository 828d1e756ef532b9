#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Angles in 256 steps of a turn, computed with integers only, so that every processor gives the
/// same one.
enum IntegerAngle {
  /// Returns the angle from the positive *x* axis toward the positive *y* axis, rounded to the
  /// nearest step.
  static func of(x: Int, y: Int) -> UInt8 {
    let (across, down) = (abs(x), abs(y))
    if across == 0 && down == 0 { return 0 }
    // Within an octant the tangent grows with the angle, so a table of tangents finds the step.
    let ratio = (min(across, down) << 16) / max(across, down)
    let step = bounds.firstIndex { ratio < $0 } ?? 32
    let inQuadrant = across >= down ? step : 64 - step
    let steps =
      switch (x < 0, y < 0) {
      case (false, false): inQuadrant
      case (true, false): 128 - inQuadrant
      case (true, true): 128 + inQuadrant
      case (false, true): 256 - inQuadrant
      }
    return UInt8(truncatingIfNeeded: steps)
  }

  /// Returns cosine and sine, times 2¹⁴ and rounded.
  static func direction(of angle: UInt8) -> (cosine: Int, sine: Int) {
    (sines[Int(angle &+ 64)], sines[Int(angle)])
  }

  /// The tangents halfway between the steps of an octant, times 2¹⁶.
  private static let bounds: [Int] = (0..<32).map { step in
    Int((tan((Double(step) + 0.5) * .pi / 128) * 65536).rounded())
  }

  private static let sines: [Int] = (0..<256).map { step in
    Int((sin(Double(step) * .pi / 128) * 16384).rounded())
  }
}
