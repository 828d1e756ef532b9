@testable import ShopStore
import PixelMatch
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
      hosts: [
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
