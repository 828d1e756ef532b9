internal import PixelMatch
internal import Reading

extension Matcher {
  /// Prepares a query: resolves its labels and filters, signs its image and plans its stages.
  @concurrent func prepare(
    _ content: SemanticContent, _ options: MatchOptions, deadline: Duration?
  ) async throws -> QueryState {
    let now = now
    var content = content
    let shouldStop: @Sendable () -> Bool = {
      Task.isCancelled || (deadline.map { now() >= $0 } ?? false)
    }
    var start = beginStep()
    let types = searchedTypes(options)
    let allowed = try await allowedKeys(types, options, shouldStop)
    let labels = try catalogue.labelEvidence(SemanticContent.bounded(content.labels))
    try Task.checkCancellation()
    endStep(.filters, since: start)
    let image = try content.searchedPixels?.enlarged(toLongerSide: Signature.leastSide)
    let cutOff = cutOff(options, hasImage: image != nil || content.signature != nil)
    let rules = try await activeRules(labels, of: content.labels, options)
    let words = AskedWords(content.text, options.filters[.product])
    let fit = fit(of: options)
    let mayEnd =
      (image == nil || models == nil) && !rules.hides && !rules.moves && words == nil
      && fit?.canMakeSure != true
      && WholeImageStage.isWorthwhile(for: content, options, types, cutOff: cutOff, in: catalogue)
    var glance: ImageGlance?
    if mayEnd, let image, allowed != nil {
      start = beginStep()
      glance = ImageGlance(image, shouldStop: shouldStop)
    }
    if let image, let allowed, let seen = glance {
      let copy = try copy(image, seen, labels, content, types, allowed, options, shouldStop)
      endStep(.glance, since: start)
      try Task.checkCancellation()
      // A code in the image may belong to another entity, so the whole search has to compare both.
      if copy != nil, content.readCodes == nil {
        readCodes(of: image, in: &content, shouldStop)
        try Task.checkCancellation()
      }
      if let copy, content.readCodes?.isEmpty ?? true {
        let query = PreparedQuery(
          types: types, labels: labels, signature: copy.signature, isImageLeftOut: false,
          subject: options.subject, cutOff: cutOff, allowed: allowed, feedback: nil,
          suppressed: [], rules: rules, words: nil, sighted: [], isFilterUnfinished: false,
          shouldStop: shouldStop, remaining: { deadline.map { $0 - now() } }, fit: fit)
        var state = QueryState(
          query,
          plan: QueryPlan(
            [LabelStage()] + (content.readCodes == nil ? codeStage(of: content, image) : [])),
          searches: [])
        state.findings.copy = copy.entity
        return state
      }
    }
    start = beginStep()
    // The encoding runs concurrently with the following steps.
    let encoding = content.embedding == nil ? image.flatMap(encoding) : nil
    var signature = content.signature
    if let image {
      signature = QuerySignature(image, isSent: false, after: glance, shouldStop: shouldStop)
      if signature == nil { content.leavePictureOut() }
    }
    endStep(.signature, since: start)
    try Task.checkCancellation()
    let feedback = try feedback(on: signature, content, options)
    let suppressed = try suppressedKeys(feedback).union(leftOut)
    let scansEnd = deadline.map { $0 - ($0 - now()) * Self.verifyingShare }
    var embedding = content.embedding.map { .given($0) } ?? encoding.map(EmbeddingSource.computed)
    let direction = wordsEncoding(content)
    if let source = embedding, let direction { embedding = .worded(source, direction) }
    var plan = try plan(
      signature, content.isPictureLeftOut ? nil : image, labels, content, embedding, direction,
      endsEarly: mayEnd && feedback == nil
    ) {
      Task.isCancelled || (scansEnd.map { now() >= $0 } ?? false)
    }
    // The deadline passed before the filters were evaluated. Searching now could show entities
    // that the filters exclude.
    if allowed == nil { plan.stop() }
    let asksForColor = words?.filtersColor == true && allowed != nil && signature != nil
    let query = PreparedQuery(
      types: types, labels: labels, signature: signature,
      isImageLeftOut: content.isPictureLeftOut, subject: options.subject,
      cutOff: cutOff, allowed: allowed ?? [:],
      feedback: feedback, suppressed: suppressed, rules: rules, words: words,
      sighted: asksForColor ? try await sighted(in: content, options, deadline: deadline) : [],
      isFilterUnfinished: allowed == nil,
      shouldStop: shouldStop, remaining: { deadline.map { $0 - now() } }, fit: fit,
      vectors: content.embedding != nil ? ShopFit.givenVectors : catalogue.imageModel?.name)
    var state = QueryState(
      query, plan: plan,
      searches: signature.map { signature in
        types.map {
          search($0, allowed?[$0], without: suppressed, signature, shouldStop)
        }
      } ?? [])
    if let given = content.embedding {
      state.findings.compare(given, by: nil, shouldStop: shouldStop)
    }
    return state
  }

  /// The share of the time left in which a question that asks for a color is first searched without its filters.
  private static let sightingShare = 0.4

  /// Returns what an image shows without the filters of its question: the thing in it, of which these ask for another color.
  @concurrent private func sighted(
    in content: SemanticContent, _ options: MatchOptions, deadline: Duration?
  ) async throws -> [ScoredEntity] {
    var (options, content) = (options, content)
    options.filters = [:]
    content.text = ""
    // Words are compared with everything that the image may show.
    (options.endsEarly, options.answers) = (false, .all)
    let end = deadline.map { now() + ($0 - now()) * Self.sightingShare }
    return try await run(content, options, deadline: end).standings.entities
  }

  /// Starts to compute the embedding of an image, if the catalogue has those of the model.
  @Sendable private func encoding(of image: PixelBuffer) -> ImageEncoding? {
    guard let encoder = models?.image, catalogue.candidates.comparesEmbeddings,
      catalogue.imageModel?.name == encoder.name
    else { return nil }
    return try? encoder.start(image)
  }

  /// True if a question may have words alone: a model encodes them, and the catalogue's images have vectors of its other half.
  package var searchesByWords: Bool {
    models?.words != nil && catalogue.candidates.hasAllSignatures
      && catalogue.imageModel?.name == models?.image?.name
  }

  /// Starts to compute the embedding of the words of a question, if a model can, and the image has no vector of another one.
  private func wordsEncoding(_ content: SemanticContent) -> WordsEncoding? {
    guard searchesByWords, let encoder = models?.words, let model = models?.image?.name,
      !content.text.allSatisfy(\.isWhitespace),
      content.embedding.map({ $0.model == ImageEmbedding.fingerprint(of: model) }) ?? true
    else { return nil }
    let text = String(content.text.unicodeScalars.prefix(SemanticContent.wordsLength))
    return (try? encoder.start(text)).map { WordsEncoding(encoding: $0, model: model) }
  }

  /// The share of the remaining time that scans and votes leave to the geometry of the likeliest candidates.
  /// Verifying the candidates found by then is worth more than finding further ones.
  private static let verifyingShare = 0.125

  /// Returns the lowest confidence of a match.
  func cutOff(_ options: MatchOptions, hasImage: Bool) -> Double {
    options.minimumConfidence
      ?? (hasImage ? Calibration.defaultCutOff : Calibration.labelsOnlyCutOff)
  }

  /// Runs the next stage, or as much of it as the deadline allows.
  @concurrent func runNextStage(_ state: inout QueryState) async throws {
    guard let stage = state.plan.next else { return }
    try Task.checkCancellation()
    if !type(of: stage).runsPastDeadline, state.query.shouldStop() {
      state.plan.stop()
      return
    }
    let start = beginStep()
    let share = try await stage.run(on: &state, in: catalogue)
    try state.findOwners(in: catalogue)
    endStep(type(of: stage).step, since: start)
    try Task.checkCancellation()
    state.plan.finishNext(share: share)
  }

  /// The types that are searched: those asked for, and products if stores may be shown, since a
  /// product brings the stores that stock it.
  private func searchedTypes(_ options: MatchOptions) -> [EntityType] {
    EntityType.allCases.filter {
      options.types.contains($0) || ($0 == .product && options.limit(of: .store) > 0)
    }
  }

  /// - Parameters:
  ///   - endsEarly: True if the search may end as soon as nothing can change the answer.
  ///   - shouldStopScans: Tells scans and votes to end where they are.
  private func plan(
    _ signature: QuerySignature?, _ image: PixelBuffer?, _ labels: LabelEvidence,
    _ content: SemanticContent, _ embedding: EmbeddingSource?, _ direction: WordsEncoding?,
    endsEarly: Bool,
    shouldStopScans: @escaping @Sendable () -> Bool
  ) throws(CatalogueError) -> QueryPlan {
    let isOfWords = signature == nil && !content.hasImage && !labels.unmatched.isEmpty
    let words: [any SearchStage] =
      [LabelStage()] + (isOfWords ? [LabelWordStage()] : [])
      + codeStage(of: content, image)
    var texts = Array(content.texts.prefix(SemanticContent.textLimit))
    if isOfWords, try catalogue.hasText() {
      texts += labels.unmatched.map { TextLine(text: $0, certainty: 1, corners: []) }
    }
    let textStage: [any SearchStage] =
      texts.isEmpty && (image == nil || models?.text == nil)
      ? [] : [TextStage(image: image, texts: texts, models: models, threads: pool.width)]
    guard let signature else {
      let scanner = SegmentScanner(threads: pool.width, shouldStop: shouldStopScans)
      let wordStage: [any SearchStage] =
        direction.map { [WordScanStage(words: $0, scanner: scanner)] } ?? []
      return QueryPlan(
        words + textStage + (content.hasImage ? [] : wordStage),
        omitted: content.isPictureLeftOut ? catalogue.candidates.kinds : [])
    }
    let masks = labels.known.map { LabelBits.mask(of: $0.label) }
    var searching = catalogue.candidates.stages(
      for: signature, embedding, labelMasks: masks, threads: pool.width, isRegion: false,
      shouldStop: shouldStopScans)
    // Inserted before the geometry of all candidates, which is the last of these stages.
    if endsEarly { searching.insert(WholeImageStage(image: image), at: searching.count - 1) }
    // Text proposes candidates, so it must be read before the last of these stages verifies the
    // geometry of all candidates.
    searching.insert(contentsOf: textStage, at: searching.count - 1)
    return QueryPlan(
      words + searching
        + [PatchStage(image: image)]
        // There are no windows in engine mode, where the keypoints of each would have to be fetched one after the
        // other.
        + (catalogue.candidates.hasAllSignatures ? [WindowStage(image: image)] : [])
        + [
          RegionStage(
            image: image, labelMasks: masks, threads: pool.width, encode: encoding(of:)),
          LightStage(image: image),
        ])
  }

  /// Returns the stage for the codes of a question, or nothing if there are none and none can be read.
  private func codeStage(
    of content: SemanticContent, _ image: PixelBuffer?
  ) -> [any SearchStage] {
    content.codes.isEmpty && (image == nil || CodeReader() == nil)
      ? [] : [CodeStage(codes: content.codes, image: image, read: content.readCodes)]
  }

  /// Reads the codes in an image, once for all that need them; nothing if none can be read, or not in time.
  private func readCodes(
    of image: PixelBuffer, in content: inout SemanticContent, _ shouldStop: () -> Bool
  ) {
    guard let reader = CodeReader() else { return }
    let start = beginStep()
    content.readCodes = reader.codes(in: image, shouldStop: shouldStop)
    endStep(.codes, since: start)
  }

  /// Returns the entity of which the question's image is a copy, or `nil` if the whole search has to tell: also if a code was given, or
  /// something was said about the question.
  private func copy(
    _ image: PixelBuffer, _ glance: ImageGlance, _ labels: LabelEvidence,
    _ content: SemanticContent, _ types: [EntityType], _ allowed: [EntityType: KeySet],
    _ options: MatchOptions, _ shouldStop: @escaping () -> Bool
  ) throws -> CopySearch.Copy? {
    guard content.codes.isEmpty else { return nil }
    let search = CopySearch(
      images: types.map {
        CopySearch.Images(type: $0, segments: segments(of: $0, allowed[$0], without: []))
      }, labels: labels, subject: options.subject, shouldStop: shouldStop)
    let copy = try search.copy(image, glance) {
      try catalogue.labels(ofKeys: [$0])[$0] ?? [:]
    }
    guard let copy, try feedback(on: copy.signature, content, options) == nil else { return nil }
    return copy
  }

  private func search(
    _ type: EntityType, _ allowed: KeySet?, without suppressed: Set<UInt32>,
    _ signature: QuerySignature, _ shouldStop: () -> Bool
  ) -> TypeSearch {
    TypeSearch(type, segments(of: type, allowed, without: suppressed), signature)
  }

  /// Returns the segments of a type, of which only some rows are searched.
  private func segments(
    of type: EntityType, _ allowed: KeySet?, without suppressed: Set<UInt32>
  ) -> [LiveSegment] {
    var segments = catalogue.segments(of: type)
    if let allowed { segments = segments.map { $0.keeping(allowed.contains) } }
    // An entity that feedback excludes must not lower the confidence of others as their rival.
    if !suppressed.isEmpty {
      segments = segments.map { $0.keeping { !suppressed.contains($0) } }
    }
    return segments
  }

  /// Returns the keys of each type that its filter accepts, for types that have one, or `nil` if that was
  /// not known before the deadline.
  @concurrent private func allowedKeys(
    _ types: [EntityType], _ options: MatchOptions, _ shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> [EntityType: KeySet]? {
    for filter in options.filters.values { try fields.check(filter) }
    var allowed: [EntityType: KeySet] = [:]
    // Usually all types have the same filter, which is then evaluated only once.
    var keysByFilter: [EntityFilter: KeySet] = [:]
    do {
      for type in types {
        // A type that is not asked for may be searched because products bring stores. Its
        // filter only limits what is shown, so it is not applied here.
        guard options.types.contains(type), let filter = options.filters[type], !filter.isEmpty
        else { continue }
        var keys = keysByFilter[filter]
        if keys == nil {
          keys = try await catalogue.keys(matching: filter, shouldStop: shouldStop)
          keysByFilter[filter] = keys
        }
        allowed[type] = keys?.intersection(
          try await catalogue.keys(of: type, shouldStop: shouldStop))
      }
    } catch let error as CatalogueError where error.code == .timedOut {
      try Task.checkCancellation()
      return nil
    }
    return allowed
  }
}
