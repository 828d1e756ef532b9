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

  /// The images that a search reached before its deadline passed.
  package struct ImageCoverage: Sendable, Hashable {
    /// The number of images that every scan has compared with the query's.
    package let searched: Int
    /// The number of images of the types that were searched.
    package let total: Int
  }

  /// Parts that the answer lacks, or that came from elsewhere, with the reasons.
  package struct Diagnostics: Sendable, Hashable {
    /// The shards of engine mode that did not answer, by their numbers, with the reason. Their images were
    /// not searched, so the answer is not complete.
    package internal(set) var missingShards: [Int: CatalogueError] = [:]
    /// The rows that shards of engine mode sent and that are damaged, by the shards' numbers. They were left
    /// out, so the answer is not complete.
    package internal(set) var damagedRows: [Int: DamagedRows] = [:]
    /// ``MatchResponse/isEmbeddingCompared``.
    package internal(set) var isEmbeddingCompared: Bool?
    /// True if the shards of engine mode have no index of vectors, so that the embedding was not compared.
    package internal(set) var lacksVectorIndex = false
    /// The effects of the statements about the query; `nil` if there are none.
    package internal(set) var feedback: FeedbackEffects?
  }

  /// Bytes of the longest continuation that is given and accepted.
  package static let continuationLimit = Question.tokenLimit

  /// The matches, best first.
  public let matches: [Match]
  /// The entities that the image may show though they are not sure, best first: the smallest list that holds the right one with a
  /// probability of 0.9, if that is a candidate at all. It has at most eight, is given only if it is more likely than not to hold the
  /// right one, and is empty if something is sure, unless that lies in another part of the image.
  ///
  /// The ``Match/confidence`` is the probability in one distribution over all candidates and *none of them*; the terms of
  /// ``Match/evidence`` are those of the confidence of the entity by itself. The list belongs to the first page, and
  /// further pages do not repeat it. Matches by labels alone are not in it.
  public internal(set) var possible: [Match] = []
  /// The entities of the same kind as what the image shows, and not the same thing: each with the probability that a person would call
  /// both the same kind, from 0.5 on, the likeliest first, at most eight. The variants of one thing have one place. `nil` if they are
  /// not asked for, and something is sure or no model computes vectors.
  ///
  /// The ``Match/confidence`` is that probability. The list belongs to the first page.
  public internal(set) var similar: [Match]?
  /// The entities that show the same thing as the image in another color, if nothing is sure or possible: the catalogue may lack that
  /// color. The likeliest first, at most eight: mostly the variants of one group.
  ///
  /// The ``Match/confidence`` is the probability that it is the same thing, from 0.85 on. The list belongs to the first page.
  public internal(set) var siblings: [Match] = []
  /// The parts of the answer that were asked for: with ``AnswerScope/sure``, `possible` and `siblings` are always empty.
  package internal(set) var answers = AnswerScope.all
  /// The things that the image shows, as far as its matches tell: each match names its object.
  public let objects: [MatchedObject]
  /// The parts of the image that were searched on their own: the cells of a page, and outlines of things that
  /// were not sure at first. If the query is a signature, the outlines that should be searched.
  package internal(set) var regions: [SearchedRegion] = []
  /// A Boolean value that indicates whether all planned work was done before the deadline.
  public let isComplete: Bool
  /// The share of the planned work that was done, `0...1`.
  public let coverage: Double
  /// The images that were searched, or `nil` if the search is complete.
  package let imageCoverage: ImageCoverage?
  /// The lowest confidence of a match.
  public let minimumConfidence: Double
  /// The generation of the catalogue that every match comes from.
  public let generation: Int
  /// The reason why `matches` is empty, or `nil` if it is not.
  public internal(set) var emptyReason: EmptyReason?
  /// The labels of the query that neither the catalogue nor its bridge knows.
  public let unmatchedLabels: [String]
  /// The words beside the image (``SemanticContent/text``) that neither what the image surely shows nor a sibling of it has or, if nothing
  /// is sure, none of the likeliest entities: a color by its English name. `nil` if there were no words, and on further pages.
  public internal(set) var unmatchedWords: [String]?
  /// The product codes of the query that led to no product, with the reason.
  package internal(set) var unmatchedCodes: [UnmatchedCode] = []
  /// What was left out of the search, or added to it by statements about answers.
  package internal(set) var diagnostics = Diagnostics()
  /// A Boolean value that indicates whether the query's embedding was compared with those of the catalogue: `false` if too few of its
  /// images have one of the same model, or if a shard of engine mode has no index of them; `nil` if the query has no embedding, and no model that computes one, or no
  /// image.
  public var isEmbeddingCompared: Bool? { diagnostics.isEmbeddingCompared }
  /// A Boolean value that indicates whether further pages have more matches.
  public let hasMore: Bool
  /// The ids of all entities in the answer: the matches and the variants beneath them, what is possible, siblings, and what is similar.
  public var entityIDs: [EntityID] {
    matches.flatMap { match in [match.value.id] + match.variants.map(\.value.id) }
      + (possible + siblings + (similar ?? [])).map(\.value.id)
  }
  /// The list behind the token, which is sealed when it is asked for.
  let sealable: SealableContinuation

  /// The token that reproduces this search, page by page, without its image, or `nil` if the question is so
  /// long that the token would be longer than is accepted.
  ///
  /// - Complexity: O(matches of all pages): the token is made anew each time.
  public var continuation: String? { sealable.token }
}
