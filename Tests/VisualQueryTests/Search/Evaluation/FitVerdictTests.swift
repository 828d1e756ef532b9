import Testing

@testable import ShopSearch
import VisualQuery

/// Whether a fit of labelled photos is worth keeping.
@Suite struct FitVerdictTests {
  /// A photo of which the first answer has some log-odds.
  private static func photo(
    _ number: Int, product: Int?, odds: Double, isRight: Bool, vector: Double = 0,
    otherwise: Double = -4, edit: String = "photo"
  ) throws -> EvaluatedQuery {
    let truth = product.map { "\"p\($0)\"" } ?? ""
    let query = try EvaluationQuery.read(
      #"{"image":"\#(number)","truth":[\#(truth)],"edit":"\#(edit)"}"#)[0]
    var evaluated = EvaluatedQuery(query, answers: [])
    evaluated.witnessed = [
      WitnessedEntity(isRight: isRight, seen: Testimony(image: odds, vector: vector)),
      WitnessedEntity(isRight: false, seen: Testimony(image: odds - 3)),
    ]
    guard let product else { return evaluated }
    evaluated.product = "p\(product)"
    evaluated.withoutRight = [WitnessedEntity(isRight: false, seen: Testimony(image: otherwise))]
    return evaluated
  }

  /// Photos whose first answer is right in a share of the cases, at log-odds that alternate.
  private static func photos(
    _ count: Int, products: Int = 30, odds: [Double], right: (Int) -> Bool
  ) throws -> [EvaluatedQuery] {
    try (0..<count).map { number in
      try photo(
        number, product: number % products, odds: odds[number % odds.count],
        isRight: right(number))
    }
  }

  @Test func `a shop whose answers are surer than they seem gets a fit that shows more`() throws {
    let queries = try Self.photos(200, odds: [0.5, 1, 1.5]) { $0 % 40 != 0 }
    let verdict = FitVerdict(ShopFitting(queries))
    #expect(verdict.outcome == .better && verdict.interval.lowerBound > 0)
    #expect(verdict.before.shownRight == 0 && verdict.after.shownRight > 100)
    #expect(verdict.fit[.prior] > 0.3 || verdict.fit[.temperature] > 1.2)
    #expect(verdict.fit.photos == 200 && verdict.fit.products == 30)
  }

  @Test func `a shop whose answers are less sure than they seem gets one that shows less`() throws {
    let queries = try Self.photos(200, odds: [2, 2.5, 3]) { $0 % 2 == 0 }
    let verdict = FitVerdict(ShopFitting(queries))
    #expect(verdict.outcome == .better)
    #expect(verdict.before.shownWrong == 100 && verdict.after.shownWrong == 0)
  }

  /// Would break if a fit were kept because it happens to suit the photos that it was made of.
  @Test func `what is calibrated already is left alone`() throws {
    // Of 10 answers with log-odds of 2.2, nine are right.
    let queries = try Self.photos(200, odds: [2.2]) { ($0 / 30 + $0) % 10 != 0 }
    let verdict = FitVerdict(ShopFitting(queries, absentShare: 0))
    #expect(verdict.outcome == .notBetter && verdict.interval.lowerBound <= 0)
  }

  @Test func `few photos or few products tell nothing`() throws {
    let few = try Self.photos(99, odds: [1]) { _ in true }
    #expect(FitVerdict(ShopFitting(few)).outcome == .tooFew)
    let one = try Self.photos(200, products: 9, odds: [1]) { _ in true }
    #expect(FitVerdict(ShopFitting(one)).outcome == .tooFew)
    #expect(FitVerdict(ShopFitting([])).outcome == .tooFew)
    let absent = try (0..<120).map {
      try Self.photo($0, product: nil, odds: 1, isRight: false)
    }
    #expect(FitVerdict(ShopFitting(absent)).outcome == .tooFew)
  }

  /// Would break if only the photos of the shop's own things counted.
  @Test func `what the shop lacks keeps a fit from showing it`() throws {
    let own = try Self.photos(150, odds: [1, 1.4]) { _ in true }
    let absent = try (150..<300).map {
      try Self.photo($0, product: nil, odds: [0.9, 1.3][$0 % 2], isRight: false)
    }
    #expect(FitVerdict(ShopFitting(own)).after.shownRight > 100)
    let verdict = FitVerdict(ShopFitting(own + absent))
    #expect(verdict.absent == 150 && verdict.after.absentShown == 0)
    #expect(verdict.after.shownRight == 0)
  }

  @Test func `photos of the shop's own things are asked as if it lacked them`() throws {
    let careless = try Self.photos(150, odds: [1, 1.4]) { _ in true }
    let warned = try (0..<150).map { number in
      try Self.photo(
        number, product: number % 30, odds: [1, 1.4][number % 2], isRight: true,
        otherwise: [1, 1.4][number % 2])
    }
    #expect(FitVerdict(ShopFitting(careless)).after.withoutOwnShown == 0)
    let few = FitVerdict(ShopFitting(warned, absentShare: 0.05))
    let many = FitVerdict(ShopFitting(warned, absentShare: 0.5))
    #expect(few.fit[.prior] + few.fit[.temperature] > many.fit[.prior] + many.fit[.temperature])
    #expect(many.after.shownRight == 0)
  }

  @Test func `a vector that tells right from wrong gets a factor`() throws {
    let queries = try (0..<200).map { number in
      let isRight = number % 2 == 0
      var query = try Self.photo(
        number, product: number % 40, odds: 0.5, isRight: isRight, vector: isRight ? 3.5 : 1)
      query.vectors = "model"
      return query
    }
    let verdict = FitVerdict(ShopFitting(queries))
    #expect(verdict.outcome == .better && verdict.fit[.vector] > 0.5)
    #expect(verdict.fit.vectors == "model" && verdict.fit[.labels] == 1)
    #expect(verdict.after.shownRight > 80 && verdict.after.shownWrong == 0)
  }

  /// Would break if photos of one product were on both sides: the one wrong answer of each product would be known.
  @Test func `a verdict is the same each time, whatever the order of the photos`() throws {
    let queries = try Self.photos(150, odds: [0.2, 1, 2]) { $0 % 7 != 0 }
    let verdict = FitVerdict(ShopFitting(queries))
    let again = FitVerdict(ShopFitting(queries))
    #expect(verdict.fit == again.fit && verdict.interval == again.interval)
    let other = FitVerdict(ShopFitting(queries.reversed()))
    #expect(other.fit == verdict.fit && abs(other.gain - verdict.gain) < 1e-9)
  }

  @Test func `an edit of which more would be shown wrong speaks against a fit`() throws {
    let mostly = try (0..<300).map { number in
      try Self.photo(number, product: number % 50, odds: 1.2, isRight: true)
    }
    let rare = try (300..<340).map { number in
      let isRight = number % 4 == 0
      return try Self.photo(
        number, product: number % 50, odds: isRight ? 2 : 1.4, isRight: isRight, edit: "night")
    }
    let verdict = FitVerdict(ShopFitting(mostly + rare))
    #expect(verdict.outcome == .worse && verdict.worseAt.contains("night"))
  }
}
