#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The days of a report of searches, in UTC.
enum ReportDays {
  /// Returns the first of the last days, today included, such as `2026-11-27`.
  static func first(ofLast days: Int) -> String {
    Date.now.addingTimeInterval(-86_400 * Double(days - 1))
      .formatted(Date.ISO8601FormatStyle().year().month().day())
  }
}
