/// The circumstances by which a server counted the search of an answer. The token of the answer seals them, so that what is opened in it
/// counts by the same, and only once.
package struct CountedAnswer: Sendable, Hashable, Codable {
  /// A random number that no other answer has.
  package let number: UInt64
  /// The day of the search in UTC, such as `2026-11-27`.
  package let day: String
  /// The name of the key that it was asked with, or an empty text without keys.
  package let key: String
  /// The language that was asked for, or an empty text.
  package let language: String
  /// The side of an experiment that it counts for, `A` or `B`, or an empty text for none.
  package let arm: String
  /// The name of the model by which images were compared, too, or an empty text without one.
  package let model: String

  /// Names the circumstances of a search.
  package init(
    number: UInt64, day: String, key: String = "", language: String = "", arm: String = "",
    model: String = ""
  ) {
    self.number = number
    (self.day, self.key, self.language, self.arm, self.model) = (day, key, language, arm, model)
  }
}
