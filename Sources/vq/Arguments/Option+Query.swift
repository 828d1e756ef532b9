#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import VisualQuery

extension Option<[EntityComparator]> {
  /// A condition on a property for each repetition.
  static func comparators(_ text: OptionText) -> Self {
    let value = ValueDescription(
      placeholder: "CONDITION",
      accepts: "a property, one of = != < <= > >= ~ ^= $=, and a value, such as price<20",
      completion: .nothing)
    return Self(
      text, value: value, mayRepeat: true, initial: [], parse: { EntityComparator($0) },
      add: { $0.append($1) })
  }
}

extension Option<GeoPoint?> {
  /// A location on the globe: latitude and longitude in degrees with a comma between them.
  static func location(_ text: OptionText) -> Self {
    let value = ValueDescription(
      placeholder: "LAT,LON", accepts: "degrees such as 53.54,9.99", completion: .nothing)
    return Self(text, value: value) { GeoPoint(text: $0) }
  }
}

extension Option<Date?> {
  /// An instant: `now`, or a date and a time in ISO 8601.
  static func instant(_ text: OptionText) -> Self {
    let value = ValueDescription(
      placeholder: "TIME", accepts: "now, or a time such as 2026-05-04T10:30:00Z",
      completion: .nothing)
    return Self(text, value: value) { $0 == "now" ? Date() : try? Date($0, strategy: .iso8601) }
  }
}

extension Option<[EntityType: String]> {
  /// A text for a type of entity, as `product=…`; repetitions add further types.
  static func byType(_ text: OptionText, _ placeholder: String, accepts: String) -> Self {
    let value = ValueDescription(
      placeholder: placeholder, accepts: accepts, completion: .nothing)
    return Self(
      text, value: value, mayRepeat: true, initial: [:], parse: pair,
      add: { $0[$1.type] = $1.text })
  }

  @Sendable private static func pair(_ text: String) -> (type: EntityType, text: String)? {
    guard let sign = text.firstIndex(of: "="),
      let type = EntityType(rawValue: String(text[..<sign]))
    else { return nil }
    return (type, String(text[text.index(after: sign)...]))
  }
}
