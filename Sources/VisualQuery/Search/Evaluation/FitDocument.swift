/// The JSON form of a verdict, `vq.fit/1`. Keys are camelCase and stable; new ones may be added.
package struct FitDocument: Sendable, Encodable {
  private let verdict: FitVerdict
  /// True if the fit is stored with the index.
  private let isStored: Bool
  private let generation: Int

  package init(_ verdict: FitVerdict, isStored: Bool, generation: Int) {
    (self.verdict, self.isStored, self.generation) = (verdict, isStored, generation)
  }

  private enum Key: String, CodingKey {
    case schema, verdict, stored, generation, photos, products, absent, cutOff, before, after, gain
    case worseAt, coefficients, calibration, vectors
  }

  private struct Figures: Encodable {
    let logLoss: Double
    let recallAt1: Double?
    let shownRight: Double?
    let shownWrong: Double?
    let wrongOfShown: Double?
    let absentShown: Double?
    let withoutOwnShown: Double?

    init(_ figures: FitVerdict.Figures, _ present: Int, _ absent: Int) {
      func share(_ count: Int, _ all: Int) -> Double? {
        all == 0 ? nil : rounded(Double(count) / Double(all), 4)
      }
      logLoss = rounded(figures.logLoss, 4)
      recallAt1 = share(figures.firstRight, present)
      shownRight = share(figures.shownRight, present)
      shownWrong = share(figures.shownWrong, present)
      wrongOfShown = figures.wrongShare.map { rounded($0, 4) }
      absentShown = share(figures.absentShown, absent)
      withoutOwnShown = share(figures.withoutOwnShown, present)
    }

    private enum CodingKeys: CodingKey {
      case logLoss, recallAt1, shownRight, shownWrong, wrongOfShown, absentShown, withoutOwnShown
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(logLoss, forKey: .logLoss)
      try container.encode(recallAt1, forKey: .recallAt1)
      try container.encode(shownRight, forKey: .shownRight)
      try container.encode(shownWrong, forKey: .shownWrong)
      try container.encode(wrongOfShown, forKey: .wrongOfShown)
      try container.encode(absentShown, forKey: .absentShown)
      try container.encode(withoutOwnShown, forKey: .withoutOwnShown)
    }
  }

  private struct Gain: Encodable {
    let logLoss: Double
    let low: Double
    let high: Double
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode("vq.fit/1", forKey: .schema)
    try container.encode(verdict.outcome, forKey: .verdict)
    try container.encode(isStored, forKey: .stored)
    try container.encode(generation, forKey: .generation)
    try container.encode(verdict.present + verdict.absent, forKey: .photos)
    try container.encode(verdict.products, forKey: .products)
    try container.encode(verdict.absent, forKey: .absent)
    try container.encode(Calibration.defaultCutOff, forKey: .cutOff)
    let (present, absent) = (verdict.present, verdict.absent)
    try container.encode(Figures(verdict.before, present, absent), forKey: .before)
    try container.encode(Figures(verdict.after, present, absent), forKey: .after)
    try container.encode(
      Gain(
        logLoss: rounded(verdict.gain, 4), low: rounded(verdict.interval.lowerBound, 4),
        high: rounded(verdict.interval.upperBound, 4)), forKey: .gain)
    try container.encode(verdict.worseAt, forKey: .worseAt)
    try container.encode(
      Dictionary(
        uniqueKeysWithValues: ShopFit.Coefficient.allCases.map {
          ($0.rawValue, verdict.fit[$0])
        }), forKey: .coefficients)
    try container.encode(verdict.fit.calibration, forKey: .calibration)
    try container.encode(verdict.fit.vectors, forKey: .vectors)
  }
}
