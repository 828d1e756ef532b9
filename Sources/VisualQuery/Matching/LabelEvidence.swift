#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The labels of one query, and how rare each is in the catalogue.
///
/// Unknown labels are left out, so that they cost nothing.
struct LabelEvidence: Sendable {
  /// How often a label is wrong: two bits are then the most that even the rarest can say.
  private static let errorRate = 0.25

  /// The catalogue's labels that are meant, with their number of entities, rarest first, ties in the
  /// order of their text.
  let known: [(label: String, frequency: Int)]
  /// Labels of the query that neither the catalogue nor its bridge knows, in the query's order.
  let unmatched: [String]
  private let entityCount: Int

  /// Looks up labels: as they are, as the shop's bridge takes them, and, where neither is known, by
  /// the end of their words, so that a `travel mug` is at least a `mug`.
  init(
    _ labels: [String], entityCount: Int, frequency: (String) throws(CatalogueError) -> Int,
    bridged: (String) throws(CatalogueError) -> [String]
  ) throws(CatalogueError) {
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

  /// What the rarest label that agrees says, in bits; minus half of what the rarest known one would
  /// say where none agrees; `nil` where no label is known.
  ///
  /// Labels of one picture say much the same (mug, cup, drinkware), so that they do not add up.
  func rarity(of labels: Set<String>) -> Double? {
    guard let rarest = known.first else { return nil }
    if let agreeing = known.first(where: { labels.contains($0.label) }) {
      return bits(agreeing.frequency)
    }
    return -bits(rarest.frequency) / 2
  }

  /// What it says of an entity that it has a label: how much likelier the label comes with it than
  /// with any other, in bits, if some labels are wrong.
  private func bits(_ frequency: Int) -> Double {
    let share = min(1, Double(frequency) / Double(max(1, entityCount)))
    return -log2(share + (1 - share) * Self.errorRate)
  }
}

/// Bits by which a scan leaves out rows that surely lack a label.
enum LabelBits {
  /// Two of 64 bits, from the label's 64-bit FNV-1a hash; other labels may have the same.
  static func mask(of label: String) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in label.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return 1 << (hash >> 58) | 1 << (hash >> 52 & 63)
  }

  /// The bits of all of an entity's labels.
  static func mask(of labels: some Sequence<String>) -> UInt64 {
    labels.reduce(0) { $0 | mask(of: $1) }
  }
}
