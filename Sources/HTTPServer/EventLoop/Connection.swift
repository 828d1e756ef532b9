/// One client's connection. It belongs to the thread of the event loop.
final class Connection {
  /// The state of a connection, with what only that state has.
  enum Phase {
    /// The next request is awaited, or its head has come in part.
    case readingHead
    /// The head has come, and the body has not or has in part.
    case readingBody(PendingRequest)
    /// The request has come and waits for a thread.
    case waiting(QueuedRequest)
    /// A thread works on the request.
    case running(RunningRequest)
    /// An answer is being written.
    case writing(Output)
    /// The answer is written and the connection ends. Input is discarded, since closing a socket with unread
    /// input may destroy the answer on its way (RFC 9112, 9.6).
    case lingering
    /// The server has let go of the connection.
    case closed
  }

  let id: UInt64
  let socket: Socket
  /// The other end: a client, or the proxy in front of it.
  let peer: Peer
  /// True if the other end is a proxy that is trusted to name its clients.
  let isTrustedProxy: Bool
  /// True for a connection beyond the limits, which may only ask for the server's health.
  let isExtra: Bool
  var parser: RequestParser
  private(set) var phase = Phase.readingHead
  /// The instant at which the phase has lasted too long; `nil` if the phase may take any time.
  var deadline: ContinuousClock.Instant?
  /// The events that the poller reports.
  var interest: Poller.Interest = []
  /// The instant at which bytes last came.
  var lastRead: ContinuousClock.Instant
  /// Its part in ``Server/answerByteCount``: the length of the answer that is being written.
  var answerByteCount = 0
  /// Its part in ``Server/heldByteCount``.
  var countedBytes = 0
  /// The number of bytes that have come since the last answer.
  var bytesIn = 0

  init(
    id: UInt64, socket: Socket, peer: Peer, isTrustedProxy: Bool, isExtra: Bool,
    limits: RequestParser.Limits, now: ContinuousClock.Instant
  ) {
    self.id = id
    self.socket = socket
    self.peer = peer
    self.isTrustedProxy = isTrustedProxy
    self.isExtra = isExtra
    parser = RequestParser(limits: limits)
    lastRead = now
  }

  /// Changes the phase and its deadline together, so that no phase keeps the deadline of another.
  func enter(_ phase: Phase, until deadline: ContinuousClock.Instant?) {
    self.phase = phase
    self.deadline = deadline
  }

  /// True while the server parses bytes of the client.
  var isReading: Bool {
    switch phase {
    case .readingHead, .readingBody: true
    case .waiting, .running, .writing, .lingering, .closed: false
    }
  }

  /// True if no byte of a next request has arrived.
  var isIdle: Bool {
    guard case .readingHead = phase else { return false }
    return parser.isIdle
  }

  /// The request that the phase is about.
  var summary: RequestSummary {
    switch phase {
    case .readingBody(let request): request.summary
    case .waiting(let request): request.summary
    case .running(let request): request.summary
    case .readingHead, .writing, .lingering, .closed:
      RequestSummary(identity: RequestIdentity(parser.fields), arrival: lastRead)
    }
  }

  /// The number of bytes that are held for the client.
  var heldBytes: Int {
    switch phase {
    case .waiting(let request): parser.heldBytes + request.body.count
    case .running(let request): parser.heldBytes + request.bodyByteCount
    case .readingHead, .readingBody, .writing, .lingering, .closed: parser.heldBytes
    }
  }
}

/// The part of an ``Exchange`` that is known before the answer.
struct RequestSummary {
  /// The head; `nil` if it could not be read.
  var info: RequestInfo?
  let identity: RequestIdentity
  var route = "none"
  /// The instant at which the last byte came so far.
  var arrival: ContinuousClock.Instant
  /// The time for which the request waited for a thread.
  var wait = Duration.zero
  /// The time for which it ran on a thread that computes answers.
  var computing = Duration.zero
}

/// A request whose body is being read.
struct PendingRequest {
  let summary: RequestSummary
  let decision: Decision
}

/// A request that waits for a thread.
struct QueuedRequest {
  let summary: RequestSummary
  let info: RequestInfo
  let work: Work
  let body: [UInt8]
}

/// A request that a thread works on.
struct RunningRequest {
  let summary: RequestSummary
  let lane: Lane
  let bodyByteCount: Int
  /// The clock of its deadline.
  let time: RequestTime
  /// Its answer is put into the ``Mailbox``.
  let task: Task<Void, Never>
}

/// An answer on its way to the client.
struct Output {
  /// The bytes that the client has not taken yet.
  var rest: ArraySlice<UInt8>
  /// The instant at which it began.
  let start: ContinuousClock.Instant
  /// The instant at which all of them must have been taken.
  let end: ContinuousClock.Instant
  /// True if the connection ends with this answer.
  let closes: Bool
}
