/// How long a query may take.
struct DeadlineLimits: Sendable, Hashable {
  /// Where a client does not say.
  var standard = Duration.milliseconds(300)
  /// Whatever a client says.
  var maximum = Duration.milliseconds(2000)

  /// What a client gets that asks for so much.
  func deadline(_ asked: Duration?) -> Duration { min(asked ?? standard, maximum) }
}
