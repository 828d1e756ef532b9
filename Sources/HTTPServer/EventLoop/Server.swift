/// An HTTP/1.1 server: an event loop on one thread for all sockets, and a pool of threads that answers.
///
/// It is made to run behind a proxy that speaks TLS and HTTP/2, and is safe without one: all that a client may cost
/// is bounded in bytes and time. If a client hangs up, be it only its own side, its request is cancelled.
package final class Server<Service: HTTPService> {
  let configuration: ServerConfiguration
  let service: Service
  let mailbox: Mailbox
  let pools: Lanes<any TaskExecutor>
  var poller: Poller
  var admission: Lanes<Admission>
  var connections: [UInt64: Connection] = [:]
  /// The numbers of connections within the limits, by client.
  var places: ConnectionPlaces
  /// Connections that have used up their share of a turn and may have further whole requests in their
  /// parser. The poller does not report bytes that were read already.
  var resumable: Set<UInt64> = []
  /// The lanes of requests that still run although their connections are closed.
  var orphans: [UInt64: Lane] = [:]
  /// The bytes of the answers that are being written.
  var answerByteCount = 0
  /// The bytes of requests that all connections hold, as of the last event of each.
  var heldByteCount = 0
  var now = ContinuousClock.now
  var nextID: UInt64 = 1000
  private(set) var isDraining = false
  private var listeners: [UInt64: Socket] = [:]
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  private static var mailboxID: UInt64 { 0 }
  /// The milliseconds between two looks at requests that wait for a thread: they may have become late, or have to end others.
  private static var waitingInterval: Int32 { 20 }

  /// Prepares to serve at listening sockets.
  ///
  /// - Parameters:
  ///   - mailbox: Takes ``Mailbox/Message/stop``.
  ///   - pool: The threads for ``Work``.
  ///   - changePool: The threads for changes, if these have their own.
  package init(
    listeners: [Socket], service: Service, mailbox: Mailbox, pool: any TaskExecutor,
    changePool: (any TaskExecutor)? = nil, configuration: ServerConfiguration
  ) throws(SocketError) {
    self.service = service
    self.mailbox = mailbox
    pools = Lanes { $0 == .changes ? changePool ?? pool : pool }
    self.configuration = configuration
    admission = Lanes { _ in
      Admission(width: configuration.width, queueLimit: configuration.queueLimit)
    }
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

  /// Serves on the caller's thread until it is told to stop and everything is answered, or the grace time is over.
  package func run() {
    var drainDeadline: ContinuousClock.Instant?
    var lastSweep = now
    while true {
      let isQuiet = connections.isEmpty && orphans.isEmpty
      if isDraining && isQuiet { return }
      turn(milliseconds: isQuiet ? -1 : hasWaiting ? Self.waitingInterval : 250)
      if hasWaiting { startWaiting() }
      if isDraining && drainDeadline == nil { drainDeadline = now + configuration.graceTime }
      if now - lastSweep >= .milliseconds(250) {
        lastSweep = now
        observe()
        expireLate()
      }
      if let end = drainDeadline, now >= end {
        for connection in Array(connections.values) { drop(connection) }
        // Cancelled work ends within milliseconds. Work that does not is left to the end of the process.
        if now >= end + .seconds(2) { return }
      }
    }
  }

  /// Waits for events, goes on with the connections that have requests left, and handles the events of
  /// the others.
  ///
  /// A connection gets one share of a turn, however many requests it has sent.
  ///
  /// - Returns: The number of events.
  @discardableResult
  func turn(milliseconds: Int32) -> Int {
    let events = poller.wait(milliseconds: resumable.isEmpty ? milliseconds : 0)
    now = .now
    let resumed = resumable
    resumable = []
    for id in resumed {
      if let connection = connections[id], connection.isReading { advance(connection) }
    }
    // Skips events of connections that were just advanced, because the poller reports them
    // again if they still apply.
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

  /// Reports the load to the service.
  func observe() {
    service.observe(
      ServerLoad(
        connections: connections.count,
        running: Lane.allCases.reduce(0) { $0 + admission[$1].running },
        waiting: Lane.allCases.reduce(0) { $0 + admission[$1].waiting },
        cutCount: Lane.allCases.reduce(0) { $0 + admission[$1].cutCount }))
  }

  private var hasWaiting: Bool { Lane.allCases.contains { admission[$0].waiting > 0 } }

  /// Stops listening, so that clients go elsewhere at once, and closes the idle connections.
  private func drain() {
    isDraining = true
    for listener in listeners.values {
      poller.remove(listener.descriptor)
      listener.stopListening()
    }
    listeners = [:]
    for connection in Array(connections.values) where connection.isIdle { drop(connection) }
  }

  // MARK: Connections

  private func handle(_ events: Poller.Interest, of connection: Connection) {
    switch connection.phase {
    case .readingHead, .readingBody:
      if !events.isDisjoint(with: [.read, .hangUp, .gone]) { read(from: connection) }
    case .waiting, .running: drop(connection)
    case .writing:
      if !events.isDisjoint(with: .gone) {
        drop(connection)
      } else if events.contains(.write) {
        flush(connection)
      }
    case .lingering: discardInput(of: connection)
    case .closed: break
    }
  }

  private func read(from connection: Connection) {
    // Reads several times in one turn, so that a large image does not need a turn of the loop
    // for each read.
    for _ in 0..<16 {
      switch connection.socket.read(into: &buffer) {
      case .wouldBlock: return
      case .closed: return drop(connection)
      case .bytes(let count):
        connection.lastRead = now
        if case .readingBody(let request) = connection.phase {
          // A body may pause for the stall timeout and take the body timeout, whichever ends first.
          connection.deadline = min(
            request.summary.arrival + configuration.bodyTimeout, now + configuration.stallTimeout)
        } else if connection.parser.isIdle {
          connection.deadline = deadline(after: configuration.headerTimeout, of: connection)
        }
        connection.bytesIn += count
        connection.parser.append(buffer[..<count])
        advance(connection)
        guard case .readingBody = connection.phase, count == buffer.count else { return }
      }
    }
  }

  /// The instant at which a timeout of a connection ends that begins now.
  func deadline(after timeout: Duration, of connection: Connection) -> ContinuousClock.Instant {
    now + (connection.isExtra ? min(timeout, configuration.extraTimeout) : timeout)
  }

  /// Discards the bytes that a client sends after its answer.
  private func discardInput(of connection: Connection) {
    for _ in 0..<16 {
      switch connection.socket.read(into: &buffer) {
      case .wouldBlock: return
      case .closed: return drop(connection)
      case .bytes: continue
      }
    }
  }

  /// Handles a deadline that has passed.
  /// Ends the connections whose phases have lasted too long.
  func expireLate() {
    for connection in connections.values {
      if let deadline = connection.deadline, now >= deadline { expire(connection) }
    }
  }

  private func expire(_ connection: Connection) {
    switch connection.phase {
    case .readingHead where !connection.parser.isIdle: refuseLate(connection, "head")
    case .readingBody: refuseLate(connection, "body")
    case .readingHead, .waiting, .running, .writing, .lingering, .closed: drop(connection)
    }
  }

  private func refuseLate(_ connection: Connection, _ part: String) {
    refuse(
      connection,
      HTTPError(
        code: .requestTimeout, message: "the \(part) of the request did not come in time"))
  }

  /// Changes the events that the poller reports.
  func setInterest(_ interest: Poller.Interest, of connection: Connection) {
    guard connection.interest != interest else { return }
    connection.interest = interest
    poller.change(connection.socket.descriptor, interest, as: connection.id)
  }

  /// Closes a connection and cancels the work for it.
  func drop(_ connection: Connection) {
    guard connections.removeValue(forKey: connection.id) != nil else { return }
    poller.remove(connection.socket.descriptor)
    resumable.remove(connection.id)
    countHeldBytes(of: connection, as: 0)
    countAnswer(of: connection, as: 0)
    if !connection.isExtra { places.release(connection.peer) }
    switch connection.phase {
    case .waiting(let request):
      admission[request.work.lane].abandon(connection.id)
      recordCancellation(of: connection)
    case .running(let request):
      request.task.cancel()
      orphans[connection.id] = request.lane
      recordCancellation(of: connection)
    case .readingHead, .readingBody, .writing, .lingering, .closed: break
    }
    connection.enter(.closed, until: nil)
  }

  private func recordCancellation(of connection: Connection) {
    var summary = connection.summary
    if case .running(let request) = connection.phase, request.lane == .answers {
      summary.computing = now - summary.arrival - summary.wait
    }
    record(connection, summary, status: 499, bytesOut: 0, outcome: .clientGone)
  }
}
