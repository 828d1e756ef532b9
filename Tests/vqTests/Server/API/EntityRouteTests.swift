import Foundation
import HTTPServer
import PixelMatch
import TestSupport
import Testing
import VisualQuery

@testable import vq

/// The routes of entities, their pictures and their changes.
@Suite struct EntityRouteTests {
  @Test func `entities are found by id, words, conditions and time of change`() async throws {
    let shop = try await ServedShop()
    let named = try await shop.json("GET /v1/entities?ids=store:market,product:oats,product:none")
    #expect(ServedShop.ids(named) == ["market", "oats"])
    #expect(ServedShop.ids(try await shop.json("GET /v1/entities?q=oat&type=product")) == ["oats"])
    #expect(ServedShop.ids(try await shop.json("GET /v1/entities/suggested?limit=3")).count == 3)
    let question = #"""
      {"type":"product","comparators":[{"property":"price","comparison":"isBetween","value":3,"upperValue":"4"}],
       "sortedBy":[{"property":"price","order":"descending"}]}
      """#
    #expect(
      ServedShop.ids(try await shop.json("POST /v1/entities:query", [], question)).contains("oats"))
    let changes = try await shop.json("GET /v1/sync?limit=30")
    #expect(ServedShop.ids(changes, "upserts").count == 30 && changes["hasMore"] as? Bool == true)
    let state = try #require(changes["state"] as? String)
    let rest = try await shop.json("GET /v1/sync?state=\(state)")
    #expect(ServedShop.ids(rest, "upserts").count == 2 && rest["hasMore"] as? Bool == false)
  }

  @Test func `ids are resolved in their order, and those without an entity are named`() async throws
  {
    let shop = try await ServedShop()
    let path = "POST /v1/entities:resolve"
    let answer = try await shop.json(
      path, [],
      #"{"ids":["store/market","product:oats","product/none","store:a/b","product/none"]}"#)
    #expect(ServedShop.ids(answer) == ["market", "oats"])
    #expect(answer["missing"] as? [String] == ["product/none", "store:a/b"])
    #expect(answer["generation"] as? Int != nil)
    // Repeated ids are answered once, so that a short question cannot cause a long answer.
    let ids = Array(repeating: #""product:oats""#, count: 1000).joined(separator: ",")
    #expect(ServedShop.ids(try await shop.json(path, [], #"{"ids":[\#(ids)]}"#)) == ["oats"])
    func names(_ count: Int) -> String {
      // The longest ids that there are.
      let tail = String(repeating: "x", count: 250)
      return #"{"ids":["#
        + (0..<count).map { "\"product/\(1000 + $0)\(tail)\"" }.joined(separator: ",")
        + "]}"
    }
    let many = try await shop.json(path, [], names(1000))
    #expect((many["missing"] as? [String])?.count == 1000)
    let body = Array(names(1001).utf8)
    let type = ["Content-Type: application/json"]
    #expect(try await shop.ask(path, type, body).status == 400)
    for body in ["{}", #"{"ids":[]}"#, #"{"ids":["oats"]}"#, #"{"ids":["shop/oats"]}"#] {
      #expect(try await shop.ask(path, type, Array(body.utf8)).status == 400, "\(body)")
    }
  }

  @Test func `all entities are given page by page`() async throws {
    let shop = try await ServedShop()
    var ids: [String] = []
    var cursor = ""
    repeat {
      let page = try await shop.json("GET /v1/entities?type=product&limit=9&cursor=\(cursor)")
      ids += ServedShop.ids(page)
      #expect(page.keys.contains("cursor"))
      cursor = page["cursor"] as? String ?? ""
    } while !cursor.isEmpty
    #expect(ids.count == Set(ids).count && ids.count == 28)

    let question = #""comparators":[{"property":"price","comparison":"lessThan","value":15}]"#
    let whole = try await shop.json("POST /v1/entities:query", [], "{\(question)}")
    #expect(whole["cursor"] == nil)
    let first = try await shop.json(
      "POST /v1/entities:query", [], #"{\#(question),"cursor":"","limit":4}"#)
    // Would break if clients that write absent fields as null got a list in an order that they did not ask for.
    let plain = try await shop.json("POST /v1/entities:query", [], #"{\#(question),"cursor":null}"#)
    #expect(plain["cursor"] == nil && ServedShop.ids(plain) == ServedShop.ids(whole))
    let next = try #require(first["cursor"] as? String)
    let rest = try await shop.json(
      "POST /v1/entities:query", [], #"{\#(question),"cursor":"\#(next)"}"#)
    #expect(ServedShop.ids(first).count == 4 && rest["cursor"] is NSNull)
    #expect(Set(ServedShop.ids(first) + ServedShop.ids(rest)) == Set(ServedShop.ids(whole)))
    let type = ["Content-Type: application/json"]
    for (body, status) in [
      (#"{"cursor":"\#(next)"}"#, 422), (#"{"cursor":"x"}"#, 422), (#"{"cursor":1}"#, 400),
      (#"{"cursor":"","sortedBy":[{"property":"price"}]}"#, 400),
    ] {
      let answer = try await shop.ask("POST /v1/entities:query", type, Array(body.utf8))
      #expect(answer.status == status, "\(body)")
    }
    // Would break if clients that write absent fields as null were refused.
    let nulls =
      #""cursor":null,"sortedBy":[{"property":"price","order":null}],"mode":null,"limit":null,"locale":null,"type":null"#
    let sorted = try await shop.json("POST /v1/entities:query", [], "{\(question),\(nulls)}")
    #expect(ServedShop.ids(sorted).sorted() == ServedShop.ids(whole).sorted())
    #expect(sorted["cursor"] == nil)
    let all = #"{"comparators":null,"sortedBy":null,"type":null}"#
    #expect(try await shop.ask("POST /v1/entities:query", type, Array(all.utf8)).status == 200)
    for body in [#"{"where":null,"kind":null}"#, #"{"comparators":[null]}"#] {
      let answer = try await shop.ask("POST /v1/entities:query", type, Array(body.utf8))
      #expect(answer.status == 400, "\(body)")
    }
    let match =
      #"{"labels":["mug"],"limit":null,"codes":null,"near":null,"embedding":null,"continuation":null,"region":null}"#
    #expect(try await shop.ask("POST /v1/match", type, Array(match.utf8)).status == 400)
    let labels = match.replacing(#","region":null"#, with: "")
    #expect(try await shop.ask("POST /v1/match", type, Array(labels.utf8)).status == 200)
    for (query, status) in [
      ("", 400), ("?cursor=&q=oat", 400), ("?cursor=x", 422), ("?cursor=\(next)", 422),
    ] {
      #expect(try await shop.ask("GET /v1/entities" + query).status == status, "\(query)")
    }
  }

  /// A server has the index and may not have the pictures.
  @Test(arguments: [[], [160]]) func `without the shop's folder only kept thumbnails are served`(
    sides: [Int]
  ) async throws {
    let shop = try await ServedShop()
    let copy = shop.folder.path + "/copy"
    try FileManager.default.copyItem(atPath: SampleShop.folder.path + "/shop", toPath: copy)
    let index = Indexer(directory: shop.index, settings: ShopSettings(thumbnailSides: sides))
    let progress = try await index.run(path: copy + "/catalogue.jsonl", imagesRoot: copy)
    #expect(progress.signedImages == 0 && progress.thumbnails == 34 * sides.count)
    try FileManager.default.removeItem(atPath: copy)
    for size in ["small", "large"] {
      let path = "GET /v1/entities/product/oats/thumbnail?size=\(size)"
      let response = try await shop.ask(path)
      #expect(response.status == (sides.isEmpty ? 404 : 200))
      if sides.isEmpty { continue }
      let picture = try ImageDecoder().decode(response.body)
      #expect((120...160).contains(max(picture.width, picture.height)))
    }
  }

  /// A link that was made after the run must not lead a server to other files.
  @Test func `a picture that became a link out of the root is not served`() async throws {
    let shop = try await ServedShop()
    let copy = shop.folder.path + "/copy"
    try FileManager.default.copyItem(atPath: SampleShop.folder.path + "/shop", toPath: copy)
    _ = try await Indexer(
      directory: shop.index, settings: ShopSettings(imagesRoot: copy)
    ).putSettings()
    let path = "GET /v1/entities/product/oats/thumbnail"
    #expect(try await shop.ask(path).status == 200)
    try FileManager.default.removeItem(atPath: copy + "/images")
    try FileManager.default.createSymbolicLink(
      atPath: copy + "/images", withDestinationPath: SampleShop.folder.path + "/shop/images")
    #expect(try await shop.ask(path + "?size=large").status == 404)
  }

  @Test func `an answer holds until the next generation, in its language`() async throws {
    let shop = try await ServedShop()
    let path = "GET /v1/entities/product/mug-red"
    let german = try await shop.ask(path, ["Accept-Language: de-AT, en;q=0.5"])
    #expect(String(decoding: german.body, as: UTF8.self).contains("Campingbecher"))
    let tag = try #require(german["ETag"])
    #expect(try await shop.ask(path, ["If-None-Match: \(tag)"]).status == 200)
    let same = try await shop.ask(path, ["If-None-Match: \"x\", \(tag)", "Accept-Language: de-AT"])
    #expect(same.status == 304 && same.body.isEmpty && same["ETag"] == tag)
    let row = #"{"type":"product","id":"new","title":"New"}"#
    _ = try await Indexer(directory: shop.index).run(path: shop.folder.write(row, to: "n.jsonl"))
    let next = try await shop.ask(path, ["If-None-Match: \(tag)", "Accept-Language: de-AT"])
    #expect(next.status == 200 && next["ETag"] != tag)
  }

  /// RFC 9110, 13.2.1: a precondition counts only if the answer would otherwise be a success.
  @Test(arguments: [
    ("/v1/entities/product/none", 404), ("/v1/entities/product/none/thumbnail", 404),
    ("/v1/entities/product/oats/thumbnail?image=7", 404), ("/v1/sync?state=x", 422),
    ("/v1/entities/product/oats", 304), ("/v1/entities/product/oats/thumbnail", 304),
    ("/v1/sync", 304),
  ]) func `only what exists is not modified`(path: String, status: Int) async throws {
    let shop = try await ServedShop()
    let tag = try #require(try await shop.ask("GET /v1/entities/product/oats")["ETag"])
    for condition in ["*", tag] {
      let answer = try await shop.ask("GET \(path)", ["If-None-Match: \(condition)"])
      #expect(answer.status == status, "\(condition)")
    }
  }

  /// Would break if a query had no deadline, or if one that passes it were called a damaged catalogue.
  @Test func `a query that has no time left is answered as such`() async throws {
    let shop = try await ServedShop(deadlines: DeadlineLimits(standard: .zero, maximum: .zero))
    let type = ["Content-Type: application/json"]
    let comparators = #"{"comparators":[{"property":"title","comparison":"contains","value":"m"}]}"#
    let query = try await shop.ask("POST /v1/entities:query", type, Array(comparators.utf8))
    #expect(query.status == 503 && query["Retry-After"] == "1")
    let problem = try JSONSerialization.jsonObject(with: Data(query.body)) as? [String: Any]
    #expect(problem?["code"] as? String == "timedOut")
    let match = try await shop.json(
      "POST /v1/match", [], #"{"labels":["mug"],"where":["title~m"]}"#)
    #expect(match["complete"] as? Bool == false)
    #expect(match["emptyReason"] as? String == "filterTimedOut")
    #expect((match["values"] as? [Any])?.isEmpty == true)
  }

  @Test func `links are described for the apps that open them`() async throws {
    let without = try await ServedShop().ask("GET /.well-known/apple-app-site-association")
    #expect(without.status == 404)
    let shop = try await ServedShop(appIDs: ["TEAM.app"])
    let response = try await shop.ask("GET /.well-known/apple-app-site-association")
    #expect(
      String(decoding: response.body, as: UTF8.self)
        == #"{"applinks":{"details":[{"appIDs":["TEAM.app"],"components":[{"/":"/p/*"}]}]}}"#)
  }
}
