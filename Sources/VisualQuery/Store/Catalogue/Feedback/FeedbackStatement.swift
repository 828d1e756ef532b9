/// Something that a person said about the answer to a question.
package struct FeedbackStatement: Sendable, Hashable {
  /// The current effect of a statement.
  package enum State: String, Sendable, Hashable, Codable, CaseIterable {
    /// It changes answers.
    case active
    /// It waits until somebody of the shop accepts it.
    case pending
  }

  /// The content of a statement: at least one entity is chosen or rejected.
  package struct Content: Sendable, Hashable {
    /// The question.
    package let query: FeedbackQuery
    /// The entity that the question means: it is found first. `nil` if nobody said.
    package let chosen: EntityID?
    /// The entities that the question does not mean: they are never found.
    package let rejected: [EntityID]

    /// The largest number of rejected entities.
    package static let rejectedLimit = 16

    /// Makes content.
    ///
    /// - Throws: ``FeedbackError`` with the code `nothingSaid` or `contradiction`.
    package init(
      query: FeedbackQuery, chosen: EntityID?, rejected: [EntityID]
    ) throws(FeedbackError) {
      guard chosen != nil || !rejected.isEmpty else {
        throw FeedbackError(
          code: .nothingSaid, message: "neither 'chosen' nor 'rejected' names an entity")
      }
      if let chosen, rejected.contains(chosen) {
        throw FeedbackError(
          code: .contradiction, message: "'\(chosen)' is both chosen and rejected")
      }
      guard rejected.count <= Self.rejectedLimit else {
        throw FeedbackError(
          code: .tooMuch,
          message: "\(rejected.count) entities are rejected; the limit is \(Self.rejectedLimit)")
      }
      guard query.hasImage || !query.labels.isEmpty else {
        throw FeedbackError(code: .nothingSaid, message: "the question has no image and no label")
      }
      self.query = query
      self.chosen = chosen
      self.rejected = rejected
    }
  }

  /// The number, which names the statement. Numbers are not used again.
  package let number: Int
  /// Its current effect.
  package let state: State
  /// The time at which it was made, in seconds since 1970.
  package let time: Int
  /// The name of the key that it was made with, or `nil` if it was made otherwise.
  package let author: String?
  /// The question and what was said about it.
  package let content: Content
  /// True if the person gave the image to be kept.
  package let hasImage: Bool
}

/// The reason why a statement is not accepted.
package struct FeedbackError: Error, Sendable, Hashable {
  /// The stable code of an error, for programs.
  package enum Code: String, Sendable, CaseIterable {
    /// No entity is chosen or rejected, or there is no question.
    case nothingSaid
    /// An entity is both chosen and rejected.
    case contradiction
    /// The statement has too many entities or too large an image.
    case tooMuch
    /// There is no room for another statement.
    case full
  }

  /// The code.
  package let code: Code
  /// The description for people.
  package let message: String

  /// Makes an error.
  package init(code: Code, message: String) {
    self.code = code
    self.message = message
  }
}
