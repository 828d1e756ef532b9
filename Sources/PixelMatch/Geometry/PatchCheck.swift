/// The number of an image's patches that match a query under an alignment.
package struct PatchAgreement: Sendable, Hashable {
  /// The number of the image's patches that lie within the query.
  package let visible: Int
  /// The number of those that look the same.
  package let agreeing: Int

  /// Makes counts.
  package init(visible: Int, agreeing: Int) {
    (self.visible, self.agreeing) = (visible, agreeing)
  }

  /// Returns the counts of at most some of the patches, with the same share of them that look the same.
  package func trusted(_ most: Double) -> PatchAgreement {
    let share = min(1, most / Double(max(1, visible)))
    func part(_ count: Int) -> Int { Int((share * Double(count)).rounded()) }
    return PatchAgreement(visible: part(visible), agreeing: part(agreeing))
  }

  /// The share of the visible patches that look the same, `0...1`.
  package var share: Double { visible == 0 ? 0 : Double(agreeing) / Double(visible) }
}

/// Compares the patches around an image's keypoints with a query, at the places where an alignment puts them.
///
/// In a photo of an item, a detector finds only a third of its keypoints again, and small changes of the photo change which ones. Once the
/// position of the image is known, no detection is needed: the hashes are computed again at the expected places. Nearly all of them match if
/// the image is the right one; if only a logo is the same, only its patches do. Known as guided matching (Hartley, Zisserman, "Multiple View
/// Geometry in Computer Vision", 2004, section 4.8).
///
/// If only the signature of the query is known, hashes cannot be computed again. Then the patches are compared with those marks of the signature
/// that are where they are expected. Not every patch has one there, so that the shares are estimates.
package struct PatchCheck: Sendable {
  /// The greatest number of bits that differ between hashes of patches that look the same, of 96.
  private static let distanceLimit = 31
  /// The least number of pixels of the query that a pixel of a patch spans. Below it, the query lacks the detail to compare.
  private static let leastMagnification = 0.6
  /// The shares of matching patches at which an inexact alignment may be the reason why the other patches do not
  /// match.
  private static let improvable = 0.6..<0.97
  /// The greatest number of bits that differ between such patches if they refine an alignment.
  private static let refiningLimit = 24
  /// The fewest patches that refine an alignment.
  private static let leastPairs = 24
  /// The greatest number of bits that differ between a patch and a mark that look the same, of 40.
  private static let markDistanceLimit = 15
  /// The greatest distance between a patch and its mark, in pixels of the larger of the two, and the greatest ratio of their sizes.
  private static let (markReach, markRatio) = (3.0, 1.35)
  /// For the patches that refine an alignment: the greatest distance between a patch and its mark, and the greatest
  /// number of bits that differ.
  private static let (refiningReach, refiningMarkLimit) = (7.0, 10)
  /// The reaches with which an alignment is fitted to marks, one after the other. A few keypoints say little of places far from them, for which
  /// the wide one is.
  private static let realigningReaches = [refiningReach, 2 * refiningReach, refiningReach]
  /// The shares of patches with a mark at which an inexact alignment may be the reason why the others have none, and
  /// the number of times that the alignment is then refined.
  private static let (improvableByMarks, markRounds) = (0.2..<0.97, 3)
  /// The share of patches that agree with a mark if a photo shows the right image, and the same share for patches
  /// that appear small in the query, where fewer marks are found. In a copy of the image, more patches agree.
  private static let (markedShare, smallMarkedShare) = (0.56, 0.36)
  /// The number of pixels of the query that a pixel of a patch spans below which the patch is small.
  private static let smallMagnification = 0.9
  /// Half the side of a patch.
  private static let radius = (Kernels.patchSide - 1) * Kernels.patchStep / 2

  /// One size of the query.
  private struct Plane {
    let width: Int
    let height: Int
    let sums: [UInt16]
    /// The number of pixels of the largest plane that one of its pixels spans.
    let reduction: Double
  }

  /// The sizes of the query, or none if only its signature is known.
  private let planes: [Plane]
  /// The marks of the query's signature if only that is known, from the top to the bottom.
  private let marks: [PatchMarks.Mark]
  private let size: SIMD2<Double>
  /// The size of the largest plane, or of the image that the marks come from, over ``size``.
  private let ratio: Double

  /// Prepares the check of a query, or returns `nil` if it was told to stop.
  ///
  /// - Parameters:
  ///   - image: The image, of which at most ``QuerySignature/workingSide`` pixels a side are looked at.
  ///   - signature: The image's signature.
  ///   - shouldStop: A function that is called for each size of the image.
  /// - Complexity: O(pixels).
  package init?(_ image: PixelBuffer, _ signature: QuerySignature, shouldStop: () -> Bool) {
    let large = image.reduced(toLongerSide: QuerySignature.workingSide)
    size = SIMD2(Double(signature.size.x), Double(signature.size.y))
    ratio = Double(max(large.width, large.height)) / size.max()
    if shouldStop() { return nil }
    var planes: [Plane] = []
    for (level, plane) in LumaPyramid(large).planes.enumerated() {
      if shouldStop() { return nil }
      planes.append(
        Plane(
          width: plane.width, height: plane.height, sums: plane.boxSums(),
          reduction: Double(LumaPyramid.reductions[level]) / 6))
    }
    self.planes = planes
    marks = []
  }

  /// Prepares the check of a query of which only the signature is known, or returns `nil` if that has no marks.
  package init?(_ signature: QuerySignature) {
    guard let marks = signature.marks else { return nil }
    size = SIMD2(Double(signature.size.x), Double(signature.size.y))
    ratio = Double(marks.width) / size.x
    planes = []
    // The keypoints serve as marks, too: they come from other sizes of the image.
    let keypoints = signature.keypoints
    self.marks =
      (marks.marks(in: signature.size.x)
      + zip(keypoints.points, keypoints.views[0].hashes).map { point, hash in
        PatchMarks.Mark(
          place: SIMD2(Double(point.x), Double(point.y)), scale: Double(point.scale),
          hash: PatchMarks.hash(hash))
      }).sorted {
        ($0.place.y, $0.place.x, $0.scale, $0.hash) < ($1.place.y, $1.place.x, $1.scale, $1.hash)
      }
  }

  /// Compares the patches of a row.
  ///
  /// - Parameters:
  ///   - transform: The transform from the query's working image to the row's, in pixels.
  /// - Returns: `nil` if no patch lies within the query.
  /// - Complexity: O(keypoints).
  package func agreement(
    of row: Int, in segment: SignatureSegment, under transform: PlaneTransform
  ) -> PatchAgreement? {
    let patches = patches(of: row, in: segment)
    guard let found = agreement(of: patches, under: transform) else { return nil }
    var best = (transform: transform, agreement: found)
    for _ in 0..<(planes.isEmpty ? Self.markRounds : 1) {
      guard
        (planes.isEmpty ? Self.improvableByMarks : Self.improvable).contains(best.agreement.share),
        let refined = refined(best.transform, by: patches),
        let better = agreement(of: patches, under: refined),
        better.share > best.agreement.share, better.agreeing >= best.agreement.agreeing
      else { break }
      best = (refined, better)
    }
    return best.agreement
  }

  /// Returns an alignment fitted to the marks that agree with it, or the known one if those are not more than its keypoints.
  ///
  /// A small thing has few of the keypoints of a whole image, and more of its marks. Where a patch is expected, a part of its hash is enough to
  /// know it.
  ///
  /// - Complexity: O(keypoints).
  package func realigned(
    _ known: Alignment, of row: Int, in segment: SignatureSegment
  ) -> Alignment {
    let patches = patches(of: row, in: segment)
    var best = known
    for reach in Self.realigningReaches {
      let near = marked(patches, under: best.transform, reach: reach)
      guard let transform = Self.fitted(to: near) else { continue }
      let agreeing = marked(patches, under: transform, reach: Self.markReach)
      let inliers = Agreement.inliers(among: agreeing)
      guard inliers > best.inliers else { continue }
      var claim = ImageClaim()
      for pair in agreeing { claim.insert(x: pair.from.x / size.x, y: pair.from.y / size.y) }
      best = Alignment(
        transform: transform, inliers: inliers, visible: known.visible,
        isMirrored: known.isMirrored, claim: claim, pairs: agreeing)
    }
    return best
  }

  /// Returns the marks that surely are patches of the image, each with the center of its patch.
  private func marked(
    _ patches: [Patch], under transform: PlaneTransform, reach: Double
  ) -> [LeastSquares.Pair] {
    guard let back = transform.inverse?.entries else { return [] }
    return patches.compactMap { patch in
      guard let magnification = magnification(of: patch.frame, back),
        let found = mark(like: patch, back, scale: magnification / ratio, reach: reach),
        found.distance <= Self.refiningMarkLimit
      else { return nil }
      return LeastSquares.Pair(from: found.place, to: patch.frame.center)
    }
  }

  /// Returns the transform of as many degrees of freedom as some pairs allow, as in ``GeometricCheck``.
  private static func fitted(to pairs: [LeastSquares.Pair]) -> PlaneTransform? {
    let transform =
      switch pairs.count {
      case ..<5: nil as PlaneTransform?
      case ..<12: LeastSquares.similarity(pairs)
      case ..<20: LeastSquares.affine(pairs)
      default: LeastSquares.homography(pairs)
      }
    return transform.flatMap { $0.isPlausible ? $0 : nil }
  }

  /// A patch of the image.
  private struct Patch {
    let frame: PatchFrame
    let hash: KeypointHash
    /// The ways from one sample to the next along a row and along a column, in pixels of the keypoint's level.
    let across: SIMD2<Double>
    let down: SIMD2<Double>

    init(_ keypoint: Keypoint, _ hash: KeypointHash, width: Int, height: Int) {
      frame = PatchFrame(keypoint, width: width, height: height, radius: PatchCheck.radius)
      self.hash = hash
      let (cosine, sine) = IntegerAngle.direction(of: keypoint.angle)
      across = SIMD2(Double(cosine), Double(sine)) * (Double(Kernels.patchStep) / 16384)
      down = SIMD2(-across.y, across.x)
    }
  }

  private func patches(of row: Int, in segment: SignatureSegment) -> [Patch] {
    let (width, height) = segment.size(at: row)
    let set = segment.keypoints(at: row)
    return zip(set.keypoints, set.hashes).map { keypoint, hash in
      Patch(keypoint, hash, width: width, height: height)
    }
  }

  private func agreement(
    of patches: [Patch], under transform: PlaneTransform
  ) -> PatchAgreement? {
    guard let back = transform.inverse?.entries else { return nil }
    var all = Count()
    for patch in patches {
      guard let magnification = magnification(of: patch.frame, back) else { continue }
      let isSame =
        planes.isEmpty
        ? isMarked(patch, back, magnification) : isSeen(patch, back, magnification)
      let expected =
        if planes.isEmpty {
          magnification < Self.smallMagnification ? Self.smallMarkedShare : Self.markedShare
        } else { 1.0 }
      all.add(isSame, expected: expected)
    }
    return all.visible == 0
      ? nil : PatchAgreement(visible: all.visible, agreeing: all.agreeing)
  }

  /// The patches that were compared.
  private struct Count {
    private(set) var visible = 0
    private var same = 0
    /// The number of patches of the right image that would be the same.
    private var expected = 0.0

    /// The number of those that look the same; an estimate if fewer than all of the right image's are expected to.
    var agreeing: Int {
      visible == 0
        ? 0 : min(visible, Int((Double(same) / expected * Double(visible)).rounded()))
    }

    mutating func add(_ isSame: Bool, expected: Double) {
      visible += 1
      if isSame { same += 1 }
      self.expected += expected
    }
  }

  /// Returns whether the query shows a patch where it is expected.
  private func isSeen(
    _ patch: Patch, _ back: PlaneTransform.Entries, _ magnification: Double
  ) -> Bool {
    let samples = samples(of: patch, side: Kernels.patchSide, back, plane(for: magnification))
    let found = KeypointHash(words: Kernels.native.patchHash(samples.span))
    return found.hammingDistance(to: patch.hash) <= Self.distanceLimit
  }

  /// Returns whether a mark looks like a patch where it is expected.
  private func isMarked(
    _ patch: Patch, _ back: PlaneTransform.Entries, _ magnification: Double
  ) -> Bool {
    let found = mark(like: patch, back, scale: magnification / ratio, reach: Self.markReach)
    return found.map { $0.distance <= Self.markDistanceLimit } ?? false
  }

  /// Returns the mark of about the size of a patch that looks most like it, of those near where it is expected; of equal ones, the first.
  ///
  /// - Parameters:
  ///   - scale: The number of pixels of the working image that one pixel of the patch spans.
  ///   - reach: The greatest distance from there, in pixels of the patch or of the mark.
  private func mark(
    like patch: Patch, _ back: PlaneTransform.Entries, scale: Double, reach: Double
  ) -> (distance: Int, place: SIMD2<Double>)? {
    let center = patch.frame.center
    let place = back(center.x, center.y)
    let right = back(center.x + 1, center.y) - place
    let below = back(center.x, center.y + 1) - place
    let isMirrored = right.x * below.y < right.y * below.x
    let hash = PatchMarks.hash(isMirrored ? patch.hash.mirrored : patch.hash)
    var best: (distance: Int, place: SIMD2<Double>)?
    // No mark of about this size reaches further.
    let farthest = reach * Self.markRatio * scale
    for mark in marks[firstMark(from: place.y - farthest)...] {
      if mark.place.y > place.y + farthest { break }
      guard mark.scale < scale * Self.markRatio, scale < mark.scale * Self.markRatio else {
        continue
      }
      let way = mark.place - place
      let limit = reach * max(mark.scale, scale)
      let distance = (mark.hash ^ hash).nonzeroBitCount
      if (way * way).sum() <= limit * limit, distance < best?.distance ?? .max {
        best = (distance, mark.place)
      }
    }
    return best
  }

  /// Returns the index of the first mark that is not above a height in the working image.
  private func firstMark(from height: Double) -> Int {
    var (low, high) = (0, marks.count)
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].place.y < height { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns a transform fitted to the offsets at which patches match best. With only some twenty inliers, an alignment may be a few pixels off
  /// where there are none.
  private func refined(_ transform: PlaneTransform, by patches: [Patch]) -> PlaneTransform? {
    guard let back = transform.inverse?.entries else { return nil }
    var pairs: [LeastSquares.Pair] = []
    for patch in patches {
      guard let magnification = magnification(of: patch.frame, back) else { continue }
      let place = patch.frame.center
      if planes.isEmpty {
        let found = mark(
          like: patch, back, scale: magnification / ratio, reach: Self.refiningReach)
        guard let found, found.distance <= Self.refiningMarkLimit else { continue }
        pairs.append(LeastSquares.Pair(from: found.place, to: place))
        continue
      }
      let nearest = nearest(to: patch, back, plane(for: magnification))
      guard nearest.distance <= Self.refiningLimit else { continue }
      let moved = place + nearest.shift * patch.frame.reduction
      pairs.append(LeastSquares.Pair(from: back(moved.x, moved.y), to: place))
    }
    return pairs.count >= Self.leastPairs ? LeastSquares.homography(pairs) : nil
  }

  /// Finds the place at which a patch looks most alike: its own, or one of the eight a sample away. Of equally good ones, the nearest.
  ///
  /// - Returns: The number of bits that differ there, and the way to it in pixels of the patch.
  private func nearest(
    to patch: Patch, _ back: PlaneTransform.Entries, _ plane: Plane
  ) -> (distance: Int, shift: SIMD2<Double>) {
    let side = Kernels.patchSide
    let samples = samples(of: patch, side: side + 2, back, plane)
    var best = (distance: Int.max, shift: SIMD2<Double>.zero)
    for (x, y) in Self.steps {
      var window: [Int16] = []
      window.reserveCapacity(side * side)
      for row in 0..<side {
        let start = (row + 1 + y) * (side + 2) + 1 + x
        window += samples[start..<start + side]
      }
      let hash = KeypointHash(words: Kernels.native.patchHash(window.span))
      let distance = hash.hammingDistance(to: patch.hash)
      if distance < best.distance {
        best = (distance, Double(x) * patch.across + Double(y) * patch.down)
      }
    }
    return best
  }

  /// The middle of a square of nine places, then the others, the nearest first.
  private static let steps = [
    (0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1),
  ]

  /// Returns the number of pixels of the largest plane that a pixel of a patch spans, or `nil` if the patch does not lie within
  /// the query or is too small there.
  private func magnification(of frame: PatchFrame, _ back: PlaneTransform.Entries) -> Double? {
    let corners = frame.corners.map { back($0.x, $0.y) }
    guard corners.allSatisfy({ $0.x >= 0 && $0.y >= 0 && $0.x < size.x && $0.y < size.y }) else {
      return nil
    }
    // The area of a quadrilateral from its diagonals.
    let (first, second) = (corners[2] - corners[0], corners[3] - corners[1])
    let area = abs(first.x * second.y - first.y * second.x) / 2
    let magnification = (area / frame.pixels).squareRoot() * ratio
    return magnification >= Self.leastMagnification ? magnification : nil
  }

  /// Returns the plane whose pixels are nearest in size to those of a patch.
  private func plane(for magnification: Double) -> Plane {
    var best = planes[0]
    for (smaller, larger) in zip(planes, planes.dropFirst())
    where magnification * magnification > smaller.reduction * larger.reduction {
      best = larger
    }
    return best
  }

  /// Returns the samples of a patch as the query shows it.
  ///
  /// - Parameter side: The number of samples along each side.
  private func samples(
    of patch: Patch, side: Int, _ back: PlaneTransform.Entries, _ plane: Plane
  ) -> [Int16] {
    let factor = ratio / plane.reduction
    let (center, step) = (patch.frame.center, patch.frame.reduction)
    // Approximates the homography by an affine map, which is accurate enough within one patch.
    let origin = back(center.x, center.y) * factor
    let right = back(center.x + step, center.y) * factor - origin
    let below = back(center.x, center.y + step) * factor - origin
    let sums = plane.sums.span
    var samples: [Int16] = []
    samples.reserveCapacity(side * side)
    let middle = Double(side - 1) / 2
    for row in 0..<side {
      for column in 0..<side {
        let way = (Double(column) - middle) * patch.across + (Double(row) - middle) * patch.down
        let offset = patch.frame.offset(
          column: Int(way.x.rounded()), row: Int(way.y.rounded()))
        let seen = origin + right * offset.x + below * offset.y
        let place = Self.pixel(seen.y, plane.height) * plane.width + Self.pixel(seen.x, plane.width)
        samples.append(Int16(sums[place]))
      }
    }
    return samples
  }

  /// Returns the pixel at a place, or the nearest one of the edge.
  private static func pixel(_ place: Double, _ count: Int) -> Int {
    // Limits the position before the conversion, which traps on infinity: a homography may map
    // a point there.
    place > 0 ? Int(min(place, Double(count - 1))) : 0
  }
}

/// The pixels around a keypoint, on the keypoint's level of the image. Beyond the edge of the image, the pixels of
/// the edge are repeated, as for the keypoint's hash.
private struct PatchFrame {
  private let column: Int
  private let row: Int
  private let width: Int
  private let height: Int
  private let radius: Int
  /// The number of pixels of the image that one of its pixels spans.
  let reduction: Double

  /// - Parameters:
  ///   - width: The width of the image in pixels.
  ///   - height: Its height.
  init(_ keypoint: Keypoint, width: Int, height: Int, radius: Int) {
    reduction = keypoint.reduction
    self.width = max(1, Int(Double(width) / reduction))
    self.height = max(1, Int(Double(height) / reduction))
    self.radius = radius
    column = min(self.width - 1, Int(keypoint.center.x / reduction))
    row = min(self.height - 1, Int(keypoint.center.y / reduction))
  }

  /// Returns the way from the keypoint to a pixel, in pixels of its level, that ends at the edge.
  ///
  /// - Parameters:
  ///   - column: The number of columns to the right of the keypoint.
  ///   - row: The number of rows below it.
  func offset(column: Int, row: Int) -> SIMD2<Double> {
    SIMD2(
      Double(max(-self.column, min(width - 1 - self.column, column))),
      Double(max(-self.row, min(height - 1 - self.row, row))))
  }

  /// Returns the center of a pixel in pixels of the image.
  private func place(column: Int, row: Int) -> SIMD2<Double> {
    (SIMD2(Double(self.column), Double(self.row)) + 0.5 + offset(column: column, row: row))
      * reduction
  }

  /// The center of the keypoint's pixel in pixels of the image.
  var center: SIMD2<Double> { place(column: 0, row: 0) }

  /// The centers of the pixels at its corners, around it.
  var corners: [SIMD2<Double>] {
    [
      place(column: -radius, row: -radius), place(column: radius, row: -radius),
      place(column: radius, row: radius), place(column: -radius, row: radius),
    ]
  }

  /// The area between its corners, in pixels of its level.
  var pixels: Double {
    let diagonal = (corners[2] - corners[0]) / reduction
    return max(1, diagonal.x * diagonal.y)
  }
}
