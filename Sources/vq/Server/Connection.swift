/// One client's connection, as the thread that serves sees it.
final class Connection {
  /// What it is doing.
  enum Phase: Hashable {
    /// A request is awaited or has come in part.
    case reading
    /// A request waits for a thread, or is being answered.
    case working
    /// An answer is on its way.
    case writing
    /// Everything is said; what the client still sends is thrown away, so that the answer is not lost
    /// with it (RFC 9112, 9.6).
    case lingering
  }

  let id: UInt64
  let socket: Socket
  let peer: Peer
  /// Whether it is beyond the limits, and may only ask for the server's health.
  let isExtra: Bool
  var parser: RequestParser
  var phase = Phase.reading
  /// What is waited for at the poller.
  var interest: Poller.Interest = []
  /// When patience with the phase ends.
  var deadline: ContinuousClock.Instant
  /// When bytes last came.
  var lastRead: ContinuousClock.Instant

  /// The request that is being read or answered.
  var info: RequestInfo?
  /// What serves it, for logs and metrics.
  var route = "none"
  var work: Work?
  /// What it is answered without work.
  var immediate: HTTPResponse?
  /// When its last byte came.
  var arrival: ContinuousClock.Instant
  var wait = Duration.zero
  var bytesIn = 0
  var ticket: Admission.Ticket?
  /// The request's body, while it waits.
  var body: [UInt8] = []
  var task: Task<Void, Never>?

  /// What is still to be written.
  var output: [UInt8] = []
  var written = 0
  var closesAfterAnswer: Bool

  init(
    id: UInt64, socket: Socket, peer: Peer, isExtra: Bool, limits: RequestParser.Limits,
    now: ContinuousClock.Instant
  ) {
    self.id = id
    self.socket = socket
    self.peer = peer
    self.isExtra = isExtra
    closesAfterAnswer = isExtra
    parser = RequestParser(limits: limits)
    (lastRead, arrival, deadline) = (now, now, now)
  }

  /// Bytes that are held for the client.
  var heldBytes: Int { parser.heldBytes + body.count + output.count - written }
}
