/// The reason why a query does not show an entity that it should find.
package enum MissReason: String, Sendable, Hashable, Codable, CaseIterable {
  /// A statement says that the query does not mean it (``FeedbackStatement``).
  case suppressed
  /// The filter of its type does not accept it.
  case filteredOut
  /// The catalogue has no such entity, or no image of it.
  case notIndexed
  /// The query's image, or every image of the entity, has too little texture to be told from others.
  case tooFlat
  /// No scan, vote or label found one of its images, or so many others scored better that its
  /// geometry was not verified.
  case notACandidate
  /// Many products have its image, or all of it that agrees with the query's, so that this proves none of them.
  case shared
  /// Its geometry was verified, and too few keypoints agree on where it lies.
  case failedGeometry
  /// It was found with a confidence below the cut-off.
  case belowCutOff
  /// Other entities have a higher confidence.
  case outranked
  /// Its confidence reaches the cut-off, but the limits on the number of matches leave it out.
  case capped
  /// A rule of the shop hides it (``ShopRule``).
  case hidden
}
