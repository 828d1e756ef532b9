/// A position in an image with a size and an orientation.
public struct Keypoint: Sendable, Hashable {
  /// The column in the working image, in pixels.
  public let x: UInt16
  /// The row in the working image, in pixels.
  public let y: UInt16
  /// The pyramid level of the keypoint; 0 is the finest. Its patch is larger by ``reduction`` than
  /// on that level.
  public let level: UInt8
  /// The direction from the keypoint to the centroid of its patch's brightness, in 256 steps of a
  /// turn, from the positive *x* toward the positive *y* axis, which points down.
  public let angle: UInt8

  /// Makes a keypoint.
  public init(x: UInt16, y: UInt16, level: UInt8, angle: UInt8) {
    self.x = x
    self.y = y
    self.level = level
    self.angle = angle
  }

  /// The number of pixels of the working image that one pixel of its level spans.
  public var reduction: Double {
    Double(LumaPyramid.reductions[min(Int(level), LumaPyramid.reductions.count - 1)]) / 6
  }
}

extension Keypoint {
  /// The keypoint in 29 bits, as stored in signatures and segments. Working images have sides of at
  /// most 512 pixels.
  var packed: UInt32 {
    UInt32(x & 511) | UInt32(y & 511) << 9 | UInt32(level & 7) << 18 | UInt32(angle) << 21
  }

  init(packed: UInt32) {
    self.init(
      x: UInt16(packed & 511), y: UInt16(packed >> 9 & 511), level: UInt8(packed >> 18 & 7),
      angle: UInt8(truncatingIfNeeded: packed >> 21))
  }

  /// A Boolean value that indicates whether the level exists.
  var isValid: Bool { level < LumaPyramid.reductions.count }
}

/// The keypoints of an image and the hash of the patch around each.
public struct KeypointSet: Sendable, Hashable {
  /// The largest number of keypoints of a signature, which keeps it within 8 000 bytes.
  public static let limit = 184

  /// The keypoints, finest level first and strongest first within each level.
  public let keypoints: [Keypoint]
  /// The hash of each keypoint.
  public let hashes: [KeypointHash]

  /// Makes a set of as many hashes as keypoints.
  public init(keypoints: [Keypoint], hashes: [KeypointHash]) {
    precondition(keypoints.count == hashes.count, "each keypoint has one hash")
    self.keypoints = keypoints
    self.hashes = hashes
  }

  /// A set without keypoints.
  public static let empty = KeypointSet(keypoints: [], hashes: [])

  /// The number of keypoints.
  public var count: Int { keypoints.count }
}
