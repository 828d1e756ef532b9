import TestSupport
import Testing

@testable import vq

/// Who may ask, and how often.
@Suite struct GuardTests {
  private static func fields(_ authorization: String...) -> HTTPFields {
    var fields = HTTPFields()
    for value in authorization { fields.append("Authorization", value) }
    return fields
  }

  @Test func `a key that was made is let in, and no other`() throws {
    let app = APIKeys.made(role: .read, name: "app")
    let shop = APIKeys.made(role: .write, name: "shop")
    #expect(app.key != shop.key && app.key.count == 67)
    #expect(!app.line.contains(app.key))
    let keys = try APIKeys(lines: "# keys\n\(app.line)\n\n  \(shop.line)\n", file: "keys.txt")
    #expect(keys.key(of: Self.fields("Bearer \(app.key)"))?.name == "app")
    #expect(keys.key(of: Self.fields("bearer  \(shop.key) "))?.role == .write)
    for wrong in [
      app.key, "Bearer ", "Bearer \(app.key)x", "Bearer \(app.key.dropLast())", "Basic \(app.key)",
      "Bearer sha256:\(app.line.suffix(64))", "Bearer \(app.line.suffix(64))",
    ] {
      #expect(keys.key(of: Self.fields(wrong)) == nil)
    }
    #expect(keys.key(of: Self.fields("Bearer \(app.key)", "Bearer \(shop.key)")) == nil)
    #expect(keys.key(of: HTTPFields()) == nil)
  }

  @Test(arguments: [
    "read app", "admin app sha256:\(String(repeating: "0", count: 64))",
    "read app sha256:00", "read app \(String(repeating: "0", count: 64))",
    "read app sha256:\(String(repeating: "g", count: 64))",
    "read a sha256:\(String(repeating: "0", count: 64))\nread a sha256:\(String(repeating: "1", count: 64))",
  ]) func `a line that is no key is named`(lines: String) {
    let failure = #expect(throws: CommandFailure.self) {
      try APIKeys(lines: "# first\n" + lines, file: "keys.txt")
    }
    #expect(failure?.message.contains("line \(lines.contains("\n") ? 3 : 2)") == true)
    #expect(failure?.message.contains("0000") == false)
  }

  @Test func `a bucket lets a burst through, and then a steady rate`() {
    var limiter = RateLimiter(rate: 2)
    let start = ContinuousClock.now
    let later = start + .milliseconds(500)
    let answers = ["a", "a", "a", "a", "a", "b"].map { limiter.retryAfter(for: $0, at: start) }
    #expect(answers == [nil, nil, nil, nil, 1, nil])
    let further = (0..<2).map { _ in limiter.retryAfter(for: "a", at: later) }
    #expect(further == [nil, 1])
    var slow = RateLimiter(rate: 0.1)
    let rare = (0..<2).map { _ in slow.retryAfter(for: "a", at: start) }
    #expect(rare == [nil, 10])
  }

  @Test func `the table of clients is bounded`() {
    var limiter = RateLimiter(rate: 1)
    let start = ContinuousClock.now
    for client in 0..<30_000 { _ = limiter.retryAfter(for: "\(client)", at: start) }
    #expect(limiter.clientCount <= 10_000)
  }

  @Test func `a client has no more connections than its share, unless it is on this machine`() {
    var places = ConnectionPlaces(limit: 10, limitPerClient: 3)
    let near = Peer.address(127, 0, 0, 1)
    let far = Peer.address(192, 0, 2, 1)
    for _ in 0..<3 { places.take(far) }
    for _ in 0..<4 { places.take(near) }
    #expect(places.isFull(for: far) && !places.isFull(for: near) && !places.isFull(for: .local))
    #expect(!places.isFull(for: Peer.address(192, 0, 2, 2)))
    places.release(far)
    #expect(!places.isFull(for: far) && !places.isFull)
    for _ in 0..<4 { places.take(.local) }
    #expect(places.isFull)
  }

  @Test(
    arguments: [
      ([0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9], "2001:db8:0:1::/64", false),
      ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], "::1", true),
      ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 1], "192.0.2.1", false),
      ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127, 0, 0, 2], "127.0.0.2", true),
    ] as [([UInt8], String, Bool)])
  func `a client is its network, in IPv6`(bytes: [UInt8], name: String, isLocal: Bool) {
    let peer = Peer.address(bytes)
    #expect(peer.name == name && peer.isLocal == isLocal)
  }

  @Test(
    arguments: [
      ("abc-1.2_3", "abc-1.2_3"), ("", nil), ("a b", nil), ("a\"b", nil),
      (String(repeating: "a", count: 129), nil),
    ] as [(String, String?)])
  func `a client's name of a request is kept where it is sound`(given: String, kept: String?) {
    var fields = HTTPFields()
    fields.append("X-Request-ID", given)
    let identity = RequestIdentity(fields)
    #expect(kept == nil ? identity.id.count == 32 : identity.id == kept)
  }

  @Test(arguments: [
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true),
    ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", true),
    ("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false),
    ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", false),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false),
    ("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", false),
  ]) func `a trace goes on where it is well-formed (W3C Trace Context, 3.2)`(
    given: String, isGood: Bool
  ) {
    var fields = HTTPFields()
    fields.append("traceparent", given)
    let identity = RequestIdentity(fields)
    #expect((identity.traceID != nil) == isGood)
    if isGood {
      #expect(identity.traceparent?.contains("4bf92f3577b34da6a3ce929d0e0e4736") == true)
      #expect(identity.traceparent?.contains("00f067aa0ba902b7") == false)
    }
  }

  @Test(
    arguments: [
      ("de-CH, en;q=0.5", "de-CH"), ("en;q=0.5, de", "de"), ("*", nil), ("de;q=0", nil),
      ("fr;q=0.2,it;q=0.9;x=y", "it"), ("nonsense!", nil), ("", nil),
    ] as [(String, String?)])
  func `the language that is liked best is taken`(value: String, tag: String?) {
    var fields = HTTPFields()
    fields.append("Accept-Language", value)
    #expect(LanguageRange.preferred(fields) == tag)
  }
}
