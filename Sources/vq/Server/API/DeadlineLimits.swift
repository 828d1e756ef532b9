import VisualQuery

/// The time that a query may take.
struct DeadlineLimits: Sendable, Hashable {
  /// The time if the client names none.
  var standard = MatchOptions.defaultTimeout
  /// The longest time.
  var maximum = Duration.milliseconds(2000)

  /// Returns the time of a query for which a client asks for `asked`.
  func deadline(_ asked: Duration?) -> Duration { min(asked ?? standard, maximum) }
}
