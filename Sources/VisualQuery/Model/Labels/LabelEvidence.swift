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
package struct LabelEvidence: Sendable {
  /// The share of labels that are wrong. It limits the evidence of the rarest label to two bits.
  private static let errorRate = 0.25

  /// A label of the catalogue that the query means.
  package struct Known: Sendable, Hashable {
    package let label: String
    /// The number of its entities.
    package let frequency: Int
    /// The number of words of the query's label that means it, or its own if that is through the bridge.
    let words: Int
  }

  /// The labels of the catalogue that the query means: the rarest first, ties by text.
  package let known: [Known]
  /// The labels of the query that neither the catalogue nor its bridge has, in the query's order.
  package let unmatched: [String]
  private let entityCount: Int

  /// Looks up labels directly and through the shop's bridge. If neither is known, leading words are
  /// dropped, so that a `travel mug` is at least a `mug`.
  package init<Failure: Error>(
    _ labels: [String], entityCount: Int, frequency: (String) throws(Failure) -> Int,
    bridged: (String) throws(Failure) -> [String]
  ) throws(Failure) {
    var known: [String: Known] = [:]
    var unmatched: [String] = []
    for label in labels {
      let normalized = LabelText.normalized(label)
      let heads = LabelText.heads(of: normalized)
      var isMatched = heads.isEmpty || unmatched.contains(label)
      for head in heads where !isMatched {
        for meant in try [head] + bridged(head) {
          let count = try frequency(meant)
          guard count > 0 else { continue }
          let words = LabelText.wordCount(meant)
          let dropped = LabelText.wordCount(normalized) - LabelText.wordCount(head)
          known[meant] = Known(
            label: meant, frequency: count,
            words: min(known[meant]?.words ?? .max, words + dropped))
          isMatched = true
        }
      }
      if !isMatched { unmatched.append(label) }
    }
    self.known = known.values.sorted { ($0.frequency, $0.label) < ($1.frequency, $1.label) }
    self.unmatched = unmatched
    self.entityCount = entityCount
  }

  /// Returns the evidence of the matching label that says most, in bits. If none matches, it is minus half
  /// of that of the rarest known label; if none is known, it is `nil`.
  ///
  /// A label that agrees in part counts in part, by the share of the words of the longer one: *fruit* may be
  /// a passion fruit. The labels of one query have much the same meaning (mug, cup, drinkware), so their
  /// evidence is not added up.
  ///
  /// - Parameter labels: The labels of an entity, as ``LabelText/indexed(_:)`` returns them.
  package func rarity(of labels: [String: Int]) -> Double? {
    guard let rarest = known.first else { return nil }
    let agreeing = known.compactMap { known in
      labels[known.label].map { bits(known, words: max($0, known.words)) }
    }
    return agreeing.max() ?? -bits(rarest, words: rarest.words) / 2
  }

  /// The most that ``rarity(of:)`` is for any entity, or `nil` if no label is known.
  package var highestRarity: Double? { known.map { bits($0, words: $0.words) }.max() }

  /// Returns the evidence of a label that agrees with a phrase of some words.
  private func bits(_ known: Known, words: Int) -> Double {
    bits(known.frequency) * Double(LabelText.wordCount(known.label)) / Double(words)
  }

  /// Returns the evidence of a label: how much more likely it is for an entity that has it than for
  /// any other, in bits, given that some labels are wrong.
  private func bits(_ frequency: Int) -> Double {
    let share = min(1, Double(frequency) / Double(max(1, entityCount)))
    return -log2(share + (1 - share) * Self.errorRate)
  }
}
