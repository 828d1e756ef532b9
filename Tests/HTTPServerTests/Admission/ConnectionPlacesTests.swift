import Testing

@testable import HTTPServer

/// The numbers of connections, by client.
@Suite struct ConnectionPlacesTests {
  @Test func `a client has no more connections than its share, unless it is on this machine`() {
    var places = ConnectionPlaces(limit: 10, limitPerClient: 3)
    let near = Peer(IPAddress(v4: [127, 0, 0, 1]))
    let far = Peer(IPAddress(v4: [192, 0, 2, 1]))
    for _ in 0..<3 { places.take(far) }
    for _ in 0..<4 { places.take(near) }
    #expect(places.isFull(for: far) && !places.isFull(for: near) && !places.isFull(for: .local))
    #expect(!places.isFull(for: Peer(IPAddress(v4: [192, 0, 2, 2]))))
    places.release(far)
    #expect(!places.isFull(for: far) && !places.isFull)
    for _ in 0..<4 { places.take(.local) }
    #expect(places.isFull)
  }
}
