import PixelMatch
import Synchronization
import TestSupport
import Testing

@testable import ShopStore
import VisualQuery

/// Pictures of servers: asked for once, kept, and refused by name if something is wrong.
@Suite struct FetchedPicturesTests {
  private static let picture = SyntheticPicture.scene(width: 64, height: 64, seed: 1).jpeg(
    quality: 80)
  private static let other = SyntheticPicture.scene(width: 64, height: 64, seed: 2).jpeg(
    quality: 80)

  /// A run's pictures, from a server of this machine.
  private static func run(
    _ folder: TemporaryDirectory, _ server: OriginServer, byteLimit: Int = 1_000_000,
    timeLimit: Duration = .seconds(600), everyAddress: Bool = true,
    change: (inout FetchPolicy) throws -> Void = { _ in }
  ) throws -> FetchedPictures {
    var policy = FetchPolicy(
      [try #require(HostPattern("127.0.0.1:\(server.port)"))], byteLimit: byteLimit,
      timeLimit: timeLimit)
    policy.allowsEveryAddress = everyAddress
    try change(&policy)
    return try FetchedPictures(directory: folder.path, policy: policy, isDryRun: false)
  }

  private static func failure(
    of url: String, from pictures: FetchedPictures
  ) async throws -> FetchError {
    try #require(await #expect(throws: FetchError.self) { try await pictures.current(url) })
  }

  @Test(arguments: ["ETag", "Last-Modified"])
  func `a picture is fetched once, and asked for by its validator after that`(
    field: String
  ) async throws {
    let folder = try TemporaryDirectory()
    let picture = Mutex(Self.picture)
    let server = OriginServer { request in
      let validator = picture.withLock { $0 == Self.picture ? #""one""# : #""two""# }
      let asked = request.fields[field == "ETag" ? "if-none-match" : "if-modified-since"]
      return asked == validator
        ? .init(304) : .init(200, [field: validator], body: picture.withLock { $0 })
    }
    let url = "http://127.0.0.1:\(server.port)/a.jpg"
    let first = try Self.run(folder, server)
    #expect(try await first.current(url).bytes == Self.picture)
    let again = try await first.current(url)
    #expect(again.bytes == nil && server.requests.count == 1, "once a run")
    #expect(try first.bytes(of: url) == Self.picture)

    let second = try Self.run(folder, server)
    let same = try await second.current(url)
    #expect(same.bytes == nil && same.contentHash == again.contentHash && second.fetchedCount == 0)
    picture.withLock { $0 = Self.other }
    let third = try Self.run(folder, server)
    let changed = try await third.current(url)
    #expect(changed.bytes == Self.other && changed.contentHash != same.contentHash)
    #expect(server.requests.count == 3 && third.fetchedCount == 1)
  }

  @Test func `a redirection is followed on the list and refused off it`() async throws {
    let elsewhere = OriginServer { _ in .init(200, body: Self.picture) }
    let server = OriginServer { request in
      switch request.path {
      case "/near": .init(302, ["Location": "/picture"])
      case "/far": .init(301, ["Location": "http://127.0.0.1:\(elsewhere.port)/"])
      case "/name": .init(307, ["Location": "http://localhost:\(elsewhere.port)/"])
      case "/file": .init(302, ["Location": "file:///etc/passwd"])
      case "/user": .init(302, ["Location": "//me:secret@127.0.0.1/picture"])
      case "/ring": .init(308, ["Location": "/ring"])
      case "/lost": .init(302)
      default: .init(200, body: Self.picture)
      }
    }
    let pictures = try Self.run(try TemporaryDirectory(), server)
    let base = "http://127.0.0.1:\(server.port)"
    #expect(try await pictures.current(base + "/near").bytes == Self.picture)
    for (path, code) in [
      ("/far", FetchError.Code.notAllowed), ("/name", .notAllowed), ("/file", .notAllowed),
      ("/user", .unusable), ("/ring", .unusable), ("/lost", .unusable),
    ] {
      #expect(try await Self.failure(of: base + path, from: pictures).code == code, "\(path)")
    }
    #expect(elsewhere.requests.isEmpty, "what is off the list is not even asked")
  }

  @Test(arguments: [
    "http://127.0.0.1/", "http://127.0.0.1:1/", "http://me@127.0.0.1:PORT/a", "http://",
    "http://localhost:PORT/a", "https://[::1]:PORT/a", "http://127.0.0.1:PORT@evil.example/a",
    "http://evil.example#@127.0.0.1:PORT/", #"http://evil.example\@127.0.0.1:PORT/"#,
  ]) func `what is not on the list is not asked`(url: String) async throws {
    let server = OriginServer { _ in .init(200, body: Self.picture) }
    let pictures = try Self.run(try TemporaryDirectory(), server)
    let url = url.replacing("PORT", with: "\(server.port)")
    #expect(try await Self.failure(of: url, from: pictures).code == .notAllowed)
    #expect(server.requests.isEmpty)
  }

  @Test func `an address of the machine is not connected to, whatever its name is`() async throws {
    let server = OriginServer { _ in .init(200, body: Self.picture) }
    for name in ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"] {
      let host = name.first == "[" || name == "localhost" ? name : "127.0.0.1"
      let policy = FetchPolicy([try #require(HostPattern("\(host):\(server.port)"))])
      let pictures = try FetchedPictures(
        directory: try TemporaryDirectory().path, policy: policy, isDryRun: true)
      let error = try await Self.failure(of: "http://\(name):\(server.port)/a", from: pictures)
      #expect(error.code == .notAllowed, "\(name): \(error.message)")
    }
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: [true, false])
  func `a picture that is too large is given up`(tellsLength: Bool) async throws {
    let server = OriginServer { _ in
      var response = OriginServer.Response(200, body: Self.picture)
      response.tellsLength = tellsLength
      return response
    }
    let folder = try TemporaryDirectory()
    let url = "http://127.0.0.1:\(server.port)/a.jpg"
    let narrow = try Self.run(folder, server, byteLimit: Self.picture.count - 1)
    let error = try await Self.failure(of: url, from: narrow)
    let limit = "\(Self.picture.count - 1) bytes, which is the limit"
    #expect(error.code == .unusable && error.message == "it has more than \(limit)")
    #expect(try narrow.bytes(of: url) == nil)
    let wide = try Self.run(folder, server, byteLimit: Self.picture.count)
    #expect(try await wide.current(url).bytes == Self.picture)
  }

  @Test func `what is no picture is not kept`() async throws {
    let server = OriginServer { request in
      request.path == "/empty" ? .init(200) : .init(200, body: Array("<html>Log in</html>".utf8))
    }
    let pictures = try Self.run(try TemporaryDirectory(), server)
    for path in ["/empty", "/page"] {
      let url = "http://127.0.0.1:\(server.port)\(path)"
      #expect(try await Self.failure(of: url, from: pictures).code == .unusable)
      #expect(try pictures.bytes(of: url) == nil)
    }
  }

  @Test func `a server that cannot now is asked once more`() async throws {
    let count = Mutex(0)
    let server = OriginServer { _ in
      count.withLock {
        $0 += 1; return $0
      } == 1
        ? .init(503, ["Retry-After": "0"]) : .init(200, body: Self.picture)
    }
    let pictures = try Self.run(try TemporaryDirectory(), server)
    let url = "http://127.0.0.1:\(server.port)/a.jpg"
    #expect(try await pictures.current(url).bytes == Self.picture)
    #expect(server.requests.count == 2)
  }

  @Test(arguments: [404, 410, 403, 401, 204, 206])
  func `a server that says no is not asked again`(status: Int) async throws {
    let server = OriginServer { _ in .init(status, body: Self.picture) }
    let pictures = try Self.run(try TemporaryDirectory(), server)
    let url = "http://127.0.0.1:\(server.port)/a.jpg"
    let error = try await Self.failure(of: url, from: pictures)
    #expect(error.code == (status == 404 || status == 410 ? .missing : .unusable))
    #expect(error.message.contains("\(status)") && server.requests.count == 1)
  }

  @Test func `a picture of an earlier run stands in for a server that fails`() async throws {
    let isWell = Mutex(true)
    let server = OriginServer { _ in
      isWell.withLock { $0 }
        ? .init(200, body: Self.picture) : .init(503, ["Retry-After": "3600"])
    }
    let folder = try TemporaryDirectory()
    let url = "http://127.0.0.1:\(server.port)/a.jpg"
    let first = try await Self.run(folder, server).current(url)
    isWell.withLock { $0 = false }
    let second = try Self.run(folder, server)
    let stale = try await second.current(url)
    #expect(stale.staleReason?.contains("allows no more requests") == true)
    #expect(stale.contentHash == first.contentHash)
    #expect(try second.bytes(of: url) == Self.picture)
  }

  @Test func `a host that fails again and again is given up for this run`() async throws {
    let server = OriginServer { _ in .init(500, ["Retry-After": "3600"]) }
    let pictures = try Self.run(try TemporaryDirectory(), server)
    var messages: [String] = []
    for number in 0..<12 {
      let url = "http://127.0.0.1:\(server.port)/\(number).jpg"
      messages.append(try await Self.failure(of: url, from: pictures).message)
    }
    #expect(server.requests.count == 8 && messages.last?.contains("no further requests") == true)
  }

  @Test(arguments: [429, 503])
  func `a host that wants to be asked much later is left for the next run`(status: Int) async throws
  {
    let server = OriginServer { _ in .init(status, ["Retry-After": "3600"]) }
    let pictures = try Self.run(try TemporaryDirectory(), server)
    for number in 0..<12 {
      let url = "http://127.0.0.1:\(server.port)/\(number).jpg"
      #expect(try await Self.failure(of: url, from: pictures).code == .busy)
    }
    #expect(server.requests.count == 1 && pictures.waiting().images == 12)
  }

  @Test func `an address that fails is asked once in a run, by however many`() async throws {
    let server = OriginServer { _ in .init(403) }
    let pictures = try Self.run(try TemporaryDirectory(), server)
    let url = "http://127.0.0.1:\(server.port)/a.jpg"
    await withTaskGroup { group in
      for _ in 0..<40 { group.addTask { _ = try? await pictures.current(url) } }
    }
    #expect(server.requests.count == 1)
  }

  @Test func `nothing is asked when the time of the run is over`() async throws {
    let server = OriginServer { _ in .init(200, body: Self.picture) }
    let folder = try TemporaryDirectory()
    let url = "http://127.0.0.1:\(server.port)/a.jpg"
    let pictures = try Self.run(folder, server) { $0.runTime = .zero }
    #expect(try await Self.failure(of: url, from: pictures).code == .later)
    #expect(server.requests.isEmpty && pictures.waiting().images == 1)
    #expect(try await Self.run(folder, server).current(url).bytes == Self.picture)
  }

  @Test(arguments: ["gzip", "deflate"])
  func `a body that the server compresses is read`(encoding: String) async throws {
    let server = OriginServer { _ in
      .init(
        200, ["Content-Encoding": encoding],
        body: encoding == "gzip"
          ? PNGFile.gzipped(Self.picture) : PNGFile.compressed(Self.picture, level: 9))
    }
    let pictures = try Self.run(try TemporaryDirectory(), server)
    let url = "http://127.0.0.1:\(server.port)/a.jpg"
    #expect(try await pictures.current(url).bytes == Self.picture)
    #expect(server.requests.first?.fields["accept-encoding"] == "gzip, deflate")
  }

  @Test func `a small body that becomes a large one is left`() async throws {
    let bomb = PNGFile.gzipped([UInt8](repeating: 0, count: 12_000_000))
    let server = OriginServer { _ in .init(200, ["Content-Encoding": "gzip"], body: bomb) }
    let pictures = try Self.run(try TemporaryDirectory(), server, byteLimit: 16_000_000)
    let error = try await Self.failure(of: "http://127.0.0.1:\(server.port)/a", from: pictures)
    #expect(error.code == .unusable && error.message.contains("decompressed"))
  }

  @Test func `an encoding that nobody asked for is named`() async throws {
    let server = OriginServer { request in
      .init(request.path == "/a" ? 200 : 404, ["Content-Encoding": "snow"], body: Self.picture)
    }
    let pictures = try Self.run(try TemporaryDirectory(), server)
    let base = "http://127.0.0.1:\(server.port)"
    let error = try await Self.failure(of: base + "/a", from: pictures)
    #expect(error.code == .unusable && error.message.contains("compressed"))
    #expect(try await Self.failure(of: base + "/b", from: pictures).code == .missing)
  }

  @Test func `a secret goes to the host of the address and not to where it leads`() async throws {
    let other = OriginServer { _ in .init(200, body: Self.picture) }
    let server = OriginServer { request in
      switch request.path {
      case "/away": .init(302, ["Location": "http://127.0.0.1:\(other.port)/a"])
      case "/near": .init(302, ["Location": "/a"])
      default: .init(200, body: Self.picture)
      }
    }
    let pictures = try Self.run(try TemporaryDirectory(), server) { policy in
      policy.hosts.append(try #require(HostPattern("127.0.0.1:\(other.port)")))
      policy.userAgent = "Shop/1"
      policy.headers = [
        try #require(FetchHeader("X-Key", value: "s3cret")),
        try #require(FetchHeader("127.0.0.1:\(other.port):X-Other", value: "0ther")),
      ]
    }
    _ = try await pictures.current("http://127.0.0.1:\(server.port)/away")
    _ = try await pictures.current("http://127.0.0.1:\(server.port)/near")
    #expect(server.requests.map { $0.fields["x-key"] } == ["s3cret", "s3cret", "s3cret"])
    #expect(server.requests.allSatisfy { $0.fields["x-other"] == nil })
    #expect(other.requests.map { $0.fields["x-key"] } == [nil])
    #expect(other.requests.map { $0.fields["x-other"] } == [nil], "a redirect carries no secret")
    _ = try await pictures.current("http://127.0.0.1:\(other.port)/own")
    #expect(other.requests.last?.fields["x-other"] == "0ther")
    #expect((server.requests + other.requests).allSatisfy { $0.fields["user-agent"] == "Shop/1" })
  }

  @Test func `a server that slows down gets fewer requests, and sends all`() async throws {
    let count = Mutex(0)
    let server = OriginServer { _ in
      let number = count.withLock {
        $0 += 1
        return $0
      }
      return number % 5 == 4
        ? .init(429, ["Retry-After": "0"]) : .init(200, body: Self.picture)
    }
    let pictures = try Self.run(try TemporaryDirectory(), server)
    try await withThrowingTaskGroup { group in
      for number in 0..<24 {
        group.addTask {
          try await pictures.current("http://127.0.0.1:\(server.port)/\(number)").byteCount
        }
      }
      for try await bytes in group { #expect(bytes == Self.picture.count) }
    }
  }

  @Test func `a server that is slow is given up`() async throws {
    let server = OriginServer { _ in
      var response = OriginServer.Response(200, body: Self.picture)
      response.delay = .seconds(600)
      return response
    }
    let pictures = try Self.run(try TemporaryDirectory(), server, timeLimit: .milliseconds(50))
    let error = try await Self.failure(of: "http://127.0.0.1:\(server.port)/a", from: pictures)
    #expect(error.code == .unavailable && error.message.contains("time limit"))
  }

  @Test func `a run that is ended leaves a server that is slow`() async throws {
    let (requests, continuation) = AsyncStream.makeStream(of: Void.self)
    let server = OriginServer { _ in
      continuation.yield()
      var response = OriginServer.Response(200, body: Self.picture)
      response.delay = .seconds(600)
      return response
    }
    let pictures = try Self.run(try TemporaryDirectory(), server, timeLimit: .seconds(600))
    let task = Task { try await pictures.current("http://127.0.0.1:\(server.port)/a") }
    for await _ in requests { break }
    task.cancel()
    let error = try #require(await #expect(throws: FetchError.self) { try await task.value })
    #expect(error.code == .cancelled)
  }

  @Test func `a file that is damaged is named, with the way out`() throws {
    let folder = try TemporaryDirectory()
    _ = try folder.write(
      "no SQLite, and long enough to be taken for one at first", to: "fetched.sqlite")
    let server = OriginServer { _ in .init(404) }
    let error = #expect(throws: CatalogueError.self) { _ = try Self.run(folder, server) }
    #expect(error?.code == .corrupt && error?.message.contains("remove it") == true)
  }
}
