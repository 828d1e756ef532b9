import Testing

@testable import ShopSearch

@Suite struct CoefficientFileTests {
  /// Would break if a kind of evidence, a term or a column were missing or misspelled, since a program would then end at its first question.
  @Test(arguments: ["anything", "catalogued"])
  func `the file has a number for each kind of evidence and each term`(column: String) {
    let file = CoefficientFile.own
    let kinds = MeasuredEvidence.Lane.allCases.map { "\($0)" }.sorted()
    #expect(file.column(column, of: "evidence").keys.sorted() == kinds)
    #expect(file.column("score", of: "evidence").values.allSatisfy { $0 >= 0 })
    #expect(file.column(column, of: "evidence").values.allSatisfy { $0 >= 0 })
    let coefficients = Calibration.Coefficients(column)
    #expect(coefficients.step1 == Calibration.coefficients.step1)
    #expect(coefficients.prior < 0 && coefficients.lead > 0)
  }

  /// Would break if a name were read from another row or another table.
  @Test func `numbers are found by the names of their table, row and column`() {
    let file = CoefficientFile(
      """
      # A comment.
      [one]
      kind a b
      x 1 -2.5

      y 3 4
      [two]
      kind a
      x 5
      """)
    #expect(file.column("a", of: "one") == ["x": 1, "y": 3])
    #expect(file.column("b", of: "one") == ["x": -2.5, "y": 4])
    #expect(file.column("a", of: "two") == ["x": 5])
    #expect(file.lines(of: "two") == ["kind a", "x 5"])
  }

  /// Would break if a tree could be misread: a wrong word is no question.
  @Test(arguments: [
    "", "votes 3 =1", "vote 3 =1 =2", "votes x =1 =2", "votes 3 1 =2", "votes 3 =1 ?x",
  ])
  func `what is no question is not read as one`(text: String) {
    #expect(PossibleEntities.Question(text) == nil)
  }

  @Test func `a question tells its limit and where its answers lead`() throws {
    let question = try #require(PossibleEntities.Question("votes~ 396 =0.25 ?2"))
    #expect(question.feature == .votes && question.limit == 396 && question.isMissingLow)
    guard case .leaf(0.25) = question.low, case .question(2) = question.high else {
      Issue.record("the answers lead elsewhere")
      return
    }
    #expect(PossibleEntities.Question("votes 396 =0.25 ?2")?.isMissingLow == false)
  }

  /// Would break if there were more kinds than a vector has room for.
  @Test func `a vector has room for each kind`() {
    #expect(MeasuredEvidence.Lane.allCases.count <= EvidenceVector.capacity)
    var vector = EvidenceVector { Double($0.rawValue) }
    #expect(vector[.patches] == Double(MeasuredEvidence.Lane.patches.rawValue))
    vector[.hash] = 7
    #expect(EvidenceVector(vector.numbers) == vector)
    #expect(vector.dot(EvidenceVector { _ in 1 }) == vector.sum)
  }
}
