import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopIndex
@testable import ShopSearch
import VisualQuery

/// Images that are much longer than wide, such as pages of marketplaces with the thing above and text below.
@Suite struct LongImageTests {
  private static let side = 240

  private static func thing(_ seed: Int) -> PixelBuffer {
    SyntheticPicture.scene(width: side, height: side, seed: UInt64(seed))
  }

  /// Lines of words, which are bars.
  private static func paintText(on canvas: inout PictureCanvas, _ seed: Int, x: Int, y: Int) throws
  {
    var generator = SeededGenerator(seed: UInt64(seed))
    for line in 0..<8 {
      var place = x + 12
      while place < x + side - 40 {
        let width = Int.random(in: 8...28, using: &generator)
        let word = try PixelBuffer(
          width: width, height: 8, format: .rgb8, bytes: Array(repeating: 40, count: 3 * 8 * width))
        canvas.paste(word, x: place, y: y + 20 + line * 26)
        place += width + 8
      }
    }
  }

  /// An image of some squares beside or above each other, one of which is a thing, and the others text.
  private static func long(_ seed: Int, thingAt place: Int, of count: Int, isWide: Bool = false)
    throws -> PixelBuffer
  {
    var canvas = PictureCanvas(
      width: isWide ? side * count : side, height: isWide ? side : side * count, gray: 255)
    for number in 0..<count {
      let (x, y) = isWide ? (number * side, 0) : (0, number * side)
      if number == place {
        canvas.paste(thing(seed), x: x, y: y)
      } else {
        try paintText(on: &canvas, 100 * seed + number, x: x, y: y)
      }
    }
    return try canvas.picture
  }

  /// A shop with a long image of each of six things.
  private static func shop(
    thingAt place: Int, of count: Int, isWide: Bool = false
  ) async throws -> TemporaryDirectory {
    let folder = try TemporaryDirectory()
    for seed in 1...6 {
      let image = try long(seed, thingAt: place, of: count, isWide: isWide)
      _ = try folder.write(image.jpeg(quality: 90), to: "\(seed).jpg")
    }
    _ = try await index(folder, title: "Thing")
    return folder
  }

  private static func index(
    _ folder: TemporaryDirectory, title: String
  ) async throws -> Indexer.Progress {
    let rows = (1...6).map {
      #"{"type":"product","id":"p\#($0)","title":"\#(title) \#($0)","images":["\#($0).jpg"]}"#
    }
    let feed = try folder.write(rows.joined(separator: "\n"), to: "feed.jsonl")
    return try await Indexer(directory: folder.path + "/shop.vq")
      .run(path: feed, imagesRoot: folder.path)
  }

  private static func matches(
    _ image: PixelBuffer, in folder: TemporaryDirectory
  ) async throws -> [Match] {
    try await Matcher(catalogue: Catalogue(directory: folder.path + "/shop.vq"))
      .values(for: SemanticContent(pixelBuffer: image), options: MatchOptions(timeout: nil)).matches
  }

  /// Would break if what a shop shows on a page with text could not be found, as it is too small there once the page is reduced.
  @Test(arguments: [(0, 5, false), (2, 5, false), (7, 8, false), (0, 12, false), (3, 5, true)])
  func `the thing on a long image is found`(place: Int, count: Int, isWide: Bool) async throws {
    let folder = try await Self.shop(thingAt: place, of: count, isWide: isWide)
    for seed in [1, 4] {
      let found = try await Self.matches(Self.thing(seed), in: folder)
      #expect(found.map(\.value.id.value) == ["p\(seed)"])
      #expect(found.first?.matchedImage == "\(seed).jpg")
      #expect(found.first?.matchedImagePosition == 0)
    }
    let absent = try await Self.matches(Self.thing(50), in: folder)
    #expect(absent.isEmpty)
    let whole = try await Self.matches(
      Self.long(2, thingAt: place, of: count, isWide: isWide), in: folder)
    #expect(whole.first?.value.id.value == "p2")
  }

  /// Would break if the squares were lost when the row changes but not the file, or counted as images of the entity.
  @Test func `squares stay with an image that stays`() async throws {
    let folder = try await Self.shop(thingAt: 1, of: 6)
    let unchanged = try await Self.index(folder, title: "Thing")
    #expect(unchanged.unchangedImages == 6 && unchanged.signedImages == 0)
    let changed = try await Self.index(folder, title: "Another")
    #expect(changed.changed == 6 && changed.unchangedImages == 6 && changed.signedImages == 0)
    let found = try await Self.matches(Self.thing(3), in: folder)
    #expect(found.map(\.value.id.value) == ["p3"])
    // A new file has squares of its own.
    let image = try Self.long(20, thingAt: 3, of: 6)
    _ = try folder.write(image.jpeg(quality: 90), to: "3.jpg")
    let replaced = try await Self.index(folder, title: "Another")
    #expect(replaced.changed == 1 && replaced.signedImages == 1 && replaced.unchangedImages == 5)
    #expect(try await Self.matches(Self.thing(3), in: folder).isEmpty)
    #expect(try await Self.matches(Self.thing(20), in: folder).map(\.value.id.value) == ["p3"])
  }

  @Test func `the doctor names long images, and no squares of them`() async throws {
    let folder = try await Self.shop(thingAt: 0, of: 5)
    let findings = try await CatalogueDoctor(
      catalogue: Catalogue(directory: folder.path + "/shop.vq")
    ).findings()
    let long = findings.filter { $0.kind == .longPicture }
    #expect(long.count == 6 && long.allSatisfy { $0.image == 0 })
    #expect(findings.allSatisfy { $0.image ?? 0 == 0 && $0.kind != .indistinguishable })
  }

  @Test(arguments: [
    (1000, 1000, false), (1000, 2500, false), (1000, 2501, true), (2600, 1000, true),
    (95, 1000, false), (1, 100_000, false),
  ])
  func `an image is long beyond 1 to 2.5`(width: Int, height: Int, isLong: Bool) {
    #expect(LongImage.isLong(width: width, height: height) == isLong)
  }

  /// Would break if a very long image had so many squares that it filled the index, or took more memory than an image may.
  @Test func `a very long image has 24 squares at most`() throws {
    let image = SyntheticPicture.scene(width: 100, height: 6000, seed: 3)
    #expect((2...25).contains(LongImage.signatures(of: image).count))
    let encoded = try LongImage.signatures(of: image.jpeg(quality: 80), ImageDecoder())
    #expect((2...25).contains(encoded.count))
    #expect(LongImage.signatures(of: Self.thing(1)).count == 1)
  }
}
