/// The numbers of open connections, by client.
///
/// Clients on this machine, such as a reverse proxy, have no limit of their own.
struct ConnectionPlaces: Sendable {
  /// The largest number of connections at once.
  let limit: Int
  /// The largest number of connections at once of one client.
  let limitPerClient: Int
  private(set) var count = 0
  private var counts: [Peer: Int] = [:]

  init(limit: Int, limitPerClient: Int) {
    self.limit = limit
    self.limitPerClient = limitPerClient
  }

  /// True if the clients together have reached their limit.
  var isFull: Bool { count >= limit }

  /// Returns whether a client has reached its own limit.
  func isFull(for peer: Peer) -> Bool {
    !peer.isLocal && counts[peer, default: 0] >= limitPerClient
  }

  /// Adds a connection of a client.
  mutating func take(_ peer: Peer) {
    count += 1
    counts[peer, default: 0] += 1
  }

  /// Removes a connection of a client.
  mutating func release(_ peer: Peer) {
    count -= 1
    counts[peer, default: 0] -= 1
    if counts[peer] == 0 { counts[peer] = nil }
  }
}
