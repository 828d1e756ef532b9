#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Accepts clients, and makes their connections.
extension Server {
  /// Accepts the clients that wait to be connected.
  func acceptAll(from listener: Socket) {
    // Bounded, so that a burst of new clients does not hold up the connected ones.
    for _ in 0..<64 {
      let accepted: (socket: Socket, address: IPAddress?)?
      do throws(SocketError) {
        accepted = try listener.accept()
      } catch {
        // The process has no free descriptor. Closes an idle connection to free one; if there is
        // none, the client waits.
        if !dropIdle() { _ = usleep(10_000) }
        return
      }
      guard let accepted else { return }
      open(accepted.socket, from: accepted.address)
    }
  }

  private func open(_ socket: Socket, from address: IPAddress?) {
    let peer = address.map { Peer($0) } ?? .local
    let isTrustedProxy = configuration.trustedProxies.contains(address)
    let isExtra = !makeRoom(for: peer, isProxy: isTrustedProxy)
    if isExtra { makeExtraRoom() }
    nextID += 1
    let connection = Connection(
      id: nextID, socket: socket, peer: peer, isTrustedProxy: isTrustedProxy, isExtra: isExtra,
      limits: configuration.limits, now: now)
    connection.enter(
      .readingHead, until: deadline(after: configuration.headerTimeout, of: connection))
    connection.interest = [.read, .hangUp]
    do throws(SocketError) {
      try poller.add(socket.descriptor, connection.interest, as: nextID)
    } catch {
      return reject(socket)
    }
    if !isExtra { places.take(peer) }
    connections[nextID] = connection
  }

  /// Returns whether there is room for a client. Closes an idle connection if that makes room.
  ///
  /// - Parameter isProxy: True for a trusted proxy, which has the connections of many clients.
  private func makeRoom(for peer: Peer, isProxy: Bool) -> Bool {
    (isProxy || !places.isFull(for: peer) || dropIdle(of: peer))
      && (!places.isFull || dropIdle())
  }

  /// Makes room for a connection beyond the limits. It may only ask for the server's health, which is thus answered
  /// while slow clients hold all places.
  private func makeExtraRoom() {
    let extras = connections.values.filter(\.isExtra)
    guard extras.count >= configuration.extraConnectionLimit,
      let oldest = extras.min(by: { $0.id < $1.id })
    else { return }
    if oldest.isReading { refuse(oldest, .tooManyConnections) }
    drop(oldest)
  }

  /// Closes the connection that has been idle for the longest, of one client or of all.
  ///
  /// - Returns: True if there was one.
  private func dropIdle(of peer: Peer? = nil) -> Bool {
    let idle = connections.values.filter {
      $0.isIdle && !$0.isExtra && (peer == nil || $0.peer == peer)
    }
    guard let oldest = idle.min(by: { $0.lastRead < $1.lastRead }) else { return false }
    drop(oldest)
    return true
  }

  /// Answers a client with an error and closes its socket.
  private func reject(_ socket: Socket) {
    let identity = RequestIdentity()
    let response = service.response(to: .tooManyConnections, requestID: identity.id)
    let bytes = response.encoded(isHead: false, keepsAlive: false, date: HTTPDate().field)
    _ = socket.write(bytes[...])
    socket.finishWriting()
    service.record(
      Exchange(
        info: nil, identity: identity, route: "connection", outcome: .answered, status: 503,
        bytesIn: 0, bytesOut: bytes.count, duration: .zero, wait: .zero, computing: .zero))
  }
}
