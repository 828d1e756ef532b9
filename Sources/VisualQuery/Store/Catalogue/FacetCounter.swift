/// Counts the values of a property, entity by entity.
struct FacetCounter {
  /// The most different values of a facet, which bounds its memory.
  static let distinctLimit = 100_000

  /// A value. Texts are compared by their bytes.
  private enum Key: Hashable {
    case number(Double)
    case text([UInt8])
  }

  private let prefix: String?
  private var counts: [Key: Int] = [:]
  private var entity: UInt32?
  private var ownKeys: [Key] = []
  private(set) var entityCount = 0
  private var range: ClosedRange<Double>?

  /// - Parameter prefix: The folded beginning of the values that count.
  init(prefix: String?) { self.prefix = prefix }

  /// Counts a value. Those of one entity come together; a repeated one counts once.
  ///
  /// - Returns: `false` if there are more different values than ``distinctLimit``.
  mutating func add(_ value: SQLiteValue, of entity: UInt32) -> Bool {
    let key: Key
    let text: String
    switch value {
    case .integer(let number): (key, text) = (.number(Double(number)), String(number))
    case .number(let number): (key, text) = (.number(number), String(number))
    case .text(let own): (key, text) = (.text(Array(own.utf8)), own)
    case .null, .blob: return true
    }
    if let prefix, !LabelText.folded(text).utf8.starts(with: prefix.utf8) { return true }
    if self.entity != entity {
      self.entity = entity
      ownKeys = []
      entityCount += 1
    }
    guard !ownKeys.contains(key) else { return true }
    ownKeys.append(key)
    counts[key, default: 0] += 1
    if case .number(let number) = key {
      range =
        range.map { min($0.lowerBound, number)...max($0.upperBound, number) } ?? number...number
    }
    return counts.count <= Self.distinctLimit
  }

  /// Returns the counts.
  func facet(_ property: String, limit: Int) -> Facet {
    let sorted = counts.sorted { a, b in
      a.value == b.value ? Self.precedes(a.key, b.key) : a.value > b.value
    }
    let values = sorted.prefix(limit).map { key, count in
      switch key {
      case .number(let number): Facet.Value(value: .number(number), count: count)
      case .text(let bytes):
        Facet.Value(value: .text(String(decoding: bytes, as: UTF8.self)), count: count)
      }
    }
    return Facet(
      property: property, values: values, valueCount: counts.count, entityCount: entityCount,
      range: range)
  }

  private static func precedes(_ a: Key, _ b: Key) -> Bool {
    switch (a, b) {
    case (.number(let a), .number(let b)): a < b
    case (.text(let a), .text(let b)): a.lexicographicallyPrecedes(b)
    case (.number, .text): true
    case (.text, .number): false
    }
  }
}
