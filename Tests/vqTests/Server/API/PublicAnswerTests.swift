import Foundation
import HTTPServer
import PixelMatch
import TestSupport
import Testing
import VisualQuery

@testable import vq

/// Answers to strangers: neither the shop's own fields nor the places of its files go out.
@Suite struct PublicAnswerTests {
  /// A shop with a secret in every place that is not public.
  private static func shop(
    public fields: Set<String>? = nil, keys: APIKeys? = nil
  ) async throws -> ServedShop {
    try await ServedShop(
      feed: { folder in
        let root = folder.path + "/CANARY-root"
        let outside = folder.path + "/CANARY-outside"
        for path in [root, outside] {
          try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        _ = try folder.copy(SampleShop.image("oats.jpg"), to: "CANARY-root/oats.jpg")
        _ = try folder.copy(SampleShop.image("store-market.jpg"), to: "CANARY-root/market.jpg")
        _ = try folder.copy(SampleShop.image("mug-red.jpg"), to: "CANARY-outside/mug.jpg")
        _ = try folder.copy(SampleShop.image("kettle.jpg"), to: "CANARY-root/gone.jpg")
        return try folder.write(
          """
          {"type":"product","id":"oats","title":"Honey oats","labels":["cereal"],"images":["oats.jpg","https://cdn.shop.example/oats.jpg"],"price":{"amount":"3.60","currency":"EUR"},"purchasePrice":"CANARY","material":"oat","supplierNote":{"note":["CANARY"]}}
          {"type":"product","id":"mug","title":"Camp mug","labels":["mug"],"images":["\(outside)/mug.jpg","\(outside)/none.jpg"],"purchasePrice":"CANARY"}
          {"type":"product","id":"gone","title":"Kettle","images":["gone.jpg"],"url":"https://shop.example/gone"}
          {"type":"store","id":"market","title":"Market","labels":["stall"],"images":["market.jpg"],"stock":["oats","CANARY-stock","mug"],"supplierNote":"CANARY"}

          """, to: "feed.jsonl")
      },
      shop: ShopSettings(outsideFolders: ["/"], publicFields: fields), imagesRoot: "CANARY-root",
      keys: keys, appIDs: ["TEAM.app"])
  }

  /// A question of a stranger.
  private struct Question {
    let line: String
    var type: String?
    var body: [UInt8] = []

    init(_ line: String) { self.line = line }
    init(_ line: String, json: String) {
      (self.line, type, body) = (line, "application/json", Array(json.utf8))
    }
    init(_ line: String, picture: String) throws {
      (self.line, type) = (line, "image/jpeg")
      body = [UInt8](try #require(FileManager.default.contents(atPath: picture)))
    }
  }

  private static func questions() throws -> [Question] {
    let conditions = #"""
      {"comparators":[{"property":"purchasePrice","comparison":"hasPrefix","value":"CANAR"}]}
      """#
    return try [
      Question("POST /v1/match?labels=cereal", picture: SampleShop.image("oats.jpg")),
      Question("POST /v1/match", picture: SampleShop.image("mug-red.jpg")),
      Question("POST /v1/match?minConfidence=1", picture: SampleShop.query("q01-mug.jpg")),
      Question("POST /v1/match", json: #"{"labels":["stall","mug"]}"#),
      Question("POST /v1/match:image?labels=cereal", picture: SampleShop.image("oats.jpg")),
      Question("POST /v1/match:query", json: #"{"labels":["stall","mug"]}"#),
      Question("POST /v1/match:query", json: #"{"labels":["mug"],"where":["purchasePrice^=C"]}"#),
      Question("POST /v1/match:continue", json: #"{"continuation":"AAEC"}"#),
      Question("POST /v1/match", json: #"{"labels":["mug"],"where":["purchasePrice^=C"]}"#),
      Question("GET /v1/entities?ids=product:oats,product:mug,product:gone,store:market"),
      Question("GET /v1/entities?q=mug"), Question("GET /v1/entities?q=CANAR"),
      Question("GET /v1/entities/suggested"),
      Question("POST /v1/entities:query", json: "{}"),
      Question("POST /v1/entities:query", json: conditions),
      Question("GET /v1/entities?cursor="),
      Question("POST /v1/entities:query", json: #"{"cursor":""}"#),
      Question(
        "POST /v1/entities:resolve",
        json: #"{"ids":["product/oats","product:mug","store/market","product/none"]}"#),
      Question("GET /v1/entities/product/oats"), Question("GET /v1/entities/product/mug"),
      Question("GET /v1/entities/store/market"), Question("GET /v1/entities/product/none"),
      Question("DELETE /v1/entities/product/mug"),
      Question("PUT /v1/entities/product/mug", json: #"{"title":"T","images":["none.jpg"]}"#),
      Question("PUT /v1/entities/product/mug/form", json: "{}"),
      Question("PATCH /v1/entities/product/mug", json: #"{"images":["none.jpg"]}"#),
      Question("POST /v1/entities:import", json: "{}"),
      Question("GET /v1/entities/product/oats/thumbnail"),
      Question("GET /v1/entities/product/oats/thumbnail?image=1"),
      Question("GET /v1/entities/product/mug/thumbnail?image=1"),
      Question("GET /v1/entities/product/gone/thumbnail?size=large"),
      Question("GET /v1/facets?facets=labels,brand"),
      Question("GET /v1/facets?facets=purchasePrice"), Question("GET /v1/facets?facets=stock"),
      Question("GET /v1/facets?facets=labels&where=purchasePrice^=C"),
      Question("POST /v1/match", json: #"{"labels":["mug"],"facets":["supplierNote"]}"#),
      Question("GET /v1/settings"), Question("GET /v1/schema"), Question("GET /v1/phrases"),
      Question("GET /v1/route?url=https%3A%2F%2Fshop.example%2Fp%2Foats"),
      Question("GET /v1/entities/product/oats?format=model"),
      Question("GET /v1/entities/store/market?format=text"),
      Question("GET /v1/sync?attributes=true"),
      Question("GET /v1/sync"), Question("GET /v1/sync?state=x"), Question("GET /v1/limits"),
      Question("GET /.well-known/apple-app-site-association"), Question("GET /livez"),
      Question("GET /readyz"), Question("GET /metrics"), Question("GET /openapi.json"),
      Question("GET /"), Question("GET /v1/catalogue"),
      Question("GET /v1/entities/product/oats/neighbors"),
      Question("GET /v1/entities/product/mug/neighbors"),
      Question("GET /v1/entities/product/oats/neighbors?relation=bought"),
      Question("GET /v1/entities/product/oats/history"),
      Question("GET /v1/feedback"), Question("POST /v1/feedback", json: "{}"),
      Question("POST /v1/feedback:form", json: "{}"),
      Question("GET /v1/feedback/queries"), Question("DELETE /v1/feedback/1"),
      Question("PUT /v1/feedback/1/acceptance"), Question("GET /v1/doctor"),
      Question("GET /v1/labels/unknown"), Question("POST /v1/labels/bridge", json: "{}"),
      Question("GET /v1/rules"), Question("PUT /v1/rules", json: "{}"),
      Question("POST /v1/rules/trial", json: "{}"), Question("GET /v1/numbers"),
      Question("POST /v1/events", json: "{}"),
      Question("GET /v1/rejected"), Question("POST /v1/evaluations", json: "{}"),
      Question("POST /v1/evaluations:figures", json: "{}"),
      Question("GET /v1/fit"), Question("POST /v1/fit", json: "{}"), Question("DELETE /v1/fit"),
      Question("POST /v1/fit/photos", json: "{}"),
      Question("POST /mcp", json: #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#),
      Question(
        "POST /mcp",
        json:
          #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get","arguments":{"ids":["product:oats"]}}}"#
      ),
      Question(
        "POST /mcp",
        json:
          #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"words":"oats"}}}"#
      ),
      Question("POST /v1/fit/photos:kept", json: #"{"statement":1}"#),
    ] + ServedFiles.pageFiles.keys.map { Question("GET /page/\($0)") }
  }

  @Test func `no route gives away a private field or a path`() async throws {
    let shop = try await Self.shop()
    // The file of one image is gone, which its thumbnail's error must not tell more about.
    try FileManager.default.removeItem(atPath: shop.folder.path + "/CANARY-root/gone.jpg")
    var asked: Set<String> = []
    for question in try Self.questions() {
      let fields = question.type.map { ["Content-Type: \($0)"] } ?? []
      let response = try await shop.ask(question.line, fields, question.body)
      let heads = response.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
      let text = heads + String(decoding: response.body, as: UTF8.self)
      #expect(!text.contains("CANARY"), "\(question.line): \(text.prefix(2000))")
      #expect(!text.contains(shop.folder.path), "\(question.line)")
      let target = question.line.split(separator: " ")[1].prefix { $0 != "?" }
      let path = target.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      asked.insert(try #require(try Route(path: path.map(String.init))).template)
    }
    let id = EntityID(type: .product, value: "x")
    #expect(
      asked
        == Set(
          (Route.fixed + [
            .entity(id), .entityForm(id), .thumbnail(id), .neighbors(id), .history(id),
            .feedbackStatement(1),
            .feedbackAcceptance(1),
          ]).map(\.template)))
    let log = await shop.log
    #expect(log.contains("gone") && !log.contains("CANARY"), "\(log)")
  }

  @Test func `what the shop makes public is given, found by and sorted by`() async throws {
    let shop = try await Self.shop(public: ["material"])
    let answer = try await shop.json("GET /v1/entities/product/oats")
    let entity = try #require(answer["entity"] as? [String: Any])
    let product = try #require(entity["product"] as? [String: Any])
    #expect(product["extra"] as? [String: String] == ["material": "oat"])
    for (property, status) in [
      ("material", 200), ("stock", 200), ("purchasePrice", 422), ("none", 422), ("images", 422),
    ] {
      let condition = #"{"property":"\#(property)","comparison":"hasPrefix","value":"o"}"#
      let type = ["Content-Type: application/json"]
      let query = try await shop.ask(
        "POST /v1/entities:query", type, Array(#"{"comparators":[\#(condition)]}"#.utf8))
      #expect(query.status == status, "\(property)")
      let match = try await shop.ask(
        "POST /v1/match", type, Array(#"{"labels":["mug"],"where":["\#(property)^=o"]}"#.utf8))
      #expect(match.status == status, "\(property)")
      let sorted = try await shop.ask(
        "POST /v1/entities:query", type, Array(#"{"sortedBy":[{"property":"\#(property)"}]}"#.utf8))
      // Only the public field can be sorted by. The other properties here are lists or not public.
      #expect(sorted.status == (property == "material" ? 200 : 422), "\(property)")
    }
  }

  /// A store's answer had its whole stock: 605 KB for 20 000 products.
  @Test func `of a store's stock, the matched product is named`() async throws {
    let shop = try await Self.shop()
    let answer = try await shop.json("POST /v1/match", [], #"{"labels":["cereal"]}"#)
    let values = try #require(answer["values"] as? [[String: Any]])
    let store = try #require(values.first { $0["type"] as? String == "store" })
    #expect(store["stocks"] as? String == "oats")
    #expect((store["store"] as? [String: Any])?["stock"] == nil)
  }

  @Test func `an image URL leads to its thumbnail, which may be kept forever`() async throws {
    let shop = try await Self.shop()
    let picture = SampleShop.image("oats.jpg")
    let match = try await shop.ask(
      "POST /v1/match?limit=1", ["Content-Type: image/jpeg"],
      [UInt8](try #require(FileManager.default.contents(atPath: picture))))
    let answer = try #require(
      try JSONSerialization.jsonObject(with: Data(match.body)) as? [String: Any])
    let value = try #require((answer["values"] as? [[String: Any]])?.first)
    let display = try #require(value["display"] as? [String: Any])
    let product = try #require(value["product"] as? [String: Any])
    let images = try #require(product["images"] as? [String])
    #expect(images.count == 2 && images[1] == "https://cdn.shop.example/oats.jpg")
    #expect(display["image"] as? String == images[0])
    #expect(value["matchedImage"] as? String == images[0])

    for (size, side) in [("small", 160), ("large", 480), ("extraLarge", 1024)] {
      let url = images[0].replacing("size=large", with: "size=\(size)")
      let thumbnail = try await shop.ask("GET " + url)
      #expect(thumbnail.status == 200)
      #expect(thumbnail["Cache-Control"] == "public, max-age=31536000, immutable")
      let decoded = try ImageDecoder().decode(thumbnail.body)
      #expect(max(decoded.width, decoded.height) <= side)
      let tag = try #require(thumbnail["ETag"])
      #expect(try await shop.ask("GET " + url, ["If-None-Match: \(tag)"]).status == 304)
    }
    let other = try await shop.ask("GET " + images[0].dropLast() + "x")
    #expect(other.status == 200 && other["Cache-Control"] == "private, no-cache")
    // The file is another one than was indexed: its thumbnail must not be kept under the tag of
    // that one.
    _ = try shop.folder.copy(SampleShop.image("kettle.jpg"), to: "CANARY-root/oats.jpg")
    let small = try await shop.ask("GET /v1/entities/product/oats/thumbnail?size=small")
    #expect(small["Cache-Control"] == "private, no-cache")
    _ = try shop.folder.copy(SampleShop.image("kettle.jpg"), to: "CANARY-root/market.jpg")
    let stores = try await shop.json("GET /v1/entities/store/market")
    let market = try #require(
      ((stores["entity"] as? [String: Any])?["display"] as? [String: Any])?["image"] as? String)
    let changed = try await shop.ask("GET " + market)
    #expect(changed.status == 200 && changed["Cache-Control"] == "private, no-cache")
  }

  @Test func `behind keys, a shared cache keeps no thumbnail`() async throws {
    let key = APIKeys.made(role: .read, name: "app")
    let shop = try await Self.shop(keys: try APIKeys(lines: key.line, file: "keys.txt"))
    let fields = ["Authorization: Bearer \(key.key)"]
    let answer = try await shop.json("GET /v1/entities/product/oats", fields)
    let url = try #require(
      ((answer["entity"] as? [String: Any])?["display"] as? [String: Any])?["image"] as? String)
    let thumbnail = try await shop.ask("GET " + url, fields)
    #expect(thumbnail["Cache-Control"] == "private, max-age=31536000, immutable")
    #expect(try await shop.ask("GET " + url).status == 401)
  }
}
