import Testing

@testable import ShopSearch
import VisualQuery

/// Whether a shop has to be more careful than others, by the answers to photos of its own images.
@Suite struct NullVerdictTests {
  private static func answer(_ odds: Double, isRight: Bool = false) -> OwnQuestion.Answer {
    OwnQuestion.Answer(
      id: EntityID(type: .product, value: isRight ? "own" : "other"),
      first: WitnessedEntity(isRight: isRight, seen: Testimony(image: odds)))
  }

  /// Questions whose right and wrong answers have some log-odds.
  private static func questions(
    _ count: Int, right: (Int) -> Double = { 7 + Double($0 % 5) * 0.4 },
    wrong: (Int) -> Double
  ) -> [OwnQuestion] {
    (0..<count).map { number in
      OwnQuestion(
        id: EntityID(type: .product, value: "p\(number)"), product: "group g\(number / 2)",
        present: answer(right(number), isRight: true), withoutOwn: answer(wrong(number)),
        withoutGroup: number % 2 == 0 ? answer(-1) : nil)
    }
  }

  private static func verdict(_ questions: [OwnQuestion]) -> NullVerdict {
    NullVerdict(questions, unavailable: 2, sketch: [])
  }

  @Test func `a shop of look-alikes becomes careful, and shows what it has`() {
    let verdict = Self.verdict(
      Self.questions(120) { $0 % 4 == 0 ? 2 + Double($0 % 5) * 0.4 : -1 })
    #expect(verdict.outcome == .better && verdict.null.fit == verdict.fit)
    #expect(verdict.before.withoutOwn == CountedShare(30, of: 120))
    #expect(verdict.before.withoutGroup == CountedShare(0, of: 60))
    #expect(verdict.after.withoutOwn.count <= 6 && verdict.after.present.count == 120)
    #expect(verdict.fit.isCareful && verdict.fit[.prior] < -1 && verdict.fit[.temperature] == 1)
    #expect(verdict.null.fitted == verdict.after.withoutOwn && verdict.null.unavailable == 2)
    #expect(verdict.null.pairs.count == ShopNull.pairLimit)
    #expect(verdict.null.pairs[0].confidence >= verdict.null.pairs[4].confidence)
  }

  @Test func `a shop without look-alikes stays as it is`() {
    let verdict = Self.verdict(Self.questions(120) { _ in 1 })
    #expect(verdict.outcome == .notNeeded && verdict.null.fit == nil)
    #expect(verdict.after == verdict.before && verdict.null.pairs.isEmpty)
    // A few sure answers in a hundred may be chance.
    let rare = Self.verdict(Self.questions(120) { $0 % 30 == 7 ? 6 : 1 })
    #expect(rare.outcome == .notNeeded && rare.null.withoutOwn.count == 4)
  }

  @Test func `few images tell nothing`() {
    let few = Self.verdict(Self.questions(NullVerdict.leastQuestions - 1) { _ in 6 })
    #expect(few.outcome == .tooFew && few.null.fit == nil)
    #expect(few.null.withoutOwn.count == NullVerdict.leastQuestions - 1)
    #expect(Self.verdict([]).outcome == .tooFew)
  }

  /// Would break if a shop whose look-alikes are just like the things themselves hid everything: no carefulness can tell them apart.
  @Test func `what cannot be told apart is not hidden`() {
    let verdict = Self.verdict(
      Self.questions(120, right: { _ in 5 }, wrong: { $0 % 3 == 0 ? 5 : 0 }))
    #expect(verdict.outcome == .notBetter && verdict.null.fit == nil)
    #expect(verdict.after.present.count == 120)
  }

  /// Would break if a few sure wrong answers made a shop hide most photos of customers.
  @Test
  func `a fit hides no more photos in general than the wrong answers that it prevents are worth`() {
    let few = Self.verdict(Self.questions(200) { $0 % 12 == 0 ? 2 + Double($0 % 5) * 0.2 : -1 })
    let many = Self.verdict(Self.questions(200) { $0 % 3 == 0 ? 2 + Double($0 % 7) * 0.7 : -1 })
    for verdict in [few, many] {
      let (before, after) = (verdict.before.general, verdict.after.general)
      let prevented =
        Double(verdict.before.withoutOwn.count - verdict.after.withoutOwn.count) / 200
      #expect(verdict.outcome == .better && after.count < before.count)
      #expect(
        Double(before.count - after.count) / Double(before.of) <= 2 * NullVerdict.price * prevented)
    }
    #expect(few.fit[.prior] > many.fit[.prior])
  }

  @Test func `a verdict is the same each time, whatever the order of the questions`() {
    let questions = Self.questions(90) { $0 % 3 == 0 ? 3 : 1 }
    let verdict = Self.verdict(questions)
    let other = Self.verdict(questions.reversed())
    #expect(verdict.null == Self.verdict(questions).null)
    #expect(other.fit == verdict.fit && other.after == verdict.after)
  }

  @Test func `photos in general are shown in general, surer or less so`() {
    let odds = GeneralPhotos.logOdds
    #expect(odds.count == 50 && odds == odds.sorted())
    #expect(
      odds.allSatisfy {
        Calibration.probability(ofLogOdds: $0) >= Calibration.defaultCutOff - 0.005
      })
    #expect(odds.contains { $0 > 6 } && odds.contains { $0 < 3 })
  }
}
