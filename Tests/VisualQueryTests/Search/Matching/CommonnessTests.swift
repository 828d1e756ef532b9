import Foundation
import PixelMatch
import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

/// What many products of a shop share proves none of them.
@Suite struct CommonnessTests {
  /// A product of a drawn shop.
  private struct Item {
    let id: String
    var group: String? = nil
    let images: [String]
  }

  private static func thing(_ seed: Int, side: Int = 300) -> PixelBuffer {
    SyntheticPicture.scene(width: side, height: side, seed: UInt64(seed))
  }

  private static let chart = thing(900)

  /// Images beside each other on white.
  private static func page(_ images: [PixelBuffer]) throws -> PixelBuffer {
    var canvas = PictureCanvas(
      width: 20 + images.reduce(0) { $0 + $1.width + 20 }, height: 340, gray: 255)
    var x = 20
    for image in images {
      canvas.paste(image, x: x, y: 20)
      x += image.width + 20
    }
    return try canvas.picture
  }

  /// A thing in a studio: the same plants and books around it.
  private static func studio(_ thing: PixelBuffer?) throws -> PixelBuffer {
    var canvas = PictureCanvas(SyntheticPicture.scene(width: 480, height: 480, seed: 700))
    if let thing { canvas.paste(thing, x: 150, y: 150) }
    return try canvas.picture
  }

  private static func png(_ image: PixelBuffer) -> [UInt8] {
    let pixels = SyntheticPicture.rgba(image)
    return PNGFile.rgb(
      width: image.width, height: image.height,
      pixels: pixels.indices.filter { $0 % 4 < 3 }.map { pixels[$0] }, isInterlaced: false)
  }

  /// Indexes products into a folder, with images by their names.
  private static func index(
    _ items: [Item], _ images: [String: PixelBuffer], into folder: TemporaryDirectory
  ) async throws {
    for (name, image) in images { _ = try folder.write(png(image), to: name) }
    let rows = items.map { item in
      let images = item.images.map { "\"\($0)\"" }.joined(separator: ",")
      let group = item.group.map { ",\"group\":\"\($0)\"" } ?? ""
      return "{\"type\":\"product\",\"id\":\"\(item.id)\",\"title\":\"\(item.id)\","
        + "\"images\":[\(images)]\(group)}"
    }
    let feed = try folder.write(rows.joined(separator: "\n"), to: "feed.jsonl")
    _ = try await Indexer(directory: folder.path + "/shop.vq")
      .run(path: feed, imagesRoot: folder.path)
  }

  /// The ids of the products that an image surely shows.
  private static func sure(_ image: PixelBuffer, in folder: TemporaryDirectory) async throws
    -> [String]
  {
    try await Matcher(unhurried: Catalogue(directory: folder.path + "/shop.vq"))
      .values(
        for: SemanticContent(pixelBuffer: image),
        options: MatchOptions(types: [.product], timeout: nil)
      ).matches.map(\.value.id.value)
  }

  /// Eight products, each with an image of its own and the chart.
  private static func charted() -> ([Item], [String: PixelBuffer]) {
    let items = (0..<8).map { Item(id: "p\($0)", images: ["p\($0).png", "chart.png"]) }
    var images = ["chart.png": chart]
    for number in 0..<8 { images["p\(number).png"] = thing(number) }
    return (items, images)
  }

  /// Would break if a size chart made each product sure that has it, also on the page of a product that the shop lacks.
  @Test func `a chart that many products have proves none of them`() async throws {
    let folder = try TemporaryDirectory()
    let (items, images) = Self.charted()
    try await Self.index(items, images, into: folder)
    #expect(try await Self.sure(Self.page([Self.thing(50), Self.chart]), in: folder) == [])
    #expect(try await Self.sure(Self.chart, in: folder) == [])
    #expect(try await Self.sure(Self.page([Self.thing(3), Self.chart]), in: folder) == ["p3"])
    #expect(try await Self.sure(Self.thing(3), in: folder) == ["p3"])
  }

  /// Would break if the reason were that its images are not similar: one of them is the query's, as that of many products. They are so many that not
  /// all are candidates.
  @Test func `what many products share is the reason why none is shown`() async throws {
    let folder = try TemporaryDirectory()
    let parts = (0..<60).map { Item(id: "part\($0)", images: ["placeholder.png"]) }
    let real = Item(id: "p1", images: ["p1.png"])
    try await Self.index(
      parts + [real], ["placeholder.png": Self.chart, "p1.png": Self.thing(1)], into: folder)
    let matcher = try Matcher(unhurried: Catalogue(directory: folder.path + "/shop.vq"))
    func reason(_ id: String) async throws -> MissReason? {
      try await matcher.diagnosis(
        of: EntityID(type: .product, value: id), in: SemanticContent(pixelBuffer: Self.chart),
        options: MatchOptions(types: [.product], timeout: nil)
      ).missReason
    }
    for number in [0, 1, 30, 59] { #expect(try await reason("part\(number)") == .shared) }
    #expect(try await reason("p1") != .shared)
  }

  /// Would break if only equal bytes were one image: each product has its chart saved on its own.
  @Test func `a chart that is saved again for each product is one`() async throws {
    let folder = try TemporaryDirectory()
    var (items, images) = Self.charted()
    for number in items.indices {
      images["chart\(number).png"] = Self.chart.reduced(toLongerSide: 300 - 4 * number)
      items[number] = Item(id: "p\(number)", images: ["p\(number).png", "chart\(number).png"])
    }
    try await Self.index(items, images, into: folder)
    #expect(try await Self.sure(Self.page([Self.thing(50), Self.chart]), in: folder) == [])
    #expect(try await Self.sure(Self.page([Self.thing(3), Self.chart]), in: folder) == ["p3"])
  }

  /// Would break if the sizes of one product counted as many products, so that its own image said nothing.
  @Test func `what the variants of one product share is its own`() async throws {
    let folder = try TemporaryDirectory()
    let sizes = (0..<8).map { Item(id: "s\($0)", group: "shirt", images: ["shirt.png"]) }
    let others = (0..<4).map { Item(id: "p\($0)", images: ["p\($0).png"]) }
    var images = ["shirt.png": Self.thing(60)]
    for number in 0..<4 { images["p\(number).png"] = Self.thing(number) }
    try await Self.index(sizes + others, images, into: folder)
    let found = try await Self.sure(Self.page([Self.thing(60), Self.thing(61)]), in: folder)
    #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix("s") }, "\(found)")
  }

  /// Would break if a placeholder were sure for spare parts, or took the place of the one real thing on a page.
  @Test func `a placeholder proves nothing, and hides nothing`() async throws {
    let folder = try TemporaryDirectory()
    let parts = (0..<40).map { Item(id: "part\($0)", images: ["placeholder.png"]) }
    let real = (0..<3).map { Item(id: "p\($0)", images: ["p\($0).png"]) }
    var images = ["placeholder.png": Self.chart]
    for number in 0..<3 { images["p\(number).png"] = Self.thing(number) }
    try await Self.index(parts + real, images, into: folder)
    #expect(try await Self.sure(Self.chart, in: folder) == [])
    let page = try Self.page([Self.chart, Self.thing(1), Self.chart])
    #expect(try await Self.sure(page, in: folder) == ["p1"])
  }

  /// Would break if counts were those of an earlier generation.
  @Test func `the fifth product that has an image makes it common`() async throws {
    let folder = try TemporaryDirectory()
    let (items, images) = Self.charted()
    let page = try Self.page([Self.thing(50), Self.chart])
    try await Self.index(Array(items.prefix(4)), images, into: folder)
    #expect(try await Self.sure(page, in: folder).count == 4)
    try await Self.index(Array(items.prefix(5)), images, into: folder)
    #expect(try await Self.sure(page, in: folder) == [])
  }

  /// Would break if the studio in which a shop takes its photos made its things sure, or hid those that stand in it.
  @Test func `a studio proves nothing, and the thing in it does`() async throws {
    let folder = try TemporaryDirectory()
    let items = (0..<8).map { Item(id: "p\($0)", images: ["p\($0).png"]) }
    var images: [String: PixelBuffer] = [:]
    for number in 0..<8 {
      images["p\(number).png"] = try Self.studio(Self.thing(number, side: 180))
    }
    try await Self.index(items, images, into: folder)
    #expect(try await Self.sure(Self.studio(nil), in: folder) == [])
    #expect(try await Self.sure(Self.studio(Self.thing(50, side: 180)), in: folder) == [])
    let present = try Self.page([Self.studio(Self.thing(3, side: 180)).reduced(toLongerSide: 300)])
    #expect(try await Self.sure(present, in: folder) == ["p3"])
  }

  /// Would break if the shop's logo made a thing sure that only has the logo in common with those of the shop.
  @Test func `a logo proves none of the things that have it`() async throws {
    func labelled(_ thing: PixelBuffer) throws -> PixelBuffer {
      var canvas = PictureCanvas(thing)
      canvas.paste(Self.thing(800, side: 110), x: 95, y: 95)
      return try canvas.picture
    }
    let folder = try TemporaryDirectory()
    let items = (0..<8).map { Item(id: "p\($0)", images: ["p\($0).png"]) }
    var images: [String: PixelBuffer] = [:]
    for number in 0..<8 { images["p\(number).png"] = try labelled(Self.thing(number)) }
    try await Self.index(items, images, into: folder)
    #expect(try await Self.sure(labelled(Self.thing(50)), in: folder) == [])
    let present = try Self.page([labelled(Self.thing(3)), Self.thing(51)])
    #expect(try await Self.sure(present, in: folder) == ["p3"])
  }

  @Test func `evidence without what is shared is less`() {
    var claim = ImageClaim(ImageBox(x: 0, y: 0, width: 1, height: 0.5))
    var evidence = MeasuredEvidence(
      hash: 0.9, color: 0.8, texture: 0.7, votes: 900, inliers: 60, agreement: 0.6, residual: 0.01,
      patches: PatchAgreement(visible: 100, agreeing: 90), claim: claim)
    let all = evidence
    let upper = ImageClaim(ImageBox(x: 0, y: 0, width: 1, height: 0.25))
    evidence.keep(Commonness.Own(share: 0.5, claim: upper, hash: 0.8))
    // A twentieth of the shared half may be missed by chance.
    #expect(evidence.inliers == 29 && evidence.votes < all.votes / 2)
    #expect(abs(evidence.hash - 0.5) < 1e-9 && evidence.color == all.color)
    #expect(evidence.patches == PatchAgreement(visible: 19, agreeing: 17))
    claim = claim.subtracting(upper)
    #expect(evidence.claim == claim && evidence.claim.count == 64)
    evidence.keep(.nothing)
    #expect(evidence.inliers == 0 && evidence.hash == 0 && evidence.votes == 0)
  }

  @Test func `cells are shared that enough claims have`() {
    let left = ImageClaim(ImageBox(x: 0, y: 0, width: 0.5, height: 1))
    let top = ImageClaim(ImageBox(x: 0, y: 0, width: 1, height: 0.5))
    let shared = ImageClaim.shared(by: 2, of: [left, top, ImageClaim()])
    #expect(shared == ImageClaim(ImageBox(x: 0, y: 0, width: 0.5, height: 0.5)))
    #expect(shared.contains(x: 0.2, y: 0.2) && !shared.contains(x: 0.2, y: 0.8))
    #expect(ImageClaim.shared(by: 3, of: [left, top]).count == 0)
    #expect(left.union(top).count == 192 && left.subtracting(top).count == 64)
  }
}
