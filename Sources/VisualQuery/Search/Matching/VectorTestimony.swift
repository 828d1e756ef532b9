#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

internal import PixelMatch

/// The evidence of the query's vector for and against entities, as strong as the vectors of this catalogue justify (``StrangerNearness``).
///
/// One that is nearer to a thing than strangers come to things here speaks for it, and as much against all others. Two that it is equally near to share what it
/// says. It chooses no variant if a model of the service computed it, since such models hardly see colors.
struct VectorTestimony: Sendable {
  /// The inliers from which on an image that aligns is believed in spite of a vector, and those from which on the vector says nothing against it.
  private static let alignedInliers = 24.0...72.0

  /// The log-odds for each thing, and those against all things that the vector does not speak for.
  private var odds: [UInt32: Double] = [:]

  /// Weighs what a vector is near to; nothing if it is near to no thing.
  init(_ findings: Findings) {
    guard let strangers = findings.strangers, let embedding = findings.embedding else { return }
    var says: [UInt32: Double] = [:]
    for search in findings.searches {
      for (key, image) in search.nearest(to: embedding) {
        says[key] = max(says[key] ?? 0, strangers.say(image.distinction))
      }
    }
    guard says.values.contains(where: { $0 > 0 }) else { return }
    var ofGroup: [String: Double] = [:]
    for (key, say) in says {
      if let group = findings.groups?[key] { ofGroup[group] = max(ofGroup[group] ?? 0, say) }
    }
    var things = Array(ofGroup.values)
    for (key, say) in says where findings.groups?[key] == nil { things.append(say) }
    let all = things.filter { $0 > 0 }.sorted().reduce(0) { $0 + (exp($1) - 1) }
    odds = says.reduce(into: [:]) { odds, entity in
      let say = findings.groups?[entity.key].flatMap { ofGroup[$0] } ?? entity.value
      odds[entity.key] = say - log(max(1, 1 + all - (exp(say) - 1)))
    }
  }

  /// Returns the addition to the log-odds of an entity.
  func odds(of key: UInt32, _ evidence: MeasuredEvidence) -> Double {
    let odds = odds[key] ?? 0
    return odds < 0
      ? odds * (1 - Self.alignedInliers.share(at: Double(evidence.inliers))) : odds
  }
}

extension QueryState {
  /// Finds how near strangers come by the vectors that are compared.
  ///
  /// - Parameter segments: The segments of products, or samples of them.
  mutating func findStrangers(
    in catalogue: Catalogue, _ segments: [LiveSegment]
  ) throws(CatalogueError) {
    guard let model = findings.embedding?.model else { return }
    // The vectors of a model that the shop runs itself may tell its variants apart; those of a model here are not asked to.
    let groups = findings.groups != nil
    findings.strangers = try catalogue.strangerNearness(
      of: model, in: segments, groups: groups, shouldStop: query.shouldStop)
  }
}
