/// Durations as text.
package enum Milliseconds {
  /// Milliseconds with one digit behind the point.
  package static func text(_ duration: Duration) -> String {
    let tenths = Int((value(duration) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  package static func value(_ duration: Duration) -> Double { duration / .milliseconds(1) }
}
