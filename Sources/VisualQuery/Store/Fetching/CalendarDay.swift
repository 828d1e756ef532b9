#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Days in universal time, counted from 1970.
package enum CalendarDay {
  /// The number of seconds in a day.
  static let length = 86_400

  /// The seconds since 1970 by the system's clock.
  static var now: Int { Int(Date().timeIntervalSince1970) }

  /// The day of the system's clock.
  package static var today: Int { now / length }

  /// Returns a day in the form `2026-11-28`.
  package static func text(_ day: Int) -> String {
    // Years begin in March, so that the leap day is the last one; an era has 400 of them.
    // See https://howardhinnant.github.io/date_algorithms.html#civil_from_days.
    let shifted = day + 719_468
    let era = shifted / 146_097
    let ofEra = shifted % 146_097
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * ofYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(year)-\(two(month))-\(two(ofYear - (153 * monthFromMarch + 2) / 5 + 1))"
  }

  /// Returns the day of a date after 1970.
  static func day(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + ofYear - 719_468
  }
}
