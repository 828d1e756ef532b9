/// How to go on from a match.
public struct Handoff: Sendable, Hashable {
  /// The link that opens the entity, or `nil` where the catalogue has none.
  public let url: String?
}
