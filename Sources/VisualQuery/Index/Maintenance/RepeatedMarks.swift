internal import PixelMatch

/// Finds marks that images of different products have at the same place, such as the watermark of a supplier.
///
/// A mark is a number of keypoints that lie at the same place of many images, in shape and position, though the images are
/// otherwise not alike. It is looked for in a sample, with one image of each group of variants, and then in all images.
struct RepeatedMarks {
  /// A mark, as its keypoints.
  struct Mark {
    /// The corner or the middle that its places are measured from.
    fileprivate let anchor: Anchor
    fileprivate let points: [Point]
    /// The place in the image, such as `top right`.
    let place: String
  }

  /// A keypoint with its place relative to an anchor.
  fileprivate struct Point {
    let x: Int
    let y: Int
    let hash: KeypointHash

    /// Returns whether two keypoints show the same at the same place.
    func isSame(as other: Point) -> Bool {
      abs(x - other.x) <= RepeatedMarks.nearness && abs(y - other.y) <= RepeatedMarks.nearness
        && hash.hammingDistance(to: other.hash) <= RepeatedMarks.hashDistance
    }
  }

  /// A corner or the center of an image, in halves of its sides. In images of different sizes, a mark has the same
  /// distance from one of these points.
  fileprivate struct Anchor: Hashable {
    let x: Int
    let y: Int

    static let all = [(0, 0), (2, 0), (0, 2), (2, 2), (1, 1)].map { Anchor(x: $0.0, y: $0.1) }
  }

  /// The most images of the sample.
  private static let sampleLimit = 256
  /// The fewest images of a sample that have a mark.
  private static let leastImages = 8
  /// The fewest keypoints of a mark.
  private static let leastPoints = 8
  /// The largest difference of the places of a mark's keypoints, in pixels of the working image, which are stored as even numbers.
  fileprivate static let nearness = 4
  /// The largest difference of their hashes, of 96 bits; those of unrelated keypoints differ in 48 on average.
  fileprivate static let hashDistance = 16
  /// The least median distance of the PDQ hashes of the images of a mark, of 256 bits. Packages that are printed alike have lower
  /// ones.
  private static let leastDifference = 90
  /// The most marks.
  private static let markLimit = 4

  /// Returns some elements that are spread over all.
  static func sample<Element>(of all: [Element]) -> [Element] {
    let step = max(1, (all.count + sampleLimit - 1) / sampleLimit)
    return stride(from: 0, to: all.count, by: step).map { all[$0] }
  }

  /// Returns the marks that some images share, the most frequent first.
  ///
  /// - Parameter signatures: Those of a sample.
  static func marks(in signatures: [Signature], shouldStop: () -> Bool) -> [Mark] {
    var sample = signatures
    var marks: [Mark] = []
    while marks.count < markLimit, sample.count >= leastImages, !shouldStop() {
      let sizes = Set(sample.map { [$0.width, $0.height] })
      let anchors = sizes.count == 1 ? [Anchor.all[0]] : Anchor.all
      let found = anchors.compactMap { mark(in: sample, from: $0) }
      guard let best = found.max(by: { $0.images.count < $1.images.count }) else { break }
      marks.append(best.mark)
      sample = sample.indices.filter { !best.images.contains($0) }.map { sample[$0] }
    }
    return marks
  }

  /// Returns whether an image has a mark.
  static func has(_ mark: Mark, _ signature: Signature) -> Bool {
    let own = keypoints(of: signature, from: mark.anchor)
    let count = mark.points.count { point in own.contains { $0.isSame(as: point) } }
    return isEnough(count, of: mark.points.count)
  }

  private static func isEnough(_ count: Int, of all: Int) -> Bool {
    count >= leastPoints / 2 && 5 * count >= 2 * all
  }

  private static func keypoints(of signature: Signature, from anchor: Anchor) -> [Point] {
    let (left, top) = (
      Int(signature.width) * anchor.x / 2, Int(signature.height) * anchor.y / 2
    )
    return zip(signature.keypoints.keypoints, signature.keypoints.hashes).map {
      Point(x: Int($0.x) - left, y: Int($0.y) - top, hash: $1)
    }
  }

  private struct Cell: Hashable {
    let x: Int
    let y: Int
  }

  /// Returns the most frequent mark of some images, with the indices of those that have it.
  private static func mark(
    in signatures: [Signature], from anchor: Anchor
  ) -> (mark: Mark, images: Set<Int>)? {
    let all = signatures.map { keypoints(of: $0, from: anchor) }
    let side = 2 * nearness
    func cell(_ point: Point) -> Cell {
      Cell(x: (point.x + 1024) / side, y: (point.y + 1024) / side)
    }
    var cells: [Cell: [(image: Int, point: Point)]] = [:]
    for (image, points) in all.enumerated() {
      for point in points { cells[cell(point), default: []].append((image, point)) }
    }
    /// The images with a keypoint like another one.
    func imagesHaving(_ point: Point) -> Set<Int> {
      let around = cell(point)
      var images: Set<Int> = []
      for x in around.x - 1...around.x + 1 {
        for y in around.y - 1...around.y + 1 {
          for other in cells[Cell(x: x, y: y)] ?? [] where other.point.isSame(as: point) {
            images.insert(other.image)
          }
        }
      }
      return images
    }
    var frequent: [(point: Point, images: Set<Int>)] = []
    for points in all {
      for point in points {
        if frequent.contains(where: { $0.point.isSame(as: point) }) { continue }
        let images = imagesHaving(point)
        if images.count >= leastImages { frequent.append((point, images)) }
      }
    }
    // Less frequent ones are not looked at: packages with one design have such keypoints, too.
    guard let first = frequent.max(by: { $0.images.count < $1.images.count }) else { return nil }
    let together = frequent.filter {
      2 * $0.images.intersection(first.images).count >= first.images.count
    }
    guard together.count >= leastPoints else { return nil }
    let having = Set(
      signatures.indices.filter { image in
        isEnough(together.count { $0.images.contains(image) }, of: together.count)
      })
    guard having.count >= leastImages, let sample = having.min(),
      differ(having.sorted().map { signatures[$0] })
    else { return nil }
    let points = together.map(\.point)
    let position = place(of: points, anchor, signatures[sample])
    return (Mark(anchor: anchor, points: points, place: position), having)
  }

  /// Returns whether images are otherwise not alike.
  private static func differ(_ signatures: [Signature]) -> Bool {
    let some = signatures.prefix(24)
    var distances: [Int] = []
    for (index, one) in some.enumerated() {
      distances += some.dropFirst(index + 1).map { one.pdq.hammingDistance(to: $0.pdq) }
    }
    return distances.sorted()[distances.count / 2] >= leastDifference
  }

  /// Returns the place of a mark in an image in words.
  private static func place(of points: [Point], _ anchor: Anchor, _ signature: Signature) -> String
  {
    func third(_ sum: Int, _ share: Int, of side: UInt16, _ names: [String]) -> String {
      let middle = sum / points.count + Int(side) * share / 2
      return names[min(max(3 * middle / max(1, Int(side)), 0), 2)]
    }
    let x = points.reduce(0) { $0 + $1.x }
    let y = points.reduce(0) { $0 + $1.y }
    return third(y, anchor.y, of: signature.height, ["top", "middle", "bottom"]) + " "
      + third(x, anchor.x, of: signature.width, ["left", "center", "right"])
  }
}
