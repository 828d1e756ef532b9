internal import PixelMatch

/// One thing that the query's image shows: matches of the same part of the image belong to one object.
public struct MatchedObject: Sendable, Hashable, Encodable {
  /// The number that its matches name, from 1.
  public let number: Int
  /// The box of the best match: left, top, width and height in shares of the sides of the query's image.
  public let box: [Double]
}

/// Groups the images that matched by the part of the query's image that they lie in.
struct MatchedObjects: Sendable {
  private(set) var all: [MatchedObject] = []
  private var claims: [ImageClaim] = []

  /// Returns the number of the object of an image, or `nil` if it is not known where it lies. Images come in
  /// the order of their confidence.
  mutating func number(of image: BestImage?, _ alignment: MatchAlignment?) -> Int? {
    guard let image, let claim = Self.claim(of: image) else { return nil }
    let known = claims.firstIndex { $0.overlap(with: claim) > Rivals.separateOverlap }
    if let known { return known + 1 }
    claims.append(claim)
    let frame = image.frame.box
    let outline = Self.isPlaced(image) ? alignment?.region : nil
    all.append(
      MatchedObject(
        number: all.count + 1, box: outline ?? [frame.x, frame.y, frame.width, frame.height]))
    return all.count
  }

  /// Returns the number of different parts of the query's image that images are known to lie in.
  static func count(of images: some Sequence<BestImage>) -> Int {
    var claims: [ImageClaim] = []
    for image in images {
      guard let claim = claim(of: image),
        !claims.contains(where: { $0.overlap(with: claim) > Rivals.separateOverlap })
      else { continue }
      claims.append(claim)
    }
    return claims.count
  }

  /// Returns whether it is known where an image lies: by its keypoints, or since the query is a copy of it as a whole.
  private static func isPlaced(_ image: BestImage) -> Bool {
    image.isWholeCopy
      || image.alignment != nil && image.evidence.inliers >= Rivals.claimingInliers
  }

  /// Returns the part of the query's image that an image lies in, or `nil` if it is not known.
  static func claim(of image: BestImage) -> ImageClaim? {
    let frame = image.frame.box
    let part = ImageBox(x: frame.x, y: frame.y, width: frame.width, height: frame.height)
    if isPlaced(image) { return image.evidence.claim.placed(in: part) }
    return part.width * part.height < 1 ? ImageClaim(part) : nil
  }
}
