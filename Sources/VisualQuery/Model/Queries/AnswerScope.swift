/// The parts of an answer that are asked for.
public enum AnswerScope: String, Sendable, Hashable, Codable, CaseIterable {
  /// The sure matches and, if there are none, the list of possible ones (``MatchResponse/possible``), from which a person chooses.
  case all
  /// Only what is sure, for a program that acts on an answer without a person.
  case sure
}
