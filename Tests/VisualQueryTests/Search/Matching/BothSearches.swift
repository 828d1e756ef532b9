import PixelMatch
import Synchronization
import Testing

@testable import ShopSearch
import VisualQuery

/// Asks questions twice: with a search that may end early, and with a whole one.
struct BothSearches {
  var matcher: Matcher

  init(_ catalogue: Catalogue) { matcher = Matcher(unhurried: catalogue) }

  /// An answer, and the steps that made it.
  struct Asked {
    let answer: MatchResponse
    let steps: [QueryStep]

    var endsEarly: Bool { !steps.contains(.geometry) }
    /// True if a glance at the image sufficed.
    var isOfCopy: Bool { steps.contains(.glance) && !steps.contains(.signature) }
  }

  func ask(
    _ content: SemanticContent, _ options: MatchOptions, endsEarly: Bool
  ) async throws -> Asked {
    final class Steps: Sendable { let all = Mutex<[QueryStep]>([]) }
    let steps = Steps()
    var matcher = matcher
    matcher.onStep = { step, time in
      #expect(time >= .zero)
      steps.all.withLock { $0.append(step) }
    }
    var options = options
    options.endsEarly = endsEarly
    let answer = try await matcher.values(for: content, options: options)
    return Asked(answer: answer, steps: steps.all.withLock { $0 })
  }

  /// Asks both ways, and expects the same answer as far as it is shown, but for the evidence. A glance lays the whole image over the whole of
  /// the other: it finds no alignment of keypoints, and the box of the thing hardly differs.
  ///
  /// - Returns: The answer to the question that may end early.
  func compare(
    _ content: SemanticContent, _ name: String,
    _ options: MatchOptions = MatchOptions(timeout: nil)
  ) async throws -> Asked {
    let whole = try await ask(content, options, endsEarly: false)
    let early = try await ask(content, options, endsEarly: true)
    if options.answers == .all {
      #expect(!whole.endsEarly && !whole.steps.contains(.wholeImage), "\(name)")
      #expect(!whole.steps.contains(.glance), "\(name)")
    }
    let (answer, other) = (early.answer, whole.answer)
    if early.isOfCopy { try comparePlaces(answer, other, name) }
    func shown(_ match: Match) -> String {
      let confidence = min(0.9999, rounded(match.confidence, 4))
      let alignment = early.isOfCopy ? "" : String(describing: match.alignment?.rounded)
      return """
        \(match.rank) \(match.value.id) \(confidence) \(match.tier) \(alignment) \(String(describing: match.matchedImage)) \
        \(String(describing: match.object)) \(String(describing: match.stocks)) \(match.variants.map(\.value.id)) \
        \(String(describing: match.rule)) \(String(describing: match.isOpen)) \(String(describing: match.distanceMeters))
        """
    }
    #expect(answer.matches.map(shown) == other.matches.map(shown), "\(name)")
    #expect(answer.possible.map(shown) == other.possible.map(shown), "\(name)")
    #expect(answer.siblings.map(shown) == other.siblings.map(shown), "\(name)")
    #expect(answer.similar?.map(shown) == other.similar?.map(shown), "\(name)")
    if !early.isOfCopy { #expect(answer.objects == other.objects, "\(name)") }
    #expect(answer.regions == other.regions, "\(name)")
    #expect(answer.emptyReason == other.emptyReason, "\(name)")
    #expect(answer.hasMore == other.hasMore && answer.generation == other.generation, "\(name)")
    #expect(answer.minimumConfidence == other.minimumConfidence, "\(name)")
    #expect(answer.unmatchedLabels == other.unmatchedLabels, "\(name)")
    #expect(answer.unmatchedWords == other.unmatchedWords, "\(name)")
    #expect(answer.unmatchedCodes == other.unmatchedCodes, "\(name)")
    #expect(answer.diagnostics == other.diagnostics, "\(name)")
    #expect(answer.isComplete && answer.coverage == 1 && other.isComplete, "\(name)")
    for match in answer.matches where match.evidence.allSatisfy({ $0.kind != .stock }) {
      let sum = match.evidence.reduce(0) { $0 + $1.weight }
      #expect(abs(Calibration.probability(ofLogOdds: sum) - match.confidence) < 1e-9, "\(name)")
    }
    try compareContinuations(answer, other, name)
    if !early.endsEarly { #expect(answer == other, "\(name)") }
    return early
  }

  private func comparePlaces(
    _ answer: MatchResponse, _ other: MatchResponse, _ name: String
  ) throws {
    #expect(answer.objects.count == other.objects.count, "\(name)")
    for (object, expected) in zip(answer.objects, other.objects) {
      #expect(Self.overlap(object.box, expected.box) > 0.75, "\(name)")
    }
    for (match, expected) in zip(answer.matches, other.matches) {
      #expect((match.alignment == nil) == (expected.alignment == nil), "\(name)")
      guard let alignment = match.alignment, let whole = expected.alignment else { continue }
      #expect(alignment.isMirrored == whole.isMirrored, "\(name)")
      #expect(alignment.keypoints.isEmpty && alignment.inliers == 0, "\(name)")
      #expect(Self.overlap(alignment.region, whole.region) > 0.75, "\(name)")
      // The point of the catalogue's image to which each transform maps the middle of the query.
      func middle(_ m: [Double]) -> SIMD2<Double> {
        let depth = m[6] / 2 + m[7] / 2 + m[8]
        return SIMD2((m[0] + m[1]) / 2 + m[2], (m[3] + m[4]) / 2 + m[5]) / depth
      }
      let apart = middle(alignment.transform) - middle(whole.transform)
      #expect(max(abs(apart.x), abs(apart.y)) < 0.03, "\(name)")
    }
  }

  /// Returns the intersection of two boxes over their union.
  private static func overlap(_ a: [Double], _ b: [Double]) -> Double {
    let across = max(0, min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0]))
    let down = max(0, min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1]))
    return across * down / (a[2] * a[3] + b[2] * b[3] - across * down)
  }

  /// Expects the tokens to hold the same question, list and signature, by which a search is made again and statements are kept.
  private func compareContinuations(
    _ answer: MatchResponse, _ other: MatchResponse, _ name: String
  ) throws {
    let tokens = try [answer, other].map {
      try Continuation(token: #require($0.continuation), catalogue: matcher.catalogue)
    }
    #expect(tokens[0].question == tokens[1].question, "\(name)")
    #expect(tokens[0].signature == tokens[1].signature, "\(name)")
    for list in [\Continuation.entries, \Continuation.possible] {
      let keys = tokens.map { $0[keyPath: list].map { "\($0.scored.key) \($0.isShown)" } }
      #expect(keys[0] == keys[1], "\(name)")
    }
  }
}
