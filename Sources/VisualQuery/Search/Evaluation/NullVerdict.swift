internal import PixelMatch

/// The verdict on how careful a shop has to be, by the answers to photos of its own images, and the fit that makes it so.
///
/// The fit is one number, which lowers the log-odds of every answer: as much as it takes until what the shop lacks is hardly ever sure. The evidence of a look-alike is that of a
/// photo of the thing itself in another shop, so that factors for single witnesses bring no more (docs/quality-trials.md). No answer becomes surer.
///
/// Edits of a shop's own images look so much like the images that nearly all stay sure, however careful the shop is. So half of the price is told by photos of customers in
/// general (``GeneralPhotos``): a fit goes no further than to where the right answers that it hides are worth as much as the wrong ones that it prevents.
package struct NullVerdict: Sendable {
  /// The outcome of a fit.
  package enum Outcome: String, Sendable, Hashable, CaseIterable, Encodable {
    /// Fewer things that the shop lacks are sure, and what it has is shown as before.
    case better
    /// Hardly anything that the shop lacks is sure.
    case notNeeded
    /// There are too few images to tell.
    case tooFew
    /// The gain may be chance, or too much of what the shop has would be hidden.
    case notBetter
  }

  /// The sure answers at the default cut-off, before or after.
  package struct Figures: Sendable, Hashable {
    /// The things that are asked for without themselves.
    package let withoutOwn: CountedShare
    /// The same without their whole groups.
    package let withoutGroup: CountedShare
    /// The things that are shown if the shop has them.
    package let present: CountedShare
    /// The photos of customers that are shown in general.
    package let general: CountedShare
  }

  /// The fewest questions that can tell anything.
  package static let leastQuestions = 64
  /// The share of sure answers above which a shop is too careless, if the whole interval is, and at which a fit ends.
  package static let accepted = 0.03
  /// The largest share of the shop's own photos that a fit may hide, whatever they are worth.
  private static let mostOwnHidden = 0.04
  /// The fewest wrong answers that are prevented not by chance: of so many that might as well be right ones, fewer than one in twenty are all wrong.
  private static let leastPrevented = 5
  /// The share of questions about what a shop lacks, as for the general calibration.
  private static let absentShare = 1.0 / 3
  /// The share of right answers that may be hidden for each share of wrong ones that is prevented. At the cut-off, a wrong answer weighs as much as the right ones that go with it.
  package static let price =
    Calibration.defaultCutOff / (1 - Calibration.defaultCutOff) * absentShare / (1 - absentShare)
  private static let (parts, seed) = (10, UInt64(66))
  /// The steps of the number, and how many there are at most.
  private static let (step, steps) = (0.125, 64)

  package let outcome: Outcome
  /// The fit of all questions, or that in general if none is needed.
  package let fit: ShopFit
  package let before: Figures
  /// The sure answers by fits that have not seen the product.
  package let after: Figures
  /// The answers, with the fit if it is worth keeping.
  package let null: ShopNull

  /// Judges the answers of a catalogue.
  ///
  /// - Parameters:
  ///   - unavailable: The number of images that could not be asked.
  ///   - sketch: That of the catalogue.
  package init(_ questions: [OwnQuestion], unavailable: Int, sketch: [UInt32]) {
    let none = Self.make(0, of: questions)
    before = Self.figures(questions, general: none) { _ in none }
    let isEnough = questions.count >= Self.leastQuestions
    if !isEnough || before.withoutOwn.interval.lowerBound <= Self.accepted {
      (outcome, fit, after) = (isEnough ? .notNeeded : .tooFew, none, before)
    } else {
      fit = Self.fit(questions)
      let part = Self.parts(of: questions)
      let unseen = (0..<Self.parts).map { number in
        Self.fit(questions.indices.filter { part[$0] != number }.map { questions[$0] })
      }
      after = Self.figures(questions, general: fit) { unseen[part[$0]] }
      let prevented = before.withoutOwn.count - after.withoutOwn.count
      outcome =
        prevented >= Self.leastPrevented && Self.isWorthIt(from: before, to: after)
        ? .better : .notBetter
    }
    null = ShopNull(
      calibration: Calibration.mark, withoutOwn: before.withoutOwn,
      withoutGroup: before.withoutGroup, present: before.present, unavailable: unavailable,
      pairs: Self.pairs(questions), sketch: sketch, fit: outcome == .better ? fit : nil,
      fitted: outcome == .better ? after.withoutOwn : nil)
  }

  // MARK: Figures

  private static let cutOff = Calibration.logOdds(of: Calibration.defaultCutOff)

  /// - Parameter fit: Returns the fit by which a question is judged.
  private static func figures(
    _ questions: [OwnQuestion], general: ShopFit, by fit: (Int) -> ShopFit
  ) -> Figures {
    func count(
      _ answer: (OwnQuestion) -> OwnQuestion.Answer?, _ counts: (WitnessedEntity) -> Bool
    ) -> CountedShare {
      let answers = questions.indices.compactMap { index in
        answer(questions[index]).map { (index: index, first: $0.first) }
      }
      return CountedShare(
        answers.count { index, first in
          first.map { counts($0) && $0.logOdds(by: fit(index)) >= cutOff } ?? false
        }, of: answers.count)
    }
    return Figures(
      withoutOwn: count({ $0.withoutOwn }) { _ in true },
      withoutGroup: count({ $0.withoutGroup }) { _ in true },
      present: count({ $0.present }) { $0.isRight },
      general: CountedShare(
        GeneralPhotos.logOdds.count { general.logOdds(of: Testimony(image: $0)) >= cutOff },
        of: GeneralPhotos.logOdds.count))
  }

  /// Returns the surest wrong answers, each two things once.
  private static func pairs(_ questions: [OwnQuestion]) -> [ShopNull.Pair] {
    let sure = questions.compactMap { question -> ShopNull.Pair? in
      guard let id = question.withoutOwn.id, let first = question.withoutOwn.first,
        first.seen.general >= cutOff
      else { return nil }
      return ShopNull.Pair(
        asked: question.id.description, answered: id.description,
        confidence: Calibration.probability(ofLogOdds: first.seen.general))
    }.sorted { ($1.confidence, $0.asked) < ($0.confidence, $1.asked) }
    var known: Set<Set<String>> = []
    return sure.filter { known.insert([$0.asked, $0.answered]).inserted }
  }

  // MARK: Fit

  private static func make(_ prior: Double, of questions: [OwnQuestion]) -> ShopFit {
    ShopFit(
      [.prior: prior], calibration: Calibration.mark, vectors: nil, photos: questions.count,
      products: Set(questions.map(\.product)).count, isCareful: true)
  }

  /// Returns the part of each question. All things of one group are in one part.
  private static func parts(of questions: [OwnQuestion]) -> [Int] {
    var generator = SplitMix(state: seed)
    let names = generator.shuffled(Set(questions.map(\.product)).sorted())
    let places = Dictionary(uniqueKeysWithValues: zip(names, names.indices))
    return questions.map { (places[$0.product] ?? 0) % parts }
  }

  /// Returns the fit of some questions: the mildest of those that prevent the most wrong answers within their bounds.
  private static func fit(_ questions: [OwnQuestion]) -> ShopFit {
    var best = make(0, of: questions)
    let whole = figures(questions, general: best) { _ in best }
    let enough = Int(accepted * Double(questions.count))
    var fewest = whole.withoutOwn.count
    for number in 1...steps where fewest > enough {
      let fit = make(-step * Double(number), of: questions)
      let fitted = figures(questions, general: fit) { _ in fit }
      guard fitted.withoutOwn.count < fewest, isWorthIt(from: whole, to: fitted),
        share(from: whole.present, to: fitted.present) <= mostOwnHidden
      else { continue }
      (best, fewest) = (fit, fitted.withoutOwn.count)
    }
    return best
  }

  /// Returns whether the right answers that are hidden are worth no more than the wrong ones that are prevented.
  private static func isWorthIt(from before: Figures, to after: Figures) -> Bool {
    let hidden = share(from: before.general, to: after.general)
    let ownHidden = share(from: before.present, to: after.present)
    return (hidden + ownHidden) / 2
      <= price * share(from: before.withoutOwn, to: after.withoutOwn)
  }

  /// Returns the share of all that was counted before and is no more.
  private static func share(from before: CountedShare, to after: CountedShare) -> Double {
    Double(before.count - after.count) / Double(max(1, before.of))
  }
}
