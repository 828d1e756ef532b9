/// The ranked answer to one query.
public struct MatchResponse: Sendable, Hashable {
  /// The reason why there is no match.
  public enum EmptyReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// The best candidate is below the cut-off.
    case nothingAboveConfidence
    /// There is no image or it is too flat, and no label is known.
    case noUsableSignal
    /// The types, limits and filters leave no entity to search.
    case filteredOut
    /// The filters did not end before the deadline, so that nothing may be shown.
    case filterTimedOut
    /// The catalogue has no entities.
    case emptyCatalogue
    /// There is an image, but the catalogue has none that it could be compared with.
    case noImages
    /// The deadline passed before the search was complete, and nothing was found by then.
    case deadlinePassed
  }

  /// The best candidate below the cut-off.
  public struct NearMiss: Sendable, Hashable {
    /// The entity.
    public let value: EntityValue
    /// Its id.
    public var id: EntityID { value.id }
    /// Its confidence.
    public let confidence: Double
    /// The kind of the match that it would be.
    public let tier: MatchTier
    /// The texts and the image for a card, in the language of the query.
    public let display: DisplayRepresentation
    /// The link that opens the entity.
    public let handoff: Handoff
  }

  /// The images that a search reached before its deadline passed.
  public struct ImageCoverage: Sendable, Hashable {
    /// The number of images that every scan has compared with the query's.
    public let searched: Int
    /// The number of images of the types that were searched.
    public let total: Int
  }

  /// Bytes of the longest continuation that is given and accepted.
  public static let continuationLimit = 65_536

  /// The matches, best first.
  public let matches: [Match]
  /// The things that the image shows, as far as its matches tell: each match names its object.
  public let objects: [MatchedObject]
  /// The parts of the image that were searched on their own: the cells of a page, and outlines of things that
  /// were not sure at first. If the query is a signature, the outlines that should be searched.
  public internal(set) var regions: [SearchedRegion] = []
  /// A Boolean value that indicates whether all planned work was done before the deadline.
  public let isComplete: Bool
  /// The share of the planned work that was done, `0...1`.
  public let coverage: Double
  /// The images that were searched, or `nil` if the search is complete.
  public let imageCoverage: ImageCoverage?
  /// The lowest confidence of a match.
  public let minimumConfidence: Double
  /// The generation of the catalogue that every match comes from.
  public let generation: Int
  /// The reason why `matches` is empty, or `nil` if it is not.
  public internal(set) var emptyReason: EmptyReason?
  /// The labels of the query that neither the catalogue nor its bridge knows.
  public let unmatchedLabels: [String]
  /// The product codes of the query that led to no product, with the reason.
  public internal(set) var unmatchedCodes: [UnmatchedCode] = []
  /// The shards of engine mode that did not answer, by their numbers, with the reason. Their images were
  /// not searched, so the answer is not complete.
  public internal(set) var missingShards: [Int: CatalogueError] = [:]
  /// The rows that shards of engine mode sent and that are damaged, by the shards' numbers. They were left
  /// out, so the answer is not complete.
  public internal(set) var damagedRows: [Int: DamagedRows] = [:]
  /// A Boolean value that indicates whether the query's embedding was compared with those of the catalogue: `false` if too few of its
  /// images have one of the same model, or in engine mode; `nil` if the query has no embedding or no image.
  public internal(set) var isEmbeddingCompared: Bool?
  /// A Boolean value that indicates whether further pages have more matches.
  public let hasMore: Bool
  /// The best candidate below the cut-off if `matches` is empty.
  public internal(set) var nearMiss: NearMiss?
  /// The effects of the statements about the query; `nil` if there are none.
  public internal(set) var feedback: FeedbackEffects?
  /// The ids of all entities in the answer: the matches and the variants beneath them, or the near miss.
  public var entityIDs: [EntityID] {
    matches.flatMap { match in [match.value.id] + match.variants.map(\.value.id) }
      + (nearMiss.map { [$0.id] } ?? [])
  }
  /// The list behind the token, which is sealed when it is asked for.
  let sealable: SealableContinuation

  /// The token that reproduces this search, page by page, without its image, or `nil` if the question is so
  /// long that the token would exceed ``continuationLimit``.
  ///
  /// - Complexity: O(matches of all pages): the token is made anew each time.
  public var continuation: String? { sealable.token }
}
