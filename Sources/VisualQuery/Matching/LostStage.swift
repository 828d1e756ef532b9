/// Where a query lost an entity that it should have found.
public enum LostStage: String, Sendable, Hashable, Codable, CaseIterable {
  /// The catalogue has no such entity, or none of its pictures.
  case notIndexed
  /// The query's picture, or every picture of the entity, is too plain to be told from others.
  case tooFlat
  /// No scan, no vote and no label brought up one of its pictures, or others seemed so much likelier
  /// that its corners were not looked at.
  case notACandidate
  /// Its corners were looked at, and too few agree on where it lies.
  case failedGeometry
  /// It was found, and is less sure than the cut-off.
  case belowCutOff
  /// Others are surer.
  case outranked
  /// It is sure enough, and the limits on the number of matches left it out.
  case capped
}
