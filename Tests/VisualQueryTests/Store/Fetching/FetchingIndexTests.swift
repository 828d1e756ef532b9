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

    func put(_ seed: UInt64?, at name: String) {
      let bytes = seed.map {
        SyntheticPicture.scene(width: 96, height: 96, seed: $0).jpeg(quality: 90)
      }
      pictures.withLock { $0["/" + name] = bytes }
    }

    func answer(to request: OriginServer.Request) -> OriginServer.Response {
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
    _ change: (inout IndexOptions) -> Void = { _ in }
  ) throws -> IndexOptions {
    var options = IndexOptions()
    var policy = FetchPolicy([try #require(HostPattern("127.0.0.1:\(server.port)"))])
    policy.allowsEveryAddress = true
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
    let values = try await Matcher(catalogue: catalogue)
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
    #expect(progress.signedImages == 20 && progress.fetchedImages == 1)
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

  @Test func `a picture that the server has no more goes, or stays where a row is laid over`()
    async throws
  {
    try await shop.run(rows, fetching())
    shelf.put(nil, at: "a")
    let merge = try fetching { $0.onConflict = .merge }
    #expect(try await shop.run(rows, merge).1.isEmpty)
    #expect(try Catalogue(directory: shop.index).imageCount == 2)
    let (_, refused) = try await shop.run(rows, fetching())
    #expect(refused.map(\.id) == ["a"] && refused.first?.reason.contains("404") == true)
    #expect(try Catalogue(directory: shop.index).imageCount == 1)
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
