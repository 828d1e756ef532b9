/// The JSON form of a verdict on the shop's own images, `vq.fit-own/1`. Keys are camelCase and stable; new ones may be added.
package struct NullDocument: Sendable, Encodable {
  /// The shares of sure answers; `nil` if nothing was asked.
  private struct Figures: Encodable {
    let withoutOwn: Double?
    let withoutGroup: Double?
    let present: Double?
    let general: Double?

    init(_ figures: NullVerdict.Figures) {
      func share(_ counted: CountedShare) -> Double? { counted.share.map { rounded($0, 4) } }
      withoutOwn = share(figures.withoutOwn)
      withoutGroup = share(figures.withoutGroup)
      present = share(figures.present)
      general = share(figures.general)
    }

    private enum CodingKeys: CodingKey { case withoutOwn, withoutGroup, present, general }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(withoutOwn, forKey: .withoutOwn)
      try container.encode(withoutGroup, forKey: .withoutGroup)
      try container.encode(present, forKey: .present)
      try container.encode(general, forKey: .general)
    }
  }

  private let schema = "vq.fit-own/1"
  private let verdict: NullVerdict.Outcome
  /// True if the answers are stored with the index.
  private let stored: Bool
  private let generation: Int
  private let before: Figures
  private let after: Figures
  private let prior: Double
  private let own: ShopNull

  package init(_ verdict: NullVerdict, isStored: Bool, generation: Int) {
    (self.verdict, stored, self.generation) = (verdict.outcome, isStored, generation)
    (before, after) = (Figures(verdict.before), Figures(verdict.after))
    prior = verdict.fit[.prior]
    own = verdict.null
  }
}
