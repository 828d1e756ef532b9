internal import PixelMatch
internal import Reading

/// The search behind a response: its state, and all that may be shown.
struct SearchOutcome: Sendable {
  let state: QueryState
  let list: RankedList

  var isComplete: Bool { state.plan.isComplete && list.isWhole }
  var coverage: Double { list.isWhole ? state.plan.coverage : state.plan.partialCoverage }
}

extension Matcher {
  /// Returns the response to what a query has found so far.
  ///
  /// - Parameters:
  ///   - limit: The most matches of this page, or `nil` for the limit of the question.
  ///   - shown: The keys of the entities that were shown before.
  func response(
    to content: SemanticContent, _ options: MatchOptions, _ state: QueryState,
    limit: Int? = nil, without shown: Set<UInt32> = []
  ) throws -> MatchResponse {
    let start = beginStep()
    let worded = try worded(state)
    let scored = try pinned(worded.scored, state)
    let options = state.showsManyThings(scored) ? options.forPage : options
    var cutOff = state.query.cutOff
    let rules = try settled(
      state.query.rules, by: scored.filter { $0.confidence >= state.query.cutOff })
    var list = try rank(scored, state, options, cutOff: cutOff, rules)
    var possible = try ordered(
      possible(among: scored, state, options, without: shown), by: rules)
    if list.entities.isEmpty, state.query.signature != nil, !state.plan.isComplete {
      // The deadline passed before the image led to any match, so the answer uses the labels
      // alone, with their own cut-off.
      let labelCutOff = self.cutOff(options, hasImage: false)
      let labelList = try rank(
        state.findings.labelMatches, state, options, cutOff: labelCutOff, rules)
      if !labelList.entities.isEmpty { (list, cutOff, possible) = (labelList, labelCutOff, []) }
    }
    let outcome = SearchOutcome(state: state, list: list)
    var continuation = Continuation(
      content.labels, codes: content.codes, texts: content.texts.map { QuestionText($0) },
      text: content.text, signature: state.query.signature, options, list.entities,
      possible: possible, cutOff: cutOff,
      isImageLeftOut: state.query.signature == nil && content.hasImage, in: catalogue)
    continuation.markShown { shown.contains($0.key) }
    var pageOptions = options
    if let limit { pageOptions.limit = limit }
    let regions = try regions(of: state, options, rules)
    endStep(.ranking, since: start)
    var response = try page(of: continuation, pageOptions, outcome, rules)
    response.regions = regions
    response.unmatchedCodes = state.notes.unmatchedCodes
    response.unmatchedWords = worded.unmatched
    if response.matches.isEmpty, response.possible.isEmpty {
      response.siblings = try siblings(among: scored, state, options, rules)
    }
    response.similar = try similar(
      state, options,
      without: (response.matches + response.possible + response.siblings).map(\.value),
      isAnySure: !response.matches.isEmpty
    )?.enumerated().map { index, found in
      match(
        found.entity, found.value, rank: index + 1, nil, object: nil, variants: [], options)
    }
    if state.query.signature != nil,
      content.embedding != nil || models?.image != nil && content.pixelBuffer != nil
    {
      response.diagnostics.isEmbeddingCompared = state.findings.searches.contains(
        where: \.comparison.comparesEmbeddings)
      response.diagnostics.lacksVectorIndex = !catalogue.candidates.comparesEmbeddings
    }
    response.diagnostics.missingShards = state.notes.shardFaults.missing
    response.diagnostics.damagedRows = state.notes.shardFaults.damaged
    if response.matches.isEmpty {
      let isHidden =
        rules.hides
        && scored.contains { $0.confidence >= cutOff && rules.hidingRule(of: $0.key) != nil }
      response.emptyReason = isHidden ? .filteredOut : emptyReason(state, options)
    }
    // Throws if a file of the catalogue has changed during the search, because the answer may
    // then be wrong.
    try catalogue.checkUnchanged()
    return response
  }

  /// Returns the next page of a list: the entries that were not shown yet, within the limits.
  ///
  /// - Parameters:
  ///   - outcome: The search that made the list, or `nil` if the list is an earlier one.
  ///   - rules: The rules of the shop that hold for the query.
  func page(
    of continuation: Continuation, _ options: MatchOptions, _ outcome: SearchOutcome?,
    _ rules: ActiveRules
  ) throws -> MatchResponse {
    let start = beginStep()
    let entries = continuation.entries
    let feedback = try outcome.map(\.state.query.feedback) ?? feedback(on: continuation)
    let suppressed = try suppressedKeys(feedback)
    let groups = try groups(of: continuation, options)
    func isLeft(_ index: Int) -> Bool {
      !entries[index].isShown && groups.isCardLeft(index)
    }
    let possible = entries.contains(where: \.isShown) ? [] : continuation.possible.map(\.scored)
    let page = Ranking.page(
      of: entries.map(\.scored.type), notShown: isLeft, options: options)
    let scored = page.map { entries[$0].scored }
    let values = try catalogue.entities(keys: (scored + possible).map(\.key))
    var objects = MatchedObjects()
    let matches = try scored.enumerated().compactMap { index, entity in
      try values[entity.key].map {
        let alignment = entity.image.flatMap(alignment)
        var match = match(
          entity, $0, rank: groups.shownCount + index + 1, alignment,
          object: objects.number(of: entity.image, alignment),
          variants: try variants(
            beneath: page[index], of: groups, in: continuation, options,
            isLeftOut: { suppressed.contains($0) || rules.hidingRule(of: $0) != nil }), options)
        match.words = words(of: entity, outcome?.state)
        return match
      }
    }
    let beneath = page.flatMap { groups.others(than: $0) }
    var response = MatchResponse(
      matches: matches, objects: objects.all,
      isComplete: outcome?.isComplete ?? true,
      coverage: outcome?.coverage ?? 1,
      imageCoverage: outcome.flatMap { $0.isComplete ? nil : imageCoverage(of: $0.state) },
      minimumConfidence: continuation.cutOff,
      generation: catalogue.generation,
      emptyReason: matches.isEmpty ? .nothingAboveConfidence : nil,
      unmatchedLabels: outcome?.state.query.labels.unmatched ?? [],
      hasMore: entries.indices.count(where: isLeft) > page.count,
      sealable: SealableContinuation(
        continuation.showing(page + beneath), secret: catalogue.secret))
    response.diagnostics.feedback = feedback
    response.answers = options.answers
    response.possible = possible.compactMap { entity in
      values[entity.key].map { (entity, $0) }
    }.enumerated().map { index, listed in
      var match = match(
        listed.0, listed.1, rank: index + 1, listed.0.image.flatMap(alignment), object: nil,
        variants: [], options)
      match.words = words(of: listed.0, outcome?.state)
      return match
    }
    endStep(.lookup, since: start)
    // Outlines are read from the segments, so this comes last.
    try catalogue.checkUnchanged()
    return response
  }

  /// Returns the regions that were searched, each with its likeliest entity, and those that are worth a search.
  private func regions(
    of state: QueryState, _ options: MatchOptions, _ rules: ActiveRules
  ) throws -> [SearchedRegion] {
    let likeliest = zip(state.findings.regions, state.standings.regions)
      .filter { !$0.0.isByMarks }
      .map { region, scored in
        let best = scored.filter {
          options.types.contains($0.type) && rules.hidingRule(of: $0.key) == nil
        }
        .max { ($0.confidence, $1.key) < ($1.confidence, $0.key) }
        return (region: region, best: best)
      }
    let ids = try catalogue.ids(keys: likeliest.compactMap { $0.best?.key })
    let searched = likeliest.map { region, best in
      SearchedRegion(
        source: region.source, box: region.frame.box, isSearched: true,
        best: best.flatMap { ids[$0.key] }, confidence: best?.confidence)
    }
    return searched
      + state.notes.unsearchedRegions.map {
        SearchedRegion(source: $0.source, box: $0.box, isSearched: false)
      }
  }

  /// Returns the number of images that every scan has reached.
  private func imageCoverage(of state: QueryState) -> MatchResponse.ImageCoverage {
    let total = state.query.types.flatMap(catalogue.segments).reduce(0) { $0 + $1.liveCount }
    return MatchResponse.ImageCoverage(
      searched: state.findings.copy == nil
        ? Int(state.plan.scannedShare * Double(total)) : total, total: total)
  }

  /// Ranks all that may be shown, on whatever page.
  ///
  /// Entities that a rule hides still count as rivals, so hiding one makes no other one sure.
  func rank(
    _ all: [ScoredEntity], _ state: QueryState, _ options: MatchOptions, cutOff: Double,
    _ rules: ActiveRules
  ) throws -> RankedList {
    let scored = rules.hides ? all.filter { rules.hidingRule(of: $0.key) == nil } : all
    // All searched types contend, not only those asked for: a product that is not shown itself
    // may bring stores.
    let contenders = Ranking.contenders(
      scored, types: Set(state.query.types), cutOff: cutOff)
    let ids = try catalogue.ids(keys: contenders.map(\.key))
    let locations =
      options.near == nil
      ? [:]
      : try catalogue.places(ofStores: contenders.filter { $0.type == .store }.map(\.key))
    let ranked: [RankedEntity] = contenders.compactMap { entity in
      guard let id = ids[entity.key] else { return nil }
      var entity = entity
      entity.distance = options.near.flatMap { near in
        locations[entity.key].map(near.distanceMeters)
      }
      guard entity.type == .product || options.isWithinRadius(entity.distance) else { return nil }
      return RankedEntity(entity: entity, id: id)
    }
    var stores = StockedStores(options)
    if options.limit(of: .store) > 0 {
      let products = Ranking.topRanked(ranked.filter { $0.id.type == .product })
      for product in products.prefix(StockedStores.productLimit) {
        try stores.add(
          product, in: catalogue, isAllowed: { state.query.allows($0, .store) },
          shouldStop: state.query.shouldStop)
      }
    }
    let shown = stores.merged(with: ranked).filter {
      options.limit(of: $0.id.type) > 0 && rules.hidingRule(of: $0.entity.key) == nil
    }
    return RankedList(
      entities: try ordered(Ranking.topRanked(shown), by: rules), isWhole: stores.isWhole)
  }

  /// Returns the words that were read, compared with an entity whose confidence has them.
  func words(of entity: ScoredEntity, _ state: QueryState?) -> [ReadWord] {
    guard let texts = state?.findings.texts, entity.evidence.contains(where: { $0.kind == .text })
    else {
      return []
    }
    return texts.words(comparedWith: entity.key)
  }

  /// Returns the position of an entity's image in the query, or `nil` if no keypoints agree.
  func alignment(of image: BestImage) -> MatchAlignment? {
    MatchAlignment(of: image, image.stored.segment.layout(at: image.stored.row))
  }

  private func match(
    _ entity: ScoredEntity, _ value: EntityValue, rank: Int, _ alignment: MatchAlignment?,
    object: Int?, variants: [MatchVariant], _ options: MatchOptions
  ) -> Match {
    let position = entity.imagePosition.flatMap {
      value.imagePaths.indices.contains($0) ? $0 : nil
    }
    var isOpen: Bool?
    if case .store(let store) = value {
      isOpen = options.date.flatMap { date in store.openingHours.map { $0.isOpen(at: date) } }
    }
    return Match(
      value: value, rank: rank, confidence: entity.confidence, tier: entity.tier,
      evidence: entity.evidence, matchedImage: position.map { value.imagePaths[$0] },
      matchedImagePosition: position,
      alignment: alignment, object: object, stocks: entity.stocks, distanceMeters: entity.distance,
      isOpen: isOpen,
      display: value.displayRepresentation(for: options.locale),
      handoff: catalogue.links.handoff(for: value), rule: entity.rule, variants: variants)
  }

  /// Returns the entities that show the same thing in another color, within the types that the limits leave.
  private func siblings(
    among scored: [ScoredEntity], _ state: QueryState, _ options: MatchOptions,
    _ rules: ActiveRules
  ) throws -> [Match] {
    guard options.answers == .all, state.query.signature != nil, !state.query.isFilterUnfinished
    else {
      return []
    }
    let list = try SiblingEntities.list(
      among: scored.filter {
        options.limit(of: $0.type) > 0 && rules.hidingRule(of: $0.key) == nil
      }
    ) { keys in
      try catalogue.read { database throws(CatalogueError) in
        try database.properties.groups(ofKeys: keys)
      }
    }
    let values = try catalogue.entities(keys: list.map(\.key))
    return list.compactMap { entity in values[entity.key].map { (entity, $0) } }
      .enumerated().map { index, found in
        match(
          found.0, found.1, rank: index + 1, found.0.image.flatMap(alignment), object: nil,
          variants: [], options)
      }
  }

  private func emptyReason(
    _ state: QueryState, _ options: MatchOptions
  ) -> MatchResponse.EmptyReason {
    if catalogue.entityCount == 0 { return .emptyCatalogue }
    if state.query.isFilterUnfinished { return .filterTimedOut }
    let shownTypes = state.query.types.filter { options.limit(of: $0) > 0 }
    let isNothingLeft = shownTypes.allSatisfy {
      catalogue.entityCount(of: $0) == 0
        || state.query.allowed[$0]?.isEmpty(among: catalogue.entityCount) == true
    }
    if isNothingLeft { return .filteredOut }
    if state.query.signature != nil, catalogue.imageCount == 0 { return .noImages }
    if state.query.isImageLeftOut || !state.plan.isComplete && state.notes.shardFaults.isEmpty {
      return .deadlinePassed
    }
    let isBlank = state.query.signature?.isBlank ?? true
    return isBlank && state.query.labels.known.isEmpty ? .noUsableSignal : .nothingAboveConfidence
  }

  /// Returns what the image may show though it is not sure, within the types that the limits leave.
  private func possible(
    among scored: [ScoredEntity], _ state: QueryState, _ options: MatchOptions,
    without shown: Set<UInt32>
  ) throws -> [RankedEntity] {
    guard options.answers == .all, state.query.signature != nil, !state.query.isFilterUnfinished
    else {
      return []
    }
    let list = PossibleEntities.list(
      among: scored.filter { options.limit(of: $0.type) > 0 && !shown.contains($0.key) },
      cutOff: state.query.cutOff)
    let ids = try catalogue.ids(keys: list.map(\.key))
    let stores = list.filter { $0.type == .store }.map(\.key)
    let places = options.radius == nil ? [:] : try catalogue.places(ofStores: stores)
    return list.compactMap { entity in
      let distance = options.near.flatMap { near in places[entity.key].map(near.distanceMeters) }
      guard entity.type == .product || options.isWithinRadius(distance) else { return nil }
      return ids[entity.key].map { RankedEntity(entity: entity, id: $0) }
    }
  }
}
