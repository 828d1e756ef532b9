/// The reason why a feed, its mapping or its labels cannot be read.
public struct FeedError: Error, Sendable, Hashable {
  /// The description for people, with the place in the file where there is one.
  public let message: String

  package init(message: String) { self.message = message }
}
