internal import PixelMatch

/// The kind of a match, from the surest to the vaguest.
public enum MatchTier: String, Sendable, Hashable, Codable, CaseIterable {
  /// The same image.
  case exact
  /// The same image, edited or partly visible.
  case near
  /// An image that looks similar.
  case similar
  /// A label in common.
  case label
}

/// One ranked entity of an answer.
public struct Match: Sendable, Hashable {
  /// The entity.
  public let value: EntityValue
  /// The rank, from 1.
  public let rank: Int
  /// The calibrated probability, `0...1`, that the person points at this entity.
  public let confidence: Double
  /// The kind of the match.
  public let tier: MatchTier
  /// The terms of the confidence; their weights add up to its log-odds.
  public let evidence: [Evidence]
  /// The path of the image that matched, as the feed gave it, or `nil` if only labels did.
  public let matchedImage: String?
  /// The position of that image among the entity's images.
  public let matchedImagePosition: Int?
  /// The position of that image within the query's, or `nil` if too few keypoints agree.
  public let alignment: MatchAlignment?
  /// The number of the ``MatchResponse/objects`` that it belongs to, or `nil` if it is not known which part of
  /// the image shows it.
  public let object: Int?
  /// The matched product that brings a store, which stocks it.
  public let stocks: EntityID?
  /// The distance of a store from ``MatchOptions/near``, in meters.
  public let distanceMeters: Double?
  /// Whether a store is open at ``MatchOptions/date``, or `nil` if its hours are not known.
  public let isOpen: Bool?
  /// The texts for a card, in the language of the query as far as the catalogue has it.
  public let display: DisplayRepresentation
  /// The link that opens the entity.
  public let handoff: Handoff
  /// The other variants of its group if ``MatchOptions/isGrouped``, at most
  /// ``VariantGroups/variantLimit``: those that were found as well, the best first, then the others in
  /// catalogue order, unless products were filtered.
  public let variants: [MatchVariant]
}

/// Another variant of a matched product.
public struct MatchVariant: Sendable, Hashable {
  /// The entity.
  public let value: EntityValue
  /// The confidence that it would have as a match, or `nil` if it is not among the answers.
  public let confidence: Double?
  /// The texts and the image for a card, in the language of the query.
  public let display: DisplayRepresentation
  /// The link that opens it.
  public let handoff: Handoff
}

/// The position of an image of the catalogue within the query's image.
public struct MatchAlignment: Sendable, Hashable, Encodable {
  /// The number of keypoints that agree.
  public let inliers: Int
  /// Whether the query shows it mirrored.
  public let isMirrored: Bool
  /// The homography from the query to the image, both in shares of their sides; 3 × 3, row-major.
  public let transform: [Double]
  /// The box that the image covers in the query: left, top, width and height in shares of the query's
  /// sides.
  public let region: [Double]
}

extension MatchAlignment {
  /// Expresses the alignment of an image in shares of the sides of the whole query, or returns `nil` if it
  /// has none.
  init?(of image: BestImage) {
    guard let alignment = image.alignment else { return nil }
    let (frame, box) = (image.frame.size, image.frame.box)
    let (width, height) = (Double(frame.x), Double(frame.y))
    inliers = alignment.inliers
    isMirrored = alignment.isMirrored
    // Shares of the query to pixels of the searched part, over to pixels of the image, to shares of that.
    let scale = [width / box.width, height / box.height]
    let offset = [-box.x * scale[0], -box.y * scale[1]]
    let m = alignment.transform.matrix
    let rows = [Double(image.size.width), Double(image.size.height), 1]
    transform = m.indices.map { index in
      let (row, column) = (index / 3, index % 3)
      let value =
        column < 2
        ? m[index] * scale[column]
        : m[index] + m[3 * row] * offset[0] + m[3 * row + 1] * offset[1]
      return value / rows[row]
    }
    let back = alignment.transform.inverse
    let corners = [(0.0, 0.0), (1, 0), (0, 1), (1, 1)].compactMap { corner in
      back?(corner.0 * rows[0], corner.1 * rows[1])
    }
    func share(_ value: Double?, of side: Double, _ start: Double, _ length: Double) -> Double {
      min(1, max(0, start + (value ?? 0) / side * length))
    }
    let left = share(corners.map(\.x).min(), of: width, box.x, box.width)
    let right = share(corners.map(\.x).max(), of: width, box.x, box.width)
    let top = share(corners.map(\.y).min(), of: height, box.y, box.height)
    let bottom = share(corners.map(\.y).max(), of: height, box.y, box.height)
    region = [left, top, right - left, bottom - top]
  }

  /// The ``region``.
  var box: PictureRegion {
    PictureRegion(x: region[0], y: region[1], width: region[2], height: region[3])
  }
}
