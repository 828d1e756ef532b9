/// From a request to its answer.
extension HTTPServer {
  /// Requests of one connection that are answered in one turn.
  private static var requestsPerTurn: Int { 32 }

  /// Takes requests from the parser until it needs more bytes, one has to be waited for, or the
  /// connection has had its share of the turn.
  ///
  /// Nothing that answers a request comes back here; ``finishAnswer(_:)`` leaves that to the turn.
  /// Otherwise, each request that a client sends in one packet would take stack.
  func advance(_ connection: Connection) {
    do throws(HTTPError) {
      // A request has two events: its head and its end.
      for _ in 0..<2 * Self.requestsPerTurn
      where connection.phase == .reading && connections[connection.id] != nil {
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
      refuse(connection, Problem(error))
    }
  }

  /// Has the turn go on with a connection, if it is ready for a request and has bytes of one.
  private func resumeLater(_ connection: Connection) {
    if connection.phase == .reading, !connection.parser.isIdle, connections[connection.id] != nil {
      resumable.insert(connection.id)
    } else {
      resumable.remove(connection.id)
    }
  }

  /// All bodies together are bounded, too.
  private func checkHeldBytes(_ connection: Connection) {
    guard connection.heldBytes > 1 << 20 else { return }
    let held = connections.values.reduce(0) { $0 + $1.heldBytes }
    if held > configuration.heldByteLimit {
      refuse(connection, .overloaded(retryAfter: admission.retryAfter))
    }
  }

  private func begin(_ head: RequestHead, on connection: Connection) {
    let info = RequestInfo(
      head: head, identity: RequestIdentity(head.fields), peer: connection.peer)
    connection.info = info
    connection.arrival = now
    connection.deadline = deadline(after: configuration.stallTimeout, of: connection)
    let hasBody = head.framing != .length(0)
    observe()
    if connection.isExtra && !service.isHealthCheck(head) {
      return refuse(connection, .tooManyConnections)
    }
    switch service.gate(info) {
    case .answer(let response, let route):
      // Where a body is on its way, the connection ends with the answer: the client may stop sending.
      connection.route = route
      connection.work = nil
      connection.immediate = response
      if hasBody {
        connection.closesAfterAnswer = true
        answer(connection, response)
      }
    case .work(let work):
      connection.route = work.route
      connection.work = work
      connection.immediate = nil
      if case .length(let count) = head.framing, count > work.bodyLimit {
        return refuse(connection, Self.bodyTooLarge(work.bodyLimit))
      }
      if hasBody && !hasRoom(for: work, head.framing) {
        return refuse(connection, .overloaded(retryAfter: admission.retryAfter))
      }
      if hasBody && head.expectsContinue {
        _ = connection.socket.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)[...])
      }
    }
  }

  private static func bodyTooLarge(_ limit: Int) -> Problem {
    Problem(413, "bodyTooLarge", "the body has more than \(limit) bytes", limit: limit)
  }

  /// Whether a request of this kind would be let in now; asked before its body is read.
  private func hasRoom(for work: Work, _ framing: RequestHead.Framing) -> Bool {
    var trial = admission
    // The size of a body in chunks is not known yet; the request is asked about again at its end.
    let bodyBytes = if case .length(let count) = framing { count } else { 0 }
    let kind = Admission.Kind(route: work.route, bodyBytes: bodyBytes)
    return trial.admit(kind: kind, budget: work.budget) != nil
  }

  private func end(_ body: [UInt8], on connection: Connection) {
    connection.arrival = now
    if let response = connection.immediate { return answer(connection, response) }
    guard let work = connection.work else { return }
    guard body.count <= work.bodyLimit else {
      return refuse(connection, Self.bodyTooLarge(work.bodyLimit))
    }
    let kind = Admission.Kind(route: work.route, bodyBytes: body.count)
    guard let ticket = admission.admit(kind: kind, budget: work.budget) else {
      return answer(connection, overloaded(connection))
    }
    connection.ticket = ticket
    connection.body = body
    connection.phase = .working
    connection.deadline = .now + .seconds(86_400)
    setInterest(.hangUp, of: connection)
    queue.append(connection.id)
    startWaiting()
  }

  private func overloaded(_ connection: Connection) -> HTTPResponse {
    Problem.overloaded(retryAfter: admission.retryAfter)
      .response(requestID: connection.info?.identity.id ?? "")
  }

  /// Starts as many of those that wait as there are threads for.
  private func startWaiting() {
    while admission.canStart, !queue.isEmpty {
      guard let connection = connections[queue.removeFirst()], connection.phase == .working,
        connection.task == nil, let ticket = connection.ticket, let work = connection.work,
        let info = connection.info
      else { continue }
      connection.wait = now - connection.arrival
      guard connection.wait <= work.budget else {
        // Its time is over: nobody would wait for the answer.
        admission.abandon(ticket)
        connection.ticket = nil
        answer(connection, overloaded(connection))
        continue
      }
      admission.start()
      let request = HTTPRequest(
        info: info, body: connection.body, arrival: connection.arrival, wait: connection.wait)
      connection.body = []
      let (id, mailbox) = (connection.id, mailbox)
      // Awaited by its message: the server does not end before it has come.
      connection.task = Task(executorPreference: pool) {
        mailbox.post(.finished(connection: id, await work.run(request)))
      }
    }
  }

  /// Takes the answer of a request's work.
  func finished(_ id: UInt64, _ response: HTTPResponse) {
    if let ticket = orphans.removeValue(forKey: id) {
      admission.finish(ticket, after: nil)
    } else if let connection = connections[id], let ticket = connection.ticket {
      admission.finish(ticket, after: now - connection.arrival - connection.wait)
      connection.ticket = nil
      connection.task = nil
      answer(connection, response)
    }
    startWaiting()
  }

  // MARK: Answers

  /// Says what is wrong and ends the connection: what would follow is not read.
  func refuse(_ connection: Connection, _ problem: Problem) {
    let identity = connection.info?.identity ?? RequestIdentity(connection.parser.fields)
    connection.closesAfterAnswer = true
    answer(connection, problem.response(requestID: identity.id), identity: identity)
  }

  private func answer(
    _ connection: Connection, _ response: HTTPResponse, identity: RequestIdentity? = nil
  ) {
    let info = connection.info
    let identity = identity ?? info?.identity ?? RequestIdentity()
    var response = response
    response.set("X-Request-ID", identity.id)
    response.set("X-Content-Type-Options", "nosniff")
    if let traceparent = identity.traceparent { response.set("traceparent", traceparent) }
    allowOrigin(info, &response)
    let wait = "queue;dur=\(Milliseconds.text(connection.wait))"
    response.set(
      "Server-Timing", response["Server-Timing"].map { "\(wait), \($0)" } ?? wait)
    let keepsAlive =
      !connection.closesAfterAnswer && keepsConnections && info?.head.keepsAlive == true
    connection.closesAfterAnswer = !keepsAlive
    let bytes = response.encoded(
      isHead: info?.head.method == "HEAD", keepsAlive: keepsAlive, date: HTTPDate().field)
    record(
      connection, status: response.status, bytesOut: bytes.count, outcome: .answered,
      identity: identity)
    connection.output = bytes
    connection.written = 0
    connection.phase = .writing
    connection.deadline = deadline(after: configuration.writeTimeout, of: connection)
    flush(connection)
  }

  /// Pages of other origins may read the answer where the configuration says so, and not else.
  private func allowOrigin(_ info: RequestInfo?, _ response: inout HTTPResponse) {
    guard !configuration.allowedOrigins.isEmpty else { return }
    response.set("Vary", response["Vary"].map { $0 + ", Origin" } ?? "Origin")
    guard let origin = info?.head.fields["origin"], configuration.allowedOrigins.contains(origin)
    else { return }
    response.set("Access-Control-Allow-Origin", origin)
    response.set("Access-Control-Expose-Headers", "ETag, Retry-After, Server-Timing, X-Request-ID")
    if info?.head.method == "OPTIONS" {
      response.set("Access-Control-Allow-Methods", "GET, HEAD, POST, DELETE")
      response.set(
        "Access-Control-Allow-Headers",
        "Authorization, Content-Type, If-None-Match, X-Request-ID, traceparent")
      response.set("Access-Control-Max-Age", "600")
    }
  }

  /// Writes what the client takes.
  func flush(_ connection: Connection) {
    while connection.written < connection.output.count {
      switch connection.socket.write(connection.output[connection.written...]) {
      case .bytes(let count):
        connection.written += count
        connection.deadline = deadline(after: configuration.writeTimeout, of: connection)
      case .wouldBlock:
        // Not for a hang-up: a client that has closed its own side and does not read would have the
        // poller report that at once, again and again. One that has gone altogether is reported anyway.
        return setInterest(.write, of: connection)
      case .closed: return drop(connection)
      }
    }
    connection.output = []
    connection.written = 0
    finishAnswer(connection)
  }

  private func finishAnswer(_ connection: Connection) {
    if connection.closesAfterAnswer {
      connection.socket.finishWriting()
      connection.phase = .lingering
      connection.deadline = now + configuration.lingerTimeout
      return setInterest([.read, .hangUp], of: connection)
    }
    connection.phase = .reading
    connection.info = nil
    connection.route = "none"
    connection.work = nil
    connection.immediate = nil
    connection.wait = .zero
    connection.bytesIn = 0
    connection.lastRead = now
    connection.deadline =
      now + (connection.parser.isIdle ? configuration.idleTimeout : configuration.headerTimeout)
    setInterest([.read, .hangUp], of: connection)
    resumeLater(connection)
  }

  func record(
    _ connection: Connection, status: Int, bytesOut: Int, outcome: Exchange.Outcome,
    identity: RequestIdentity? = nil
  ) {
    service.record(
      Exchange(
        info: connection.info,
        identity: identity ?? connection.info?.identity ?? RequestIdentity(),
        route: connection.route, outcome: outcome, status: status,
        bytesIn: connection.bytesIn, bytesOut: bytesOut, duration: .now - connection.arrival,
        wait: connection.wait))
  }
}
