internal import PixelMatch
internal import Reading
private import Synchronization

/// One query between its stages: the prepared question, the plan, and what was found so far.
struct QueryState: Sendable {
  let query: PreparedQuery
  var plan: QueryPlan
  /// The results of the stages so far. After each change, the standings are worked out again.
  var findings: Findings { didSet { keptStandings = LazyStandings() } }
  var notes = SearchNotes()
  /// The text of the image, or `nil` if none is read, or only by its stage.
  var reading: TextReading?
  /// The cells that plain lines divide the image into, or `nil` if the layout was not computed.
  private var pageCells: [ImageBox]? {
    // On a page of several things, text does not count, because it may belong to any of them.
    didSet { if findings.texts != nil { keptStandings = LazyStandings() } }
  }
  /// What ``standings`` keeps; another object after each change of the findings.
  private(set) var keptStandings = LazyStandings()

  init(_ query: PreparedQuery, plan: QueryPlan, searches: [TypeSearch]) {
    (self.query, self.plan, findings) = (query, plan, Findings(searches: searches))
  }

  /// The entities that were found, by their confidence. They are made once after a change of the findings, when they are first asked for.
  var standings: Standings { keptStandings.value { Standings(Scoring(self)) } }

  // MARK: Candidates

  /// Searches the images of every type, and compares with the query what was found.
  ///
  /// - Parameter find: Finds rows in the segments of one type.
  /// - Returns: The share of the rows that was looked at.
  mutating func addCandidates(
    from catalogue: Catalogue, find: ([LiveSegment]) async -> CandidateRows
  ) async throws -> Double {
    var (scanned, planned) = (0, 0)
    for index in findings.searches.indices {
      let found = await find(findings.searches[index].segments)
      scanned += found.scannedRows
      planned += found.plannedRows
      try add(found, to: index, in: catalogue)
    }
    return planned == 0 ? 1 : Double(scanned) / Double(planned)
  }

  /// Compares rows with the query, in the search of one type.
  mutating func add(
    _ found: CandidateRows, to index: Int, in catalogue: Catalogue
  ) throws(CatalogueError) {
    let keys = findings.searches[index].newKeys(of: found.votes.keys)
    let rarities = try rarities(of: keys, in: catalogue)
    findings.searches[index].add(found) { rarities[$0] ?? nil }
  }

  /// Adds rows that keypoints of a part of the image align, in the search of one type.
  mutating func addAligned(
    _ found: [(row: SegmentRow, alignment: Alignment)], to index: Int, in catalogue: Catalogue
  ) throws(CatalogueError) {
    let keys = findings.searches[index].newKeys(of: found.map(\.row))
    let rarities = try rarities(of: keys, in: catalogue)
    findings.searches[index].addAligned(found) { rarities[$0] ?? nil }
  }

  /// The values of ``Evidence/Kind/labels`` for some entities; empty if no label is known.
  private func rarities(
    of keys: Set<UInt32>, in catalogue: Catalogue
  ) throws(CatalogueError) -> [UInt32: Double?] {
    if query.labels.known.isEmpty { return [:] }
    let labelsByKey = try catalogue.labels(ofKeys: keys.sorted())
    return Dictionary(
      uniqueKeysWithValues: keys.map { ($0, query.labels.rarity(of: labelsByKey[$0] ?? [:])) })
  }

  /// Looks up the groups of the candidates, since a model of the service computed the embedding.
  mutating func findGroups(in catalogue: Catalogue) throws(CatalogueError) {
    let keys = Set(
      findings.searches.lazy.filter { $0.type == .product }
        .flatMap { $0.candidates.values.map(\.key) })
    findings.groups = try catalogue.read { database throws(CatalogueError) in
      try database.properties.groups(ofKeys: keys.sorted())
    }
  }

  /// Looks up the groups of the entities that may share what they have in common with the image, since it counts for how many groups do.
  mutating func findOwners(in catalogue: Catalogue) throws(CatalogueError) {
    var keys: Set<UInt32> = []
    for searches in [findings.searches] + findings.regions.map(\.searches) {
      let found = Set(searches.lazy.flatMap(\.witnesses).map(\.key))
      if found.count >= Commonness.groups { keys.formUnion(found) }
    }
    let new = keys.filter { findings.owners[$0] == nil }.sorted()
    if new.isEmpty { return }
    let groups = try catalogue.read { database throws(CatalogueError) in
      try database.properties.groups(ofKeys: new)
    }
    var owners = findings.owners
    for key in new { owners.updateValue(groups[key], forKey: key) }
    findings.owners = owners
  }

  /// Compares the colors of candidates that sure ones partly cover once more, without the covered parts: what
  /// lies in front of a thing does not count against it.
  ///
  /// - Returns: True if there are such candidates.
  mutating func uncoverCandidates(_ proposals: RegionProposals) -> Bool {
    let covered = proposals.covered
    let apart = covered.isEmpty ? [] : proposals.apart
    for image in apart.compactMap(\.image) {
      for index in findings.searches.indices where findings.searches[index].type == image.type {
        findings.searches[index].compareColors(of: image.row, outside: covered)
      }
    }
    return !apart.isEmpty
  }

  /// Compares the patches of the best candidates with the image, unless these are settled.
  ///
  /// - Parameter image: The image, or `nil` if only its signature is known.
  /// - Returns: True if nothing is left to be compared.
  mutating func comparePatches(of image: PixelBuffer?) -> Bool {
    guard let signature = query.signature, standings.isUnsettled else { return true }
    // Works on a copy, because an assignment to the findings discards the standings, also if there were no patches
    // left to compare.
    var searches = findings.searches
    let outcome = searches.comparePatches(with: image, signature, shouldStop: query.shouldStop)
    if outcome == .compared { findings.searches = searches }
    return outcome != .stopped
  }

  // MARK: Pages

  /// The share of the image above which a cell is not part of a page but a photo that is crossed
  /// by a few plain lines.
  private static let largestCell = 0.6

  /// True if plain lines divide the image into cells that show one thing each.
  var isPage: Bool {
    guard let cells = pageCells, !cells.isEmpty else { return false }
    return cells.allSatisfy { $0.width * $0.height < Self.largestCell }
  }

  /// The number of sure things in different parts of an image at which it is treated like a page.
  private static let manyThings = 3

  /// Returns whether the image is a page, or one that was photographed: several things are sure in different parts of it.
  func showsManyThings(_ scored: [ScoredEntity]) -> Bool {
    isPage
      || MatchedObjects.count(
        of: scored.lazy.filter { $0.confidence >= Calibration.defaultCutOff }.compactMap(\.image))
        >= Self.manyThings
  }

  /// Returns the cells that plain lines divide the query's image into, none if it is not a page, or `nil` if the
  /// deadline passed before that was known.
  mutating func pageCells(of image: PixelBuffer?) -> [ImageBox]? {
    if pageCells == nil {
      pageCells = image.map { PageLayout.cells(of: $0, shouldStop: query.shouldStop) } ?? []
    }
    return pageCells
  }
}

/// The standings of one state of a query. Copies of the state share them; a change of the findings puts a new object in place of it.
final class LazyStandings: Sendable {
  private let standings = Mutex<Standings?>(nil)

  /// Returns what is known, or computes it.
  func value(otherwise compute: () -> Standings) -> Standings {
    if let known = standings.withLock({ $0 }) { return known }
    let computed = compute()
    standings.withLock { $0 = computed }
    return computed
  }
}
