#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A picture, and what it should find.
public struct EvaluationQuery: Sendable, Hashable, Decodable {
  /// Its name.
  public let query: String
  /// The picture's path.
  public let image: String
  /// The ids of the entities that are right; none where the shop has nothing of the kind.
  public let truth: [String]
  /// Words for what is seen.
  public private(set) var labels: [String]
  /// What was done to the picture; queries of one kind are reported together.
  public let edit: String

  /// The same question with other labels.
  public func labelled(_ labels: [String]) -> EvaluationQuery {
    var other = self
    other.labels = labels
    return other
  }

  private enum CodingKeys: CodingKey { case query, image, truth, labels, edit }

  /// Reads a query; `labels` and `edit` may be missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    image = try container.decode(String.self, forKey: .image)
    query = try container.decodeIfPresent(String.self, forKey: .query) ?? image
    truth = try container.decode([String].self, forKey: .truth)
    labels = try container.decodeIfPresent([String].self, forKey: .labels) ?? []
    edit = try container.decodeIfPresent(String.self, forKey: .edit) ?? "none"
  }

  /// Reads JSON Lines: an object with `image` and `truth`, and perhaps `query`, `labels` and `edit`,
  /// on each line that is not blank.
  ///
  /// - Throws: ``EvaluationError``, which names the line.
  public static func read(_ text: String) throws(EvaluationError) -> [EvaluationQuery] {
    var queries: [EvaluationQuery] = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    where line.contains(where: { !$0.isWhitespace }) {
      do {
        queries.append(try JSONDecoder().decode(EvaluationQuery.self, from: Data(line.utf8)))
      } catch {
        throw EvaluationError(line: number + 1, message: Self.reason(error))
      }
    }
    return queries
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, _): "'\(key.stringValue)' is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      context.codingPath.first.map {
        "'\($0.stringValue)' must be \($0.stringValue == "truth" || $0.stringValue == "labels" ? "a list of strings" : "a string")"
      } ?? "a query is a JSON object"
    default: "it is no JSON object"
    }
  }
}

/// Why a file of queries cannot be used.
public struct EvaluationError: Error, Sendable, Hashable {
  /// The line, from 1.
  public let line: Int
  /// What is wrong with it, for people.
  public let message: String
}
