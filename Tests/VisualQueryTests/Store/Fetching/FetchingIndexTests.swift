import PixelMatch
import Synchronization
import TestSupport
import Testing

@testable import ShopStore
import VisualQuery

/// A catalogue whose pictures are on a server, night after night.
@Suite struct FetchingIndexTests {
  /// Pictures that a test changes and takes away.
  private final class Shelf: Sendable {
    let pictures = Mutex<[String: [UInt8]]>([:])
    /// What is answered in place of some pictures.
    let answers = Mutex<[String: OriginServer.Response]>([:])

    /// Answers with something else in place of pictures; `nil` for none.
    func refuse(_ names: [String], with response: OriginServer.Response?) {
      answers.withLock { answers in for name in names { answers["/" + name] = response } }
    }

    func put(_ seed: UInt64?, at name: String) {
      let bytes = seed.map {
        SyntheticPicture.scene(width: 96, height: 96, seed: $0).jpeg(quality: 90)
      }
      pictures.withLock { $0["/" + name] = bytes }
    }

    func answer(to request: OriginServer.Request) -> OriginServer.Response {
      if let answer = answers.withLock({ $0[request.path] }) { return answer }
      guard let bytes = pictures.withLock({ $0[request.path] }) else { return .init(404) }
      let tag = "\"\(ContentHash.of(bytes))\""
      return request.fields["if-none-match"] == tag
        ? .init(304) : .init(200, ["ETag": tag], body: bytes)
    }
  }

  private let shelf = Shelf()
  private let server: OriginServer
  private let shop: DrawnShop

  init() throws {
    server = OriginServer { [shelf] in shelf.answer(to: $0) }
    shop = try DrawnShop()
    shelf.put(1, at: "a")
    shelf.put(2, at: "b")
  }

  private func url(_ name: String) -> String { "http://127.0.0.1:\(server.port)/\(name)" }

  private func row(_ id: String, _ picture: String) -> String {
    #"{"type":"product","id":"\#(id)","title":"T","images":["\#(url(picture))"]}"#
  }

  private var rows: [String] { [row("a", "a"), row("b", "b")] }

  private func fetching(
    day: Int? = nil, _ change: (inout IndexOptions) -> Void = { _ in }
  ) throws -> IndexOptions {
    var options = IndexOptions()
    var policy = FetchPolicy([try #require(HostPattern("127.0.0.1:\(server.port)"))])
    policy.allowsEveryAddress = true
    policy.day = day
    options.fetching = policy
    change(&options)
    return options
  }

  private func keptCount() throws -> Int {
    let connection = try CatalogueConnection(
      path: shop.index + "/" + FetchedPictures.fileName, mode: .read)
    return try #require(
      try connection.first("SELECT count(*) FROM pictures") { $0.onlyInteger })
  }

  @Test func `pictures of a server are found, shown, and left alone while they are the same`()
    async throws
  {
    let (first, refused) = try await shop.run(rows, fetching())
    #expect(refused.isEmpty && first.fetchedImages == 2 && first.signedImages == 2)
    let asked = try decoded("b")
    let catalogue = try Catalogue(directory: shop.index)
    let values = try await Matcher(unhurried: catalogue)
      .values(
        for: SemanticContent(labels: [], pixelBuffer: asked), options: MatchOptions(timeout: nil))
    #expect(values.matches.first?.value.id.value == "b")
    let thumbnail = try await EntityThumbnails(catalogue: catalogue)
      .jpeg(of: EntityID(type: .product, value: "b"), size: .small)
    #expect(try ImageDecoder().decode(try #require(thumbnail)).width == 96)

    let exported = try await shop.exported()
    let (second, _) = try await shop.run(rows, fetching())
    #expect(second.fetchedImages == 0 && second.unchangedImages == 2 && second.changed == 0)
    let (offline, none) = try await shop.run(rows)
    #expect(none.isEmpty && offline.unchangedImages == 2, "without fetching, what is here stays")
    #expect(try await shop.exported() == exported)
    #expect(server.requests.count == 4)
  }

  private func decoded(_ name: String) throws -> PixelBuffer {
    try ImageDecoder().decode(try #require(shelf.pictures.withLock { $0["/" + name] }))
  }

  @Test func `only a picture that has changed is signed again`() async throws {
    try await shop.run(rows, fetching())
    shelf.put(3, at: "a")
    let (progress, _) = try await shop.run(rows, fetching())
    #expect(progress.fetchedImages == 1 && progress.signedImages == 1 && progress.changed == 1)
  }

  @Test func `two entities with one picture ask for it once`() async throws {
    let rows = (0..<20).map { row("variant-\($0)", "a") }
    let (progress, _) = try await shop.run(rows, fetching())
    #expect(progress.signedImages == 1 && progress.sharedImages == 19)
    let count = try Catalogue(directory: shop.index).imageCount
    #expect(progress.fetchedImages == 1 && count == 20)
    try await shop.run(rows, fetching())
    #expect(try keptCount() == 1 && server.requests.count == 2)
  }

  @Test func `pictures of servers are refused by name where none are fetched`() async throws {
    let (progress, refused) = try await shop.run(rows)
    #expect(progress.entities == 2 && refused.map(\.field) == ["images[0]", "images[0]"])
    #expect(refused.allSatisfy { $0.reason.contains("--fetch") } && server.requests.isEmpty)
    // Once they may be fetched, the same rows are no longer passed over.
    let (fetched, none) = try await shop.run(rows, fetching())
    #expect(none.isEmpty && fetched.signedImages == 2)
  }

  @Test func `a picture that the server has no more leaves after three days on which others came`()
    async throws
  {
    try await shop.run(rows, fetching(day: 1))
    shelf.put(nil, at: "a")
    for day in [2, 2, 3] {
      let (night, refused) = try await shop.run(rows, fetching(day: day))
      #expect(night.keptImages == 1 && refused.map(\.id) == ["a"])
      #expect(refused.first?.reason.contains("404") == true)
      #expect(try Catalogue(directory: shop.index).imageCount == 2)
    }
    // A day on which nothing came says nothing about the image.
    shelf.refuse(["b"], with: .init(404))
    #expect(try await shop.run(rows, fetching(day: 4)).0.keptImages == 2)
    shelf.refuse(["b"], with: nil)
    let findings = try await CatalogueDoctor(catalogue: Catalogue(directory: shop.index)).findings()
    let stale = findings.filter { $0.kind == .staleImage }
    #expect(stale.map(\.id) == ["product:a"] || stale.count == 2)
    #expect(stale.first?.detail.contains("1970-01-03") == true, "since when")
    let (last, refused) = try await shop.run(rows, fetching(day: 5))
    #expect(last.keptImages == 0 && last.changed == 1 && refused.map(\.id) == ["a"])
    #expect(try Catalogue(directory: shop.index).imageCount == 1)
    try await shop.run(rows, fetching(day: 6))
    #expect(try Catalogue(directory: shop.index).imageCount == 1, "it does not come back")
    shelf.put(1, at: "a")
    #expect(try await shop.run(rows, fetching(day: 7)).1.isEmpty)
    #expect(try Catalogue(directory: shop.index).imageCount == 2, "until the server has it again")
  }

  @Test func `a server that says three times that it has nothing at all loses nothing`()
    async throws
  {
    try await shop.run(rows, fetching(day: 1))
    shelf.refuse(["a", "b"], with: .init(410))
    for day in 2...6 {
      #expect(try await shop.run(rows, fetching(day: day)).0.keptImages == 2)
    }
    #expect(try Catalogue(directory: shop.index).imageCount == 2)
  }

  @Test(
    arguments: [
      .init(401), .init(403), .init(404), .init(408), .init(410),
      .init(429, ["Retry-After": "3600"]),
      .init(500), .init(503, ["Retry-After": "3600"]), .init(507), .init(520), .init(526),
      .init(530),
      .init(206, body: [0xFF, 0xD8, 0xFF, 0xE0]), .init(204), .init(200), .init(302),
      .init(302, ["Location": "/nowhere"]), .init(302, ["Location": "http://other.example/a"]),
      .init(200, ["Content-Type": "image/jpeg"], body: Array("<html>Back soon</html>".utf8)),
      .init(200, body: Array("GIF89a and no more".utf8)),
      .init(
        200,
        body: Array(
          SyntheticPicture.scene(width: 96, height: 96, seed: 9).jpeg(quality: 90).prefix(700))),
    ] as [OriginServer.Response])
  func `what is not a picture leaves the old one as it is`(answer: OriginServer.Response)
    async throws
  {
    try await shop.run(rows, fetching())
    let exported = try await shop.exported()
    shelf.refuse(["a", "b"], with: answer)
    let (night, refused) = try await shop.run(rows, fetching())
    #expect(night.keptImages == 2 && night.withoutImages == 0 && night.changed == 0, "\(night)")
    #expect(night.unchangedImages == 2 && refused.count == 2)
    #expect(refused.allSatisfy { $0.reason.contains("previous version is kept") }, "\(refused)")
    #expect(try await shop.exported() == exported)
    for name in ["a", "b"] {
      let thumbnail = try await EntityThumbnails(catalogue: Catalogue(directory: shop.index))
        .jpeg(of: EntityID(type: .product, value: name), size: .small)
      #expect(thumbnail != nil)
    }
    // A row that changes in such a night keeps its image, too.
    let renamed = rows.map { $0.replacing(#""title":"T""#, with: #""title":"U""#) }
    #expect(try await shop.run(renamed, fetching()).0.keptImages == 2)
    shelf.refuse(["a", "b"], with: nil)
    let (healthy, none) = try await shop.run(renamed, fetching())
    #expect(none.isEmpty && healthy.keptImages == 0 && healthy.signedImages == 0)
    #expect(
      try await CatalogueDoctor(catalogue: Catalogue(directory: shop.index)).findings()
        .allSatisfy { $0.kind != .staleImage })
  }

  @Test func `on the first night what the server refuses is rejected`() async throws {
    shelf.refuse(["a", "b"], with: .init(403))
    let (night, refused) = try await shop.run(rows, fetching())
    #expect(night.refusedImages == 2 && night.keptImages == 0 && night.withoutImages == 2)
    #expect(refused.allSatisfy { !$0.reason.contains("kept") })
  }

  @Test func `one picture in place of all is not taken`() async throws {
    for seed in 1...6 { shelf.put(UInt64(seed), at: "p\(seed)") }
    let rows = (1...6).map { row("p\($0)", "p\($0)") }
    try await shop.run(rows, fetching(day: 1))
    let exported = try await shop.exported()
    for seed in 1...6 { shelf.put(99, at: "p\(seed)") }
    for day in 2...6 {
      let (night, refused) = try await shop.run(rows, fetching(day: day))
      #expect(night.keptImages == 6 && night.signedImages == 0)
      #expect(refused.first?.reason.contains("one picture for 6 images") == true)
    }
    #expect(try await shop.exported() == exported)
    // Once most others are as they were, those that stay so are what the shop has.
    for seed in 1...4 { shelf.put(UInt64(seed), at: "p\(seed)") }
    let (taken, none) = try await shop.run(rows, fetching(day: 7))
    #expect(none.isEmpty && taken.signedImages + taken.sharedImages == 2)
  }

  @Test func `an image with another address stays until that has one`() async throws {
    try await shop.run(rows, fetching())
    shelf.refuse(["c"], with: .init(403))
    let moved = [row("a", "c"), rows[1]]
    let (night, _) = try await shop.run(moved, fetching())
    #expect(night.keptImages == 1)
    #expect(try Catalogue(directory: shop.index).imageCount == 2)
    shelf.refuse(["c"], with: nil)
    shelf.put(5, at: "c")
    let (next, none) = try await shop.run(moved, fetching())
    #expect(none.isEmpty && next.signedImages == 1)
    #expect(try Catalogue(directory: shop.index).imageCount == 2)
  }

  @Test func `new images come before those that are checked again`() async throws {
    try await shop.run(rows, fetching())
    shelf.put(3, at: "c")
    try await shop.run([rows[0], rows[1], row("c", "c")], fetching())
    #expect(server.requests.dropFirst(2).first?.path == "/c")
    #expect(server.requests.count == 5)
  }

  @Test func `a run whose time is over says what is to come, and the next one goes on`()
    async throws
  {
    try await shop.run([rows[0]], fetching())
    let (none, refused) = try await shop.run(rows, fetching { $0.fetching?.runTime = .zero })
    #expect(none.backlog.images == 1 && none.backlog.checks == 1 && none.keptImages == 0)
    #expect(refused.map(\.kind) == [.unfetchedImage] && none.withoutImages == 1)
    #expect(server.requests.count == 1)
    let (next, nothing) = try await shop.run(
      rows, fetching { $0.fetching?.runTime = .seconds(600) })
    #expect(nothing.isEmpty && next.backlog.images == 0 && next.backlog.checks == 0)
    #expect(try Catalogue(directory: shop.index).imageCount == 2)
  }

  @Test func `a dry run fetches and keeps nothing`() async throws {
    let (progress, _) = try await shop.run(rows, fetching { $0.isDryRun = true })
    #expect(progress.fetchedImages == 2 && !FileStatus.exists(shop.index))
    try await shop.run(rows, fetching())
    shelf.put(3, at: "a")
    let before = try await shop.exported()
    try await shop.run(rows, fetching { $0.isDryRun = true })
    #expect(try await shop.exported() == before)
    let (after, _) = try await shop.run(rows, fetching())
    #expect(after.fetchedImages == 1, "the dry run did not keep the new one")
  }

  @Test func `compaction forgets what neither this state nor the one before names`() async throws {
    try await shop.run(rows, fetching())
    try await shop.run([rows[0]], fetching { $0.prunesMissing = true })
    let upkeep = CatalogueUpkeep(directory: shop.index)
    _ = try await upkeep.compact()
    #expect(try keptCount() == 2, "rolling back wants the other")
    shelf.put(3, at: "a")
    try await shop.run([rows[0]], fetching())
    _ = try await upkeep.compact()
    #expect(try keptCount() == 1)
    #expect(try await upkeep.verify().isEmpty)
  }
}
