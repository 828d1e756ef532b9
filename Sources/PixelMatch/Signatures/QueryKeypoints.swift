/// The keypoints of a query image: more than in a signature, from more sizes of the image, each
/// with its hash in the original image and in the mirrored image.
public struct QueryKeypoints: Sendable, Hashable {
  /// The largest number of keypoints from the working image.
  static let limit = 256
  /// The largest number of further keypoints, from an image of twice the size.
  static let fineLimit = 160

  /// One keypoint, in pixels of the working image.
  struct Point: Sendable, Hashable {
    let x: Float
    let y: Float
    /// The number of pixels of the working image that one pixel of its patch spans.
    let scale: Float
    /// The angle, as in ``Keypoint/angle``.
    let angle: UInt8
  }

  /// One form of the image: original, or mirrored left to right.
  struct View: Sendable, Hashable {
    let hashes: [KeypointHash]
    /// The bit indices of each visual word, the least certain first.
    let doubtfulBits: [[UInt8]]
    let isMirrored: Bool

    /// Returns the angle of a point in this view.
    func angle(of point: Point) -> UInt8 { isMirrored ? 128 &- point.angle : point.angle }
  }

  let points: [Point]
  /// The original view, then the mirrored one.
  let views: [View]

  /// The number of keypoints.
  public var count: Int { points.count }

  /// A value without keypoints.
  static let none = QueryKeypoints(
    points: [],
    views: [false, true].map { View(hashes: [], doubtfulBits: [], isMirrored: $0) })

  private init(points: [Point], views: [View]) { (self.points, self.views) = (points, views) }

  /// Finds the keypoints of an image.
  ///
  /// - Parameters:
  ///   - pyramid: The working image.
  ///   - fine: A pyramid of a larger version of the image and its size ratio, or `nil` if there is
  ///     none.
  init(_ pyramid: LumaPyramid, fine: (pyramid: LumaPyramid, ratio: Double)?) {
    var points: [Point] = []
    var hashes: [[KeypointHash]] = [[], []]
    var doubtful: [[[UInt8]]] = [[], []]
    func add(_ found: [DetectedKeypoint], in pyramid: LumaPyramid, _ ratio: Double) {
      points += found.map { Point($0.keypoint, ratio: ratio) }
      var hashers = LevelHashers(pyramid)
      for mirrored in 0...1 {
        let described = Self.described(found, &hashers, isMirrored: mirrored == 1)
        hashes[mirrored] += described.hashes
        doubtful[mirrored] += described.doubtfulBits
      }
    }
    add(KeypointDetector.keypoints(of: pyramid, limit: Self.limit), in: pyramid, 1)
    if let fine {
      let levels = 0..<min(2, fine.pyramid.planes.count)
      add(
        KeypointDetector.keypoints(of: fine.pyramid, levels: levels, limit: Self.fineLimit),
        in: fine.pyramid, fine.ratio)
    }
    self.points = points
    views = (0...1).map {
      View(hashes: hashes[$0], doubtfulBits: doubtful[$0], isMirrored: $0 == 1)
    }
  }
}

extension QueryKeypoints.Point {
  fileprivate init(_ keypoint: Keypoint, ratio: Double) {
    x = Float((Double(keypoint.x) + 0.5) / ratio)
    y = Float((Double(keypoint.y) + 0.5) / ratio)
    scale = Float(keypoint.reduction / ratio)
    angle = keypoint.angle
  }
}

extension QueryKeypoints {
  /// Returns the hashes of keypoints in one view, and the bits of their visual words, the least
  /// certain first.
  private static func described(
    _ found: [DetectedKeypoint], _ hashers: inout LevelHashers, isMirrored: Bool
  ) -> (hashes: [KeypointHash], doubtfulBits: [[UInt8]]) {
    let tables = isMirrored ? KeypointPattern.mirroredTables : KeypointPattern.tables
    var result: (hashes: [KeypointHash], doubtfulBits: [[UInt8]]) = ([], [])
    for point in found {
      let hasher = hashers[point.level]
      let pattern = tables[KeypointPattern.table(for: point.angle)]
      result.hashes.append(hasher.hash(x: point.x, y: point.y, pattern))
      let margins = hasher.margins(x: point.x, y: point.y, pattern)
      result.doubtfulBits.append(
        (0..<UInt8(KeypointPattern.wordBits)).sorted {
          (margins[Int($0)], $0) < (margins[Int($1)], $1)
        })
    }
    return result
  }
}
