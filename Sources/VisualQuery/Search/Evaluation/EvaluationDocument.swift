/// The JSON form of an evaluation, `vq.eval/1`.
///
/// Keys are camelCase and stable; new ones may be added. Figures that need queries with a right
/// entity, queries without one, or any answer are null without them.
package struct EvaluationDocument: Sendable, Encodable {
  private let report: EvaluationReport

  /// Makes the document of a report.
  package init(_ report: EvaluationReport) { self.report = report }

  private enum Key: String, CodingKey {
    case schema, meanReciprocalRank, byEdit, recallAt1PercentFalse, recallAt01PercentFalse
    case lists, listsRight, listsMeanLength, shownOrListed, listsIfNoneIsRight
    case reliability, calibrationError, worst
  }

  private struct Edit: Encodable {
    let edit: String
    let queries: Int
    let recallAt1: Double
    let recallAt5: Double
  }

  /// Encodes every key.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode("vq.eval/1", forKey: .schema)
    try EvaluationFigures(report).encode(to: encoder)
    try container.encode(
      report.byEdit.map {
        Edit(
          edit: $0.edit, queries: $0.recall.queries, recallAt1: rounded($0.recall.at1, 4),
          recallAt5: rounded($0.recall.at5, 4))
      }, forKey: .byEdit)
    try container.encode(report.lists.given, forKey: .lists)
    for (key, value) in [
      (Key.listsRight, report.lists.right), (.listsMeanLength, report.lists.meanLength),
      (.shownOrListed, report.lists.shownOrListed),
      (.listsIfNoneIsRight, report.lists.givenIfNoneIsRight),
      (.meanReciprocalRank, report.meanReciprocalRank),
      (.recallAt1PercentFalse, report.recallAt1PercentFalse),
      (.recallAt01PercentFalse, report.recallAt01PercentFalse),
    ] { try container.encode(value.map { rounded($0, 4) }, forKey: key) }
    try container.encode(
      report.reliability.map {
        EvaluationReport.ReliabilityBin(
          from: $0.from, answers: $0.answers, confidence: rounded($0.confidence, 4),
          right: rounded($0.right, 4))
      }, forKey: .reliability)
    try container.encode(
      report.calibrationError.map { rounded($0, 4) }, forKey: .calibrationError)
    try container.encode(
      report.worst.map {
        EvaluationReport.Miss(
          query: $0.query, edit: $0.edit, truth: $0.truth, missReason: $0.missReason,
          first: $0.first,
          confidence: $0.confidence.map { rounded($0, 4) })
      }, forKey: .worst)
  }
}
