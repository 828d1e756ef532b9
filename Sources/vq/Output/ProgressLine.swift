import Synchronization

/// How far a long work has come.
struct Progress: Sendable, Hashable {
  /// Items that are finished, refused ones included.
  var done: Int
  /// Items in all, or `nil` while nobody knows.
  var total: Int?
  /// Items that were refused.
  var refused: Int
  /// The time since the beginning.
  var elapsed: Duration

  /// Returns the progress in one line of at most `width` columns.
  ///
  /// Where it is narrow, the share goes first, then the rate, the time left and the refused.
  func rendered(_ activity: String, width: Int) -> String {
    var parts = [activity + " \(done)" + (total.map { "/\($0)" } ?? "")]
    parts.append(refused > 0 ? "\(refused) refused" : "")
    parts.append(timeLeft.map { Self.words(for: $0) + " left" } ?? "")
    parts.append(rate.map { Self.words(forRate: $0) } ?? "")
    parts.append(share.map { "\($0) %" } ?? "")
    while parts.count > 1, DisplayText.width(Self.joined(parts)) > width { parts.removeLast() }
    return DisplayText.truncated(Self.joined(parts), to: width)
  }

  /// Items a second, or `nil` in the first half second, when it would only mislead.
  var rate: Double? {
    guard done > 0, elapsed >= .milliseconds(500) else { return nil }
    return Double(done) / (elapsed / .seconds(1))
  }

  /// The time left if the rate holds.
  var timeLeft: Duration? {
    guard let rate, let total, done < total else { return nil }
    return .seconds(Double(total - done) / rate)
  }

  private var share: Int? {
    guard let total, total > 0 else { return nil }
    return Int(100 * Double(min(done, total)) / Double(total))
  }

  /// Activity first, then from the general to the particular: share, rate, time left, refused.
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

/// Shows the progress of a long work on standard error.
///
/// On a terminal one line is drawn again, at most ten times a second, and erased at the end.
/// Elsewhere a plain line is written every five seconds. May be told from any thread.
final class ProgressLine: Sendable {
  private let activity: String
  private let diagnostics: Diagnostics
  private let elapsed: @Sendable () -> Duration
  private let lastShown: Mutex<Duration>

  /// - Parameters:
  ///   - activity: What is being done, such as `indexing`.
  ///   - diagnostics: Where the line is shown.
  ///   - elapsed: The time since the beginning.
  init(
    _ activity: String, on diagnostics: Diagnostics,
    elapsed: @escaping @Sendable () -> Duration = ProgressLine.stopwatch()
  ) {
    self.activity = activity
    self.diagnostics = diagnostics
    self.elapsed = elapsed
    // On a terminal the first line comes at once, elsewhere only when it turns out to take long.
    lastShown = Mutex(diagnostics.canRedraw ? .seconds(-1) : .zero)
  }

  /// Tells how far the work has come; shows it if the last time is long enough ago.
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
      // One column stays free: some terminals wrap when the last one is written.
      diagnostics.showStatus(progress.rendered(activity, width: diagnostics.width - 1))
    } else {
      diagnostics.note(progress.rendered(activity, width: .max))
    }
  }

  /// Takes the line away.
  ///
  /// Call it on every way out of the work.
  func finish() { diagnostics.showStatus(nil) }

  /// Returns a function that says how long ago it was made.
  static func stopwatch() -> @Sendable () -> Duration {
    let start = ContinuousClock.now
    return { ContinuousClock.now - start }
  }
}
