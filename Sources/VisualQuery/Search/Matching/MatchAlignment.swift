internal import PixelMatch

/// The position of an image of the catalogue within the query's image.
package struct MatchAlignment: Sendable, Hashable, Encodable {
  /// The largest number of corners of an ``outline``.
  static let outlineLimit = 12

  /// The number of keypoints that agree.
  package let inliers: Int
  /// A Boolean value that indicates whether the query shows it mirrored.
  package let isMirrored: Bool
  /// The homography from the query to the image, both in shares of their sides; 3 × 3, row-major.
  package let transform: [Double]
  /// The box around the ``outline``: left, top, width and height in shares of the query's sides.
  package let region: [Double]
  /// The outline in the query of the thing that the image shows, without the plain background around it: *x*
  /// and *y* of the corners of a convex polygon in shares of the query's sides, clockwise from the upper left.
  package let outline: [[Double]]
  /// The keypoints that agree, each in both images.
  package let keypoints: [KeypointPair]

  /// A keypoint of the query and its counterpart, each in shares of the sides of its image.
  package struct KeypointPair: Sendable, Hashable {
    /// The place in the query's image.
    package let query: SIMD2<Double>
    /// The place in the image of the catalogue.
    package let image: SIMD2<Double>
  }

  /// Keypoints are not part of an answer.
  private enum CodingKeys: CodingKey { case inliers, isMirrored, transform, region, outline }
}

extension MatchAlignment {
  /// Expresses the alignment of an image in shares of the sides of the whole query, or returns `nil` if it
  /// has none.
  ///
  /// - Parameter layout: The colors of the image, which tell its content from its background.
  init?(of image: BestImage, _ layout: ColorLayout) {
    guard let alignment = image.alignment, let covered = image.coveredBox else { return nil }
    let places = ImagePlaces(image)
    inliers = alignment.inliers
    isMirrored = alignment.isMirrored
    transform = places.shares(of: alignment.transform)
    keypoints = alignment.pairs.map {
      KeypointPair(query: places.query($0.from), image: places.image($0.to))
    }
    let content = ImageContent(layout).corners + (image.isWholeCopy ? places.marks(of: image) : [])
    let hull = ConvexPolygon(
      hullOf: places.seen(content, under: alignment.transform) + keypoints.map(\.query)
    ).clippedToUnitSquare().simplified(toCorners: Self.outlineLimit)
    let box = hull.box.map { PictureRegion(x: $0.x, y: $0.y, width: $0.width, height: $0.height) }
    let region = box ?? covered
    self.region = [region.x, region.y, region.width, region.height]
    outline = box == nil ? covered.corners : hull.corners.map { [$0.x, $0.y] }
  }

  /// The alignment with the precision of an answer.
  var rounded: MatchAlignment {
    MatchAlignment(
      inliers: inliers, isMirrored: isMirrored,
      transform: transform.map { ShopSearch.rounded($0, 6) },
      region: region.map { ShopSearch.rounded($0, 4) },
      outline: outline.map { $0.map { ShopSearch.rounded($0, 4) } }, keypoints: keypoints)
  }
}

extension BestImage {
  /// The box that the whole image covers in the query, or `nil` if it is not aligned.
  var coveredBox: PictureRegion? {
    guard let alignment else { return nil }
    let corners: [SIMD2<Double>] = [SIMD2(0, 0), SIMD2(1, 0), SIMD2(0, 1), SIMD2(1, 1)]
    let seen = ImagePlaces(self).seen(corners, under: alignment.transform)
    func clamped(_ share: Double?) -> Double { min(1, max(0, share ?? 0)) }
    let (left, right) = (clamped(seen.map(\.x).min()), clamped(seen.map(\.x).max()))
    let (top, bottom) = (clamped(seen.map(\.y).min()), clamped(seen.map(\.y).max()))
    return PictureRegion(x: left, y: top, width: right - left, height: bottom - top)
  }
}

extension PictureRegion {
  /// The corners, clockwise from the upper left.
  fileprivate var corners: [[Double]] {
    [[x, y], [x + width, y], [x + width, y + height], [x, y + height]]
  }
}

/// The places in a query and in an image: pixels of the working images, and shares of the sides.
private struct ImagePlaces {
  /// The searched part of the query, in shares of its sides.
  let origin: SIMD2<Double>
  let extent: SIMD2<Double>
  /// The sizes of the working images of that part and of the catalogue's image.
  let searched: SIMD2<Double>
  let size: SIMD2<Double>

  init(_ image: BestImage) {
    let box = image.frame.box
    origin = SIMD2(box.x, box.y)
    extent = SIMD2(box.width, box.height)
    searched = SIMD2(Double(image.frame.size.x), Double(image.frame.size.y))
    size = SIMD2(Double(image.size.width), Double(image.size.height))
  }

  /// Returns a place of the working image in shares of the query.
  func query(_ place: SIMD2<Double>) -> SIMD2<Double> { origin + place / searched * extent }

  /// Returns a place of the catalogue's working image in shares of that image.
  func image(_ place: SIMD2<Double>) -> SIMD2<Double> { place / size }

  /// Returns the places of the image's own keypoints. A copy has them all, though they were not compared.
  func marks(of image: BestImage) -> [SIMD2<Double>] {
    image.stored.segment.keypointCenters(at: image.stored.row).map(self.image)
  }

  /// Returns where the query shows places of the image, both in shares.
  func seen(_ places: [SIMD2<Double>], under transform: PlaneTransform) -> [SIMD2<Double>] {
    guard let back = transform.inverse else { return [] }
    return places.map { place in
      let pixel = place * size
      return query(back(pixel.x, pixel.y))
    }
  }

  /// Returns a transform between pixels as one between shares.
  func shares(of transform: PlaneTransform) -> [Double] {
    let m = transform.matrix
    // Combines three maps: from shares of the query to pixels of the searched part, by the
    // transform to pixels of the image, and from there to shares of the image.
    let scale = searched / extent
    let offset = -origin * scale
    let rows = [size.x, size.y, 1]
    return m.indices.map { index in
      let (row, column) = (index / 3, index % 3)
      let value =
        column < 2
        ? m[index] * scale[column]
        : m[index] + m[3 * row] * offset.x + m[3 * row + 1] * offset.y
      return value / rows[row]
    }
  }
}
