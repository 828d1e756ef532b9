internal import PixelMatch

/// The entities that a search found, with the effect of the words beside the image.
struct WordedEntities: Sendable {
  let scored: [ScoredEntity]
  /// The words of the question that are not met: neither the thing that the image surely shows nor one of its
  /// siblings has them, or, if nothing is sure, none of the likeliest entities. `nil` if the question has no words.
  var unmatched: [String]?
}

/// The effect of the words beside an image: "this, but in green".
extension Matcher {
  /// The number of the likeliest entities whose words are compared. As many more that keypoints align are compared,
  /// too.
  private static let comparedEntities = 64
  /// The most groups whose members are looked up, the most members of each, and the number of members after which no
  /// further group is looked up.
  private static let (groupLimit, memberLimit, memberBound) = (8, 256, 256)
  /// The most siblings whose images are measured though no stage has found them.
  private static let addedLimit = 32
  /// The log-odds that an entity loses if a sibling has more of the words.
  private static let lessMeant = 1.0
  /// The log-odds that a sibling with the words loses if it has no image.
  private static let withoutImage = 0.9
  /// The log-odds that words give and take if nothing is sure and no sibling of the best has them.
  private static let hint = 1.1

  /// Puts the entities first that the words of a question mean.
  ///
  /// Among the siblings of what the image shows, those that have the most words are as likely as the one in it: their
  /// colors and prints contradict for the reason that the words give. If a color is asked for, the color of the image
  /// does not count against entities that have the asked one.
  func worded(_ state: QueryState) throws -> WordedEntities {
    let plain = state.fitted
    guard let asked = state.query.words, !state.query.isFilterUnfinished else {
      return WordedEntities(scored: plain)
    }
    let compared = Self.compared(among: plain)
    let best = asked.filtersColor ? state.query.sighted : plain
    let surest = best.lazy.filter { $0.type == .product }.prefix(Self.comparedEntities)
    let (groups, members) = try groups(of: surest.map(\.key), and: compared, state)
    let keys = Set(compared).union(members.values.joined()).union(surest.map(\.key))
    let words = try catalogue.entities(keys: keys.sorted()).mapValues {
      EntityWords($0, fields)
    }
    func agreement(_ key: UInt32) -> Double {
      state.query.allows(key, .product) ? words[key]?.agreement(with: asked) ?? 0 : -.infinity
    }
    var families = members.compactMap { group, keys in
      surest.first { groups[$0.key] == group }.map { Family($0, keys, agreement) }
    }
    if let first = surest.first, groups[first.key] == nil {
      let keys = Self.likes(of: first, among: compared, state.findings.likenesses(), groups, words)
      families.append(Family(first, keys, agreement))
    }
    let unmatched = asked.words.filter { word in
      let isSure = surest.first.map { $0.confidence >= state.query.cutOff } ?? false
      let family = isSure ? families.first { $0.best.key == surest.first?.key }?.members : nil
      return !(family ?? keys).contains { words[$0]?.has(word) ?? false }
    }
    families = families.filter { !$0.meant.isEmpty }.sorted { $0.best.key < $1.best.key }

    var state = state
    let colorless =
      asked.filtersColor
      ? Set(compared).union(members.values.joined())
      : keys.filter { words[$0]?.isOfColor(in: asked) ?? false }
    if colorless != state.findings.colorless { state.findings.colorless = colorless }
    try measure(families.flatMap(\.meant), in: &state)
    var scored = state.fitted
    if families.isEmpty {
      Self.hint(at: compared, of: &scored, cutOff: state.query.cutOff, agreement)
    }
    for family in families {
      family.apply(to: &scored) { key in
        asked.words.isEmpty
          ? 1
          : Double(asked.words.count { words[key]?.has($0) ?? false }) / Double(asked.words.count)
      }
    }
    scored.sort { ($1.confidence, $0.key) < ($0.confidence, $1.key) }
    return WordedEntities(
      scored: scored, unmatched: asked.words.isEmpty && asked.unwanted.isEmpty ? nil : unmatched)
  }

  /// Returns the products whose words are compared.
  private static func compared(among scored: [ScoredEntity]) -> [UInt32] {
    let products = scored.filter { $0.type == .product }
    let aligned = products.dropFirst(comparedEntities).filter {
      ($0.image?.evidence.inliers ?? 0) >= Rivals.claimingInliers
    }
    return (products.prefix(comparedEntities) + aligned.prefix(comparedEntities)).map(\.key)
  }

  /// Returns the groups of some entities, and the members of the first of these groups that may be found.
  private func groups(
    of surest: [UInt32], and others: [UInt32], _ state: QueryState
  ) throws -> (groups: [UInt32: String], members: [String: [UInt32]]) {
    try catalogue.read { database throws(CatalogueError) in
      let groups = try database.properties.groups(ofKeys: Set(surest + others).sorted())
      var members: [String: [UInt32]] = [:]
      for key in surest {
        guard members.count < Self.groupLimit,
          members.values.reduce(0, { $0 + $1.count }) < Self.memberBound,
          let group = groups[key], members[group] == nil
        else { continue }
        members[group] = try database.properties.keys(ofGroup: group, limit: Self.memberLimit)
          .filter { state.query.allows($0, .product) }
      }
      return (groups, members)
    }
  }

  /// Returns the entities that look like variants of one without a group, and itself: those with its title but for colors and numbers that
  /// look alike or, if there are none, those that align as it does.
  private static func likes(
    of first: ScoredEntity, among compared: [UInt32], _ likenesses: [UInt32: Findings.Likeness],
    _ groups: [UInt32: String], _ words: [UInt32: EntityWords]
  ) -> [UInt32] {
    let inliers = likenesses[first.key]?.inliers ?? 0
    let others = compared.filter { $0 != first.key && likenesses[$0] != nil }
    let named = others.filter { key in
      guard groups[key] == nil, let own = likenesses[key], let name = words[key]?.name,
        !name.isEmpty, name == words[first.key]?.name
      else { return false }
      return own.hash >= Self.likeHash
        || own.inliers >= max(Rivals.claimingInliers, inliers / 4)
    }
    let aligned = others.filter { key in
      let own = likenesses[key]?.inliers ?? 0
      return own >= Self.alignedInliers && 2 * own >= inliers
    }
    return [first.key] + (named.isEmpty ? aligned : named)
  }

  /// The inliers of an image that shows the same shape or print, and the evidence of the hash of an image with the same composition.
  private static let (alignedInliers, likeHash) = (20, 0.6)

  /// Measures the images of entities that no stage has found.
  private func measure(_ keys: [UInt32], in state: inout QueryState) throws {
    // In engine mode, segments have no signatures that could be compared.
    guard catalogue.candidates.hasAllSignatures,
      let index = state.findings.searches.firstIndex(where: { $0.type == .product })
    else { return }
    let known = Set(state.findings.searches[index].candidates.values.map(\.key))
    var found = CandidateRows(areNamed: true)
    for key in keys.filter({ !known.contains($0) }).prefix(Self.addedLimit) {
      for place in try catalogue.rows(of: key, .product) {
        found.votes[SegmentRow(segment: place.segment, row: place.row)] = KeypointVoteCount()
      }
    }
    if found.votes.isEmpty { return }
    try state.add(found, to: index, in: catalogue)
    state.findings.searches[index].verifyGeometry(
      of: found.votes.keys.sorted(), shouldStop: state.query.shouldStop)
    try state.findOwners(in: catalogue)
  }

  /// Applies the words to entities that are not siblings of the best one, if nothing is sure.
  private static func hint(
    at compared: [UInt32], of scored: inout [ScoredEntity], cutOff: Double,
    _ agreement: (UInt32) -> Double
  ) {
    let agreements = Dictionary(uniqueKeysWithValues: compared.map { ($0, agreement($0)) })
    let most = agreements.values.max() ?? 0
    guard most > 0, agreements.values.contains(where: { $0 < most }),
      scored.allSatisfy({ $0.confidence < cutOff })
    else { return }
    for index in scored.indices {
      guard let own = agreements[scored[index].key] else { continue }
      let odds = scored[index].logOdds
      let weight = own < most ? -hint : max(0, min(hint, Calibration.likely - odds))
      scored[index].add(words: own / most, weight: weight)
    }
  }

  /// The entities of one group, or the ones that look alike, some of which have the words of the question.
  private struct Family {
    /// The likeliest member, without regard to the words.
    let best: ScoredEntity
    let members: Set<UInt32>
    /// The members with the most words of the question; empty if the likeliest member has as many.
    let meant: [UInt32]

    init(_ best: ScoredEntity, _ keys: [UInt32], _ agreement: (UInt32) -> Double) {
      (self.best, members) = (best, Set(keys))
      let agreements = keys.map { (key: $0, agreement: agreement($0)) }
      let most = agreements.map(\.agreement).max() ?? -.infinity
      meant =
        most > agreement(best.key) ? agreements.filter { $0.agreement == most }.map(\.key) : []
    }

    /// Makes the likeliest of those that are meant as likely as the likeliest of all, and the others less likely. What a color or size
    /// contradicts that is not asked for still counts: all that are meant gain the same.
    ///
    /// - Parameter share: Returns the share of the asked words that an entity has.
    func apply(to scored: inout [ScoredEntity], share: (UInt32) -> Double) {
      let wanted = Set(meant)
      let places = scored.indices.filter { members.contains(scored[$0].key) }
      let odds = places.reduce(best.logOdds) { max($0, scored[$1].logOdds) }
      let highest = places.filter { wanted.contains(scored[$0].key) }.map { scored[$0].logOdds }
        .max()
      for place in places {
        let key = scored[place].key
        guard wanted.contains(key) else {
          scored[place].add(words: share(key), weight: -Matcher.lessMeant)
          continue
        }
        scored[place].add(words: share(key), weight: odds - (highest ?? odds))
      }
      // The others have no image that could be compared, or the catalogue is in engine mode.
      let found = Set(places.map { scored[$0].key })
      for key in meant where !found.contains(key) {
        let prior = Calibration.coefficients.prior(isAlone: false)
        var entity = ScoredEntity(
          key: key, type: .product, evidence: [Evidence(kind: .prior, value: 1, weight: prior)],
          confidence: 0, tier: .label)
        entity.add(words: share(key), weight: odds - Matcher.withoutImage - prior)
        scored.append(entity)
      }
    }
  }
}

extension ScoredEntity {
  /// The log-odds of the confidence.
  fileprivate var logOdds: Double { evidence.reduce(0) { $0 + $1.weight } }

  /// Adds the term of words. What comes first by them is not what the image shows.
  fileprivate mutating func add(words share: Double, weight: Double) {
    evidence.append(Evidence(kind: .words, value: share, weight: weight))
    confidence = Calibration.confidence(evidence)
    if weight > 0, tier == .exact || tier == .near { tier = .similar }
  }
}
