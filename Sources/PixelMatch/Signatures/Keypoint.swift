/// A corner of a picture: where it is, how large and how it is turned.
public struct Keypoint: Sendable, Hashable {
  /// Column in the working image, in pixels.
  public let x: UInt16
  /// Row in the working image, in pixels.
  public let y: UInt16
  /// The pyramid level it was found on, from 0, the finest: its patch is ``reduction`` times larger
  /// than on that one.
  public let level: UInt8
  /// Direction from its centre to the centre of its patch's brightness, in 256 steps of a turn, from
  /// the positive *x* towards the positive *y* axis, which points down.
  public let angle: UInt8

  /// Makes a keypoint.
  public init(x: UInt16, y: UInt16, level: UInt8, angle: UInt8) {
    self.x = x
    self.y = y
    self.level = level
    self.angle = angle
  }

  /// How many pixels of the working image one pixel of its level spans.
  public var reduction: Double {
    Double(LumaPyramid.reductions[min(Int(level), LumaPyramid.reductions.count - 1)]) / 6
  }
}

extension Keypoint {
  /// The keypoint in 29 bits, as signatures and segments hold it; working images have sides of at
  /// most 512 pixels.
  var packed: UInt32 {
    UInt32(x & 511) | UInt32(y & 511) << 9 | UInt32(level & 7) << 18 | UInt32(angle) << 21
  }

  init(packed: UInt32) {
    self.init(
      x: UInt16(packed & 511), y: UInt16(packed >> 9 & 511), level: UInt8(packed >> 18 & 7),
      angle: UInt8(truncatingIfNeeded: packed >> 21))
  }

  /// Whether there is such a level.
  var isValid: Bool { level < LumaPyramid.reductions.count }
}

/// The corners of a picture and the hash of the patch around each.
public struct KeypointSet: Sendable, Hashable {
  /// The most that a signature holds: with everything else it then stays within 8 000 bytes.
  public static let limit = 184

  /// The corners, strongest first within each level, finest level first.
  public let keypoints: [Keypoint]
  /// The hash at each.
  public let hashes: [KeypointHash]

  /// Makes a set of as many hashes as keypoints.
  public init(keypoints: [Keypoint], hashes: [KeypointHash]) {
    precondition(keypoints.count == hashes.count, "each keypoint has one hash")
    self.keypoints = keypoints
    self.hashes = hashes
  }

  /// No keypoints.
  public static let empty = KeypointSet(keypoints: [], hashes: [])

  /// Number of keypoints.
  public var count: Int { keypoints.count }
}
