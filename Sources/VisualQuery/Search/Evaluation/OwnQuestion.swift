package import PixelMatch

/// The answers of a catalogue to a photo of one of its own images: as it is, and as if the shop did not have the thing.
package struct OwnQuestion: Sendable {
  /// The likeliest candidate of one answer by the general calibration.
  struct Answer: Sendable {
    /// Its id, and what each witness says about it; `nil` if there is no candidate.
    let id: EntityID?
    let first: WitnessedEntity?

    init(id: EntityID?, first: WitnessedEntity?) { (self.id, self.first) = (id, first) }

    init(_ evaluated: EvaluatedQuery) {
      self.init(id: evaluated.answers.first?.id, first: evaluated.witnessed.first)
    }
  }

  /// The thing that the image shows.
  let id: EntityID
  /// The name of its group, or its own: questions with the same name stay in one part when they are dealt.
  let product: String
  let present: Answer
  let withoutOwn: Answer
  /// The answer without its whole group, or `nil` if it has none, or no other entity is in it.
  let withoutGroup: Answer?
}

extension Matcher {
  /// Asks for a thing of the catalogue with a photo of it, as the shop is, without the thing and without its group.
  ///
  /// - Parameters:
  ///   - key: The key of the thing.
  ///   - alike: The keys of the entities with the same image: they are right, too, and left out with it.
  /// - Throws: The errors of ``values(for:options:)``.
  @concurrent package func ask(
    forOwn id: EntityID, key: UInt32, alike: Set<UInt32>, by photo: PixelBuffer
  ) async throws -> OwnQuestion {
    var plain = self
    (plain.fits, plain.models) = (ShopFits(), nil)
    let own = alike.union([key])
    let right = try catalogue.ids(keys: own.sorted()).values.map(\.description).sorted()
    let query = EvaluationQuery(truth: right)
    let asked = plain
    func answer(without keys: Set<UInt32>) async throws -> OwnQuestion.Answer {
      var matcher = asked
      matcher.leftOut = keys
      return OwnQuestion.Answer(
        try await matcher.evaluate(query, picture: photo, withLabels: false))
    }
    let (groups, variants) = try withVariants(own)
    let withoutOwn = try await answer(without: own)
    let withoutGroup = variants == own ? nil : try await answer(without: variants)
    return OwnQuestion(
      id: id, product: groups.first.map { "group \($0)" } ?? id.description,
      present: try await answer(without: []), withoutOwn: withoutOwn, withoutGroup: withoutGroup)
  }
}
