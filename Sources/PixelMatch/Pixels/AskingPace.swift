/// Tells when a loop is to ask whether it should stop: after a number of its steps, since asking looks at a clock.
///
/// Work on the way of a query asks its `shouldStop` at least once a millisecond or so, and each function with such work has
/// that parameter without a default.
package struct AskingPace {
  /// The number of pixels for which an image is worked on before it is asked again.
  package static let pixels = 1 << 16

  private let steps: Int
  private var left: Int

  /// Begins to count. What is done in fewer steps does not ask.
  package init(steps: Int = AskingPace.pixels) {
    self.steps = steps
    left = steps
  }

  /// Counts some steps, and returns whether it is time to ask.
  package mutating func isTime(after count: Int = 1) -> Bool {
    left -= count
    if left > 0 { return false }
    left = steps
    return true
  }
}
