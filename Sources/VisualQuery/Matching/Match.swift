internal import PixelMatch

/// How a match came about, from surest to vaguest.
public enum MatchTier: String, Sendable, Hashable, Codable, CaseIterable {
  /// The same picture.
  case exact
  /// The same picture, edited or partly seen.
  case near
  /// It looks alike.
  case similar
  /// Only the words agree.
  case label
}

/// One ranked answer.
public struct Match: Sendable, Hashable {
  /// The entity.
  public let value: EntityValue
  /// Its place among the answers, from 1.
  public let rank: Int
  /// Calibrated probability, `0...1`, that it is what the person points at.
  public let confidence: Double
  /// How the match came about.
  public let tier: MatchTier
  /// The terms behind the confidence; their weights add up to its log-odds.
  public let evidence: [Evidence]
  /// The catalogue's path of the picture that matched, or `nil` where only labels did.
  public let matchedImage: String?
  /// How that picture lies in the query's; `nil` where too few corners agree to tell.
  public let alignment: MatchAlignment?
  /// The matched product because of which a store is here: it stocks it.
  public let stocks: EntityID?
  /// How far a store is from the place that was asked from.
  public let distanceMeters: Double?
  /// Whether a store is open at the time that was asked for, where its hours are known.
  public let isOpen: Bool?
  /// How it is shown, in the language that was asked for as far as the catalogue has it.
  public let display: DisplayRepresentation
  /// Where the entity opens.
  public let handoff: Handoff
}

/// How a picture of the catalogue lies in the query's.
public struct MatchAlignment: Sendable, Hashable, Encodable {
  /// How many corners agree.
  public let inliers: Int
  /// Whether the query shows it mirrored.
  public let isMirrored: Bool
  /// Row-major 3 × 3: from the query to the picture, both in shares of their width and height.
  public let transform: [Double]
  /// The box of the query that the picture covers: left, top, width and height in shares of the
  /// query's.
  public let region: [Double]
}

extension MatchAlignment {
  /// Expresses the alignment of an image in shares of the sides, or returns `nil` if it has none.
  init?(of image: BestImage, in query: QuerySignature) {
    guard let alignment = image.alignment else { return nil }
    let (width, height) = (Double(query.size.x), Double(query.size.y))
    inliers = alignment.inliers
    isMirrored = alignment.isMirrored
    // Shares to pixels of the query, over to pixels of the image, and to shares of that.
    let m = alignment.transform.matrix
    let columns = [width, height, 1]
    let rows = [Double(image.size.width), Double(image.size.height), 1]
    transform = m.indices.map { m[$0] * columns[$0 % 3] / rows[$0 / 3] }
    let back = alignment.transform.inverse
    let corners = [(0.0, 0.0), (1, 0), (0, 1), (1, 1)].compactMap { corner in
      back?(corner.0 * rows[0], corner.1 * rows[1])
    }
    func share(_ value: Double, of side: Double) -> Double { min(1, max(0, value / side)) }
    let left = share(corners.map(\.x).min() ?? 0, of: width)
    let right = share(corners.map(\.x).max() ?? 0, of: width)
    let top = share(corners.map(\.y).min() ?? 0, of: height)
    let bottom = share(corners.map(\.y).max() ?? 0, of: height)
    region = [left, top, right - left, bottom - top]
  }
}
