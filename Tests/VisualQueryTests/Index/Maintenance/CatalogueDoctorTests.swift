@testable import ShopStore
@testable import PixelMatch
import TestSupport
import Testing

@testable import ShopIndex
import VisualQuery

/// The doctor's findings in a catalogue.
@Suite struct CatalogueDoctorTests {
  @Test func `the doctor names what is hard to find and to show`() async throws {
    let shop = try DrawnShop()
    try shop.draw("good.jpg", seed: 1, side: 300)
    try shop.draw("twin.jpg", seed: 1, side: 300)
    try shop.draw("small.jpg", seed: 2, side: 60)
    let gray = try PixelBuffer(
      width: 300, height: 300, format: .gray8, bytes: [UInt8](repeating: 200, count: 90_000))
    _ = try shop.folder.write(gray.jpeg(), to: "flat.jpg")
    let long = String(repeating: "long ", count: 20)
    let url = #""url":"https://a.example/p""#
    try await shop.run([
      DrawnShop.row("good", #""title":"G",\#(url)"#),
      DrawnShop.row("twin", #""title":"T",\#(url)"#),
      DrawnShop.row("small", #""title":"S","lables":["s"],\#(url)"#),
      DrawnShop.row("flat", #""title":"F",\#(url)"#),
      #"{"type":"product","id":"bare","title":"\#(long)","subtitle":"\#(long)","price":{"amount":"1","currency":"ZZZ"}}"#,
      #"{"type":"store","id":"place","title":"P","stock":["good","none"],\#(url)}"#,
    ])
    let findings = try await CatalogueDoctor(
      catalogue: try Catalogue(directory: shop.index)
    ).findings()
    #expect(
      findings.map { "\($0.id) \($0.kind.rawValue)" } == [
        "product:bare longText", "product:bare noLink", "product:bare noPicture",
        "product:bare unknownCurrency", "product:flat flatPicture",
        "product:good indistinguishable", "product:small misspeltField",
        "product:small smallPicture", "store:place noPicture", "store:place noPlace",
        "store:place unknownStock",
      ])
    let sample = try await CatalogueTests.sampleCatalogue()
    let healthy = CatalogueDoctor(catalogue: try Catalogue(directory: sample.path + "/shop.vq"))
    #expect(try await healthy.findings() == [])
  }

  /// Would break if a placeholder were told as pairs, variants as strangers, or small images and titles without words not at all.
  @Test func `the doctor names what hurts search`() async throws {
    let shop = try DrawnShop()
    for id in ["a", "b", "c", "d", "e"] { try shop.draw("\(id).jpg", seed: 1, side: 300) }
    for id in ["s", "t"] { try shop.draw("\(id).jpg", seed: 2, side: 299) }
    for id in ["u", "v"] { try shop.draw("\(id).jpg", seed: 3, side: 300) }
    let url = #""url":"https://a.example/p""#
    try await shop.run(
      ["a", "b", "c", "d", "e"].map { DrawnShop.row($0, #""title":"Title \#($0)",\#(url)"#) }
        + ["s", "t"].map { DrawnShop.row($0, #""title":"T","group":"g",\#(url)"#) }
        + [
          DrawnShop.row("u", #""title":"U",\#(url)"#),
          DrawnShop.row("v", #""title":"4711 / 12",\#(url)"#),
        ])
    let findings = try await CatalogueDoctor(catalogue: try Catalogue(directory: shop.index))
      .findings()
    #expect(
      findings.map { "\($0.id) \($0.kind.rawValue)" } == [
        "product:a placeholder", "product:b placeholder", "product:c placeholder",
        "product:d placeholder", "product:e placeholder", "product:s lowResolution",
        "product:s sameSiblings", "product:t lowResolution", "product:u indistinguishable",
        "product:v wordlessTitle",
      ])
  }

  /// Would break if a size chart were told as the only image of a product, which can do without it.
  @Test func `an image that many products have beside their own is not their placeholder`()
    async throws
  {
    let shop = try DrawnShop()
    try shop.draw("chart.jpg", seed: 90, side: 320)
    for number in 0..<5 { try shop.draw("\(number).jpg", seed: UInt64(number), side: 320) }
    try await shop.run(
      (0..<5).map {
        #"{"type":"product","id":"p\#($0)","title":"T\#($0)","images":["\#($0).jpg","chart.jpg"]}"#
      })
    let found = try await Self.findings(shop, [.placeholder])
    #expect(found.count == 5 && found.allSatisfy { $0.cure.contains("size charts") })
  }

  private static let url = #""url":"https://a.example/p""#

  private static func findings(
    _ shop: DrawnShop, _ kinds: Set<CatalogueDoctor.Finding.Kind>
  ) async throws -> [CatalogueDoctor.Finding] {
    try await CatalogueDoctor(catalogue: try Catalogue(directory: shop.index)).findings().filter {
      kinds.contains($0.kind)
    }
  }

  /// Draws a scene with a watermark in its upper right corner.
  private static func marked(_ seed: UInt64, isMarked: Bool) throws -> [UInt8] {
    let side = 320
    let scene = SyntheticPicture.scene(width: side, height: side, seed: seed)
    var bytes = try ImageDecoder().decode(scene.jpeg(quality: 95)).packedRGBA
    if isMarked {
      var generator = SeededGenerator(seed: 99)
      let blocks = (0..<60).map { _ in Bool.random(using: &generator) }
      for y in 0..<60 {
        for x in 0..<100 {
          let place = 4 * ((y + 10) * side + x + 210)
          let color: [UInt8] = blocks[y / 10 * 10 + x / 10] ? [20, 20, 60] : [240, 240, 250]
          bytes.replaceSubrange(place..<place + 3, with: color)
        }
      }
    }
    return try PixelBuffer(width: side, height: side, format: .rgba8, bytes: bytes).jpeg(
      quality: 90)
  }

  /// Would break if the watermark of a supplier were not found, or products without it were told to have it.
  @Test func `marks that many products have at one place are found`() async throws {
    let shop = try DrawnShop()
    for number in 0..<24 {
      _ = try shop.folder.write(
        Self.marked(UInt64(number + 1), isMarked: number % 2 == 0), to: "\(10 + number).jpg")
    }
    try await shop.run((0..<24).map { DrawnShop.row("\(10 + $0)", #""title":"T","# + Self.url) })
    let found = try await Self.findings(shop, [.repeatedMark])
    #expect(found.map(\.id) == stride(from: 10, to: 34, by: 2).map { "product:\($0)" })
    #expect(found.allSatisfy { $0.detail.contains("top right as 11 others") && $0.image == 0 })
    // Fewer products than a supplier has.
    try await shop.run(
      (0..<12).map { DrawnShop.row("\(10 + $0)", #""title":"T","# + Self.url) },
      IndexOptions(prunesMissing: true, removalLimit: 100))
    #expect(try await Self.findings(shop, [.repeatedMark]).isEmpty)
  }

  /// Would break if a variant in a wrong group were not found, or the variants of right groups were said to be wrong.
  @Test func `wrong groups are found`() async throws {
    func shop(_ groups: [String: String]) async throws -> [CatalogueDoctor.Finding] {
      let shop = try DrawnShop()
      for name in groups.keys {
        _ = try shop.folder.copy(SampleShop.image("\(name).jpg"), to: "\(name).jpg")
      }
      try await shop.run(
        groups.sorted { $0.key < $1.key }.map { name, group in
          DrawnShop.row(name, #""title":"T","group":"\#(group)","# + Self.url)
        })
      return try await Self.findings(shop, [.oddVariant, .sameDesign])
    }
    var groups: [String: String] = [:]
    for (group, colors) in [
      "mug": ["red", "blue", "green", "cream"], "lamp": ["mustard", "teal", "black"],
      "sneaker": ["red", "navy", "sage"], "bottle": ["blue", "orange", "sage"],
    ] {
      for color in colors { groups["\(group)-\(color)"] = group }
    }
    #expect(try await shop(groups).isEmpty)
    groups["sneaker-red"] = "bottle"
    let wrong = try await shop(groups)
    #expect(wrong.map(\.id) == ["product:sneaker-red"] && wrong.first?.kind == .oddVariant)
    #expect(wrong.first?.twin?.hasPrefix("product:sneaker-") == true)
    groups["sneaker-red"] = "sneaker"
    groups["lamp-teal"] = "lamp 2"
    let twins = try await shop(groups)
    #expect(twins.map(\.kind) == [.sameDesign])
    #expect(
      Set(twins.flatMap { [$0.id, $0.twin ?? ""] }.map { $0.prefix(13) }) == ["product:lamp-"])
  }

  /// Would break if images of text or of several images were not found, or the second image of an entity were taken for the first.
  @Test func `images that show no thing are found`() async throws {
    let shop = try DrawnShop()
    for seed in 1...4 { try shop.draw("s\(seed).jpg", seed: UInt64(seed), side: 160) }
    let tiles = try (1...4).map { seed in
      try ImageDecoder().decode(
        SyntheticPicture.scene(width: 160, height: 160, seed: UInt64(seed)).jpeg(quality: 95)
      ).packedRGBA
    }
    var (collage, text) = ([UInt8](), [UInt8]())
    for y in 0..<330 {
      for x in 0..<330 {
        let isGap = (160..<170).contains(x) || (160..<170).contains(y)
        let start = 4 * (y % 170 * 160 + x % 170)
        collage += isGap ? [255, 255, 255] : tiles[x / 170 + y / 170 * 2][start..<start + 3]
        let isLetter = x % 24 < 12 && y % 40 < 20 && (x % 24 < 4 || y % 40 < 4) && y < 120
        text += isLetter ? [10, 10, 10] : [250, 250, 250]
      }
    }
    for (name, bytes) in [("collage", collage), ("text", text)] {
      let picture = try PixelBuffer(width: 330, height: 330, format: .rgb8, bytes: bytes)
      _ = try shop.folder.write(picture.jpeg(quality: 90), to: "\(name).jpg")
    }
    try await shop.run([
      #"{"type":"product","id":"a","title":"A","images":["s1.jpg","collage.jpg"],\#(Self.url)}"#,
      #"{"type":"product","id":"b","title":"B","images":["text.jpg"],\#(Self.url)}"#,
      DrawnShop.row("s2", #""title":"C","# + Self.url),
    ])
    let found = try await Self.findings(shop, [.collage, .textPicture])
    #expect(
      found.map { "\($0.id) \($0.kind.rawValue)" } == [
        "product:a collage", "product:b textPicture",
      ])
    #expect(found.map(\.image) == [1, 0])
    let none = CatalogueDoctor(catalogue: try Catalogue(directory: shop.index), pictureLimit: 0)
    #expect(try await none.findings().allSatisfy { $0.kind != .collage && $0.kind != .textPicture })
  }

  /// Would break if a link that leads nowhere were not found, one that is refused or not allowed were called broken, a host that is
  /// down were asked on and on, or the limit were not kept.
  @Test func `links are checked within their limits`() async throws {
    let server = OriginServer { request in
      switch request.path {
      case "/gone": .init(404)
      case "/away": .init(410)
      case "/login": .init(403)
      case "/moved": .init(301, ["Location": "/gone"])
      case "/far": .init(301, ["Location": "http://localhost:1/"])
      case "/part": .init(206, body: [1])
      default: .init(200, body: [UInt8](repeating: 32, count: 5_000))
      }
    }
    let folder = try TemporaryDirectory()
    let base = "http://127.0.0.1:\(server.port)"
    let links = ["ok", "gone", "away", "login", "moved", "far", "part"].map { "\(base)/\($0)" }
    let down = (1...5).map { "http://127.0.0.1:1/\($0)" }
    let rows = (links + down + ["https://other.example/x"]).enumerated().map { index, link in
      #"{"type":"product","id":"\#(10 + index)","title":"T","url":"\#(link)"}"#
    }
    let feed = try folder.write(rows.joined(separator: "\n"), to: "feed.jsonl")
    let settings = ShopSettings(links: LinkSettings(allowedSchemes: ["http"]))
    _ = try await Indexer(directory: folder.path + "/i.vq", settings: settings).run(path: feed)
    var policy = FetchPolicy(
      [
        try #require(HostPattern("127.0.0.1:\(server.port)")),
        try #require(HostPattern("127.0.0.1:1")),
      ], byteLimit: 1_000)
    policy.allowsEveryAddress = true
    let catalogue = try Catalogue(directory: folder.path + "/i.vq")
    let result = try await LinkChecker(
      catalogue: catalogue, policy: policy, limit: 100, pause: .zero
    ).check()
    #expect(
      result.findings.map { "\($0.id) \($0.kind.rawValue)" } == [
        "product:11 brokenLink", "product:12 brokenLink", "product:14 brokenLink",
      ])
    // Refused, redirected to another host, five of a host that is down, and a host that is not allowed.
    #expect(result.unknown == 8 && result.checked == 6 && result.omitted == 0)
    #expect(server.requests.allSatisfy { $0.fields["range"] == "bytes=0-0" })
    let few = try await LinkChecker(
      catalogue: catalogue, policy: policy, limit: 2, pause: .zero
    ).check()
    #expect(few.omitted == rows.count - 2)
    #expect(LinkChecker.spread(10, 3) == [0, 3, 6] && LinkChecker.spread(2, 3) == [0, 1])
  }
}
