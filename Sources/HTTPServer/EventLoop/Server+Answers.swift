/// Writes answers, and goes on with the next request.
extension Server {
  /// Answers with an error and ends the connection, since the rest of its bytes is not read.
  ///
  /// - Parameter summary: The request; `nil` if it is the one of the connection's phase.
  func refuse(_ connection: Connection, _ error: HTTPError, _ summary: RequestSummary? = nil) {
    let summary = summary ?? connection.summary
    let response = service.response(to: error, requestID: summary.identity.id)
    answer(connection, response, to: summary, closes: true)
  }

  /// Writes an answer.
  ///
  /// - Parameter closes: True if the connection is closed afterwards even if client and server
  ///   would keep it.
  func answer(
    _ connection: Connection, _ response: HTTPResponse, to request: RequestSummary,
    closes: Bool = false
  ) {
    let head = request.info?.head
    var response = response
    response.set("X-Request-ID", request.identity.id)
    response.set("X-Content-Type-Options", "nosniff")
    if let traceparent = request.identity.traceparent {
      response.set("traceparent", traceparent)
      if let state = request.identity.traceState { response.set("tracestate", state) }
    }
    allowOrigin(head, &response)
    let wait = "queue;dur=\(Milliseconds.text(request.wait))"
    response.set("Server-Timing", response["Server-Timing"].map { "\(wait), \($0)" } ?? wait)
    let keepsAlive =
      !closes && !connection.isExtra && !isDraining && head?.keepsAlive == true
    let bytes = response.encoded(
      isHead: head?.method == "HEAD", keepsAlive: keepsAlive, date: HTTPDate().field)
    record(
      connection, request, status: response.status, bytesOut: bytes.count, outcome: .answered)
    let (base, bytesPerSecond) = configuration.answerTimeout
    let end = now + base + .seconds(bytes.count / bytesPerSecond)
    connection.enter(
      .writing(Output(rest: bytes[...], start: now, end: end, closes: !keepsAlive)),
      until: deadline(after: configuration.writeTimeout, of: connection))
    countAnswer(of: connection, as: bytes.count)
    // If the connection closes after this answer, bytes that follow the request are dropped.
    if !keepsAlive { connection.parser.discard() }
    countHeldBytes(of: connection, as: connection.heldBytes)
    flush(connection)
    dropSlowReaders()
  }

  /// Counts an answer that begins or ends.
  func countAnswer(of connection: Connection, as byteCount: Int) {
    answerByteCount += byteCount - connection.answerByteCount
    connection.answerByteCount = byteCount
  }

  /// Drops the clients that have been reading their answers for the longest, until the remaining answers are within
  /// the limit.
  private func dropSlowReaders() {
    guard answerByteCount > configuration.answerByteLimit else { return }
    let readers = connections.values.compactMap { connection in
      if case .writing(let output) = connection.phase { (connection, output.start) } else { nil }
    }.sorted { ($0.1, $0.0.id) < ($1.1, $1.0.id) }
    for (connection, _) in readers.dropLast()
    where answerByteCount > configuration.answerByteLimit {
      drop(connection)
    }
  }

  /// Lets pages of the configured origins read the answer (CORS).
  private func allowOrigin(_ head: RequestHead?, _ response: inout HTTPResponse) {
    guard !configuration.allowedOrigins.isEmpty else { return }
    response.set("Vary", response["Vary"].map { $0 + ", Origin" } ?? "Origin")
    guard let origin = head?.fields["origin"], configuration.allowedOrigins.contains(origin)
    else { return }
    response.set("Access-Control-Allow-Origin", origin)
    response.set(
      "Access-Control-Expose-Headers",
      "ETag, Retry-After, Server-Timing, X-Generation, X-Request-ID")
    if head?.method == "OPTIONS" {
      response.set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE")
      response.set(
        "Access-Control-Allow-Headers",
        [
          "Authorization", "Content-Type", "Idempotency-Key", "If-None-Match",
          "X-At-Least-Generation", "X-Request-ID", "traceparent", "tracestate",
        ].joined(separator: ", ")
      )
      response.set("Access-Control-Max-Age", "600")
    }
  }

  /// Writes as much of the answer as the client takes.
  func flush(_ connection: Connection) {
    guard case .writing(var output) = connection.phase else { return }
    var end = connection.deadline
    while !output.rest.isEmpty {
      switch connection.socket.write(output.rest) {
      case .bytes(let count):
        output.rest = output.rest.dropFirst(count)
        end = min(output.end, deadline(after: configuration.writeTimeout, of: connection))
      case .wouldBlock:
        connection.enter(.writing(output), until: end)
        // Omits `.hangUp`: a client that has closed its own side and does not read would be
        // reported again and again. A connection that is gone altogether is reported even without
        // it.
        return setInterest(.write, of: connection)
      case .closed: return drop(connection)
      }
    }
    finishAnswer(connection, closes: output.closes)
  }

  private func finishAnswer(_ connection: Connection, closes: Bool) {
    countAnswer(of: connection, as: 0)
    if closes {
      connection.socket.finishWriting()
      connection.enter(.lingering, until: now + configuration.lingerTimeout)
    } else {
      connection.bytesIn = 0
      connection.lastRead = now
      let isIdle = connection.parser.isIdle
      connection.enter(
        .readingHead,
        until: now + (isIdle ? configuration.idleTimeout : configuration.headerTimeout))
      resumeLater(connection)
    }
    setInterest([.read, .hangUp], of: connection)
  }

  /// Tells the service of a request that has ended.
  func record(
    _ connection: Connection, _ request: RequestSummary, status: Int, bytesOut: Int,
    outcome: Exchange.Outcome
  ) {
    service.record(
      Exchange(
        info: request.info, identity: request.identity, route: request.route, outcome: outcome,
        status: status, bytesIn: connection.bytesIn, bytesOut: bytesOut,
        duration: .now - request.arrival, wait: request.wait, computing: request.computing))
  }
}
