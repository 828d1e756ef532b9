/// A position in an image with a size and an orientation.
package struct Keypoint: Sendable, Hashable {
  /// The column in the working image, in pixels; an even number, which stands for two columns.
  package let x: UInt16
  /// The row in the working image, in pixels; an even number, which stands for two rows.
  package let y: UInt16
  /// The pyramid level of the keypoint; 0 is the finest. Its patch is larger by ``reduction`` than
  /// on that level.
  package let level: UInt8
  /// The direction of most of the gradients of its patch, in 256 steps of a turn, from the positive *x* toward the positive *y*
  /// axis, which points down.
  package let angle: UInt8

  /// Makes a keypoint. Odd columns and rows are rounded down.
  package init(x: UInt16, y: UInt16, level: UInt8, angle: UInt8) {
    self.x = x & ~1
    self.y = y & ~1
    self.level = level
    self.angle = angle
  }

  /// The number of pixels of the working image that one pixel of its level spans.
  package var reduction: Double {
    Double(LumaPyramid.reductions[min(Int(level), LumaPyramid.reductions.count - 1)]) / 6
  }
}

extension Keypoint {
  /// The number of bytes of a place.
  static let placeByteCount = 3

  /// The center of the keypoint's pixels in the working image.
  var center: SIMD2<Double> { SIMD2(Double(x) + 1, Double(y) + 1) }

  /// The place as stored in signatures and segments: half the column, half the row, and the angle.
  /// Working images have sides of at most 512 pixels. The level follows from the order.
  var place: [UInt8] {
    [UInt8(truncatingIfNeeded: x / 2), UInt8(truncatingIfNeeded: y / 2), angle]
  }

  /// Makes a keypoint from its place.
  init(place: (x: UInt8, y: UInt8, angle: UInt8), level: UInt8) {
    self.init(
      x: 2 * UInt16(place.x), y: 2 * UInt16(place.y), level: level, angle: place.angle)
  }
}

/// The keypoints of an image and the hash of the patch around each.
package struct KeypointSet: Sendable, Hashable {
  /// The largest number of keypoints of a signature.
  package static let limit = 184
  /// The number of bytes that hold the number of keypoints of each level.
  static let levelCountByteCount = 8

  /// The keypoints, finest level first and strongest first within each level.
  package let keypoints: [Keypoint]
  /// The hash of each keypoint.
  package let hashes: [KeypointHash]

  /// Makes a set.
  ///
  /// - Precondition: There are as many hashes as keypoints, at most ``limit``, and no level is
  ///   finer than the one before.
  package init(keypoints: [Keypoint], hashes: [KeypointHash]) {
    precondition(keypoints.count == hashes.count, "each keypoint has one hash")
    precondition(keypoints.count <= Self.limit, "a signature has at most \(Self.limit) keypoints")
    precondition(
      zip(keypoints, keypoints.dropFirst()).allSatisfy { $0.level <= $1.level }
        && (keypoints.last?.level ?? 0) < LumaPyramid.reductions.count,
      "keypoints come in the order of their levels")
    self.keypoints = keypoints
    self.hashes = hashes
  }

  /// A set without keypoints.
  package static let empty = KeypointSet(keypoints: [], hashes: [])

  /// The number of keypoints.
  package var count: Int { keypoints.count }

  /// The number of keypoints of each level, finest first.
  var levelCounts: [UInt8] {
    var counts = [UInt8](repeating: 0, count: Self.levelCountByteCount)
    for keypoint in keypoints { counts[Int(keypoint.level)] += 1 }
    return counts
  }

  /// Returns the level of each keypoint, or `nil` if there are more than ``limit`` or a level does
  /// not exist.
  static func levels(ofCounts counts: some Sequence<UInt8>) -> [UInt8]? {
    var levels: [UInt8] = []
    for (level, count) in counts.enumerated() where count > 0 {
      guard level < LumaPyramid.reductions.count, levels.count + Int(count) <= limit else {
        return nil
      }
      levels += repeatElement(UInt8(level), count: Int(count))
    }
    return levels
  }
}
