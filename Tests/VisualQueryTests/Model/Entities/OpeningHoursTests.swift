import Foundation
import Testing
@testable import ShopModel
import VisualQuery

@Suite struct OpeningHoursTests {
  private func isOpen(_ lines: [String], _ zone: String, _ time: String) throws -> Bool {
    try OpeningHours(lines: lines, timeZone: zone)
      .isOpen(at: try Date(time, strategy: .iso8601))
  }

  @Test(arguments: [
    // 2026-05-04 is a Monday; Berlin is two hours ahead in summer, one in winter.
    ("Mo-Fr 09:00-18:00", "2026-05-04T07:00:00Z", true),
    ("Mo-Fr 09:00-18:00", "2026-05-04T06:59:59Z", false),
    ("Mo-Fr 09:00-18:00", "2026-05-04T16:00:00Z", false),
    ("Mo-Fr 09:00-18:00", "2026-12-07T08:00:00Z", true),
    ("Mo-Fr 09:00-18:00", "2026-12-07T07:30:00Z", false),
    ("Mo-Fr 09:00-18:00", "2026-05-09T10:00:00Z", false),
    ("Sa,Su 10:00-16:00", "2026-05-10T09:00:00Z", true),
    // Over midnight, and over the end of the week.
    ("Fr 20:00-02:00", "2026-05-08T23:30:00Z", true),
    ("Fr 20:00-02:00", "2026-05-09T00:30:00Z", false),
    ("Su 22:00-03:00", "2026-05-03T23:00:00Z", true),
    ("Su 22:00-03:00", "2026-05-04T00:59:00Z", true),
    ("Su 22:00-03:00", "2026-05-04T01:01:00Z", false),
    // Ranges of days around the end of the week, single days, and the whole day.
    ("Sa-Mo 08:00-12:00", "2026-05-04T07:00:00Z", true),
    ("Tu", "2026-05-05T21:59:00Z", true), ("Mo-Su 00:00-24:00", "2026-05-06T03:00:00Z", true),
    ("Monday-Friday 09:00:00-18:00:00", "2026-05-04T08:00:00Z", true),
  ])
  func `hours are those of the store's own clock`(
    line: String, time: String, expected: Bool
  ) throws {
    #expect(try isOpen([line], "Europe/Berlin", time) == expected)
  }

  /// On 2026-03-29 Berlin's clocks go from 02:00 to 03:00.
  @Test func `the clocks' change is followed`() throws {
    let lines = ["Su 01:00-03:30"]
    #expect(try isOpen(lines, "Europe/Berlin", "2026-03-29T00:59:00Z"))
    #expect(try isOpen(lines, "Europe/Berlin", "2026-03-29T01:15:00Z"))
    #expect(try !isOpen(lines, "Europe/Berlin", "2026-03-29T01:45:00Z"))
  }

  @Test func `another zone is another time`() throws {
    let lines = ["Mo 09:00-10:00"]
    #expect(try isOpen(lines, "Asia/Kolkata", "2026-05-04T03:30:00Z"))
    #expect(try isOpen(lines, "America/New_York", "2026-05-04T13:30:00Z"))
  }

  @Test(arguments: [
    ("Mo 9:00-18:00", "Europe/Berlin"), ("Xx 09:00-18:00", "Europe/Berlin"), ("", "Europe/Berlin"),
    ("Mo 09:00", "Europe/Berlin"), ("Mo 25:00-26:00", "Europe/Berlin"),
    ("Mo- 09:00-10:00", "Europe/Berlin"), ("Mo 09:00-18:00", "Mars/Olympus"),
    ("Mo 09:00-18:00 extra", "Europe/Berlin"),
  ])
  func `what is no opening hours names its field`(line: String, zone: String) {
    #expect(throws: FieldError.self) { _ = try OpeningHours(lines: [line], timeZone: zone) }
  }
}
