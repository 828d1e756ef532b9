import Synchronization

/// The progress of a long task.
struct Progress: Sendable, Hashable {
  /// The number of finished items, including rejected ones.
  var done: Int
  /// The total number of items, or `nil` if it is unknown.
  var total: Int?
  /// The number of rejected items.
  var refused: Int
  /// The time since the start.
  var elapsed: Duration

  /// Returns the progress as a line of at most `width` columns.
  ///
  /// In a narrow terminal, first the share is omitted, then the rate, the time left and the
  /// rejected items.
  func rendered(_ activity: String, width: Int) -> String {
    var parts = [activity + " \(done)" + (total.map { "/\($0)" } ?? "")]
    parts.append(refused > 0 ? "\(refused) rejected" : "")
    parts.append(timeLeft.map { Self.words(for: $0) + " left" } ?? "")
    parts.append(rate.map { Self.words(forRate: $0) } ?? "")
    parts.append(share.map { "\($0) %" } ?? "")
    while parts.count > 1, DisplayText.width(Self.joined(parts)) > width { parts.removeLast() }
    return DisplayText.truncated(Self.joined(parts), to: width)
  }

  /// Items per second, or `nil` in the first half second, when it would be misleading.
  var rate: Double? {
    guard done > 0, elapsed >= .milliseconds(500) else { return nil }
    return Double(done) / (elapsed / .seconds(1))
  }

  /// The time left at the current rate.
  var timeLeft: Duration? {
    guard let rate, let total, done < total else { return nil }
    return .seconds(Double(total - done) / rate)
  }

  private var share: Int? {
    guard let total, total > 0 else { return nil }
    return Int(100 * Double(min(done, total)) / Double(total))
  }

  /// Joins the activity with the given parts: share, rate, time left, rejected items.
  private static func joined(_ parts: [String]) -> String {
    ([parts[0]] + parts.dropFirst().reversed()).filter { !$0.isEmpty }.joined(separator: "  ")
  }

  private static func words(forRate rate: Double) -> String {
    rate >= 10 ? "\(Int(rate.rounded()))/s" : "\((rate * 10).rounded() / 10)/s"
  }

  private static func words(for time: Duration) -> String {
    let seconds = Int((time / .seconds(1)).rounded(.up))
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    if seconds < 60 { return "\(seconds) s" }
    if seconds < 3600 { return "\(seconds / 60) min \(two(seconds % 60)) s" }
    return "\(seconds / 3600) h \(two(seconds / 60 % 60)) min"
  }
}

/// Shows the progress of a long task on standard error.
///
/// On a terminal, a line is redrawn at most ten times per second and erased at the end. Otherwise a
/// plain line is written every five seconds. May be called on any thread.
final class ProgressLine: Sendable {
  private let activity: String
  private let diagnostics: Diagnostics
  private let elapsed: @Sendable () -> Duration
  private let lastShown: Mutex<Duration>

  /// - Parameters:
  ///   - activity: The name of the task, such as `indexing`.
  ///   - diagnostics: The output for the line.
  ///   - elapsed: Returns the time since the start.
  init(
    _ activity: String, on diagnostics: Diagnostics,
    elapsed: @escaping @Sendable () -> Duration = ProgressLine.stopwatch()
  ) {
    self.activity = activity
    self.diagnostics = diagnostics
    self.elapsed = elapsed
    // On a terminal the first line is shown immediately, otherwise only if the task takes long.
    lastShown = Mutex(diagnostics.canRedraw ? .seconds(-1) : .zero)
  }

  /// Updates the progress, and shows it if the last update was long enough ago.
  func update(done: Int, total: Int?, refused: Int) {
    let now = elapsed()
    let pause: Duration = diagnostics.canRedraw ? .milliseconds(100) : .seconds(5)
    let isDue = lastShown.withLock { last in
      guard now - last >= pause else { return false }
      last = now
      return true
    }
    guard isDue else { return }
    let progress = Progress(done: done, total: total, refused: refused, elapsed: now)
    if diagnostics.canRedraw {
      // One column stays empty, because some terminals wrap after the last one.
      diagnostics.showStatus(progress.rendered(activity, width: diagnostics.width - 1))
    } else {
      diagnostics.note(progress.rendered(activity, width: .max))
    }
  }

  /// Erases the line.
  ///
  /// Must be called on every exit of the task.
  func finish() { diagnostics.showStatus(nil) }

  /// Returns a function that returns the time since it was made.
  static func stopwatch() -> @Sendable () -> Duration {
    let start = ContinuousClock.now
    return { ContinuousClock.now - start }
  }
}
