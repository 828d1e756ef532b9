#if canImport(FoundationEssentials)
  package import FoundationEssentials
  // Without this module, time zones have no rules.
  internal import FoundationInternationalization
#else
  package import Foundation
#endif

/// The opening hours of a store, in its own time zone.
///
/// Each line is an `openingHours` of schema.org (<https://schema.org/openingHours>): days, as a
/// list or a range, and a time span: `Mo-Fr 09:00-18:30`, `Sa,Su 10:00-16:00`. A span that ends
/// before it begins ends on the next day; a line without a span means the whole day.
public struct OpeningHours: Sendable, Hashable {
  /// The lines, as the feed gives them.
  public let lines: [String]
  /// The name in the IANA time zone database, such as `Europe/Berlin`.
  public let timeZone: String
  /// The ranges of minutes since Monday 00:00, in local time, without their ends.
  private let spans: [Range<Int>]

  private static let days = ["mo", "tu", "we", "th", "fr", "sa", "su"]
  private static let minutesADay = 24 * 60
  private static let minutesAWeek = 7 * minutesADay

  /// Makes opening hours from lines such as `Mo-Fr 09:00-18:30`.
  ///
  /// - Throws: ``FieldError`` if a line or the time zone cannot be read.
  public init(lines: [String], timeZone: String) throws(FieldError) {
    if let error = Self.errors(lines: lines, timeZone: timeZone).first { throw error }
    self.lines = lines
    self.timeZone = timeZone
    spans = lines.flatMap { Self.spans(of: $0) ?? [] }
  }

  /// Returns the errors of a time zone, which is required, and of the first line that cannot be read.
  static func errors(lines: [String], timeZone: String?) -> [FieldError] {
    var errors: [FieldError] = []
    if timeZone.flatMap(TimeZone.init(identifier:)) == nil {
      errors.append(
        FieldError(
          field: "timeZone",
          reason: timeZone.map { "is '\($0)'; expected a name such as Europe/Berlin" }
            ?? "is missing, but required by openingHours; expected for example Europe/Berlin"))
    }
    if let line = lines.first(where: { spans(of: $0) == nil }) {
      errors.append(
        FieldError(
          field: "openingHours", reason: "is '\(line)'; expected for example Mo-Fr 09:00-18:00"))
    }
    return errors
  }

  /// Returns whether the store is open at an instant.
  package func isOpen(at date: Date) -> Bool {
    guard let zone = TimeZone(identifier: timeZone) else { return false }
    let local = date.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: date))
    // 1970 began on a Thursday.
    let minutes = Int((local / 60).rounded(.down)) + 3 * Self.minutesADay
    let minute = (minutes % Self.minutesAWeek + Self.minutesAWeek) % Self.minutesAWeek
    // A span that began on Sunday may extend into Monday.
    return spans.contains {
      $0.contains(minute) || $0.contains(minute + Self.minutesAWeek)
    }
  }

  private static func spans(of line: String) -> [Range<Int>]? {
    let parts = line.lowercased().split(separator: " ")
    guard let first = parts.first, parts.count <= 2, let days = days(of: first) else { return nil }
    guard parts.count == 2 else {
      return days.map { $0 * minutesADay..<($0 + 1) * minutesADay }
    }
    let times = parts[1].split(separator: "-", omittingEmptySubsequences: false)
    guard times.count == 2, let start = minutes(of: times[0]), let end = minutes(of: times[1]),
      start < minutesADay
    else { return nil }
    let length = end > start ? end - start : end + minutesADay - start
    return days.map { $0 * minutesADay + start..<$0 * minutesADay + start + length }
  }

  private static func days(of text: Substring) -> [Int]? {
    var result: [Int] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).compactMap {
        days.firstIndex(of: String($0.prefix(2)))
      }
      guard ends.count == part.split(separator: "-", omittingEmptySubsequences: false).count,
        (1...2).contains(ends.count)
      else { return nil }
      let length = (ends[ends.count - 1] - ends[0] + 7) % 7
      result += (0...length).map { (ends[0] + $0) % 7 }
    }
    return result
  }

  /// Returns the minutes since midnight, `00:00` to `24:00`.
  private static func minutes(of text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts.allSatisfy({ $0.utf8.count == 2 }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), (0...24).contains(hour),
      (0..<60).contains(minute), hour < 24 || minute == 0
    else { return nil }
    return 60 * hour + minute
  }
}
