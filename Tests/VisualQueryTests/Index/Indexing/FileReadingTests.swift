import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopIndex
import VisualQuery

/// Image files that several rows name, and that change unnoticed by their time.
@Suite struct FileReadingTests {
  private func row(_ id: String, _ image: String) -> String {
    #"{"type":"product","id":"\#(id)","title":"T","images":["\#(image)"]}"#
  }

  @Test(arguments: [1, 4])
  func `a file that three hundred rows name is analyzed once`(threads: Int) async throws {
    let shop = try DrawnShop()
    try shop.draw("a.jpg", seed: 1)
    try shop.draw("same.jpg", seed: 1)
    _ = try shop.folder.write("no picture", to: "broken.jpg")
    let names = ["a.jpg", "same.jpg", "broken.jpg"]
    let path = try shop.folder.write(
      (0..<300).map { row("p\($0)", names[$0 % 3]) }.joined(separator: "\n"),
      to: "catalogue.jsonl")
    let indexer = Indexer(
      directory: shop.index, settings: ShopSettings(thumbnailSides: [32]),
      pool: WorkerPool(width: threads))
    let progress = try await indexer.run(path: path)
    #expect(progress.signedImages == 1 && progress.sharedImages == 199)
    #expect(progress.refusedImages == 100 && progress.thumbnails == 200)
    #expect(try Catalogue(directory: shop.index).imageCount == 200)
    let again = try await indexer.run(path: path)
    #expect(again.signedImages == 0 && again.sharedImages == 0 && again.changed == 0)
  }

  /// Would break if a file that is written twice in one tick, or gets its time back, stayed as it was first read.
  @Test func `a file with another content and the same size and time is read again`() async throws {
    let shop = try DrawnShop()
    let first = SyntheticPicture.scene(width: 96, height: 96, seed: 1).jpeg(quality: 90)
    let second = SyntheticPicture.scene(width: 96, height: 96, seed: 2).jpeg(quality: 90)
    let length = max(first.count, second.count)
    func write(_ bytes: [UInt8]) throws {
      // Zeros after the end of an image mean nothing.
      let path = try shop.folder.write(
        bytes + [UInt8](repeating: 0, count: length - bytes.count), to: "a.jpg")
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: path)
    }
    try write(first)
    #expect(try await shop.run([row("a", "a.jpg")]).0.signedImages == 1)
    let (same, _) = try await shop.run([row("a", "a.jpg")])
    #expect(same.unchangedImages == 1 && same.changed == 0)
    try write(second)
    let (changed, _) = try await shop.run([row("a", "a.jpg")])
    #expect(changed.signedImages == 1 && changed.changed == 1)
    try write(first)
    #expect(try await shop.run([row("a", "a.jpg")]).0.signedImages == 1)
  }
}
