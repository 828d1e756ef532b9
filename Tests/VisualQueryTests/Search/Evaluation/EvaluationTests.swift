import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

@Suite struct EvaluationTests {
  private func query(_ name: String, _ truth: [String], edit: String = "photo") throws
    -> EvaluationQuery
  {
    let ids = truth.map { "\"\($0)\"" }.joined(separator: ",")
    return try EvaluationQuery.read(
      #"{"query":"\#(name)","image":"x.jpg","truth":[\#(ids)],"edit":"\#(edit)"}"#)[0]
  }

  private func evaluated(
    _ truth: [String], _ answers: [(String, Double)], edit: String = "photo",
    missReason: MissReason? = nil
  ) throws -> EvaluatedQuery {
    EvaluatedQuery(
      query: try query(answers.first?.0 ?? "none", truth, edit: edit),
      answers: answers.map { .init(id: EntityID(type: .product, value: $0.0), confidence: $0.1) },
      missReason: missReason, samples: [])
  }

  @Test func `queries are read with what may be missing`() throws {
    let queries = try EvaluationQuery.read(
      """
      {"image":"a.jpg","truth":["x"]}

      {"query":"q","image":"b.jpg","truth":[],"labels":["mug"],"edit":"crop"}
      """)
    #expect(queries.map(\.query) == ["a.jpg", "q"])
    #expect(queries.map(\.edit) == ["none", "crop"])
    #expect(queries[1].labels == ["mug"] && queries[1].truth.isEmpty)
  }

  @Test(arguments: [
    (#"{"image":"a.jpg"}"#, "'truth' is missing"), (#"{"truth":[]}"#, "'image' is missing"),
    (#"{"image":3,"truth":[]}"#, "'image' must be a string"),
    (#"{"image":"a","truth":"x"}"#, "'truth' must be a list of strings"),
    ("[]", "a query is a JSON object; found a list"),
    ("nonsense", "it is not JSON: expected 'null' at byte 1, found 'o'"),
    (
      String(repeating: "[", count: 33),
      "it nests lists and objects deeper than 32 levels, which is the limit"
    ),
  ])
  func `a bad line is named with what is wrong`(line: String, message: String) {
    let error = #expect(throws: EvaluationError.self) {
      try EvaluationQuery.read("{\"image\":\"a\",\"truth\":[]}\n" + line)
    }
    #expect(error?.line == 2)
    #expect(error?.message == message)
  }

  /// By hand: of four, two are first, one is second and one is not there.
  @Test func `figures are those of the definitions`() throws {
    let report = EvaluationReport(
      [
        try evaluated(["a"], [("a", 0.95)]), try evaluated(["b"], [("b", 0.55), ("a", 0.2)]),
        try evaluated(["c"], [("d", 0.65), ("c", 0.5)], edit: "crop", missReason: .outranked),
        try evaluated(["e"], [("f", 0.05)], edit: "crop", missReason: .notACandidate),
        try evaluated([], [("a", 0.6)]), try evaluated([], []),
      ], cutOff: 0.6)
    #expect(report.recall == EvaluationReport.Recall(queries: 4, at1: 0.5, at5: 0.75))
    #expect(report.meanReciprocalRank == (1 + 1 + 0.5) / 4)
    #expect(report.byEdit.map(\.edit) == ["crop", "photo"])
    #expect(report.byEdit.map(\.recall.at1) == [0, 1])
    #expect(report.shownRight == 0.25 && report.shownWrong == 0.25)
    #expect(report.negatives == 2 && report.negativesEmpty == 0.5)
    // The surest negative has 0.6, so that only the first answer of 0.95 is above it.
    #expect(report.recallAt1PercentFalse == 0.25 && report.recallAt01PercentFalse == 0.25)
    #expect(report.reliability.map(\.answers) == [1, 1, 2, 1])
    let gaps = [0.05, 1 - 0.55, 2 * 0.625, 1 - 0.95]
    #expect(abs(try #require(report.calibrationError) - gaps.reduce(0, +) / 5) < 1e-9)
    #expect(report.worst.map(\.missReason) == [.outranked, .notACandidate])
  }

  /// By hand: of four, one is shown, two get a list, of which one is right.
  @Test func `lists have figures of their own`() throws {
    func listed(_ truth: [String], _ best: Double, _ ids: [String]) throws -> EvaluatedQuery {
      var query = try evaluated(truth, [("a", best)])
      query.possible = ids.map {
        EvaluatedQuery.Answer(id: EntityID(type: .product, value: $0), confidence: 0.3)
      }
      return query
    }
    let report = EvaluationReport(
      [
        try listed(["a"], 0.95, []), try listed(["b"], 0.5, ["a", "b", "c"]),
        try listed(["b"], 0.5, ["a"]), try listed(["a"], 0.3, []),
        try listed([], 0.6, ["a"]), try listed([], 0.1, []),
      ], cutOff: 0.85)
    #expect(report.lists.given == 2 && report.lists.right == 0.5 && report.lists.meanLength == 2)
    #expect(report.lists.shownOrListed == 0.5 && report.lists.givenIfNoneIsRight == 0.5)
    let none = EvaluationReport([]).lists
    #expect(none.given == 0 && none.right == nil && none.meanLength == nil)
    #expect(none.shownOrListed == nil && none.givenIfNoneIsRight == nil)
  }

  @Test func `nothing at all has figures, too`() {
    let report = EvaluationReport([])
    #expect(report.recall == nil && report.meanReciprocalRank == nil)
    #expect(report.shownRight == nil && report.shownWrong == nil && report.calibrationError == nil)
    #expect(report.negativesEmpty == nil && report.recallAt1PercentFalse == nil)
  }

  /// Queries whose right candidate is drawn by known factors: the fit must find what matters, give
  /// nothing a factor below zero, and be right about how sure it is.
  @Test func `a fit finds what its data were made of`() throws {
    var generator = SeededGenerator(seed: 3)
    let queries = try (0..<600).map { number in
      var samples = (0..<8).map { _ in
        MeasuredEvidence(
          hash: .random(in: 0...0.4, using: &generator),
          color: .random(in: 0...0.9, using: &generator),
          texture: .random(in: 0...0.9, using: &generator))
      }
      // The color decides; the texture speaks against.
      let right = Int.random(in: 0..<8, using: &generator)
      samples[right].color = .random(in: 0.85...0.99, using: &generator)
      samples[right].texture *= 0.5
      return EvaluatedQuery(
        query: try query("q\(number)", ["\(right)"]),
        answers: (0..<8).map {
          .init(id: EntityID(type: .product, value: "\($0)"), confidence: 0.5)
        }, missReason: nil,
        samples: samples.enumerated().map {
          CalibrationSample(
            id: EntityID(type: .product, value: "\($0.offset)"), evidence: $0.element,
            picture: $0.offset, isRight: $0.offset == right)
        })
    }
    let fit = CalibrationFit(Array(queries[..<400]))
    #expect((fit.coefficients.step1.numbers + fit.coefficients.step2.numbers).min()! >= 0)
    #expect(fit.coefficients.lead >= 0)
    #expect(fit.coefficients.step1[.color] > 1)
    #expect(fit.coefficients.step1[.texture] == 0)
    let unseen = EvaluationReport(fit.applied(to: Array(queries[400...])))
    #expect(try #require(unseen.recall).at1 > 0.7)
    #expect(try #require(unseen.calibrationError) < 0.12)

    let own = CalibrationFit(Array(queries[..<400]), of: .catalogued)
    let coded = Calibration.coefficients(for: .catalogued)
    #expect(own.coefficients.step1 == coded.step1 && own.coefficients.alone == coded.alone)
    #expect(own.coefficients.step2.numbers.min()! >= 0 && own.coefficients != coded)
    let rest = EvaluationReport(own.applied(to: Array(queries[400...])))
    #expect(try #require(rest.calibrationError) < 0.12)
  }
}
