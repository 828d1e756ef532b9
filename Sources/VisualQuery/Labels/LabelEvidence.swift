#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The labels of one query, and their frequencies in the catalogue.
///
/// Unknown labels are left out and do not count.
struct LabelEvidence: Sendable {
  /// The share of labels that are wrong. It limits the evidence of the rarest label to two bits.
  private static let errorRate = 0.25

  /// The labels of the catalogue that the query means, with their numbers of entities: the rarest
  /// first, ties by text.
  let known: [(label: String, frequency: Int)]
  /// The labels of the query that neither the catalogue nor its bridge has, in the query's order.
  let unmatched: [String]
  private let entityCount: Int

  /// Looks up labels directly and through the shop's bridge. If neither is known, leading words are
  /// dropped, so that a `travel mug` is at least a `mug`.
  init<Failure: Error>(
    _ labels: [String], entityCount: Int, frequency: (String) throws(Failure) -> Int,
    bridged: (String) throws(Failure) -> [String]
  ) throws(Failure) {
    var known: [String: Int] = [:]
    var unmatched: [String] = []
    for label in labels {
      let heads = LabelText.heads(of: LabelText.normalized(label))
      var isMatched = heads.isEmpty || unmatched.contains(label)
      for head in heads where !isMatched {
        for meant in try [head] + bridged(head) {
          let count = try frequency(meant)
          guard count > 0 else { continue }
          known[meant] = count
          isMatched = true
        }
      }
      if !isMatched { unmatched.append(label) }
    }
    self.known = known.map { (label: $0.key, frequency: $0.value) }
      .sorted { ($0.frequency, $0.label) < ($1.frequency, $1.label) }
    self.unmatched = unmatched
    self.entityCount = entityCount
  }

  /// Returns the evidence of the rarest matching label, in bits. If none matches, it is minus half
  /// of that of the rarest known label; if none is known, it is `nil`.
  ///
  /// The labels of one query have much the same meaning (mug, cup, drinkware), so their evidence is
  /// not added up.
  func rarity(of labels: Set<String>) -> Double? {
    guard let rarest = known.first else { return nil }
    if let agreeing = known.first(where: { labels.contains($0.label) }) {
      return bits(agreeing.frequency)
    }
    return -bits(rarest.frequency) / 2
  }

  /// Returns the evidence of a label: how much more likely it is for an entity that has it than for
  /// any other, in bits, given that some labels are wrong.
  private func bits(_ frequency: Int) -> Double {
    let share = min(1, Double(frequency) / Double(max(1, entityCount)))
    return -log2(share + (1 - share) * Self.errorRate)
  }
}
