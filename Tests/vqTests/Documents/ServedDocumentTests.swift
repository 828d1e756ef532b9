import Foundation
import PixelMatch
import TestSupport
import Testing
import VisualQuery

@testable import HTTPServer
@testable import ShopSearch
@testable import vq

/// The JSON of the server's answers against the declarations in `Documents`, in both directions.
@Suite struct ServedDocumentTests {
  private static let writer = APIKeys.made(role: .write, name: "shop")

  /// A shop whose entities have all fields that documents show.
  private static func shop() async throws -> ServedShop {
    try await ServedShop(
      feed: { folder in
        _ = try folder.copy(SampleShop.image("oats.jpg"), to: "oats.jpg")
        _ = try folder.copy(SampleShop.image("store-market.jpg"), to: "market.jpg")
        _ = try folder.write(Self.flat(), to: "flat.jpg")
        return try folder.write(
          #"""
          {"type":"product","id":"oats","title":"Honey oats","subtitle":"500 g","synonyms":["porridge"],"labels":["cereal"],"images":["oats.jpg"],"brand":"Northlight","price":{"amount":"3.60","currency":"EUR"},"availability":"inStock","url":"https://shop.example/oats","featured":true,"group":"oats","attributes":{"size":"500 g"},"material":"paper","description":"Roasted slowly.","localized":{"de":{"title":"Hafer","subtitle":"500 g","synonyms":["Brei"]}},"alsoBought":["oats-2"],"embeddings":{"model":"m","vectors":["ADwAAA"]}}
          {"type":"product","id":"oats-2","title":"Oats","labels":["cereal"],"group":"oats","images":["oats.jpg"],"embeddings":{"model":"m","vectors":["ADwANA"]}}
          {"type":"product","id":"flat","title":"Flat","images":["flat.jpg"]}
          {"type":"product","id":"old","title":"Old"}
          {"type":"store","id":"market","title":"Market","url":"https://shop.example/market","subtitle":"At the quay","synonyms":["stall"],"labels":["stall"],"images":["market.jpg"],"address":"Markt 12, Cologne","geo":{"latitude":50.94,"longitude":6.96},"openingHours":["Sa 08:00-14:00"],"timeZone":"Europe/Berlin","telephone":"+49 221 1","featured":true,"material":"wood","localized":{"de":{"title":"Markt"}},"stock":["oats"]}
          """#, to: "feed.jsonl")
      },
      shop: ShopSettings(publicFields: ["material", "description", "telephone"]), imagesRoot: ".",
      keys: try APIKeys(lines: writer.line, file: "keys.txt"), appIDs: ["TEAM.app"])
  }

  /// An image without detail, which the doctor finds.
  private static func flat() throws -> [UInt8] {
    try PixelBuffer(
      width: 300, height: 300, format: .gray8, bytes: [UInt8](repeating: 200, count: 90_000)
    ).jpeg()
  }

  /// The schema of the JSON answers of an endpoint, or of its problems.
  private static func schema(of line: String, _ status: Int) throws -> Schema {
    if status >= 400 { return .reference(.problem) }
    let parts = line.split(separator: " ").map(String.init)
    let path = parts[1].prefix { $0 != "?" }.dropFirst()
      .split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let route = try #require(try Route(path: path.map { $0.removingPercentEncoding ?? $0 }))
    let operation = try #require(
      Operation.all.first { $0.endpoint == "\(parts[0]) \(route.template)" })
    let answer = try #require(operation.answers.first { $0.status == status }, "\(line): \(status)")
    return try #require(answer.contents.first { $0.type == "application/json" }).schema
  }

  /// Would break if an answer had a property that `openapi.json` does not declare, or the other way around: a declared one
  /// that no answer ever has.
  @Test func `every property of answers is declared, and every declared one occurs`() async throws {
    let shop = try await Self.shop()
    shop.restart {
      $0.keepsNumbers = true
      $0.shopName = "Northlight"
    }
    var definitions: [String: Definition] = [:]
    for answer in Operation.all.flatMap(\.answers) {
      for content in answer.contents { content.schema.collectDefinitions(into: &definitions) }
    }
    Schema.reference(.problem).collectDefinitions(into: &definitions)
    let root = JSONValue.object([
      "$defs": .object(definitions.mapValues { $0.schema.json(for: .clients) })
    ])
    var checked = try JSONSchema(Data(JSONBody.encoded(root)))
    func ask(_ line: String, _ body: String? = nil, status: Int = 200) async throws -> [String: Any]
    {
      let fields = ["Authorization: Bearer \(Self.writer.key)", "Accept: application/json"]
      let response = try await shop.ask(
        line, body == nil ? fields : fields + ["Content-Type: application/json"],
        Array((body ?? "").utf8))
      #expect(
        response.status == status, "\(line): \(String(decoding: response.body, as: UTF8.self))")
      let schema = JSONBody.encoded(
        try Self.schema(of: line, response.status).json(for: .clients))
      let object = try JSONSerialization.jsonObject(with: Data(schema)) as? [String: Any]
      #expect(
        try checked.faults(of: Data(response.body), by: object ?? [:]) == [],
        "\(line): \(String(decoding: response.body, as: UTF8.self))")
      return try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any] ?? [:]
    }
    shop.service.shop.degradations.report(.damagedShard, "shard 0 lacks rows")
    // MatchSchemaTests has the answers of a match.
    let matched = try await ask("POST /v1/match", #"{"labels":["cereal"],"minConfidence":0}"#)
    let token = try #require(matched["continuation"] as? String)
    _ = try await ask("POST /v1/match", #"{"labels":["goblet"]}"#)
    for line in [
      "/v1/entities?ids=product:oats,store:market,product:old", "/v1/entities?cursor=&limit=1",
      "/v1/entities?cursor=&limit=1&format=model", "/v1/entities?q=oats",
      "/v1/entities/suggested", "/v1/entities/product/oats", "/v1/entities/store/market",
      "/v1/entities/product/oats?format=model", "/v1/entities/product/oats/neighbors",
      "/v1/entities/product/oats/neighbors?relation=bought", "/v1/entities/product/oats/history",
      "/v1/sync?attributes=true", "/v1/catalogue", "/v1/facets?facets=price,brand", "/v1/settings",
      "/v1/schema?locale=de", "/v1/phrases", "/v1/route?url=https%3A%2F%2Fshop.example%2Foats",
      "/v1/rules", "/v1/doctor", "/v1/labels/unknown", "/v1/limits",
      "/v1/feedback", "/readyz",
    ] { _ = try await ask("GET " + line) }
    _ = try await ask("POST /v1/entities:query", #"{"limit":1,"cursor":""}"#)
    _ = try await ask("POST /v1/entities:resolve", #"{"ids":["product:oats","product:none"]}"#)
    let state = try await ask("GET /v1/sync")["state"] as? String ?? ""
    _ = try await ask(
      "PUT /v1/entities/product/new",
      #"{"title":"New","images":["oats.jpg"],"availabilty":"inStock"}"#, status: 201)
    _ = try await ask("PATCH /v1/entities/product/new", #"{"title":"Newer"}"#)
    let imported = try await shop.ask(
      "POST /v1/entities:import",
      ["Authorization: Bearer \(Self.writer.key)", "Content-Type: application/x-ndjson"],
      Array(
        (#"{"type":"product","id":"new","title":"New","images":["oats.jpg"],"availabilty":"inStock"}"#
          + "\n" + #"{"patch":{"type":"product","id":"old","title":null}}"#).utf8))
    #expect(
      try checked.faults(
        of: Data(imported.body), by: ["$ref": "#/components/schemas/EntityImport"]) == [])
    let gone = try await shop.ask(
      "DELETE /v1/entities/product/old", ["Authorization: Bearer \(Self.writer.key)"])
    #expect(gone.status == 204)
    _ = try await ask("GET /v1/sync?limit=1&state=\(state)")
    _ = try await ask("GET /v1/sync?state=\(state)")
    // Pinning one of the two changes the order, whichever of them comes first by itself.
    for id in ["oats", "oats-2"] {
      let rules = #"{"rules":[{"name":"r","do":"pin","entities":["product:\#(id)"]}]}"#
      let form = [("rules", rules), ("request", #"{"labels":["cereal"]}"#)].map {
        "--b\r\nContent-Disposition: form-data; name=\"\($0)\"\r\n\r\n\($1)\r\n"
      }
      let tried = try await shop.ask(
        "POST /v1/rules/trial",
        [
          "Authorization: Bearer \(Self.writer.key)",
          "Content-Type: multipart/form-data; boundary=b",
        ], Array((form.joined() + "--b--\r\n").utf8))
      #expect(tried.status == 200)
      #expect(
        try checked.faults(of: Data(tried.body), by: ["$ref": "#/components/schemas/RuleTrial"])
          == [])
    }
    _ = try await ask(
      "PUT /v1/rules",
      #"""
      {"rules":[{"name":"r","off":true,"do":"boost","factor":2,"by":{"field":"price","from":0,"to":9},"entities":["product:oats"],
      "where":["availability=inStock"],"withLabel":["cereal"],"newerThan":{"field":"material","days":30},
      "from":"2026-01-01T00:00:00Z","until":"2027-01-01T00:00:00Z",
      "when":{"labels":["mug"],"categories":["mug"],"pages":["home"],"languages":["de"]}}]}
      """#)
    _ = try await ask("POST /v1/labels/bridge", #"{"label":"goblet","labels":["cereal"]}"#)
    let said = #"{"query":"\#(token)","chosen":"product:oats","rejected":["product:new"]}"#
    _ = try await ask("POST /v1/feedback", said, status: 201)
    _ = try await ask("POST /v1/feedback", said)
    _ = try await ask("GET /v1/feedback?limit=1")
    _ = try await ask(
      "POST /v1/events",
      #"{"query":"\#(token)","events":[{"id":"1","action":"opened","entity":"product:oats"}]}"#)
    _ = try await ask(
      "POST /v1/evaluations:figures",
      #"{"queries":[{"truth":["oats"],"answers":[{"id":"product:flat","confidence":0.9}],"complete":false}]}"#
    )
    let fitted = FitDocument(FitVerdict(ShopFitting([])), isStored: false, generation: 1)
    let photo = AskedPhotoDocument(id: "a", photo: "b")
    for (document, name) in [
      (JSONBody.encoded(fitted), "FitVerdict"), (JSONBody.encoded(photo), "AskedPhoto"),
      (JSONBody.encoded(FitsDocument.full), "ShopFits"),
    ] {
      #expect(
        try checked.faults(of: Data(document), by: ["$ref": "#/components/schemas/\(name)"]) == [])
    }
    _ = try await ask("GET /v1/numbers")
    #expect(
      try checked.faults(
        of: Data(JSONBody.encoded(SearchReport.full)), by: ["$ref": "#/components/schemas/Numbers"])
        == [])
    let rejected = #"{"kind":"image","line":2,"id":"oats","field":"images[0]","reason":"gone"}"#
    try Data("\(rejected)\n\(rejected)\n".utf8).write(
      to: URL(filePath: RefusedRowsFile.path(inIndex: shop.index)))
    _ = try await ask("GET /v1/rejected?limit=1")
    try FileManager.default.removeItem(atPath: shop.folder.path + "/flat.jpg")
    _ = try await ask("GET /v1/entities/product/flat/neighbors")
    _ = try await ask("GET /v1/entities?q=oats&limit=0", status: 400)
    var problems = [Problem(.bodyTooLarge, "too large", limit: 9).response(requestID: "1").body]
    let key = "Authorization: Bearer \(Self.writer.key)"
    problems.append(
      try await shop.ask("POST /v1/match", [key, "Content-Type: image/gif"], Array("GIF89a".utf8))
        .body)
    for problem in problems {
      #expect(
        try checked.faults(of: Data(problem), by: ["$ref": "#/components/schemas/Problem"]) == [])
    }
    let ofMatches = Self.names(reachableFrom: .matchAnswer)
    let unseen = checked.declared.subtracting(checked.seen)
      .filter { !ofMatches.contains(String($0.prefix { $0 != "/" })) }
    #expect(unseen.sorted() == [])
  }

  private static func names(reachableFrom definition: Definition) -> Set<String> {
    var found: [String: Definition] = [:]
    Schema.reference(definition).collectDefinitions(into: &found)
    return Set(found.keys)
  }
}

extension FitsDocument {
  /// Fits with every property.
  fileprivate static let full: FitsDocument = {
    var fit = ShopFit(
      [.prior: -1], calibration: Calibration.mark, vectors: "m", photos: 100, products: 10,
      isCareful: true)
    fit.time = 1_764_386_100
    let own = ShopNull(
      calibration: Calibration.mark, withoutOwn: CountedShare(3, of: 9),
      withoutGroup: CountedShare(0, of: 4), present: CountedShare(8, of: 9), unavailable: 1,
      pairs: [.init(asked: "product:a", answered: "product:b", confidence: 0.99)], sketch: [1],
      fit: fit, fitted: CountedShare(1, of: 9))
    return FitsDocument(ShopFits([fit]), own: own)
  }()
}
