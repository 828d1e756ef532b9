internal import PixelMatch

/// A question as all stages of its search see it. Nothing of it changes once it is prepared.
struct PreparedQuery: Sendable {
  /// The types that are searched.
  let types: [EntityType]
  let labels: LabelEvidence
  /// The signature of the query's image, or `nil` if it has none.
  let signature: QuerySignature?
  /// True if the deadline passed before the image was decoded, so that only the labels are searched.
  let isImageLeftOut: Bool
  /// The things that the image may show.
  let subject: QuerySubject
  /// The lowest confidence of a match.
  let cutOff: Double
  /// The keys that the filter of a type accepts; types without a filter are missing.
  let allowed: [EntityType: KeySet]
  /// The effects of the statements about the query, or `nil` if there are none.
  let feedback: FeedbackEffects?
  /// The keys of the entities that people said it does not mean.
  let suppressed: Set<UInt32>
  /// The shop's rules that may hold for the query.
  let rules: ActiveRules
  /// The words that tell which of several like things is meant, or `nil` if there are none.
  let words: AskedWords?
  /// The entities that the image shows without the filters of the question, the surest first, if these ask for a color.
  let sighted: [ScoredEntity]
  /// True if the deadline passed before the filters were applied, so that nothing may be shown.
  let isFilterUnfinished: Bool
  let shouldStop: @Sendable () -> Bool
  /// Returns the time until the deadline, or `nil` if there is none.
  let remaining: @Sendable () -> Duration?
  /// The fit of the shop that may hold for the query.
  var fit: ShopFit?
  /// The model whose vectors are compared, if any are.
  var vectors: String?

  /// Returns whether an entity may be found: the filter of its type accepts it, and nobody said that it is
  /// not meant.
  func allows(_ key: UInt32, _ type: EntityType) -> Bool {
    (allowed[type]?.contains(key) ?? true) && !suppressed.contains(key)
  }
}
