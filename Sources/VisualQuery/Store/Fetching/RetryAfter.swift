/// The field `Retry-After` of a response (RFC 9110, 10.2.3): seconds, or a date.
enum RetryAfter {
  /// Returns the time to wait, at most a day, or `nil` if the field cannot be read.
  ///
  /// - Parameter date: The field `Date` of the response. The server's dates are compared with its own clock, if it tells it.
  static func pause(_ text: String?, date: String?) -> Duration? {
    guard let text else { return nil }
    let day = CalendarDay.length
    if let seconds = Int(text) { return seconds < 0 ? nil : .seconds(min(seconds, day)) }
    guard let end = seconds(ofDate: text) else { return nil }
    let now = date.flatMap(seconds(ofDate:)) ?? CalendarDay.now
    return .seconds(min(max(end - now, 0), day))
  }

  /// Returns the seconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func seconds(ofDate text: String) -> Int? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), let year = Int(parts[3]),
      let month = months.firstIndex(of: parts[2]), (1...31).contains(day),
      (1970...9999).contains(year)
    else { return nil }
    let clock = parts[4].split(separator: ":").compactMap { Int($0) }
    guard clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]),
      (0...60).contains(clock[2])
    else { return nil }
    return CalendarDay.day(year: year, month: month + 1, day: day) * CalendarDay.length
      + clock[0] * 3600 + clock[1] * 60 + clock[2]
  }

  private static let months: [Substring] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
