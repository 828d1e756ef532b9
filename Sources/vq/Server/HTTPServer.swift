import VisualQuery

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An HTTP/1.1 server: one thread that waits for all sockets, and a pool that answers.
///
/// It is meant to stand behind a proxy that speaks TLS and HTTP/2, and is safe without one: what a
/// client may cost is bounded in bytes and time before it is taken. A client that hangs up, be it
/// only for its own side, has its request cancelled.
final class HTTPServer<Service: HTTPService> {
  /// What clients may cost.
  struct Configuration: Sendable {
    var limits = RequestParser.Limits()
    /// Connections at once.
    var connectionLimit = 512
    /// Connections at once of one client that is not on this machine.
    var connectionLimitPerClient = 128
    /// Connections beyond those, for health checks only.
    var extraConnectionLimit = 16
    /// Bytes that are held for all connections together.
    var heldByteLimit = 256 << 20
    /// From the first byte of a request to the end of its head.
    var headerTimeout = Duration.seconds(10)
    /// For the whole of a body.
    var bodyTimeout = Duration.seconds(30)
    /// Between two bytes of a body.
    var stallTimeout = Duration.seconds(10)
    /// Between two requests.
    var idleTimeout = Duration.seconds(60)
    /// Between two bytes that the client takes of an answer.
    var writeTimeout = Duration.seconds(20)
    /// For each of the above, on a connection that only health checks may use.
    var extraTimeout = Duration.seconds(2)
    /// After an answer that leaves a request half read.
    var lingerTimeout = Duration.seconds(1)
    /// From the wish to end to the end.
    var graceTime = Duration.seconds(10)
    /// Requests that run at once, and that wait.
    var width = 2
    var queueLimit = 64
    /// Origins whose pages may ask.
    var allowedOrigins: Set<String> = []
  }

  let configuration: Configuration
  let service: Service
  let mailbox: Mailbox
  let pool: WorkerPool
  var poller: Poller
  var admission: Admission
  var connections: [UInt64: Connection] = [:]
  /// Connections that have their place among the limits, by client.
  var places: ConnectionPlaces
  /// Connections whose requests wait for a thread, in their order.
  var queue: [UInt64] = []
  /// Connections that have had their share of a turn and may have further whole requests in their
  /// parser. The poller does not report bytes that were read already.
  var resumable: Set<UInt64> = []
  var now = ContinuousClock.now
  private var listeners: [UInt64: Socket] = [:]
  var nextID: UInt64 = 1000
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var isDraining = false
  /// What runs for connections that are gone.
  var orphans: [UInt64: Admission.Ticket] = [:]

  private static var mailboxID: UInt64 { 0 }

  /// Prepares to serve at some listening sockets.
  init(
    listeners: [Socket], service: Service, mailbox: Mailbox, pool: WorkerPool,
    configuration: Configuration
  ) throws(SocketError) {
    self.service = service
    self.mailbox = mailbox
    self.pool = pool
    self.configuration = configuration
    admission = Admission(width: configuration.width, queueLimit: configuration.queueLimit)
    places = ConnectionPlaces(
      limit: configuration.connectionLimit,
      limitPerClient: configuration.connectionLimitPerClient)
    poller = try Poller()
    try poller.add(mailbox.wakeup.descriptor, .read, as: Self.mailboxID)
    for (index, listener) in listeners.enumerated() {
      let id = UInt64(index + 1)
      try poller.add(listener.descriptor, .read, as: id)
      self.listeners[id] = listener
    }
  }

  /// Serves until it is told to stop and all is answered, or the grace time is over.
  func run() {
    var drainDeadline: ContinuousClock.Instant?
    var lastSweep = now
    while true {
      let isQuiet = connections.isEmpty && orphans.isEmpty
      if isDraining && isQuiet { return }
      turn(milliseconds: isQuiet ? -1 : 250)
      if isDraining && drainDeadline == nil { drainDeadline = now + configuration.graceTime }
      if now - lastSweep >= .milliseconds(250) {
        lastSweep = now
        observe()
        for connection in connections.values where now >= connection.deadline {
          expire(connection)
        }
      }
      if let end = drainDeadline, now >= end {
        for connection in Array(connections.values) { drop(connection) }
        // What was cancelled ends within milliseconds; what does not is left to the process's end.
        if now >= end + .seconds(2) { return }
      }
    }
  }

  /// Waits for events, goes on with the connections that have requests left, and handles the events of
  /// the others.
  ///
  /// No connection has more than its share of a turn, however many requests it has sent.
  ///
  /// - Returns: The number of events.
  @discardableResult
  func turn(milliseconds: Int32) -> Int {
    let events = poller.wait(milliseconds: resumable.isEmpty ? milliseconds : 0)
    now = .now
    let resumed = resumable
    resumable = []
    for id in resumed {
      if let connection = connections[id], connection.phase == .reading { advance(connection) }
    }
    // The poller reports the events of the resumed ones again.
    for event in events where !resumed.contains(event.id) {
      if event.id == Self.mailboxID {
        for message in mailbox.take() { handle(message) }
      } else if let listener = listeners[event.id] {
        acceptAll(from: listener)
      } else if let connection = connections[event.id] {
        handle(event.interest, of: connection)
      }
    }
    return events.count
  }

  private func handle(_ message: Mailbox.Message) {
    switch message {
    case .finished(let id, let response): finished(id, response)
    case .stop: drain()
    }
  }

  /// Tells the service what is going on.
  func observe() {
    service.observe(
      Metrics.Load(
        connections: connections.count, running: admission.running, waiting: admission.waiting))
  }

  /// Accepts no more; whoever has asked nothing is sent away.
  private func drain() {
    isDraining = true
    for listener in listeners.values { poller.remove(listener.descriptor) }
    listeners = [:]
    for connection in Array(connections.values)
    where connection.phase == .reading && connection.parser.isIdle {
      drop(connection)
    }
  }

  /// Whether connections are kept for further requests.
  var keepsConnections: Bool { !isDraining }

  // MARK: Connections

  private func handle(_ interest: Poller.Interest, of connection: Connection) {
    switch connection.phase {
    case .reading:
      if interest.contains(.read) || !interest.isDisjoint(with: [.hangUp, .gone]) {
        readRequest(connection)
      }
    case .working: drop(connection)
    case .writing:
      if !interest.isDisjoint(with: .gone) {
        drop(connection)
      } else if interest.contains(.write) {
        flush(connection)
      }
    case .lingering: discardInput(connection)
    }
  }

  private func readRequest(_ connection: Connection) {
    // Some reads at once, so that a large picture does not go around the loop for each.
    for _ in 0..<16 {
      switch connection.socket.read(into: &buffer) {
      case .wouldBlock: return
      case .closed: return drop(connection)
      case .bytes(let count):
        if connection.parser.isIdle {
          connection.deadline = deadline(after: configuration.headerTimeout, of: connection)
        }
        connection.lastRead = now
        if connection.parser.isInBody { extendDeadline(of: connection) }
        connection.bytesIn += count
        connection.parser.append(buffer[..<count])
        advance(connection)
        guard connection.phase == .reading, connection.parser.isInBody,
          connections[connection.id] != nil, count == buffer.count
        else { return }
      }
    }
  }

  /// The instant at which patience with a connection ends.
  func deadline(after timeout: Duration, of connection: Connection) -> ContinuousClock.Instant {
    now + (connection.isExtra ? min(timeout, configuration.extraTimeout) : timeout)
  }

  /// A body may pause for as long as a stall, and take as long as a body, whichever ends first.
  private func extendDeadline(of connection: Connection) {
    connection.deadline = min(
      connection.arrival + configuration.bodyTimeout, now + configuration.stallTimeout)
  }

  /// Throws away what a client sends after its answer, but not for long.
  private func discardInput(_ connection: Connection) {
    for _ in 0..<16 {
      switch connection.socket.read(into: &buffer) {
      case .wouldBlock: return
      case .closed: return drop(connection)
      case .bytes: continue
      }
    }
  }

  /// Patience has ended.
  private func expire(_ connection: Connection) {
    switch connection.phase {
    case .reading where !connection.parser.isIdle:
      let part = connection.parser.isInBody ? "body" : "head"
      refuse(
        connection,
        Problem(408, "requestTimeout", "the \(part) of the request did not come in time"))
    default: drop(connection)
    }
  }

  /// Waits for other things.
  func setInterest(_ interest: Poller.Interest, of connection: Connection) {
    guard connection.interest != interest else { return }
    connection.interest = interest
    poller.change(connection.socket.descriptor, interest, as: connection.id)
  }

  /// Ends a connection, and the work for it.
  func drop(_ connection: Connection) {
    guard connections.removeValue(forKey: connection.id) != nil else { return }
    poller.remove(connection.socket.descriptor)
    resumable.remove(connection.id)
    if !connection.isExtra { places.release(connection.peer) }
    guard connection.phase == .working, let ticket = connection.ticket else { return }
    if let task = connection.task {
      task.cancel()
      orphans[connection.id] = ticket
    } else {
      admission.abandon(ticket)
      queue.removeAll { $0 == connection.id }
    }
    record(connection, status: 499, bytesOut: 0, outcome: .clientGone)
  }
}
