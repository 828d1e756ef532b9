#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import VisualQuery

/// The JSON form of a statement about an answer.
struct StatementDocument: Sendable, Encodable {
  let number: Int
  let state: FeedbackStatement.State
  let date: String
  let author: String?
  let chosen: String?
  let rejected: [String]
  let labels: [String]
  /// True if the image is kept.
  let hasImage: Bool

  init(_ statement: FeedbackStatement) {
    number = statement.number
    state = statement.state
    date = Date(timeIntervalSince1970: Double(statement.time)).formatted(.iso8601)
    author = statement.author
    chosen = statement.content.chosen?.description
    rejected = statement.content.rejected.map(\.description)
    labels = statement.content.query.labels
    hasImage = statement.hasImage
  }
}

/// A statement as a query that `vq eval` reads, with its image or the signature of it.
struct FeedbackEvaluationQuery: Sendable, Encodable {
  let query: String
  let image: String?
  let signature: String?
  let labels: [String]
  let truth: [String]
  let edit = "feedback"

  /// Returns `nil` for a statement that does not say what is right, or is pending.
  ///
  /// - Parameter image: The name of the file of the image, or `nil` to name its signature.
  init?(_ statement: FeedbackStatement, image: String?) {
    guard let chosen = statement.content.chosen, statement.state == .active else { return nil }
    let question = statement.content.query
    guard question.hasImage else { return nil }
    query = "feedback-\(statement.number)"
    self.image = image
    signature = image == nil ? question.signatureText : nil
    labels = question.labels
    truth = [chosen.value]
  }
}
