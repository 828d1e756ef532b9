package import PixelMatch

/// The effects of what people said about answers.
extension Matcher {
  /// Returns the question of an answer, from its continuation. It is empty if the image was not analyzed in time: what is said of that
  /// answer is not said of its labels.
  ///
  /// - Throws: ``MatchError`` with the code `invalidToken` or `expiredToken`.
  package func feedbackQuery(ofContinuation token: String) throws(MatchError) -> FeedbackQuery {
    let continuation = try Continuation(token: token, catalogue: catalogue)
    let isLeftOut = continuation.question.isImageLeftOut
    return FeedbackQuery(
      labels: isLeftOut ? [] : continuation.question.labels, signature: continuation.signature)
  }

  /// Returns whether the image of some content is that of a question.
  ///
  /// - Throws: `CancellationError`.
  package func isQuestion(_ query: FeedbackQuery, of content: SemanticContent) async throws -> Bool
  {
    guard query.hasImage, let image = content.pixelBuffer else { return false }
    let asked = try QuerySignature(encoded: query.signature)
    return try await withTaskExecutorPreference(pool) { @concurrent in
      try Task.checkCancellation()
      return ImageFingerprint(asked).isSame(as: ImageFingerprint(QuerySignature(image)))
    }
  }

  /// Returns what was said about a question.
  func feedback(
    on signature: QuerySignature?, _ content: SemanticContent, _ options: MatchOptions
  ) throws(CatalogueError) -> FeedbackEffects? {
    // A continuation without its image has only the labels, and statements about those labels
    // alone are about another question.
    guard options.usesFeedback, !content.isPictureLeftOut else { return nil }
    return try catalogue.feedback.index().effects(on: signature, labels: content.labels)
  }

  /// Returns what was said about the question of a list.
  func feedback(on continuation: Continuation) throws(CatalogueError) -> FeedbackEffects? {
    let index = try catalogue.feedback.index()
    guard !index.isEmpty, continuation.options.usesFeedback,
      !continuation.question.isImageLeftOut
    else { return nil }
    return index.effects(
      on: try? QuerySignature(encoded: continuation.signature),
      labels: continuation.question.labels)
  }

  /// Returns the keys of the entities that are left out.
  func suppressedKeys(_ effects: FeedbackEffects?) throws(CatalogueError) -> Set<UInt32> {
    guard let suppressed = effects?.suppressed else { return [] }
    return Set(try catalogue.keys(of: suppressed.map(\.id)).values)
  }

  /// The log-odds of an entity of which somebody said that the query means it.
  private static let pinnedLogOdds = Calibration.logOdds(of: 0.999)
  /// The most by which the log-odds of a pinned entity exceed those of the entity that it precedes, and the bound on
  /// these log-odds: if many pins added up, the confidence would be rounded to 1, whose log-odds are infinite.
  private static let (pinStep, largestPinnedLogOdds) = (1.0, 30.0)

  /// Puts the entities first of which people said that the query means them. Filters keep their effect.
  func pinned(_ scored: [ScoredEntity], _ state: QueryState) throws -> [ScoredEntity] {
    guard let pins = state.query.feedback?.pinned, !pins.isEmpty, !state.query.isFilterUnfinished
    else {
      return scored
    }
    let keys = try catalogue.keys(of: pins.map(\.id))
    var scored = scored
    var odds = Self.pinnedLogOdds
    for entity in scored {
      odds = max(odds, entity.evidence.reduce(Self.pinStep) { $0 + $1.weight })
    }
    let room = max(0, Self.largestPinnedLogOdds - odds)
    let step = min(Self.pinStep, room / Double(pins.count))
    // Each pin is placed above those handled before it, so the first pin is handled last.
    for pin in pins.reversed() {
      guard let key = keys[pin.id], state.query.types.contains(pin.id.type),
        state.query.allows(key, pin.id.type)
      else { continue }
      let index = scored.firstIndex { $0.key == key }
      let others = index.map { scored[$0].evidence } ?? []
      let sum = others.reduce(0) { $0 + $1.weight }
      let evidence =
        others
        + [Evidence(kind: .pin, value: Double(pin.statement), weight: odds - sum)]
      let entity = ScoredEntity(
        key: key, type: pin.id.type, evidence: evidence,
        confidence: Calibration.confidence(evidence),
        tier: index.map { scored[$0].tier } ?? .similar, image: index.flatMap { scored[$0].image },
        imagePosition: index.flatMap { scored[$0].imagePosition })
      if let index { scored[index] = entity } else { scored.append(entity) }
      odds += step
    }
    return scored
  }
}

extension FeedbackQuery {
  /// The text of the signature, as `QuerySignature(text:)` reads it, or `nil` without an image.
  package var signatureText: String? { hasImage ? Base64URL.encoded(signature) : nil }

  /// Makes the question of an image's signature, or of labels.
  ///
  /// - Throws: `SignatureError`.
  package init(labels: [String], signatureText: String?) throws(SignatureError) {
    let signature = try signatureText.map { text throws(SignatureError) in
      try QuerySignature(text: text)
    }
    self.init(labels: labels, signature: signature?.compactBytes ?? [])
  }
}
