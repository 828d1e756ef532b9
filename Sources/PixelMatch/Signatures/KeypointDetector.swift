/// Finds the corners of an image at several sizes, spread over its whole area.
///
/// The response of a pixel is the smaller eigenvalue of the gradient's second moments around it
/// (Shi, Tomasi, "Good features to track", CVPR 1994, <https://doi.org/10.1109/CVPR.1994.323794>),
/// so that the order of corners does not depend on contrast.
struct KeypointDetector {
  /// The smallest response above noise: gradients of 3 in all 49 pixels of a window.
  private static let leastResponse: Float = 2 * 49 * 9
  /// The largest number of local maxima that are considered on one level; images of noise have
  /// more.
  static let maximaLimit = 1 << 14

  /// A corner on its level.
  struct Corner: Hashable {
    let x: Int
    let y: Int
    let response: Float
  }

  /// Returns at most `limit` keypoints with their hashes, the strongest of each neighborhood.
  ///
  /// - Complexity: O(pixels).
  static func keypoints(of pyramid: LumaPyramid, limit: Int) -> [DetectedKeypoint] {
    keypoints(of: pyramid, levels: pyramid.planes.indices, limit: limit)
  }

  /// Returns the keypoints of some of the levels.
  static func keypoints(
    of pyramid: LumaPyramid, levels: Range<Int>, limit: Int
  ) -> [DetectedKeypoint] {
    keypoints(of: pyramid, levels: levels, limit: limit) { level, room in
      let plane = pyramid.planes[level]
      return strongest(
        room > 0 ? corners(of: plane) : [], x: 0..<plane.width, y: 0..<plane.height, limit: room)
    }
  }

  /// Returns the keypoints of a part of an image.
  ///
  /// - Parameters:
  ///   - box: The part, in shares of the sides.
  ///   - corners: The corners of each level.
  static func keypoints(
    of pyramid: LumaPyramid, within box: ImageBox, _ corners: [[Corner]], limit: Int
  ) -> [DetectedKeypoint] {
    keypoints(of: pyramid, levels: pyramid.planes.indices, limit: limit) { level, room in
      let plane = pyramid.planes[level]
      func pixels(_ start: Double, _ length: Double, of side: Int) -> Range<Int> {
        let first = Int(start * Double(side))
        return first..<max(first, min(side, Int((start + length) * Double(side))))
      }
      let x = pixels(box.x, box.width, of: plane.width)
      let y = pixels(box.y, box.height, of: plane.height)
      return strongest(
        corners[level].filter { x.contains($0.x) && y.contains($0.y) }, x: x, y: y, limit: room)
    }
  }

  /// Shares the keypoints among levels.
  ///
  /// - Parameter strongest: Returns at most a number of corners of a level.
  private static func keypoints(
    of pyramid: LumaPyramid, levels: Range<Int>, limit: Int,
    strongest: (_ level: Int, _ limit: Int) -> [Corner]
  ) -> [DetectedKeypoint] {
    // Starts with the coarsest level. What a level does not use is left to the finer ones.
    var left = limit
    var shares = levels.map { 6 / Double(LumaPyramid.reductions[$0]) }
    var chosen: [[Corner]] = []
    for level in levels.reversed() {
      let share = shares.removeLast()
      let room = Int((Double(left) * share / (share + shares.reduce(0, +))).rounded())
      let corners = strongest(level, room)
      left -= corners.count
      chosen.append(corners)
    }
    return zip(levels, chosen.reversed()).flatMap { level, corners in
      corners.map { DetectedKeypoint(x: $0.x, y: $0.y, level: level) }
    }
  }

  /// Returns the strongest corner of each cell of a grid over a part of a level, then the strongest of those.
  private static func strongest(
    _ corners: [Corner], x: Range<Int>, y: Range<Int>, limit: Int
  ) -> [Corner] {
    guard limit > 0, !x.isEmpty, !y.isEmpty else { return [] }
    let area = Double(x.count * y.count)
    let side = max(6, Int((area / (3 * Double(limit))).squareRoot()))
    let columns = (x.count + side - 1) / side
    let rows = (y.count + side - 1) / side
    // The strongest corner of each cell. Of equally strong ones, the first in row-major order
    // counts, so that the result does not depend on chance.
    var best = [UInt64](repeating: 0, count: columns * rows)
    for (index, corner) in corners.enumerated() {
      let cell = (corner.y - y.lowerBound) / side * columns + (corner.x - x.lowerBound) / side
      best[cell] = max(best[cell], strength(of: corner, index))
    }
    best.removeAll { $0 == 0 }
    if best.count > limit {
      // Removes the weaker corners first, because sorting them too would take longer than
      // everything else here.
      let weakest = element(ofRank: best.count - limit, in: best)
      best.removeAll { $0 < weakest }
    }
    return best.sorted(by: >).map {
      corners[Int(UInt32.max) - Int($0 & UInt64(UInt32.max))]
    }
  }

  /// A number above zero that is the greater the stronger a corner is, and greater for the earlier one of two
  /// that are equally strong. A positive response and its bits have the same order.
  private static func strength(of corner: Corner, _ index: Int) -> UInt64 {
    UInt64(corner.response.bitPattern) << 32 | UInt64(UInt32.max - UInt32(index))
  }

  /// Returns the corners of a level, row by row.
  ///
  /// - Parameter limit: The largest number of them; the rows below are left out.
  static func corners(of plane: LumaPyramid.Plane, limit: Int = maximaLimit) -> [Corner] {
    let width = plane.width
    var corners: [Corner] = []
    Kernels.native.forEachCorner(
      of: plane.luma.span, width: width, height: plane.height, threshold: leastResponse,
      limit: limit
    ) { place, response in
      corners.append(Corner(x: place % width, y: place / width, response: response))
    }
    return corners
  }
}

/// A corner's position on its level.
struct DetectedKeypoint: Hashable {
  let x: Int
  let y: Int
  let level: Int

  /// Returns the keypoint at the center of its pixel, in pixels of the whole image.
  func keypoint(angle: UInt8) -> Keypoint {
    let reduction = LumaPyramid.reductions[level]
    return Keypoint(
      x: UInt16((2 * x + 1) * reduction / 12), y: UInt16((2 * y + 1) * reduction / 12),
      level: UInt8(level), angle: angle)
  }
}

extension KeypointSet {
  /// Finds the keypoints of an image of any size, as in its signature.
  ///
  /// - Complexity: O(pixels).
  package init(_ picture: PixelBuffer) {
    self.init(LumaPyramid(picture.reduced(toLongerSide: Signature.workingSide)))
  }

  /// Finds the keypoints of an image, at most `limit`.
  ///
  /// - Complexity: O(pixels).
  init(_ pyramid: LumaPyramid, limit: Int = KeypointSet.limit) {
    // Skips the finest level of images that need not be enlarged: its corners cost as much as all others and are
    // less often found again in another image.
    let whole = pyramid.planes[0]
    let first = max(whole.width, whole.height) > Signature.leastSide ? 1 : 0
    let found = KeypointDetector.keypoints(
      of: pyramid, levels: min(first, pyramid.planes.count - 1)..<pyramid.planes.count,
      limit: limit)
    var hashers = LevelHashers(pyramid)
    var doubts: [UInt8] = []
    let described = found.map { hashers[$0.level].describe(x: $0.x, y: $0.y, doubts: &doubts) }
    self.init(
      keypoints: zip(found, described).map { $0.keypoint(angle: $1.angle) },
      hashes: described.map(\.hash))
  }
}
