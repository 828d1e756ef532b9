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
    guard let image, let (claim, box) = Self.place(of: image, alignment) else { return nil }
    let known = claims.firstIndex { $0.overlap(with: claim) > Rivals.separateOverlap }
    if let known { return known + 1 }
    claims.append(claim)
    all.append(MatchedObject(number: all.count + 1, box: box))
    return all.count
  }

  private static func place(
    of image: BestImage, _ alignment: MatchAlignment?
  ) -> (ImageClaim, [Double])? {
    let frame = image.frame.box
    let part = ImageBox(x: frame.x, y: frame.y, width: frame.width, height: frame.height)
    if image.evidence.inliers >= Rivals.claimingInliers, let alignment {
      return (image.evidence.claim.placed(in: part), alignment.region)
    }
    return part.width * part.height < 1
      ? (ImageClaim(part), [frame.x, frame.y, frame.width, frame.height]) : nil
  }
}
