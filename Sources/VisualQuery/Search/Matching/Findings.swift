internal import PixelMatch
internal import Reading

/// The results of a query's stages that confidences are computed from.
struct Findings: Sendable {
  /// The searches of the types, if there is an image.
  var searches: [TypeSearch]
  /// The embedding of the image, or `nil` if there is none, or not yet.
  private(set) var embedding: ImageEmbedding? = nil
  /// The groups of the candidates that have one, or `nil` if no model of the service computed the embedding.
  var groups: [UInt32: String]? = nil
  /// The nearness of strangers by the compared vectors, or `nil` if no vectors or too few are compared.
  var strangers: StrangerNearness? = nil
  /// The groups of the entities that may share what they have in common with the image; `nil` for those without a group.
  var owners: [UInt32: String?] = [:]
  /// The parts of the image that were searched on their own.
  var regions: [RegionSearch] = []
  /// The entities that share a label or other words with the query, each once.
  private(set) var labelMatches: [ScoredEntity] = []
  /// The index in `labelMatches` of each entity.
  private var placesByWords: [UInt32: Int] = [:]
  /// The entity of which the image is a copy, if a glance at it sufficed: nothing else was searched then but words and codes.
  var copy: ScoredEntity?
  /// The products with a code of the query.
  var codeMatches: [ScoredEntity] = []
  /// The agreement of the text that was read with the entities, or `nil` if there is none.
  var texts: TextAgreements? = nil
  /// The keys of the entities whose colors do not count against them, because the question asks for their color.
  var colorless: Set<UInt32> = []

  init(searches: [TypeSearch]) { self.searches = searches }

  /// Adds an entity that shares words with the query. Of one that several words find, the surest finding counts.
  mutating func addByWords(_ entity: ScoredEntity) {
    guard let index = placesByWords[entity.key] else {
      placesByWords[entity.key] = labelMatches.count
      labelMatches.append(entity)
      return
    }
    if labelMatches[index].confidence < entity.confidence { labelMatches[index] = entity }
  }

  /// Compares the image's embedding with those of the catalogue from now on, and of what was found so far.
  ///
  /// - Parameters:
  ///   - directions: The directions that are fitted to the catalogue, if there are some.
  ///   - samples: Segments that stand for those of each search, or `nil` if these have embeddings themselves.
  mutating func compare(
    _ embedding: ImageEmbedding, by directions: EmbeddingDirections?,
    samples: [[LiveSegment]]? = nil, shouldStop: () -> Bool
  ) {
    self.embedding = embedding
    for index in searches.indices {
      searches[index].compare(
        embedding, by: directions, sample: samples?[index], shouldStop: shouldStop)
    }
  }

  /// The shape that an entity shares with the image, whatever its colors.
  struct Likeness: Sendable {
    /// The highest evidence of the hash, and the most inliers, in the whole image or in a part of it.
    var (hash, inliers) = (0.0, 0)
  }

  /// Returns the shape that each candidate shares with the image.
  func likenesses() -> [UInt32: Likeness] {
    var likenesses: [UInt32: Likeness] = [:]
    for search in [searches] + regions.map(\.searches) {
      for candidate in search.lazy.flatMap(\.candidates.values) {
        var own = likenesses[candidate.key] ?? Likeness()
        own.hash = max(own.hash, candidate.measured.hash)
        own.inliers = max(own.inliers, candidate.measured.alignment?.inliers ?? 0)
        likenesses[candidate.key] = own
      }
    }
    return likenesses
  }
}

/// Notes of a query's stages for the answer, such as unmatched codes. They change no confidence.
struct SearchNotes: Sendable {
  /// The parts that would have been searched if there were more than the image's signature.
  var unsearchedRegions: [RegionProposal] = []
  /// The codes of the query without a product.
  var unmatchedCodes: [UnmatchedCode] = []
  /// The failures of shards.
  var shardFaults = ShardFaults()
}

/// The failures of the shards of engine mode, by their numbers.
struct ShardFaults: Sendable {
  /// The reasons of those that did not answer.
  private(set) var missing: [Int: CatalogueError] = [:]
  /// The rows of the others that were left out.
  private(set) var damaged: [Int: DamagedRows] = [:]

  var isEmpty: Bool { missing.isEmpty && damaged.isEmpty }

  mutating func add(_ missing: [Int: CatalogueError], _ damaged: [Int: DamagedRows]) {
    self.missing.merge(missing) { $1 }
    self.damaged.merge(damaged) { first, second in
      var both = first
      both += second
      return both
    }
  }

  mutating func add(_ others: ShardFaults) { add(others.missing, others.damaged) }
}
