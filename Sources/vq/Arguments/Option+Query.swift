#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import VisualQuery

extension Option<[EntityComparator]> {
  /// Conditions on properties, one each time the option is given.
  static func comparators(_ text: OptionText) -> Self {
    let value = ValueDescription(
      placeholder: "CONDITION",
      accepts: "a property, one of = != < <= > >= ~ ^= $=, and a value, such as price<20",
      completion: .nothing, isAccepted: { EntityComparator($0) != nil })
    return Self(text, value: value, mayRepeat: true, initial: []) { text, value in
      guard let comparator = EntityComparator(text) else { return false }
      value.append(comparator)
      return true
    }
  }
}

extension Option<GeoPoint?> {
  /// A place on the globe: latitude and longitude in degrees between commas.
  static func place(_ text: OptionText) -> Self {
    let value = ValueDescription(
      placeholder: "LAT,LON", accepts: "degrees such as 53.54,9.99", completion: .nothing,
      isAccepted: { GeoPoint(text: $0) != nil })
    return Self(text, value: value, initial: nil) { text, value in
      value = GeoPoint(text: text)
      return value != nil
    }
  }
}

extension GeoPoint {
  init?(text: String) {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map {
      Double($0) ?? .nan
    }
    guard numbers.count == 2, (-90...90).contains(numbers[0]), (-180...180).contains(numbers[1])
    else { return nil }
    self.init(latitude: numbers[0], longitude: numbers[1])
  }
}

extension Option<Date?> {
  /// An instant: `now`, or a date and time of ISO 8601.
  static func instant(_ text: OptionText) -> Self {
    let value = ValueDescription(
      placeholder: "TIME", accepts: "now, or such as 2026-05-04T10:30:00Z", completion: .nothing,
      isAccepted: { instant($0) != nil })
    return Self(text, value: value, initial: nil) { text, value in
      value = instant(text)
      return value != nil
    }
  }

  private static func instant(_ text: String) -> Date? {
    text == "now" ? Date() : try? Date(text, strategy: .iso8601)
  }
}

extension Option<[EntityType: String]> {
  /// A text for a type of entity, as `product=…`; the option may be given several times.
  static func byType(_ text: OptionText, _ placeholder: String, accepts: String) -> Self {
    let value = ValueDescription(
      placeholder: placeholder, accepts: accepts, completion: .nothing,
      isAccepted: { pair($0) != nil })
    return Self(text, value: value, mayRepeat: true, initial: [:]) { text, value in
      guard let pair = pair(text) else { return false }
      value[pair.type] = pair.text
      return true
    }
  }

  private static func pair(_ text: String) -> (type: EntityType, text: String)? {
    guard let sign = text.firstIndex(of: "="),
      let type = EntityType(rawValue: String(text[..<sign]))
    else { return nil }
    return (type, String(text[text.index(after: sign)...]))
  }
}
