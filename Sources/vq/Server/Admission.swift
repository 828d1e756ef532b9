/// How much work is let in: no more than can be done in the time that it has.
///
/// So many requests run at once as there are threads; others wait in the order they came. What a kind of
/// request takes is learnt from those that were finished (an exponential mean). Who would have to wait
/// longer than its time is refused at once: an early no costs nothing, and a late answer is of no
/// use to anybody.
struct Admission: Sendable {
  /// Requests that run at once.
  let width: Int
  /// Requests that wait, at most.
  let queueLimit: Int
  private(set) var running = 0
  private(set) var waiting = 0
  /// What the waiting and the running ones will take together.
  private var backlog: Duration = .zero
  private var expectations: [String: Duration] = [:]

  /// What a request was let in with.
  struct Ticket: Sendable, Hashable {
    let kind: String
    fileprivate let expected: Duration
  }

  init(width: Int, queueLimit: Int) {
    self.width = width
    self.queueLimit = queueLimit
  }

  /// What a request of a kind takes, as far as is known.
  func expectation(of kind: String) -> Duration { expectations[kind] ?? .milliseconds(10) }

  /// How long the next request would wait.
  var expectedWait: Duration { running < width ? .zero : backlog / width }

  /// Lets a request in, or returns `nil`.
  ///
  /// - Parameters:
  ///   - kind: What is asked.
  ///   - budget: How long it may take, its wait included.
  mutating func admit(kind: String, budget: Duration) -> Ticket? {
    let expected = expectation(of: kind)
    if running >= width {
      guard waiting < queueLimit, expectedWait + expected <= budget else { return nil }
    }
    waiting += 1
    backlog += expected
    return Ticket(kind: kind, expected: expected)
  }

  /// Whether a thread is free for the next one that waits.
  var canStart: Bool { waiting > 0 && running < width }

  /// Takes one from those that wait to those that run.
  mutating func start() {
    waiting -= 1
    running += 1
  }

  /// Forgets one that waited.
  mutating func abandon(_ ticket: Ticket) {
    waiting -= 1
    backlog -= ticket.expected
  }

  /// Takes one from those that run.
  ///
  /// - Parameter duration: How long it ran; `nil` where it was stopped, which tells nothing.
  mutating func finish(_ ticket: Ticket, after duration: Duration?) {
    running -= 1
    backlog -= ticket.expected
    guard let duration else { return }
    let known = expectations[ticket.kind]
    expectations[ticket.kind] = known.map { $0 * 0.9 + duration * 0.1 } ?? duration
  }

  /// Whole seconds after which there may be room.
  var retryAfter: Int { max(1, Int((backlog / width).components.seconds) + 1) }
}
