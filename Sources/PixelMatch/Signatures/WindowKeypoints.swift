/// The keypoints of overlapping windows over an image, each with more than a whole image has.
///
/// A small thing has few of the keypoints of a whole image, and their votes are lost among those for its
/// surroundings. A window about as large as the thing has about the keypoints and the votes of an image of the thing.
package struct WindowKeypoints: Sendable {
  /// The largest number of keypoints of a window.
  private static let limit = 400
  /// The side of a window, as a share of the image's.
  private static let side = 0.4
  /// The number of windows along each side of the image.
  private static let columns = 4

  /// The largest number of corners of a level: an image of noise has more.
  private static let cornerLimit = 1 << 17

  /// The number of windows.
  package static let count = columns * columns

  /// The size of the image that the keypoints are placed in, in pixels.
  package let size: SIMD2<Int>
  private let pyramid: LumaPyramid
  private let hashers: LevelHashers
  /// The corners of each level.
  private let corners: [[KeypointDetector.Corner]]
  /// The size of the image that the corners come from over ``size``.
  private let ratio: Double

  /// Returns whether an image is so large that windows show more of it than its signature has.
  package static func isWorthwhile(for signature: QuerySignature) -> Bool {
    signature.keypoints.fineWidth > 0
  }

  /// Finds the corners of an image, or returns `nil` if it was told to stop.
  ///
  /// - Parameters:
  ///   - image: The image, of which at most ``QuerySignature/workingSide`` pixels a side are looked at.
  ///   - signature: The image's signature, in whose pixels the keypoints are placed.
  ///   - shouldStop: A function that is called for each size of the image.
  /// - Complexity: O(pixels).
  package init?(_ image: PixelBuffer, _ signature: QuerySignature, shouldStop: () -> Bool) {
    let large = image.reduced(toLongerSide: QuerySignature.workingSide)
    size = signature.size
    ratio = Double(max(large.width, large.height)) / Double(max(size.x, size.y))
    if shouldStop() { return nil }
    pyramid = LumaPyramid(large)
    if shouldStop() { return nil }
    hashers = LevelHashers(all: pyramid)
    var corners: [[KeypointDetector.Corner]] = []
    for plane in pyramid.planes {
      if shouldStop() { return nil }
      corners.append(KeypointDetector.corners(of: plane, limit: Self.cornerLimit))
    }
    self.corners = corners
  }

  /// Returns the keypoints of a window.
  ///
  /// - Complexity: O(corners of the image).
  package func keypoints(ofWindow number: Int) -> QueryKeypoints {
    let step = (1 - Self.side) / Double(Self.columns - 1)
    let (x, y) = (Double(number % Self.columns) * step, Double(number / Self.columns) * step)
    let box = ImageBox(x: x, y: y, width: Self.side, height: Self.side)
    var described = QueryKeypoints.Described()
    var hashers = hashers
    described.append(
      KeypointDetector.keypoints(of: pyramid, within: box, corners, limit: Self.limit),
      hashedBy: &hashers, fineRatio: ratio)
    return QueryKeypoints(
      points: described.points,
      views: [
        QueryKeypoints.View(
          hashes: described.hashes, doubts: described.doubts, isMirrored: false),
        QueryKeypoints.View(hashes: [], doubts: [], isMirrored: true),
      ])
  }
}
