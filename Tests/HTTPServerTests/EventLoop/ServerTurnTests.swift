import Foundation
import Synchronization
import Testing

@testable import HTTPServer

/// The server turn by turn, on the test's own thread: what one client may take of it.
@Suite struct ServerTurnTests {
  private typealias EchoServer = Server<EchoService>

  private static func server(
    connectionLimit: Int = 512, extraConnectionLimit: Int = 16, width: Int = 2,
    queueLimit: Int = 64, heldByteLimit: Int = 256 << 20,
    answerByteLimit: Int = 256 << 20, answerTime: Duration = .seconds(60),
    allowedOrigins: Set<String> = []
  ) throws -> (server: EchoServer, port: UInt16) {
    var configuration = ServerConfiguration()
    configuration.connectionLimit = connectionLimit
    configuration.extraConnectionLimit = extraConnectionLimit
    configuration.width = width
    configuration.queueLimit = queueLimit
    configuration.heldByteLimit = heldByteLimit
    configuration.answerByteLimit = answerByteLimit
    configuration.answerTimeout = (answerTime, 1 << 30)
    configuration.allowedOrigins = allowedOrigins
    let listener = try Socket.listening(at: .host("127.0.0.1", port: 0))
    let server = try EchoServer(
      listeners: [listener], service: EchoService(), mailbox: Mailbox(),
      pool: ThreadExecutor(), configuration: configuration)
    return (server, listener.port)
  }

  private static func isWriting(_ connection: Connection) -> Bool {
    if case .writing = connection.phase { true } else { false }
  }

  private static func request(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost:\r\n\r\n" }

  /// Takes turns, with bytes to and from clients before each, until something is so: for a minute at most, which only a
  /// server takes that never gets there.
  private static func turn(
    _ server: EchoServer, with clients: [RawClient] = [], until isDone: () -> Bool
  ) {
    let start = ContinuousClock.now
    while !isDone(), ContinuousClock.now - start < .seconds(60) {
      server.turn(milliseconds: 10)
      for client in clients { client.exchange() }
    }
  }

  /// Takes turns until nothing has happened for a while.
  private static func settle(_ server: EchoServer) {
    let start = ContinuousClock.now
    var quietCount = 0
    while quietCount < 10, ContinuousClock.now - start < .seconds(60) {
      quietCount = server.turn(milliseconds: 20) > 0 ? 0 : quietCount + 1
    }
  }

  /// Has a client's request answered.
  private static func answer(
    to path: String, of client: RawClient, by server: EchoServer
  ) -> String {
    client.send(request(path))
    turn(server, with: [client]) { !client.received.isEmpty }
    return client.text
  }

  /// Answering each request from within the answer to the last one would overflow the stack, and
  /// answering all in one go would keep the others waiting.
  @Test func `thousands of requests in one packet are answered, a few in each turn`() throws {
    let (server, port) = try Self.server()
    let greedy = try RawClient(port: port)
    let count = 3000
    greedy.send(String(repeating: Self.request("/now"), count: count))
    var turnCount = 0
    var other = ""
    while server.service.exchangeCount < count, turnCount < 4 * count {
      let before = server.service.exchangeCount
      server.turn(milliseconds: 100)
      #expect(server.service.exchangeCount - before <= 32)
      greedy.exchange()
      turnCount += 1
      if turnCount == 10 {
        other = Self.answer(to: "/now", of: try RawClient(port: port), by: server)
        #expect(server.service.exchangeCount < count)
      }
    }
    greedy.exchange()
    #expect(greedy.text.components(separatedBy: "HTTP/1.1 200 OK\r\n").count == count + 1)
    #expect(other.hasSuffix("now"))
    #expect(server.turn(milliseconds: 0) == 0 && server.resumable.isEmpty)
  }

  /// Requests of which each takes a thread go on one by one, after each answer.
  @Test func `requests behind one that takes a thread are answered, too`() throws {
    let (server, port) = try Self.server()
    let client = try RawClient(port: port)
    client.send(Self.request("/work") + Self.request("/now") + Self.request("/work"))
    func answerCount() -> Int {
      client.text.components(separatedBy: "HTTP/1.1 200 OK\r\n").count - 1
    }
    Self.turn(server, with: [client]) { answerCount() == 3 }
    #expect(answerCount() == 3 && server.service.exchangeCount == 3)
    #expect(server.connections.count == 1)
  }

  /// Would break if a page of an allowed origin could not send what every path takes.
  @Test func `a page may ask for a generation`() throws {
    let (server, port) = try Self.server(allowedOrigins: ["https://shop.example"])
    let client = try RawClient(port: port)
    client.send("OPTIONS /now HTTP/1.1\r\nHost:\r\nOrigin: https://shop.example\r\n\r\n")
    Self.turn(server, with: [client]) { !client.received.isEmpty }
    let allowed = client.text.split(separator: "\r\n").first {
      $0.hasPrefix("Access-Control-Allow-Headers: ")
    }
    #expect(allowed?.contains("X-At-Least-Generation") == true, "\(client.text)")
  }

  /// The poller reports such a client's hang-up for as long as somebody waits for it: at once, and again.
  @Test func `a client that has closed its side and does not read causes no turns`() throws {
    let (server, port) = try Self.server()
    let client = try RawClient(port: port)
    client.send(Self.request("/big"))
    Self.settle(server)
    #expect(server.connections.values.map(Self.isWriting) == [true])
    client.finishWriting()
    _ = server.turn(milliseconds: 0)
    #expect(server.turn(milliseconds: 0) == 0)
    // As soon as the client reads, it gets its answer.
    Self.turn(server, with: [client]) { client.received.count > EchoService.bigByteCount }
    #expect(client.received.count > EchoService.bigByteCount)
  }

  @Test func `health is answered while clients that do not read hold all connections`() throws {
    let (server, port) = try Self.server(connectionLimit: 2, extraConnectionLimit: 2)
    let slow = [try RawClient(port: port), try RawClient(port: port)]
    defer { withExtendedLifetime(slow) {} }
    for client in slow { client.send(Self.request("/big")) }
    Self.turn(server) { server.connections.values.count(where: Self.isWriting) == 2 }
    let health = try RawClient(port: port)
    let answer = Self.answer(to: "/health", of: health, by: server)
    #expect(answer.hasPrefix("HTTP/1.1 200 OK"))
    #expect(answer.contains("Connection: close"))
    let refused = Self.answer(to: "/now", of: try RawClient(port: port), by: server)
    #expect(refused.hasPrefix("HTTP/1.1 503"))
    #expect(refused.contains("tooManyConnections"))
    // The oldest of the extra connections are closed to make room.
    let silent = try (0..<5).map { _ in try RawClient(port: port) }
    Self.settle(server)
    #expect(server.connections.count == 4)
    let again = Self.answer(to: "/health", of: try RawClient(port: port), by: server)
    #expect(again.hasPrefix("HTTP/1.1 200 OK"))
    silent[0].exchange()
    #expect(silent[0].isClosed)
  }

  @Test func `health is answered while all threads and all places of the queue are taken`() throws {
    let (server, port) = try Self.server(width: 1, queueLimit: 1)
    let busy = [try RawClient(port: port), try RawClient(port: port)]
    for client in busy { client.send(Self.request("/wait")) }
    Self.turn(server) { server.admission[.answers].waiting == 1 }
    #expect(server.admission[.answers].running == 1 && server.admission[.answers].waiting == 1)
    let refused = Self.answer(to: "/work", of: try RawClient(port: port), by: server)
    #expect(refused.hasPrefix("HTTP/1.1 503"))
    let answer = Self.answer(to: "/health", of: try RawClient(port: port), by: server)
    #expect(answer.hasPrefix("HTTP/1.1 200 OK"))
    #expect(busy.allSatisfy { !$0.isClosed })
  }

  /// Both phases without a deadline must give back what they hold of the admission.
  @Test func `clients that hang up while they wait or are served leave nothing behind`() throws {
    let (server, port) = try Self.server(width: 1)
    var clients = [try RawClient(port: port), try RawClient(port: port)]
    for client in clients {
      client.send(Self.request("/wait"))
    }
    Self.turn(server) { server.admission[.answers].waiting == 1 }
    #expect(server.admission[.answers].running == 1 && server.admission[.answers].waiting == 1)
    // Releasing the clients closes their sockets.
    clients = []
    Self.turn(server) {
      server.admission[.answers].running == 0 && server.connections.isEmpty
        && server.orphans.isEmpty && server.service.exchangeCount == 2
    }
    #expect(server.admission[.answers].running == 0 && server.admission[.answers].waiting == 0)
    #expect(server.connections.isEmpty && server.orphans.isEmpty)
    #expect(server.service.exchanges.withLock { $0 }.map(\.outcome) == [.clientGone, .clientGone])
  }

  /// Would break if changes that wait for a database took the places of searches.
  @Test func `answers are given while changes take all of their places`() throws {
    let (server, port) = try Self.server(width: 1, queueLimit: 1)
    let changes = try (0..<2).map { _ in try RawClient(port: port) }
    defer { withExtendedLifetime(changes) {} }
    for client in changes { client.send(Self.request("/change")) }
    Self.turn(server) { server.admission[.changes].waiting == 1 }
    #expect(server.admission[.changes].running == 1 && server.admission[.changes].waiting == 1)
    let refused = Self.answer(to: "/change", of: try RawClient(port: port), by: server)
    #expect(refused.hasPrefix("HTTP/1.1 503"))
    let answer = Self.answer(to: "/work", of: try RawClient(port: port), by: server)
    #expect(answer.hasPrefix("HTTP/1.1 200"))
  }

  /// Would break if answers that nobody takes could fill the memory, or if a client could take one byte now and then for ever.
  @Test func `clients that take their answers slowly give way`() throws {
    let (server, port) = try Self.server(answerByteLimit: 21_000_000)
    let slow = try (0..<4).map { _ in try RawClient(port: port) }
    // The third client gets a smaller answer, which has a shorter deadline. This does not make it the first to be
    // dropped.
    for (number, client) in slow.enumerated() {
      client.send(Self.request(number == 2 ? "/half" : "/big"))
      Self.settle(server)
    }
    #expect(server.connections.values.count(where: Self.isWriting) == 3)
    #expect(server.answerByteCount <= 21_000_000)
    Self.turn(server, with: [slow[3]]) { slow[3].received.count > EchoService.bigByteCount }
    #expect(slow[3].received.count > EchoService.bigByteCount)
    slow[0].exchange()
    #expect(slow[0].received.count < EchoService.bigByteCount)
    slow[1].exchange()
    Self.turn(server, with: [slow[1]]) { slow[1].received.count > EchoService.bigByteCount }
    Self.turn(server, with: [slow[2]]) { server.answerByteCount == 0 }
    #expect(server.answerByteCount == 0)
    #expect(slow[1].received.count > EchoService.bigByteCount)
  }

  /// Would break if a client could take a few bytes now and then for ever.
  @Test func `an answer as a whole has its time`() throws {
    let (server, port) = try Self.server(answerTime: .milliseconds(300))
    let client = try RawClient(port: port)
    client.send(Self.request("/big"))
    server.turn(milliseconds: 100)
    #expect(server.connections.count == 1)
    Self.turn(server) {
      client.exchange(limit: 4096)
      server.expireLate()
      return server.connections.isEmpty
    }
    #expect(server.connections.isEmpty && client.received.count < EchoService.bigByteCount / 2)
  }

  /// Would break if many bodies of less than a megabyte, of which no single connection has too many, were not counted.
  @Test func `bodies on their way are counted together`() throws {
    let (server, port) = try Self.server(heldByteLimit: 1_000_000)
    let head = "POST /large HTTP/1.1\r\nHost:\r\nContent-Length: 400000\r\n\r\n"
    let clients = try (0..<4).map { _ in try RawClient(port: port) }
    for client in clients { client.send(head + String(repeating: "a", count: 390_000)) }
    Self.turn(server, with: clients) { server.heldByteCount >= 780_000 }
    Self.settle(server)
    for client in clients { client.exchange() }
    #expect(clients.count { $0.text.contains("overloaded") } == 2)
    #expect(server.heldByteCount <= 1_000_000)
    for client in clients { client.send(String(repeating: "a", count: 10_000)) }
    Self.turn(server, with: clients) {
      server.heldByteCount == 0 && clients.allSatisfy { !$0.received.isEmpty }
    }
    #expect(clients.count { $0.text.hasPrefix("HTTP/1.1 200") } == 2)
    #expect(server.heldByteCount == 0)
    let small = Self.answer(to: "/work", of: try RawClient(port: port), by: server)
    #expect(small.hasPrefix("HTTP/1.1 200"))
  }

  /// Would break if what came of a refused body stayed in memory until its client has gone.
  @Test func `a refused request leaves no bytes behind`() throws {
    let (server, port) = try Self.server(heldByteLimit: 100_000)
    let client = try RawClient(port: port)
    client.send("POST /large HTTP/1.1\r\nHost:\r\nContent-Length: 400000\r\n\r\n")
    client.send(String(repeating: "a", count: 200_000))
    Self.turn(server, with: [client]) { client.text.contains("overloaded") }
    #expect(client.text.contains("overloaded"))
    #expect(server.connections.values.map(\.heldBytes) == [0] && server.heldByteCount == 0)
  }

  /// Would break if one client's requests on many connections held all threads while another one asks.
  @Test func `a request with less time ends one that takes long, and has its thread`() throws {
    let (server, port) = try Self.server(width: 1)
    let long = try RawClient(port: port)
    long.send(Self.request("/partial"))
    Self.turn(server) { server.admission[.answers].running == 1 }
    // The service of the test uses the path of a request as its client.
    let short = try RawClient(port: port)
    short.send(Self.request("/quick"))
    Self.turn(server, with: [short, long]) {
      server.startWaiting()
      return !short.received.isEmpty && !long.received.isEmpty
    }
    #expect(short.text.hasPrefix("HTTP/1.1 200"))
    #expect(long.text.hasSuffix("partial"))
    #expect(server.admission[.answers].cutCount == 1)
  }

  /// Would break if a server that ends still took connections, which it never answers, and kept its successor from the port.
  @Test func `a server that ends stops listening`() throws {
    // The command that makes a listener keeps it until the server has ended.
    let listener = try Socket.listening(at: .host("127.0.0.1", port: 0))
    defer { withExtendedLifetime(listener) {} }
    let port = listener.port
    let server = try EchoServer(
      listeners: [listener], service: EchoService(), mailbox: Mailbox(), pool: ThreadExecutor(),
      configuration: ServerConfiguration())
    let client = try RawClient(port: port)
    client.send("POST /work HTTP/1.1\r\nHost:\r\nContent-Length: 4\r\n\r\nab")
    Self.settle(server)
    server.mailbox.post(.stop)
    server.turn(milliseconds: 1000)
    #expect(throws: SocketError.self) { _ = try RawClient(port: port) }
    let successor = try Socket.listening(at: .host("127.0.0.1", port: port))
    #expect(successor.port == port)
    client.send("cd")
    Self.turn(server, with: [client]) { !client.received.isEmpty }
    #expect(client.text.hasPrefix("HTTP/1.1 200") && client.text.hasSuffix("abcd"))
  }
}
