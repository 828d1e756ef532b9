/// The keypoints of a query image: more than in a signature, from more sizes of the image, each
/// with its hash in the original image, and those of the working image also with that in the
/// mirrored image.
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
    /// The hashes of the first keypoints: of all, or of those of the working image.
    let hashes: [KeypointHash]
    /// The ``VisualWord/bitLimit`` bits of the visual word of each hash, the least certain first.
    let doubts: [UInt8]
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
    views: [false, true].map { View(hashes: [], doubts: [], isMirrored: $0) })

  init(points: [Point], views: [View]) { (self.points, self.views) = (points, views) }

  /// Finds the keypoints of an image.
  ///
  /// - Parameters:
  ///   - pyramid: The working image.
  ///   - fine: A pyramid of a larger version of the image and its size ratio, or `nil` if there is
  ///     none.
  init(_ pyramid: LumaPyramid, fine: (pyramid: LumaPyramid, ratio: Double)?) {
    var points: [Point] = []
    var views = Self.none.views
    func add(
      _ found: [DetectedKeypoint], in pyramid: LumaPyramid, _ ratio: Double, views count: Int
    ) {
      points += found.map { Point($0, ratio: ratio) }
      var hashers = LevelHashers(pyramid)
      for view in 0..<count { views[view] = views[view].adding(found, &hashers) }
    }
    add(KeypointDetector.keypoints(of: pyramid, limit: Self.limit), in: pyramid, 1, views: 2)
    if let fine {
      let levels = 0..<min(2, fine.pyramid.planes.count)
      // Mirrored images are rare, and the larger keypoints find them.
      add(
        KeypointDetector.keypoints(of: fine.pyramid, levels: levels, limit: Self.fineLimit),
        in: fine.pyramid, fine.ratio, views: 1)
    }
    self.points = points
    self.views = views
  }
}

extension QueryKeypoints.Point {
  fileprivate init(_ found: DetectedKeypoint, ratio: Double) {
    let reduction = Double(LumaPyramid.reductions[found.level]) / 6
    x = Float((Double(found.x) + 0.5) * reduction / ratio)
    y = Float((Double(found.y) + 0.5) * reduction / ratio)
    scale = Float(reduction / ratio)
    angle = found.angle
  }
}

extension QueryKeypoints.View {
  /// Returns the view with the hashes of further keypoints.
  fileprivate func adding(_ found: [DetectedKeypoint], _ hashers: inout LevelHashers) -> Self {
    let tables = isMirrored ? KeypointPattern.mirroredTables : KeypointPattern.tables
    var (hashes, doubts) = (hashes, doubts)
    for point in found {
      let hasher = hashers[point.level]
      let pattern = tables[KeypointPattern.table(for: point.angle)]
      hashes.append(hasher.hash(x: point.x, y: point.y, pattern))
      hasher.appendDoubts(x: point.x, y: point.y, pattern, to: &doubts)
    }
    return Self(hashes: hashes, doubts: doubts, isMirrored: isMirrored)
  }
}
