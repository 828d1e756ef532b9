/// The corners of a query's picture: more of them than a signature holds, from more sizes of the
/// picture, each with the hash that it has and the one that it would have in a mirrored picture.
public struct QueryKeypoints: Sendable, Hashable {
  /// Keypoints from the working image at most.
  static let limit = 256
  /// Further keypoints at most, from a picture of twice the size.
  static let fineLimit = 160

  /// One corner, in pixels of the working image.
  struct Point: Sendable, Hashable {
    let x: Float
    let y: Float
    /// How many pixels of the working image one pixel of its patch spans.
    let scale: Float
    /// As in ``Keypoint/angle``.
    let angle: UInt8
  }

  /// A way to see the picture: as it is or mirrored left to right.
  struct View: Sendable, Hashable {
    let hashes: [KeypointHash]
    /// The bits of each visual word, the least certain first.
    let doubtfulBits: [[UInt8]]
    let isMirrored: Bool

    /// The angle of a point in this view.
    func angle(of point: Point) -> UInt8 { isMirrored ? 128 &- point.angle : point.angle }
  }

  let points: [Point]
  /// As it is, then mirrored.
  let views: [View]

  /// Number of corners.
  public var count: Int { points.count }

  /// No corners.
  static let none = QueryKeypoints(
    points: [],
    views: [false, true].map { View(hashes: [], doubtfulBits: [], isMirrored: $0) })

  private init(points: [Point], views: [View]) { (self.points, self.views) = (points, views) }

  /// Finds the corners of a picture.
  ///
  /// - Parameters:
  ///   - pyramid: The working image.
  ///   - fine: A larger one of the same picture, and how many times larger, where there is one.
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
  /// The hashes of keypoints in one view, and their visual words' bits, the least certain first.
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
