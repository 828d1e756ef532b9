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
  /// Rarity is capped here: a label that one in 64 entities has says about as much as a rarer one.
  private static let mostBits = 6.0

  /// Known labels with their number of entities, rarest first, ties in the order of their text.
  let known: [(label: String, frequency: Int)]
  private let entityCount: Int

  /// Looks up normalised labels.
  init(frequencies: [String: Int], entityCount: Int) {
    known = frequencies.filter { $0.value > 0 }
      .map { (label: $0.key, frequency: $0.value) }
      .sorted { ($0.frequency, $0.label) < ($1.frequency, $1.label) }
    self.entityCount = entityCount
  }

  /// Rarity in bits of the rarest label that agrees; minus half that of the rarest known one where
  /// none agrees; `nil` where no label is known.
  ///
  /// Labels of one picture say much the same (mug, cup, drinkware), so that they do not add up.
  func rarity(of labels: Set<String>) -> Double? {
    guard let rarest = known.first else { return nil }
    if let agreeing = known.first(where: { labels.contains($0.label) }) {
      return bits(agreeing.frequency)
    }
    return -bits(rarest.frequency) / 2
  }

  /// How many entities share the rarest label that agrees, or `nil` where none agrees.
  func sharers(of labels: Set<String>) -> Int? {
    known.first { labels.contains($0.label) }?.frequency
  }

  private func bits(_ frequency: Int) -> Double {
    min(Self.mostBits, max(0, log2(Double(entityCount) / Double(frequency))))
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
