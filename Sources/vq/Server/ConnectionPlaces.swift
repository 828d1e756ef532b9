/// Counts connections by client and says whether there is a place for another one.
///
/// Clients on this machine, such as a reverse proxy, share the places of all and have no limit of
/// their own.
struct ConnectionPlaces: Sendable {
  /// Connections at once.
  let limit: Int
  /// Connections at once of one client.
  let limitPerClient: Int
  private(set) var count = 0
  private var counts: [Peer: Int] = [:]

  init(limit: Int, limitPerClient: Int) {
    self.limit = limit
    self.limitPerClient = limitPerClient
  }

  /// Whether no client may have another place.
  var isFull: Bool { count >= limit }

  /// Returns whether a client has all the places that it may have.
  func isFull(for peer: Peer) -> Bool {
    !peer.isLocal && counts[peer, default: 0] >= limitPerClient
  }

  /// Gives a client a place.
  mutating func take(_ peer: Peer) {
    count += 1
    counts[peer, default: 0] += 1
  }

  /// Takes a place back.
  mutating func release(_ peer: Peer) {
    count -= 1
    counts[peer, default: 0] -= 1
    if counts[peer] == 0 { counts[peer] = nil }
  }
}
