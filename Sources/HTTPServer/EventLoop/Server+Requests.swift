/// Reads requests, and starts the work that answers them.
extension Server {
  /// The largest number of requests of one connection that are answered in one turn.
  private static var requestsPerTurn: Int { 32 }

  /// Takes requests from the parser until it needs more bytes, one has to wait for a thread, or the
  /// connection has used up its share of the turn.
  ///
  /// No function that answers a request calls this one: ``finishAnswer(_:closes:)`` leaves further requests to the
  /// turn. Otherwise, each request that a client sends in one packet would take stack.
  func advance(_ connection: Connection) {
    do throws(HTTPError) {
      // Twice the number of requests, because each request has two events: its head and its
      // end.
      for _ in 0..<2 * Self.requestsPerTurn where connection.isReading {
        guard let event = try connection.parser.next() else {
          resumable.remove(connection.id)
          return checkHeldBytes(connection)
        }
        switch event {
        case .head(let head): begin(head, on: connection)
        case .end(let body): end(body, on: connection)
        }
      }
      resumeLater(connection)
    } catch {
      refuse(connection, error)
    }
  }

  /// Lets the next turn go on with a connection that is reading and has bytes of a request.
  func resumeLater(_ connection: Connection) {
    if connection.isReading, !connection.parser.isIdle {
      resumable.insert(connection.id)
    } else {
      resumable.remove(connection.id)
    }
  }

  /// The bytes that a connection may hold even if all together hold too many: a head, and the body of a small question.
  private static var freeByteCount: Int { 1 << 16 }

  /// Rejects a request if all connections together hold too many bytes.
  private func checkHeldBytes(_ connection: Connection) {
    let held = connection.heldBytes
    countHeldBytes(of: connection, as: held)
    if heldByteCount > configuration.heldByteLimit, held > Self.freeByteCount {
      refuse(connection, .overloaded(retryAfter: admission[.answers].retryAfter(at: now)))
    }
  }

  /// Counts the bytes of a request that a connection holds now.
  func countHeldBytes(of connection: Connection, as byteCount: Int) {
    heldByteCount += byteCount - connection.countedBytes
    connection.countedBytes = byteCount
  }

  private func begin(_ head: RequestHead, on connection: Connection) {
    let client =
      connection.isTrustedProxy
      ? configuration.trustedProxies.client(of: head.fields, through: connection.peer)
      : connection.peer
    let info = RequestInfo(head: head, identity: RequestIdentity(head.fields), peer: client)
    var summary = RequestSummary(info: info, identity: info.identity, arrival: now)
    observe()
    if connection.isExtra && !service.isHealthCheck(head) {
      return refuse(connection, .tooManyConnections, summary)
    }
    let decision = service.decide(on: info)
    summary.route = decision.route
    connection.enter(
      .readingBody(PendingRequest(summary: summary, decision: decision)),
      until: deadline(after: configuration.stallTimeout, of: connection))
    guard head.framing != .length(0) else { return }
    switch decision {
    case .answer(let response, _):
      // Closes the connection after the answer, so that the client need not send the rest of
      // the body.
      answer(connection, response, to: summary, closes: true)
    case .work(let work):
      if case .length(let count) = head.framing, count > work.bodyLimit {
        refuse(connection, .bodyTooLarge(limit: work.bodyLimit))
      } else if !hasRoom(for: work, head.framing) {
        refuse(
          connection, .overloaded(retryAfter: admission[work.lane].retryAfter(at: now)))
      } else if head.expectsContinue {
        _ = connection.socket.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)[...])
      }
    }
  }

  /// Returns whether a request would be admitted now, before its body is read.
  private func hasRoom(for work: Work, _ framing: RequestHead.Framing) -> Bool {
    // The size of a chunked body is not known yet; the request is checked again at its end.
    let bodyBytes = if case .length(let count) = framing { count } else { 0 }
    return admission[work.lane].wouldAdmit(
      work.claim(budget: work.budget, bodyBytes: bodyBytes), at: now)
  }

  private func end(_ body: [UInt8], on connection: Connection) {
    guard case .readingBody(let request) = connection.phase else { return }
    var summary = request.summary
    summary.arrival = now
    switch request.decision {
    case .answer(let response, _): answer(connection, response, to: summary)
    case .work(let work): enqueue(work, body, on: connection, summary)
    }
  }

  private func enqueue(
    _ work: Work, _ body: [UInt8], on connection: Connection, _ summary: RequestSummary
  ) {
    guard let info = summary.info else { return }
    guard body.count <= work.bodyLimit else {
      return refuse(connection, .bodyTooLarge(limit: work.bodyLimit), summary)
    }
    let claim = work.claim(
      budget: work.budgetOfBody?(body) ?? work.budget, bodyBytes: body.count)
    switch admission[work.lane].admit(connection.id, claim, at: now) {
    case .refused:
      return answer(connection, overloaded(summary, in: work.lane), to: summary)
    case .admitted: break
    case .admittedInsteadOf(let other): refuseWaiting(other)
    }
    connection.enter(
      .waiting(QueuedRequest(summary: summary, info: info, work: work, body: body)), until: nil)
    setInterest(.hangUp, of: connection)
    countHeldBytes(of: connection, as: connection.heldBytes)
    startWaiting()
  }

  private func overloaded(_ summary: RequestSummary, in lane: Lane) -> HTTPResponse {
    service.response(
      to: .overloaded(retryAfter: admission[lane].retryAfter(at: now)),
      requestID: summary.identity.id)
  }

  /// Answers a request that waited for a thread and is no longer admitted.
  private func refuseWaiting(_ id: UInt64) {
    guard let connection = connections[id], case .waiting(let request) = connection.phase else {
      return
    }
    var summary = request.summary
    summary.wait = now - summary.arrival
    answer(connection, overloaded(summary, in: request.work.lane), to: summary)
  }

  /// Gives the threads to the requests that wait: rejects those whose time has passed, starts those that have a place, and
  /// ends running ones early for those that have waited too long.
  func startWaiting() {
    for lane in Lane.allCases {
      for id in admission[lane].removeLate(at: now) { refuseWaiting(id) }
      while let id = admission[lane].startNext(at: now) {
        guard let connection = connections[id], case .waiting(let request) = connection.phase
        else { preconditionFailure("a request that is admitted waits on a connection") }
        start(request, of: connection)
      }
      for id in admission[lane].takeCuts(at: now) {
        if case .running(let request)? = connections[id]?.phase { request.time.end() }
      }
    }
  }

  private func start(_ queued: QueuedRequest, of connection: Connection) {
    let lane = queued.work.lane
    var summary = queued.summary
    summary.wait = now - summary.arrival
    let time = RequestTime()
    let request = HTTPRequest(
      info: queued.info, body: queued.body, arrival: summary.arrival, wait: summary.wait,
      time: time)
    let (id, mailbox, run) = (connection.id, mailbox, queued.work.run)
    // The task need not be awaited: the server keeps running until the task's message has arrived.
    let task = Task(executorPreference: pools[lane]) {
      mailbox.post(.finished(connection: id, await run(request)))
    }
    connection.enter(
      .running(
        RunningRequest(
          summary: summary, lane: lane, bodyByteCount: queued.body.count, time: time, task: task)),
      until: nil)
  }

  /// Takes the answer of a request's work.
  func finished(_ id: UInt64, _ response: HTTPResponse) {
    if let lane = orphans.removeValue(forKey: id) {
      admission[lane].finish(id, at: now, wasStopped: true)
    } else if let connection = connections[id], case .running(let request) = connection.phase {
      var summary = request.summary
      admission[request.lane].finish(id, at: now)
      if request.lane == .answers { summary.computing = now - summary.arrival - summary.wait }
      answer(connection, response, to: summary)
    }
    startWaiting()
  }
}
