/// The figures of an evaluation that follow from its answers alone, in their JSON form: shares are rounded, and null without queries.
package struct EvaluationFigures: Sendable, Encodable {
  private let report: EvaluationReport

  /// Takes the figures of a report.
  package init(_ report: EvaluationReport) { self.report = report }

  private enum Key: String, CodingKey {
    case queries, negatives, cutOff, recallAt1, recallAt5, shownRight, shownWrong, negativesEmpty
  }

  /// Encodes every key.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(report.recall?.queries ?? 0, forKey: .queries)
    try container.encode(report.negatives, forKey: .negatives)
    for (key, value) in [
      (Key.cutOff, report.cutOff), (.recallAt1, report.recall?.at1),
      (.recallAt5, report.recall?.at5), (.shownRight, report.shownRight),
      (.shownWrong, report.shownWrong), (.negativesEmpty, report.negativesEmpty),
    ] { try container.encode(value.map { rounded($0, 4) }, forKey: key) }
  }
}
