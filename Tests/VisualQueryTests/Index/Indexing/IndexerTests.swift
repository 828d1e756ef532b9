@testable import ShopStore
import Foundation
import PixelMatch
import Synchronization
import TestSupport
import Testing
@testable import ShopIndex
import VisualQuery

@Suite struct IndexerTests {
  private func row(_ id: String, images: [String], labels: [String] = ["thing"]) -> String {
    func list(_ texts: [String]) -> String {
      "[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    }
    return
      #"{"type":"product","id":"\#(id)","title":"T","labels":\#(list(labels)),"images":\#(list(images))}"#
  }

  private func run(
    _ directory: String, _ catalogue: String
  ) async throws -> (progress: Indexer.Progress, refused: [RefusedRow]) {
    let refused = RefusedRows()
    let progress = try await Indexer(directory: directory).run(
      path: catalogue, refused: { refused.append($0) })
    return (progress, refused.rows)
  }

  @Test func `an unchanged catalogue makes no new generation and decodes nothing`() async throws {
    let folder = try TemporaryDirectory()
    let first = try await run(folder.path + "/i.vq", SampleShop.catalogue)
    #expect(first.progress.signedImages == 34 && first.progress.generation == 1)
    let second = try await run(folder.path + "/i.vq", SampleShop.catalogue)
    #expect(second.progress.signedImages == 0 && second.progress.unchangedImages == 34)
    #expect(second.progress.generation == 1)
  }

  @Test func `a picture that changed is signed again, and only that one`() async throws {
    let folder = try TemporaryDirectory()
    _ = try folder.copy(SampleShop.image("mug-red.jpg"), to: "a.jpg")
    _ = try folder.copy(SampleShop.image("kettle.jpg"), to: "b.jpg")
    let catalogue = try folder.write(
      row("a", images: ["a.jpg"]) + "\n" + row("b", images: ["b.jpg"]), to: "c.jsonl")
    _ = try await run(folder.path + "/i.vq", catalogue)
    _ = try folder.copy(SampleShop.image("oats.jpg"), to: "a.jpg")
    let again = try await run(folder.path + "/i.vq", catalogue)
    #expect(again.progress.signedImages == 1 && again.progress.unchangedImages == 1)

    let matcher = Matcher(unhurried: try Catalogue(directory: folder.path + "/i.vq"))
    func answer(_ image: String) async throws -> Match? {
      let bytes = try ImageDecoder().contents(ofFile: SampleShop.image(image))
      let picture = try ImageDecoder().decode(bytes, longerSide: Signature.workingSide)
      return try await matcher.values(
        for: SemanticContent(pixelBuffer: picture), options: MatchOptions(timeout: nil)
      ).matches.first
    }
    #expect(try await answer("oats.jpg")?.value.id.value == "a")
    // The picture that was replaced is not found any more.
    #expect(try await answer("mug-red.jpg") == nil)
  }

  /// Would break if the log grew with every generation of a run: that of a million products had 2.8 GB, and each page that
  /// was read was looked up in all of it.
  @Test func `the log of a long run begins anew with each generation`() async throws {
    let folder = try TemporaryDirectory()
    let rows = (0..<5 * 16_384).map { #"{"type":"product","id":"p\#($0)","title":"T"}"# }
    let feed = try folder.write(rows.joined(separator: "\n"), to: "c.jsonl")
    let directory = folder.path + "/i.vq"
    let sizes = Mutex<[Int: Int]>([:])
    let progress = try await Indexer(directory: directory).run(
      path: feed,
      progress: { now in
        sizes.withLock { sizes in
          if sizes[now.generation] == nil {
            sizes[now.generation] = CatalogueFolder.logByteCount(directory)
          }
        }
      })
    let logs = sizes.withLock { $0 }
    #expect(progress.generation >= 5)
    let (first, last) = (try #require(logs[1]), try #require(logs[4]))
    #expect(first > 0 && last < 2 * first, "\(logs)")
  }

  @Test func `new labels keep the signature`() async throws {
    let folder = try TemporaryDirectory()
    _ = try folder.copy(SampleShop.image("mug-red.jpg"), to: "a.jpg")
    _ = try await run(
      folder.path + "/i.vq", try folder.write(row("a", images: ["a.jpg"]), to: "c.jsonl"))
    let again = try await run(
      folder.path + "/i.vq",
      try folder.write(row("a", images: ["a.jpg"], labels: ["cup"]), to: "c.jsonl"))
    #expect(again.progress.signedImages == 0 && again.progress.generation == 2)
    let catalogue = try Catalogue(directory: folder.path + "/i.vq")
    #expect(try catalogue.labelFrequencies(["thing", "cup"]) == ["thing": 0, "cup": 1])
    let live = catalogue.segments(of: .product)
    #expect(live.flatMap { s in (0..<s.segment.count).map(s.isLive) }.count { $0 } == 1)
  }

  @Test func `bad pictures are reported with their line, and the rest goes in`() async throws {
    let folder = try TemporaryDirectory()
    _ = try folder.copy(SampleShop.image("mug-red.jpg"), to: "good.jpg")
    _ = try folder.write("II*\0....", to: "animated.jpg")
    let jpeg = [UInt8](FileManager.default.contents(atPath: SampleShop.image("mug-red.jpg"))!)
    _ = try folder.write(Array(jpeg.prefix(jpeg.count / 2)), to: "half.jpg")
    let catalogue = try folder.write(
      [
        row("a", images: ["none.jpg", "good.jpg"]), row("b", images: ["animated.jpg"]), "{broken",
        row("c", images: ["half.jpg"]), row("d", images: ["https://shop.example/d.jpg"]),
      ].joined(separator: "\n"), to: "c.jsonl")
    let (progress, refused) = try await run(folder.path + "/i.vq", catalogue)
    #expect(refused.map(\.line).sorted() == [1, 2, 3, 4, 5])
    let reasons = Dictionary(uniqueKeysWithValues: refused.map { ($0.line, $0.reason) })
    #expect(reasons[1] == "none.jpg: there is no such file beneath '\(folder.path)'")
    #expect(reasons[2]?.contains("TIFF is not supported") == true)
    #expect(reasons[4]?.contains("rows are there") == true)
    #expect(reasons[5]?.contains("--fetch") == true)
    #expect(progress.entities == 4 && progress.signedImages == 1 && progress.refused == 4)
    // An image that is not fetched is not rejected.
    #expect(progress.unfetchedImages == 1)
    #expect(try Catalogue(directory: folder.path + "/i.vq").entityCount == 4)
  }

  /// Would break if rows went in as their pictures finish.
  @Test(arguments: [1, 2, 8])
  func `the number of threads does not change the segments`(threads: Int) async throws {
    let folder = try TemporaryDirectory()
    let pool = WorkerPool(width: threads)
    _ = try await Indexer(directory: folder.path + "/i.vq", pool: pool).run(
      path: SampleShop.catalogue)
    let bytes = try #require(
      FileManager.default.contents(atPath: folder.path + "/i.vq/product-1.segment"))
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    let first = Self.firstHash.withLock { first -> UInt64 in
      if first == nil { first = hash }
      return first!
    }
    #expect(hash == first)
  }

  private static let firstHash = Mutex<UInt64?>(nil)

  @Test func `a cancelled run keeps what is done and goes on later`() async throws {
    let folder = try TemporaryDirectory()
    let directory = folder.path + "/i.vq"
    let task = Task {
      try await Indexer(directory: directory, pool: WorkerPool(width: 1)).run(
        path: SampleShop.catalogue,
        progress: { progress in
          if progress.entities == 3 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
        })
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    let between = try Catalogue(directory: directory)
    #expect(between.generation == 1 && (3..<32).contains(between.entityCount))
    let rest = try await run(directory, SampleShop.catalogue)
    #expect(rest.progress.unchangedImages == between.imageCount)
    #expect(try Catalogue(directory: directory).imageCount == 34)
  }

  @Test func `a directory that cannot be made is an error`() async throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("x", to: "file")
    let error = await #expect(throws: CatalogueError.self) {
      _ = try await Indexer(directory: file).run(path: SampleShop.catalogue)
    }
    #expect(error?.code == .notACatalogue)
  }
}

/// Refused rows as they come, from any thread.
private final class RefusedRows: Sendable {
  private let all = Mutex<[RefusedRow]>([])
  var rows: [RefusedRow] { all.withLock { $0 } }
  func append(_ row: RefusedRow) { all.withLock { $0.append(row) } }
}
