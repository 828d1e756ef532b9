import Foundation
import PixelMatch
import Reading
import Synchronization
import TestSupport
import Testing

@testable import ShopIndex
@testable import ShopStore
import VisualQuery

@Suite(.enabled(if: ModelFolder.hasRuntime, "ONNX Runtime is not installed"))
struct TextIndexingTests {
  private let shop: DrawnShop
  private let folder: ModelFolder
  private let models: ReadingModels

  init() throws {
    shop = try DrawnShop()
    folder = try ModelFolder()
    models = try ReadingModels(folder: folder.path)
  }

  /// Draws an image with a line of text.
  private func draw(_ name: String, _ letters: String, degrees: Double = 0) throws {
    let image = try DrawnLine.image(
      letters, width: 640, height: 480, lineHeight: 60, degrees: degrees)
    _ = try shop.folder.write(
      try ImageDecoder().jpeg(of: image, longerSide: 640, quality: 95), to: name)
  }

  private func read() async throws -> CatalogueUpkeep.TextSummary {
    try await CatalogueUpkeep(directory: shop.index).readText(by: models)
  }

  /// The lines of the images of each entity.
  private func texts() throws -> [String: [[String]]] {
    let database = try CatalogueDatabase(reading: shop.index)
    var texts: [String: [[String]]] = [:]
    try database.tables.images.forEach { image throws(CatalogueError) in
      texts[image.entity.value, default: []].append(
        try database.tables.readings.reading(of: .init(image.record))?.lines.map(\.text) ?? ["?"])
    }
    return texts
  }

  @Test func `images are read once, and again if they change`() async throws {
    try draw("p0.jpg", "ABAB")
    try draw("p1.jpg", "BAB")
    try shop.draw("p2.jpg", seed: 1)
    try await shop.run((0..<3).map { DrawnShop.row("p\($0)") })
    let first = try await read()
    #expect(first.read == 3 && first.unavailable == 0)
    #expect(try texts()["p0"] == [["ABAB"]] && texts()["p1"] == [["BAB"]])
    #expect(try Catalogue(directory: shop.index).generation == first.generation)
    #expect(try await read() == CatalogueUpkeep.TextSummary(generation: first.generation))

    // The same image under another name is known.
    _ = try shop.folder.write(
      Array(try Data(contentsOf: URL(fileURLWithPath: shop.folder.path + "/p0.jpg"))), to: "p3.jpg")
    try draw("p1.jpg", "AB")
    try await shop.run((0..<4).map { DrawnShop.row("p\($0)") })
    #expect(try await read().read == 1)
    #expect(try texts()["p3"] == [["ABAB"]] && texts()["p1"] == [["AB"]])
    // The reading of the image that is gone was removed.
    let count = try CatalogueDatabase(reading: shop.index).connection.first(
      "SELECT count(*) FROM readings"
    ) { $0.onlyInteger }
    #expect(count == 3)
    #expect(try await CatalogueUpkeep(directory: shop.index).verify() == [])
  }

  @Test func `other models read all images again`() async throws {
    try draw("p0.jpg", "ABAB")
    try await shop.run([DrawnShop.row("p0")])
    _ = try await read()
    let other = try ModelFolder(recognizer: ONNXModel.recognizer(characters: "X\nY\n"))
    let summary = try await CatalogueUpkeep(directory: shop.index).readText(
      by: try ReadingModels(folder: other.path))
    #expect(summary.read == 1)
    #expect(try texts()["p0"] == [["XYXY"]])
    let text = try await CatalogueUpkeep(directory: shop.index).status().text
    #expect(text?.map(\.images) == [1] && text?.first?.models.count == 2)
  }

  @Test func `images that cannot be read are counted, with the reason`() async throws {
    try draw("p0.jpg", "ABAB")
    try draw("p1.jpg", "AB")
    try draw("p2.jpg", "BA")
    try await shop.run((0..<3).map { DrawnShop.row("p\($0)") })
    try draw("p1.jpg", "BABA")
    try FileManager.default.removeItem(atPath: shop.folder.path + "/p0.jpg")
    let summary = try await read()
    #expect(summary.read == 1 && summary.unavailable == 2)
    #expect(summary.firstReason?.hasPrefix("p0.jpg: there is no such file") == true)
  }

  @Test func `what was read is exported and imported`() async throws {
    try draw("p0.jpg", "ABAB")
    try await shop.run([DrawnShop.row("p0")])
    let before = try await shop.exported()
    _ = try await read()
    let export = try await shop.exported()
    #expect(export != before && export.joined().contains(#""text":"ABAB""#))
    let path = try shop.folder.write(export.joined(separator: "\n"), to: "export.jsonl")
    let copy = CatalogueUpkeep(directory: shop.folder.path + "/copy.vq")
    #expect(try await copy.importing(path: path) == 1)
    let lines = Lines()
    try await copy.export { lines.append($0) }
    #expect(lines.all == export)
    #expect(try await copy.readText(by: models).read == 0)
    // A damaged reading is not taken.
    let damaged = try shop.folder.write(
      export.joined(separator: "\n").replacing(#""certainty""#, with: #""sure""#), to: "d.jsonl")
    let error = await #expect(throws: CatalogueError.self) {
      _ = try await CatalogueUpkeep(directory: shop.folder.path + "/d.vq").importing(path: damaged)
    }
    #expect(error?.code == .unreadableInput)
  }

  @Test func `an interrupted run keeps what it has read`() async throws {
    for id in 0..<8 { try draw("p\(id).jpg", "ABAB", degrees: Double(id)) }
    try await shop.run((0..<8).map { DrawnShop.row("p\($0)") })
    let (index, models) = (shop.index, models)
    let task = Task {
      try await CatalogueUpkeep(directory: index, pool: WorkerPool(width: 1)).readText(by: models) {
        done, _, _ in
        if done == 3 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    let rest = try await read().read
    #expect((1...5).contains(rest))
    #expect(try texts().values.allSatisfy { $0.first?.isEmpty == false && $0 != [["?"]] })
  }

  // Would break if an index of an earlier version could not be opened, or its readers asked for tables that it lacks.
  @Test func `an index without tables of text is read and gets them`() async throws {
    try draw("p0.jpg", "ABAB")
    try await shop.run([DrawnShop.row("p0")])
    let connection = try CatalogueConnection(
      path: shop.index + "/" + CatalogueDatabase.fileName, mode: .write)
    try connection.execute("DROP TABLE readings; DROP TABLE readingModels")
    #expect(try await shop.exported().count == 2)
    #expect(try await CatalogueUpkeep(directory: shop.index).status().text == nil)
    #expect(try await read().read == 1)
  }

  @Test func `a rollback leaves what was read`() async throws {
    try draw("p0.jpg", "ABAB")
    try await shop.run([DrawnShop.row("p0")])
    try await shop.run([DrawnShop.row("p0", #""title":"Second""#)])
    _ = try await read()
    _ = try await CatalogueUpkeep(directory: shop.index).rollBack()
    #expect(try texts()["p0"] == [["ABAB"]])
    #expect(try await read().read == 0)
  }

  /// Signs a feed apart from the index, and writes the lines to a file.
  private func signed(
    _ rows: [String], _ name: String, by models: ReadingModels?
  ) async throws -> String {
    let path = try shop.folder.write(rows.joined(separator: "\n"), to: "\(name).jsonl")
    let lines = Lines()
    _ = try await FeedSigner(models: models).run(
      path: path, places: PicturePlaces(root: shop.folder.path)
    ) { lines.append($0) }
    return try shop.folder.write(lines.all.joined(separator: "\n"), to: name)
  }

  // Would break if text that a cluster has read were read again, or lost on its way into the index.
  @Test func `signing carries what was read into the index`() async throws {
    try draw("p0.jpg", "ABAB")
    try draw("p1.jpg", "BAB")
    let rows = (0..<2).map { DrawnShop.row("p\($0)") }
    let path = try await signed(rows, "a.signed", by: models)
    let again = try await signed(rows, "b.signed", by: models)
    let lines = try String(contentsOfFile: path, encoding: .utf8)
    #expect(try String(contentsOfFile: again, encoding: .utf8) == lines)
    #expect(lines.contains(#""text":"ABAB""#))
    let upkeep = CatalogueUpkeep(directory: shop.index)
    let first = try await upkeep.indexing(signed: [path])
    #expect(try texts() == ["p0": [["ABAB"]], "p1": [["BAB"]]])
    #expect(try await upkeep.indexing(signed: [path]).generation == first.generation)
    #expect(try await upkeep.verify() == [])
    // The index has the folder of the images only if it is told.
    try await shop.run(rows)
    #expect(try await read().read == 0)
  }

  // Would break if an index that was made before there were models had to be signed anew.
  @Test func `lines with text add it to an index that has the signatures`() async throws {
    try draw("p0.jpg", "ABAB")
    let rows = [DrawnShop.row("p0")]
    let upkeep = CatalogueUpkeep(directory: shop.index)
    let first = try await upkeep.indexing(signed: [try await signed(rows, "a", by: nil)])
    #expect(try texts() == ["p0": [["?"]]])
    let second = try await upkeep.indexing(signed: [try await signed(rows, "b", by: models)])
    #expect(second.changed == 0 && second.generation == first.generation + 1)
    #expect(try texts() == ["p0": [["ABAB"]]])
    // Lines without text leave it.
    let third = try await upkeep.indexing(signed: [try await signed(rows, "c", by: nil)])
    #expect(third.generation == second.generation)
    #expect(try texts() == ["p0": [["ABAB"]]])
    #expect(try await upkeep.verify() == [])
  }
}
