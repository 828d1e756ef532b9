@testable import ShopFeeds
@testable import ShopIndex
@testable import ShopScale
@testable import ShopStore
import Foundation
import PixelMatch
import Synchronization
import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

/// Engine mode without PostgreSQL: the posting lists and signatures of an index in parts, which stand for
/// shards. Tests/System/postgres has the same with real servers.
@Suite struct StoredCandidateTests {
  /// The parts of an index.
  private final class Parts: CandidateStore {
    private let segments: [String: SignatureSegment]
    private let count: Int
    private let damaged: [Int: DamagedRows]
    /// The parts that fail at the question of a number, from 1.
    private let failing: @Sendable (Int) -> [Int: CatalogueError]
    let limits = Mutex<[Duration?]>([])

    init(
      _ catalogue: Catalogue, count: Int, damaged: [Int: DamagedRows] = [:],
      failing: @escaping @Sendable (Int) -> [Int: CatalogueError] = { _ in [:] }
    ) {
      (segments, self.count, self.damaged) = (catalogue.files, count, damaged)
      self.failing = failing
    }

    private func answering(_ limit: Duration?) -> (parts: [Int], outcome: StoreOutcome) {
      let failing = failing(
        limits.withLock {
          $0.append(limit); return $0.count
        })
      return (
        (0..<count).filter { failing[$0] == nil },
        StoreOutcome(partCount: count, missing: failing, damaged: damaged)
      )
    }

    func lists(
      _ words: [String: WordQuestion], within limit: Duration?
    ) async throws -> StoredLists {
      let (parts, outcome) = answering(limit)
      var found = StoredLists(outcome: outcome)
      for (name, question) in words {
        guard let segment = segments[name] else { continue }
        let wanted = Set(question.words)
        var lists: [(word: UInt32, bytes: [UInt8])] = []
        for part in parts {
          found.rowCounts[name, default: 0] += (0..<segment.count).count { $0 % count == part }
          segment.forEachList(ofRows: { $0 % count == part }) { word, bytes in
            if wanted.contains(word) { lists.append((word, bytes)) }
          }
        }
        found.lists[name] = PostingLists(lists)
      }
      return found
    }

    func signatures(
      _ rows: [String: [Int]], within limit: Duration?
    ) async throws -> StoredSignatures {
      let (parts, outcome) = answering(limit)
      var found = StoredSignatures(outcome: outcome)
      for (name, rows) in rows {
        for row in rows where parts.contains(row % count) {
          found.signatures[name, default: [:]][row] = segments[name]?.signature(at: row)
        }
      }
      return found
    }

    let hasVectors: Bool? = false

    func nearest(
      to embedding: ImageEmbedding, in rowCounts: [String: Int], count: Int,
      within limit: Duration?
    ) async throws -> StoredNeighbors? { nil }
  }

  /// An index, and a cache of engine mode: a copy of it without signatures.
  private struct Shop {
    let folder: TemporaryDirectory
    let index: Catalogue
    var cache: String { folder.path + "/cache.vq" }

    init() async throws {
      folder = try await CatalogueTests.sampleCatalogue()
      index = try Catalogue(directory: folder.path + "/shop.vq")
      _ = try folder.copy(folder.path + "/shop.vq", to: "cache.vq")
      let prefix = SegmentList.Record.headPrefix
      let database = try CatalogueDatabase(writing: cache)
      try database.tables.replica.set(origin: "postgres:///shop?mode=engine")
      try SegmentFiles.heads.note(in: database.tables.settings)
      try database.connection.execute("UPDATE segments SET file = '\(prefix)' || file")
      for file in index.files.keys {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: cache + "/" + file)))
        let header = Array(bytes.prefix(SegmentHead.headerByteCount))
        var head = [UInt8](repeating: 0, count: bytes.count)
        for range in [0..<header.count] + (SegmentHead.ranges(header: header) ?? []) {
          head.replaceSubrange(range, with: bytes[range])
        }
        try Data(head).write(to: URL(fileURLWithPath: cache + "/" + prefix + file))
        try FileManager.default.removeItem(atPath: cache + "/" + file)
      }
    }

    func matcher(_ parts: Int, failing: [Int: CatalogueError] = [:]) throws -> Matcher {
      try matcher(Parts(index, count: parts) { _ in failing })
    }

    func matcher(_ store: any CandidateStore) throws -> Matcher {
      Matcher(unhurried: try Catalogue(directory: cache, readers: 2, store: store))
    }
  }

  private func content(_ name: String) throws -> SemanticContent {
    let path = name.hasPrefix("q") ? SampleShop.query(name) : SampleShop.image(name)
    let bytes = try ImageDecoder().contents(ofFile: path)
    return SemanticContent(
      pixelBuffer: try ImageDecoder().decode(bytes, longerSide: QuerySignature.workingSide))
  }

  private let options = MatchOptions(limit: 50, minimumConfidence: 0, timeout: nil)

  /// Would break if an answer depended on the number of shards, or if a signature that was fetched were
  /// compared otherwise than one on disk.
  @Test(arguments: ["q04-tote.jpg", "q06-oats.jpg", "q08-lantern.jpg", "mug-red-2.jpg"])
  func `answers do not depend on where candidates come from`(query: String) async throws {
    let shop = try await Shop()
    let content = try content(query)
    let one = try await shop.matcher(1).values(for: content, options: options)
    let three = try await shop.matcher(3).values(for: content, options: options)
    let embedded = try await Matcher(unhurried: shop.index).values(for: content, options: options)
    #expect(one == three)
    #expect(one.isComplete && one.diagnostics.missingShards.isEmpty)
    let (first, expected) = try (#require(one.matches.first), #require(embedded.matches.first))
    #expect(first.value == expected.value && first.alignment == expected.alignment)
    #expect(first.confidence == expected.confidence && first.tier == expected.tier)
    #expect(first.matchedImage == expected.matchedImage)
  }

  /// Would break if an answer did not say why vectors were not compared, or were not complete without them.
  @Test func `parts without an index of vectors are named`() async throws {
    let shop = try await Shop()
    var content = try content("q01-mug.jpg")
    content.embedding = try ImageEmbedding(model: "m", vector: [1, 2, 3])
    let answer = try await shop.matcher(2).values(for: content, options: options)
    #expect(answer.isEmbeddingCompared == false && answer.isComplete)
    #expect(answer.diagnostics.lacksVectorIndex)
  }

  /// Would break if a shard that is down were passed over without a word.
  @Test(arguments: [CatalogueError.Code.unreachable, .timedOut])
  func `a missing part is named`(code: CatalogueError.Code) async throws {
    let shop = try await Shop()
    let failing = [1: CatalogueError(code: code, message: "down")]
    let answer = try await shop.matcher(3, failing: failing).values(
      for: content("q01-mug.jpg"), options: options)
    #expect(answer.diagnostics.missingShards == failing)
    #expect(!answer.isComplete && answer.coverage > 0.3 && answer.coverage < 1)
    let coverage = try #require(answer.imageCoverage)
    #expect(coverage.searched > 0 && coverage.searched < coverage.total)
    let document = try JSONEncoder().encode(
      MatchDocument(answer, query: "q", elapsed: .zero, projection: nil))
    #expect(String(decoding: document, as: UTF8.self).contains("\"missingShards\":[1]"))
  }

  /// Would break if damaged rows were left out and the answer looked like a complete one.
  @Test func `damaged rows are counted`() async throws {
    let shop = try await Shop()
    let rows = DamagedRows("the list of word 5 is damaged")
    let answer = try await shop.matcher(Parts(shop.index, count: 2, damaged: [1: rows])).values(
      for: content("q01-mug.jpg"), options: options)
    #expect(!answer.isComplete && answer.coverage < 1 && answer.diagnostics.missingShards.isEmpty)
    // The damaged row is counted twice: with the posting lists and with the signatures.
    #expect(
      answer.diagnostics.damagedRows[1]?.count == 2
        && answer.diagnostics.damagedRows[1]?.example == rows.example)
    #expect(!answer.matches.isEmpty)
    let document = try JSONEncoder().encode(
      MatchDocument(answer, query: "q", elapsed: .zero, projection: nil))
    #expect(String(decoding: document, as: UTF8.self).contains("\"damagedRows\":2"))
  }

  /// Would break if shards that are lost while parts of an image are searched took the answer of the
  /// whole image with them.
  @Test(arguments: [CatalogueError.Code.unreachable, .timedOut])
  func `parts of an image that reach no shard leave the answer of the whole`(
    code: CatalogueError.Code
  ) async throws {
    let shop = try await Shop()
    let down = CatalogueError(code: code, message: "down")
    // The first two questions to the shards are those of the whole image. All later ones fail.
    let store = Parts(shop.index, count: 2) { $0 > 2 ? [0: down, 1: down] : [:] }
    // The page shows more things than can be sure by the whole image.
    let things = RegionTests.things + ["tote-rust", "oats", "bottle-sage"]
    let content = SemanticContent(pixelBuffer: try PictureCanvas.page(things))
    let answer = try await shop.matcher(store).values(for: content, options: options)
    #expect(store.limits.withLock { $0.count } > 2, "no part was searched")
    #expect(answer.diagnostics.missingShards == [0: down, 1: down])
    #expect(!answer.isComplete && answer.coverage < 1)
    #expect(!answer.matches.isEmpty && answer.regions.isEmpty)
  }

  /// Would break if an unreachable database looked like an empty answer.
  @Test func `if nothing can be reached, the query fails`() async throws {
    let shop = try await Shop()
    let down = CatalogueError(code: .unreachable, message: "down")
    await #expect(throws: down) {
      _ = try await shop.matcher(2, failing: [0: down, 1: down])
        .values(for: content("q01-mug.jpg"), options: options)
    }
  }

  /// Would break if a filter were not applied before the best candidates are chosen.
  @Test func `filters choose among all candidates`() async throws {
    let shop = try await Shop()
    var options = options
    options.filters[.product] = EntityFilter(labels: ["lamp"], comparators: [])
    let answer = try await shop.matcher(3).values(
      for: content("q02-lamp.jpg"), options: options)
    let products = answer.matches.filter { $0.value.id.type == .product }.map(\.value.id.value)
    #expect(products.first == "lamp-teal")
    #expect(Set(products).isSuperset(of: ["lamp-mustard", "lamp-black"]))
    #expect(Set(products).isSubset(of: ["lamp-teal", "lamp-mustard", "lamp-black", "lantern"]))
  }

  /// Would break if a slow shard took all of the time, and nothing of the others were compared.
  @Test func `a part has at most half of the time`() async throws {
    let shop = try await Shop()
    let store = Parts(shop.index, count: 1)
    var options = options
    options.timeout = .seconds(3600)
    _ = try await shop.matcher(store).values(for: content("q01-mug.jpg"), options: options)
    let limits = store.limits.withLock { $0.compactMap { $0 } }
    #expect(!limits.isEmpty && limits.allSatisfy { $0 <= .seconds(1800) && $0 > .zero })
  }

  /// Would break if zeros were taken for signatures, or a writer merged them into a generation.
  @Test func `a cache without signatures is opened with its store only`() async throws {
    let shop = try await Shop()
    func error(_ body: () throws -> Void) -> CatalogueError? {
      #expect(throws: CatalogueError.self, performing: body)
    }
    let without = error { _ = try Catalogue(directory: shop.cache) }
    #expect(without?.message.contains("without mode=engine") == true)
    let whole = error {
      _ = try Catalogue(
        directory: shop.index.directory, readers: 1, store: Parts(shop.index, count: 1))
    }
    #expect(whole?.message.contains("--cache") == true)
    let current = error { _ = try CurrentCatalogue(directory: shop.cache) }
    #expect(current == without)
  }
}
