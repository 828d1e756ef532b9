/// The parts of an answer that are asked for.
public enum AnswerScope: String, Sendable, Hashable, Codable, CaseIterable {
  /// What is sure and, if nothing is, what the image may show: ``MatchResponse/possible``. A person chooses from it.
  case all
  /// Only what is sure, for a program that acts on an answer without a person.
  case sure
}
