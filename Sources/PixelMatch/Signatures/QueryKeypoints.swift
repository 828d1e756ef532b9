/// The keypoints of a query image: more than in a signature, from more sizes of the image, each
/// with its hash in the original image, and those of the working image also with that in the
/// mirrored image.
package struct QueryKeypoints: Sendable, Hashable {
  /// The largest number of keypoints from the working image.
  static let limit = 256
  /// The largest number of further keypoints, from an image of twice the size.
  static let fineLimit = 160

  /// One keypoint.
  struct Point: Sendable, Hashable {
    /// The position on its level of the pyramid.
    let column: UInt16
    let row: UInt16
    let level: UInt8
    /// The angle, as in ``Keypoint/angle``.
    let angle: UInt8
    /// True if the level is one of the image of about twice the size.
    let isFine: Bool
    /// The position in pixels of the working image.
    let x: Float
    let y: Float
    /// The number of pixels of the working image that one pixel of its patch spans.
    let scale: Float

    /// - Parameter ratio: The size of the image that the level belongs to over that of the working image.
    init(column: UInt16, row: UInt16, level: UInt8, angle: UInt8, isFine: Bool, ratio: Double) {
      (self.column, self.row, self.level) = (column, row, level)
      (self.angle, self.isFine) = (angle, isFine)
      let reduction = Double(LumaPyramid.reductions[Int(level)]) / 6
      x = Float((Double(column) + 0.5) * reduction / ratio)
      y = Float((Double(row) + 0.5) * reduction / ratio)
      scale = Float(reduction / ratio)
    }

    /// A keypoint of an image of the catalogue.
    init(_ keypoint: Keypoint) {
      let (center, reduction) = (keypoint.center, keypoint.reduction)
      (column, row) = (UInt16(center.x / reduction), UInt16(center.y / reduction))
      (level, angle, isFine) = (keypoint.level, keypoint.angle, false)
      (x, y, scale) = (Float(center.x), Float(center.y), Float(reduction))
    }
  }

  /// One form of the image: original, or mirrored left to right.
  struct View: Sendable, Hashable {
    /// The hashes of the first keypoints: of all, or of those of the working image.
    let hashes: [KeypointHash]
    /// The ``Kernels/knownDoubts`` least certain bits of each hash's visual word, the least certain first.
    let doubts: [UInt8]
    let isMirrored: Bool

    /// Returns the angle of a point in this view.
    func angle(of point: Point) -> UInt8 { isMirrored ? 128 &- point.angle : point.angle }
  }

  /// Those of the working image come first.
  let points: [Point]
  /// The original view, then the mirrored one.
  let views: [View]
  /// The width in pixels of the image that the finer keypoints come from, or 0 if there are none.
  let fineWidth: Int

  /// The number of keypoints.
  package var count: Int { points.count }

  /// A value without keypoints.
  static let none = QueryKeypoints(
    points: [],
    views: [false, true].map { View(hashes: [], doubts: [], isMirrored: $0) })

  init(points: [Point], views: [View], fineWidth: Int = 0) {
    (self.points, self.views, self.fineWidth) = (points, views, fineWidth)
  }

  /// Finds the keypoints of an image.
  ///
  /// - Parameters:
  ///   - pyramid: The working image.
  ///   - fine: A pyramid of a larger version of the image, or `nil` if there is none.
  init(_ pyramid: LumaPyramid, fine: LumaPyramid?) {
    var described = Described()
    var hashers = LevelHashers(pyramid)
    described.append(
      KeypointDetector.keypoints(of: pyramid, limit: Self.limit), hashedBy: &hashers)
    if let fine {
      let levels = 0..<min(2, fine.planes.count)
      let plane = pyramid.planes[0]
      let ratio = Double(fine.planes[0].width) / Double(plane.width)
      // The working width is rounded, so the last rows of the fine image may map below the
      // working image. Such keypoints are removed.
      let found = KeypointDetector.keypoints(of: fine, levels: levels, limit: Self.fineLimit)
        .filter {
          let point = Point($0, angle: 0, fineRatio: ratio)
          return point.x < Float(plane.width) && point.y < Float(plane.height)
        }
      var hashers = LevelHashers(fine)
      described.append(found, hashedBy: &hashers, fineRatio: ratio)
    }
    self.init(
      points: described.points, hashes: described.hashes, doubts: described.doubts,
      fineWidth: fine?.planes[0].width ?? 0)
  }

  /// Keypoints with their hashes, and the doubts about the words of these.
  struct Described {
    private(set) var points: [Point] = []
    private(set) var hashes: [KeypointHash] = []
    private(set) var doubts: [UInt8] = []

    /// Hashes keypoints.
    ///
    /// - Parameter fineRatio: See ``Point/init(column:row:level:angle:isFine:ratio:)``; `nil` for those of the
    ///   working image.
    mutating func append(
      _ found: [DetectedKeypoint], hashedBy hashers: inout LevelHashers, fineRatio: Double? = nil
    ) {
      for point in found {
        let (angle, hash) = hashers[point.level].describe(x: point.x, y: point.y, doubts: &doubts)
        points.append(Point(point, angle: angle, fineRatio: fineRatio))
        hashes.append(hash)
      }
    }
  }

  /// Makes the keypoints of an image of the catalogue those of a query.
  init(_ set: KeypointSet) {
    // The least certain bits of a visual word are not stored. Any bits do, but not one bit several times, which would vote several times.
    let doubts = set.hashes.flatMap { _ in 0..<UInt8(Kernels.knownDoubts) }
    self.init(
      points: set.keypoints.map(Point.init), hashes: set.hashes, doubts: doubts, fineWidth: 0)
  }

  /// Makes the views of keypoints whose hashes are known. Mirrored images are rare, and the larger keypoints
  /// find them.
  init(points: [Point], hashes: [KeypointHash], doubts: [UInt8], fineWidth: Int) {
    let large = points.prefix { !$0.isFine }.count
    self.init(
      points: points,
      views: [
        View(hashes: hashes, doubts: doubts, isMirrored: false),
        View(
          hashes: hashes[..<large].map(\.mirrored),
          doubts: doubts[..<(Kernels.knownDoubts * large)].map { $0 ^ 1 }, isMirrored: true),
      ], fineWidth: fineWidth)
  }
}

extension QueryKeypoints.Point {
  fileprivate init(_ found: DetectedKeypoint, angle: UInt8, fineRatio: Double?) {
    self.init(
      column: UInt16(found.x), row: UInt16(found.y), level: UInt8(found.level),
      angle: angle, isFine: fineRatio != nil, ratio: fineRatio ?? 1)
  }
}
