/// Decides which requests are admitted: those that can probably be answered within their budgets.
///
/// At most as many requests run at once as there are threads; others wait in order of arrival. The expected
/// duration of a kind of request is the median of the latest ones. A request whose expected wait and work exceed its
/// budget is rejected immediately, since a late answer would be of no use.
///
/// Short requests have as many further places. Long ones give up their thread every few milliseconds, so that one entity
/// does not wait for the seconds that a filter of a million entities takes.
struct Admission: Sendable {
  /// The largest number of requests that run at once.
  let width: Int
  /// The largest number of requests that wait.
  let queueLimit: Int
  private(set) var running = 0
  private(set) var waiting = 0
  /// The expected durations of all waiting and running requests together.
  private var backlog: Duration = .zero
  private var histories: [Kind: History] = [:]

  /// Requests that are expected to take equally long: one route, and bodies of similar size.
  struct Kind: Sendable, Hashable {
    let route: String
    /// Grows by one for each fourfold size; 0 without a body.
    let sizeClass: Int

    init(route: String, bodyBytes: Int) {
      self.route = route
      sizeClass = (Int.bitWidth - max(0, bodyBytes).leadingZeroBitCount + 1) / 2
    }
  }

  /// The durations of the latest requests of a kind.
  private struct History: Sendable {
    private static let limit = 15
    /// Oldest first.
    private var durations: [Duration] = []

    /// The median; of an even number, the lower of the middle two.
    ///
    /// A mean would follow a single request that takes a hundred times as long as the others, and have
    /// the ordinary ones refused until enough of them had finished. The median changes when the slow
    /// ones are the majority.
    var median: Duration? {
      durations.isEmpty ? nil : durations.sorted()[(durations.count - 1) / 2]
    }

    mutating func append(_ duration: Duration) {
      if durations.count == Self.limit { durations.removeFirst() }
      durations.append(duration)
    }
  }

  /// The claim that an admitted request has on the server's time.
  struct Ticket: Sendable, Hashable {
    let kind: Kind
    fileprivate let expected: Duration
    fileprivate let isShort: Bool
  }

  init(width: Int, queueLimit: Int) {
    self.width = width
    self.queueLimit = queueLimit
  }

  /// The duration that a request of a kind is expected to take.
  func expectation(of kind: Kind) -> Duration { histories[kind]?.median ?? .milliseconds(10) }

  /// The duration below which a request is short: half of the 50 ms that nobody should wait for a place.
  static let shortLimit = Duration.milliseconds(25)

  /// Returns the duration that the next request of a kind would wait.
  func expectedWait(of kind: Kind) -> Duration {
    hasPlace(isShort: isShort(kind)) ? .zero : backlog / width
  }

  /// Returns whether requests of a kind are known to be short.
  private func isShort(_ kind: Kind) -> Bool {
    histories[kind]?.median.map { $0 < Self.shortLimit } ?? false
  }

  private func hasPlace(isShort: Bool) -> Bool {
    running < width || (isShort && running < 2 * width)
  }

  /// Admits a request, or returns `nil`.
  ///
  /// - Parameters:
  ///   - kind: The kind of the request.
  ///   - budget: The longest time that it may take, including its wait.
  mutating func admit(kind: Kind, budget: Duration) -> Ticket? {
    let expected = expectation(of: kind)
    let isShort = isShort(kind)
    if !hasPlace(isShort: isShort) {
      guard waiting < queueLimit, expectedWait(of: kind) + expected <= budget else {
        return nil
      }
    }
    waiting += 1
    backlog += expected
    return Ticket(kind: kind, expected: expected, isShort: isShort)
  }

  /// Returns whether there is a place for a waiting request.
  func canStart(_ ticket: Ticket) -> Bool { waiting > 0 && hasPlace(isShort: ticket.isShort) }

  /// Moves one request from the waiting to the running ones.
  mutating func start() {
    waiting -= 1
    running += 1
  }

  /// Forgets a waiting request.
  mutating func abandon(_ ticket: Ticket) {
    waiting -= 1
    backlog -= ticket.expected
  }

  /// Forgets a running request.
  ///
  /// - Parameter duration: The time for which it ran; `nil` if it was stopped, which tells nothing.
  mutating func finish(_ ticket: Ticket, after duration: Duration?) {
    running -= 1
    backlog -= ticket.expected
    if let duration { histories[ticket.kind, default: History()].append(duration) }
  }

  /// The number of seconds after which there may be room.
  var retryAfter: Int { max(1, Int((backlog / width).components.seconds) + 1) }
}
