/// Key sets of one generation, kept within a limit of memory. The set that was not asked for longest is
/// dropped first.
struct KeySetCache {
  /// The property that the keys of a set have in common.
  enum Question: Hashable {
    case filter(EntityFilter)
    case type(EntityType)

    /// Roughly the memory of the question.
    fileprivate var byteCount: Int {
      switch self {
      case .type: 16
      case .filter(let filter):
        filter.labels.reduce(0) { $0 + 16 + $1.utf8.count }
          + filter.comparators.reduce(0) {
            $0 + 128 + $1.property.name.utf8.count + $1.textByteCount
          }
      }
    }
  }

  /// The most bytes of all sets and questions by default: the sets of 128 filters at a million entities.
  static let byteLimit = 16 << 20

  private let byteLimit: Int
  private var sets: [Question: (keys: KeySet, lastUse: Int)] = [:]
  /// The bytes of all sets and questions.
  private(set) var byteCount = 0
  private var uses = 0

  init(byteLimit: Int = Self.byteLimit) { self.byteLimit = byteLimit }

  /// Returns the keys of a question, or `nil` if they are not kept.
  mutating func keys(of question: Question) -> KeySet? {
    uses += 1
    sets[question]?.lastUse = uses
    return sets[question]?.keys
  }

  /// Keeps the keys of a question, unless they alone exceed the limit.
  mutating func keep(_ keys: KeySet, of question: Question) {
    let size = Self.byteCount(keys, question)
    guard size <= byteLimit, sets[question] == nil else { return }
    while byteCount + size > byteLimit,
      let oldest = sets.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      byteCount -= Self.byteCount(oldest.value.keys, oldest.key)
      sets[oldest.key] = nil
    }
    uses += 1
    byteCount += size
    sets[question] = (keys, uses)
  }

  private static func byteCount(_ keys: KeySet, _ question: Question) -> Int {
    keys.byteCount + question.byteCount + 128
  }
}

extension EntityComparator {
  /// The bytes of the texts that the property is compared with.
  fileprivate var textByteCount: Int {
    let texts: [PropertyValue]
    switch comparison {
    case .equalTo(let value), .notEqualTo(let value), .lessThan(let value),
      .lessThanOrEqualTo(let value), .greaterThan(let value), .greaterThanOrEqualTo(let value):
      texts = [value]
    case .isBetween(let low, let high): texts = [low, high]
    case .contains(let text), .hasPrefix(let text), .hasSuffix(let text): texts = [.text(text)]
    }
    return texts.reduce(0) { if case .text(let text) = $1 { $0 + text.utf8.count } else { $0 } }
  }
}
