package import PixelMatch

/// The JSON form of an answer, `vq.match/1`, which `vq match --json` prints on one line for each query.
///
/// Keys are camelCase and stable; new ones may be added.
public struct MatchDocument: Sendable, Encodable {
  let schema = "vq.match/1"
  let query: String
  let complete: Bool
  let coverage: Double
  let elapsedMs: Double
  let generation: Int
  let values: [Value]
  let possible: [Value]?
  let sibling: [Value]?
  let similar: [Value]?
  let objects: [MatchedObject]
  let regions: [Region]
  let emptyReason: MatchResponse.EmptyReason?
  let unmatchedLabels: [String]
  let unmatchedWords: [String]?
  let unmatchedCodes: [UnmatchedCode]
  let missingShards: [Int]
  let damagedRows: Int
  let embeddingCompared: Bool?
  let facets: FacetsDocument?
  let hasMore: Bool
  let continuation: String?
  let profile: ProfileDocument?
  let damage: DamageDocument?
  let feedback: FeedbackDocument?

  /// Makes the document of one answer.
  ///
  /// - Parameters:
  ///   - response: The answer.
  ///   - query: The name of the image as it was given.
  ///   - elapsed: The time from the first byte of the image to the answer.
  ///   - projection: The public part of the matched entities (``EntityLookup/publicProjection(of:)``), which is all that
  ///     strangers may see; `nil` shows all fields of the catalogue, with stock lists and the paths of images.
  public init(
    _ response: MatchResponse, query: String, elapsed: Duration, projection: PublicProjection?
  ) {
    self.init(
      response, query: query, elapsed: elapsed, profile: nil, damage: nil, projection: projection)
  }

  /// Makes the document of one answer, with what is known of the image's file.
  ///
  /// - Parameters:
  ///   - response: The answer.
  ///   - query: The name of the image as it was given.
  ///   - elapsed: The time from the first byte of the image to the answer.
  ///   - profile: The color space that the image's file declares; `nil` for sRGB.
  ///   - damage: The damage of the image, which was searched with its intact part.
  ///   - projection: The public part of the matched entities.
  ///   - facets: The facets that were asked for.
  package init(
    _ response: MatchResponse, query: String, elapsed: Duration, profile: PictureProfile?,
    damage: DecodeError?, projection: PublicProjection?, facets: FacetsDocument? = nil
  ) {
    self.query = query
    complete = response.isComplete
    coverage = rounded(response.coverage, 4)
    let (seconds, attoseconds) = elapsed.components
    elapsedMs = rounded(Double(seconds) * 1e3 + Double(attoseconds) / 1e15, 3)
    generation = response.generation
    values = response.matches.map { Value($0, projection) }
    possible = response.answers == .sure ? nil : response.possible.map { Value($0, projection) }
    sibling = response.siblings.isEmpty ? nil : response.siblings.map { Value($0, projection) }
    similar = response.similar?.map { Value($0, projection) }
    objects = response.objects.map {
      MatchedObject(number: $0.number, box: $0.box.map { rounded($0, 4) })
    }
    regions = response.regions.map(Region.init)
    emptyReason = response.emptyReason
    unmatchedLabels = response.unmatchedLabels
    unmatchedWords = response.unmatchedWords
    unmatchedCodes = response.unmatchedCodes
    missingShards = response.diagnostics.missingShards.keys.sorted()
    damagedRows = response.diagnostics.damagedRows.values.reduce(0) { $0 + $1.count }
    embeddingCompared = response.diagnostics.isEmbeddingCompared
    self.facets = facets
    hasMore = response.hasMore
    continuation = response.continuation
    self.profile = profile.map(ProfileDocument.init)
    self.damage = damage.map(DamageDocument.init)
    feedback = response.diagnostics.feedback.map(FeedbackDocument.init)
  }

  private enum CodingKeys: CodingKey {
    case schema, query, complete, coverage, elapsedMs, generation, values, possible, sibling,
      similar, objects, regions,
      emptyReason, nearMiss
    case unmatchedLabels, unmatchedWords, unmatchedCodes, missingShards, damagedRows,
      embeddingCompared, facets,
      hasMore,
      continuation, profile, damage
    case feedback
  }

  /// Encodes every key, with `null` for absent values, except that `possible` is left out if only sure answers are asked for, `sibling` if there are none, `similar` if it is not asked for and no model found it,
  /// `profile` for sRGB, `damage` for an intact image,
  /// `unmatchedWords` if no words were asked, `facets`, `unmatchedCodes`, `missingShards` and `damagedRows` if there are none, `embeddingCompared` if the query
  /// has no embedding, and `feedback` if nothing was said about the query.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(schema, forKey: .schema)
    try container.encode(query, forKey: .query)
    try container.encode(complete, forKey: .complete)
    try container.encode(coverage, forKey: .coverage)
    try container.encode(elapsedMs, forKey: .elapsedMs)
    try container.encode(generation, forKey: .generation)
    try container.encode(values, forKey: .values)
    try container.encodeIfPresent(possible, forKey: .possible)
    try container.encodeIfPresent(sibling, forKey: .sibling)
    try container.encodeIfPresent(similar, forKey: .similar)
    try container.encode(objects, forKey: .objects)
    try container.encode(regions, forKey: .regions)
    try container.encode(emptyReason, forKey: .emptyReason)
    // Earlier versions named the best candidate below the cut-off; `vq.match/1` keeps the key.
    try container.encodeNil(forKey: .nearMiss)
    try container.encode(unmatchedLabels, forKey: .unmatchedLabels)
    try container.encodeIfPresent(unmatchedWords, forKey: .unmatchedWords)
    if !unmatchedCodes.isEmpty { try container.encode(unmatchedCodes, forKey: .unmatchedCodes) }
    if !missingShards.isEmpty { try container.encode(missingShards, forKey: .missingShards) }
    if damagedRows > 0 { try container.encode(damagedRows, forKey: .damagedRows) }
    try container.encodeIfPresent(embeddingCompared, forKey: .embeddingCompared)
    try container.encodeIfPresent(facets, forKey: .facets)
    try container.encode(hasMore, forKey: .hasMore)
    try container.encode(continuation, forKey: .continuation)
    try container.encodeIfPresent(profile, forKey: .profile)
    try container.encodeIfPresent(damage, forKey: .damage)
    try container.encodeIfPresent(feedback, forKey: .feedback)
  }

  struct Value: Sendable, Encodable {
    let rank: Int
    let type: EntityType
    let id: String
    let confidence: Double
    let tier: MatchTier
    let url: String?
    let display: DisplayRepresentation
    let matchedImage: String?
    let alignment: MatchAlignment?
    let object: Int?
    let stocks: String?
    let distanceMeters: Double?
    let openNow: Bool?
    let product: JSONValue?
    let store: JSONValue?
    let evidence: [Evidence]
    /// The words that were read, or `nil` if there are none.
    let words: [ReadWord]?
    /// The name of the rule that moved it, or `nil` if none did.
    let rule: String?
    /// The other variants of its card, or `nil` if there are none.
    let variants: [Variant]?

    init(_ match: Match, _ projection: PublicProjection?) {
      rank = match.rank
      type = match.value.id.type
      id = match.value.id.value
      // Rounding to four places could otherwise print 1, as if a match were certain.
      confidence = min(0.9999, rounded(match.confidence, 4))
      tier = match.tier
      url = match.handoff.url
      object = match.object
      display = projection?.display(match.display, of: match.value) ?? match.display
      stocks = match.stocks?.value
      distanceMeters = match.distanceMeters.map { rounded($0, 0) }
      openNow = match.isOpen
      matchedImage =
        if let projection {
          match.matchedImagePosition.flatMap { projection.imageURL(of: match.value, at: $0) }
        } else {
          match.matchedImage
        }
      alignment = match.alignment?.rounded
      let object =
        projection?.object(for: match.value, leavesOutDescription: true) ?? match.value.json
      switch match.value {
      case .product: (product, store) = (object, nil)
      case .store: (product, store) = (nil, object)
      }
      evidence = match.evidence.map {
        Evidence(
          kind: $0.kind, value: rounded($0.value, 4), weight: rounded($0.weight, 4))
      }
      words =
        match.words.isEmpty
        ? nil
        : match.words.map {
          ReadWord(
            text: $0.text, agrees: $0.agrees,
            corners: $0.corners.map { $0.map { rounded($0, 4) } })
        }
      rule = match.rule
      variants =
        match.variants.isEmpty ? nil : match.variants.map { Variant($0, projection) }
    }
  }

  struct Variant: Sendable, Encodable {
    let id: String
    let confidence: Double?
    let url: String?
    let display: DisplayRepresentation
    let product: JSONValue

    init(_ variant: MatchVariant, _ projection: PublicProjection?) {
      id = variant.value.id.value
      confidence = variant.confidence.map { min(0.9999, rounded($0, 4)) }
      url = variant.handoff.url
      display = projection?.display(variant.display, of: variant.value) ?? variant.display
      product =
        projection?.object(for: variant.value, leavesOutDescription: true) ?? variant.value.json
    }
  }

  struct Region: Sendable, Encodable {
    let source: SearchedRegion.Source
    let box: [Double]
    let searched: Bool
    let type: EntityType?
    let id: String?
    let confidence: Double?

    init(_ region: SearchedRegion) {
      source = region.source
      box = region.box.map { rounded($0, 4) }
      searched = region.isSearched
      type = region.best?.type
      id = region.best?.value
      confidence = region.confidence.map { min(0.9999, rounded($0, 4)) }
    }
  }

  /// The damage of an image that was searched with its intact part.
  struct DamageDocument: Sendable, Encodable {
    let code: String
    let detail: String

    init(_ damage: DecodeError) { (code, detail) = (damage.code.rawValue, damage.message) }
  }

  /// The effects of what people said about the query.
  struct FeedbackDocument: Sendable, Encodable {
    struct Effect: Sendable, Encodable {
      let type: EntityType
      let id: String
      let statement: Int

      init(_ effect: FeedbackEffects.Effect) {
        (type, id, statement) = (effect.id.type, effect.id.value, effect.statement)
      }
    }

    let suppressed: [Effect]
    let pinned: [Effect]

    init(_ effects: FeedbackEffects) {
      suppressed = effects.suppressed.map(Effect.init)
      pinned = effects.pinned.map(Effect.init)
    }
  }
}

/// Returns a number rounded to some decimal places.
func rounded(_ value: Double, _ places: Int) -> Double {
  var scale = 1.0
  for _ in 0..<places { scale *= 10 }
  return (value * scale).rounded() / scale
}
