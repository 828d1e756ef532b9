#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Times as text, in UTC.
package struct HTTPDate: Sendable, Hashable {
  private let parts: [Int]
  private let weekday: Int
  private let milliseconds: Int

  /// Now.
  package init() {
    var time = timespec()
    // Sound: both variables are filled by the calls and outlive them.
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    var now = unsafe tm()
    unsafe gmtime_r(&time.tv_sec, &now)
    parts = unsafe [
      now.tm_year + 1900, now.tm_mon + 1, now.tm_mday, now.tm_hour, now.tm_min, now.tm_sec,
    ].map(Int.init)
    weekday = unsafe Int(now.tm_wday)
    milliseconds = time.tv_nsec / 1_000_000
  }

  /// Seconds since 1970.
  package static var unixTime: Int {
    var time = timespec()
    // Sound: the variable is filled by the call and outlives it.
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return time.tv_sec
  }

  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The date as the field `Date` contains it (RFC 9110, 5.6.7): `Sat, 21 Nov 2026 10:37:30 GMT`.
  package var field: String {
    let day = "\(Self.days[weekday]), \(Self.padded(parts[2], 2)) \(Self.months[parts[1] - 1])"
    return "\(day) \(parts[0]) \(time) GMT"
  }

  /// The date as logs contain it (RFC 3339): `2026-11-21T10:37:30.123Z`.
  package var timestamp: String {
    let date = parts[..<3].map { Self.padded($0, 2) }.joined(separator: "-")
    return "\(date)T\(time).\(Self.padded(milliseconds, 3))Z"
  }

  private var time: String { parts[3...].map { Self.padded($0, 2) }.joined(separator: ":") }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
