/// The sort value of a property, in SQLite's order: numbers before texts, texts by their UTF-8
/// bytes.
enum SortValue: Sendable, Comparable {
  case number(Double)
  case text(String)

  /// Texts are equal if their bytes are.
  static func == (a: SortValue, b: SortValue) -> Bool { !(a < b) && !(b < a) }

  static func < (a: SortValue, b: SortValue) -> Bool {
    switch (a, b) {
    case (.number(let first), .number(let second)): first < second
    case (.number, .text): true
    case (.text, .number): false
    case (.text(let first), .text(let second)):
      first.utf8.lexicographicallyPrecedes(second.utf8)
    }
  }

  /// Makes the value of a column, or returns `nil` for `NULL`.
  init?(_ value: SQLiteValue) {
    switch value {
    case .null: return nil
    case .integer(let number): self = .number(Double(number))
    case .number(let number): self = .number(number)
    case .text(let text): self = .text(text)
    case .blob(let bytes): self = .text(String(decoding: bytes, as: UTF8.self))
    }
  }

  var sqlValue: SQLiteValue {
    switch self {
    case .number(let number): .number(number)
    case .text(let text): .text(text)
    }
  }
}

/// An entity with its sort values.
struct SortedEntity: Sendable {
  let key: UInt32
  let id: EntityID
  /// The values of the sort properties, `nil` for those that the entity lacks.
  let values: [SortValue?]

  /// Returns whether this entity precedes another: by the values, entities without one last, then
  /// by type and id.
  func precedes(_ other: SortedEntity, _ sorts: [EntitySort]) -> Bool {
    for (index, sort) in sorts.enumerated() where values[index] != other.values[index] {
      guard let own = values[index] else { return false }
      guard let others = other.values[index] else { return true }
      return sort.order == .ascending ? own < others : others < own
    }
    return id < other.id
  }
}
