import Foundation
import HTTPServer
import PixelMatch
import TestSupport
import Testing
import VisualQuery

@testable import vq

/// `PUT` and `DELETE` of single entities.
@Suite struct EntityUpdateTests {
  private static let writer = APIKeys.made(role: .write, name: "warehouse")
  private static let authorization = "Authorization: Bearer \(writer.key)"
  private static let row = #"""
    {"type":"product","id":"mug","title":"Mug","images":["images/mug-red.jpg"]}
    """#

  private static func shop(
    _ settings: ShopSettings = ShopSettings(), changeBudget: Duration = .seconds(600)
  ) async throws -> ServedShop {
    try await ServedShop(
      feed: { folder in
        try FileManager.default.createDirectory(
          atPath: folder.path + "/images", withIntermediateDirectories: true)
        _ = try folder.copy(SampleShop.image("mug-red.jpg"), to: "images/mug-red.jpg")
        return try folder.write(row, to: "feed.jsonl")
      }, shop: settings, keys: try APIKeys(lines: writer.line, file: "keys.txt"),
      changeBudget: changeBudget)
  }

  private static func put(
    _ shop: ServedShop, _ path: String, _ json: String
  ) async throws -> (status: Int, answer: [String: Any]) {
    let response = try await shop.ask(
      "PUT /v1/entities/\(path)", [authorization, "Content-Type: application/json"],
      Array(json.utf8))
    let answer = try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
    return (response.status, answer ?? [:])
  }

  /// A form with an entity and images by the names of their parts.
  private static func form(_ entity: String?, _ images: [(String, [UInt8])]) -> [UInt8] {
    var body: [UInt8] = []
    func part(_ name: String, _ content: [UInt8]) {
      body += Array(
        "--b\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"x\"\r\n\r\n".utf8)
      body += content + Array("\r\n".utf8)
    }
    if let entity { part("entity", Array(entity.utf8)) }
    for (name, content) in images { part(name, content) }
    return body + Array("--b--\r\n".utf8)
  }

  private static func send(
    _ shop: ServedShop, _ path: String, _ body: [UInt8]
  ) async throws -> (status: Int, answer: [String: Any]) {
    let response = try await shop.ask(
      "PUT /v1/entities/\(path)",
      [authorization, "Content-Type: multipart/form-data; boundary=b"], body)
    let answer = try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
    return (response.status, answer ?? [:])
  }

  private static func problem(_ answer: [String: Any]) -> [String?] {
    [answer["code"] as? String, answer["field"] as? String]
  }

  /// Would break if a program that writes `lables` did not learn of it.
  @Test func `a field that is probably misspelt is named`() async throws {
    let shop = try await Self.shop()
    let put = try await Self.put(shop, "product/k", #"{"title":"Kettle","lables":["kettle"]}"#)
    #expect(
      put.answer["warnings"] as? [String] == [
        "the field 'lables' is kept but means nothing; did you mean 'labels'?"
      ])
    let right = try await Self.put(shop, "product/k", #"{"title":"Kettle","labels":["kettle"]}"#)
    #expect(right.status == 200 && right.answer["warnings"] == nil)
  }

  @Test func `an entity that is put is in the next answer`() async throws {
    let shop = try await Self.shop()
    let json = #"{"title":"Kettle","labels":["kettle"],"price":{"amount":"3.00","currency":"EUR"}}"#
    let added = try await Self.put(shop, "product/k%2F1", json)
    #expect(added.status == 201 && added.answer["effect"] as? String == "added")
    #expect(added.answer["generation"] as? Int == 2 && added.answer["id"] as? String == "k/1")
    let found = try await shop.json(
      "POST /v1/match", [Self.authorization], #"{"labels":["kettle"]}"#)
    #expect(ServedShop.ids(found, "values") == ["k/1"] && found["generation"] as? Int == 2)

    let same = try await Self.put(shop, "product/k%2F1", json)
    #expect(same.status == 200 && same.answer["effect"] as? String == "unchanged")
    #expect(same.answer["generation"] as? Int == 2)
    let changed = try await Self.put(
      shop, "product/k%2F1", #"{"type":"product","id":"k/1","title":"Big kettle"}"#)
    #expect(changed.status == 200 && changed.answer["effect"] as? String == "changed")
    let entity = try await shop.json("GET /v1/entities/product/k%2F1", [Self.authorization])
    let display = (entity["entity"] as? [String: Any])?["display"] as? [String: Any]
    #expect(display?["title"] as? String == "Big kettle")

    let gone = try await shop.ask("DELETE /v1/entities/product/k%2F1", [Self.authorization])
    #expect(gone.status == 204 && gone["X-Generation"] == "4")
    let left = try await shop.json("GET /v1/entities?cursor=", [Self.authorization])
    #expect(ServedShop.ids(left) == ["mug"])
  }

  /// Would break if clients that generators make, which send one kind of body to a path, could not send images.
  @Test func `a form has a path of its own`() async throws {
    let shop = try await Self.shop()
    let kettle = [UInt8](
      try #require(FileManager.default.contents(atPath: SampleShop.image("kettle.jpg"))))
    let form = Self.form(#"{"title":"Kettle"}"#, [("image", kettle)])
    let added = try await Self.send(shop, "product/k/form", form)
    #expect(added.status == 201 && added.answer["id"] as? String == "k", "\(added.answer)")
    let again = try await Self.send(shop, "product/k", form)
    #expect(again.status == 200 && again.answer["effect"] as? String == "unchanged")
    #expect(try await Self.put(shop, "product/k/form", #"{"title":"Kettle"}"#).status == 415)
  }

  private static func patch(
    _ shop: ServedShop, _ path: String, _ json: String,
    type: String = "application/merge-patch+json"
  ) async throws -> (status: Int, answer: [String: Any]) {
    let response = try await shop.ask(
      "PATCH /v1/entities/\(path)", [authorization, "Content-Type: \(type)"], Array(json.utf8))
    let answer = try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
    return (response.status, answer ?? [:])
  }

  /// Would break if a service that learns a new price had to know the title, too.
  @Test func `a patch changes the fields that it names and no others`() async throws {
    let shop = try await Self.shop(ShopSettings(publicFields: ["material"]))
    let mug = #"""
      {"title":"Mug","subtitle":"Red","labels":["mug"],"images":["images/mug-red.jpg"],"material":"enamel","note":"x",
      "price":{"amount":"3.00","currency":"EUR"}}
      """#
    #expect(try await Self.put(shop, "product/mug", mug).status == 200)
    func product() async throws -> [String: Any] {
      let answer = try await shop.json("GET /v1/entities/product/mug", [Self.authorization])
      return (answer["entity"] as? [String: Any])?["product"] as? [String: Any] ?? [:]
    }
    let priced = try await Self.patch(shop, "product/mug", #"{"price":{"amount":"2.50"}}"#)
    #expect(priced.status == 200 && priced.answer["effect"] as? String == "changed")
    #expect(priced.answer["images"] as? [String] == ["images/mug-red.jpg"])
    var found = try await product()
    #expect(found["price"] as? [String: String] == ["amount": "2.50", "currency": "EUR"])
    #expect(found["title"] as? String == "Mug" && found["subtitle"] as? String == "Red")
    #expect((found["extra"] as? [String: String])?["material"] == "enamel")
    let generation = priced.answer["generation"] as? Int
    for same in [#"{"price":{"amount":"2.50"}}"#, "{}", #"{"id":"mug","type":"product"}"#] {
      let again = try await Self.patch(shop, "product/mug", same, type: "application/json")
      #expect(again.status == 200 && again.answer["effect"] as? String == "unchanged", "\(same)")
      #expect(again.answer["generation"] as? Int == generation)
    }
    // A field of the shop's own is changed beside the others, or in `extra` as answers have it.
    let removed = try await Self.patch(
      shop, "product/mug",
      #"{"subtitle":null,"material":"steel","extra":{"note":null},"labels":["cup"]}"#)
    #expect(removed.status == 200, "\(removed.answer)")
    found = try await product()
    #expect(found["subtitle"] == nil && found["labels"] as? [String] == ["cup"])
    #expect((found["extra"] as? [String: String])?["material"] == "steel")
    let stored = try await EntityLookup(catalogue: try Catalogue(directory: shop.index)).entities(
      for: [EntityID(type: .product, value: "mug")])
    #expect(stored.first?.extra == ["material": .string("steel")])
    #expect(try await Self.patch(shop, "product/mug", #"{"material":null}"#).status == 200)
    #expect(try await product()["extra"] == nil)
    #expect(try await CatalogueUpkeep(directory: shop.index).verify() == [])
  }

  /// Would break if a new price needed images that are gone, or that the server does not fetch.
  @Test func `a patch leaves images as they are unless it names them`() async throws {
    let shop = try await Self.shop()
    let kettle = [UInt8](
      try #require(FileManager.default.contents(atPath: SampleShop.image("kettle.jpg"))))
    let form = Self.form(#"{"title":"Kettle"}"#, [("front", kettle)])
    #expect(try await Self.send(shop, "product/k", form).status == 201)
    try FileManager.default.removeItem(atPath: shop.folder.path + "/images/mug-red.jpg")
    for id in ["mug", "k"] {
      let priced = try await Self.patch(
        shop, "product/\(id)", #"{"price":{"amount":"1.00","currency":"EUR"}}"#)
      #expect(priced.status == 200 && priced.answer["effect"] as? String == "changed")
    }
    for (file, id) in [("mug-red.jpg", "mug"), ("kettle.jpg", "k")] {
      let image = try #require(FileManager.default.contents(atPath: SampleShop.image(file)))
      let found = try await shop.ask(
        "POST /v1/match", [Self.authorization, "Content-Type: image/jpeg"], [UInt8](image))
      let answer = try JSONSerialization.jsonObject(with: Data(found.body)) as? [String: Any]
      #expect(ServedShop.ids(answer ?? [:], "values") == [id])
    }
    let gone = try await Self.patch(shop, "product/mug", #"{"images":["images/mug-red.jpg"]}"#)
    #expect(gone.status == 422 && Self.problem(gone.answer) == ["invalidEntity", "images[0]"])
    let none = try await Self.patch(shop, "product/mug", #"{"images":[]}"#)
    #expect(none.status == 200 && none.answer["images"] as? [String] == [])
    #expect(try await CatalogueUpkeep(directory: shop.index).verify() == [])
  }

  /// Would break if cards loaded the shop's originals, of megabytes, though the server has the images; or asked it for what it lacks.
  @Test(arguments: [[], [480]])
  func `a card of an image at an address has the server's thumbnail if there is one`(
    sides: [Int]
  ) async throws {
    let shop = try await Self.shop(ShopSettings(thumbnailSides: sides))
    let kettle = [UInt8](
      try #require(FileManager.default.contents(atPath: SampleShop.image("kettle.jpg"))))
    let address = "https://cdn.shop.example/k.jpg"
    let form = Self.form(#"{"title":"Kettle"}"#, [(address, kettle)])
    #expect(try await Self.send(shop, "product/k", form).status == 201)
    let answer = try await shop.json("GET /v1/entities/product/k", [Self.authorization])
    let display = (answer["entity"] as? [String: Any])?["display"] as? [String: Any]
    #expect(display?["image"] as? String == address)
    let thumbnail = display?["thumbnail"] as? String
    #expect((thumbnail == nil) == sides.isEmpty)
    guard let thumbnail else { return }
    let image = try await shop.ask("GET \(thumbnail)", [Self.authorization])
    #expect(image.status == 200 && image["Content-Type"] == "image/jpeg")
    #expect(image["Cache-Control"]?.hasSuffix("immutable") == true)
  }

  @Test func `a patch that leaves no valid entity changes nothing`() async throws {
    let shop = try await Self.shop()
    for (path, json, status, code, field) in [
      ("product/none", #"{"title":"T"}"#, 404, "unknownEntity", "id"),
      ("store/mug", #"{"title":"T"}"#, 404, "unknownEntity", "id"),
      ("product/mug", #"{"title":null}"#, 422, "invalidEntity", "title"),
      ("product/mug", #"{"title":7}"#, 422, "invalidEntity", "title"),
      ("product/mug", #"{"price":{"amount":"1"}}"#, 422, "invalidEntity", "price"),
      ("product/mug", #"{"id":"cup"}"#, 422, "invalidEntity", "id"),
      ("product/mug", #"{"id":null}"#, 422, "invalidEntity", "id"),
      ("product/mug", #"{"type":"store"}"#, 422, "invalidEntity", "type"),
      ("product/mug", #"{"extra":null}"#, 422, "invalidEntity", "extra"),
      ("product/mug", #"{"url":"javascript:x"}"#, 422, "invalidEntity", "url"),
      ("product/mug", #"{"images":["../x.jpg"]}"#, 422, "invalidEntity", "images[0]"),
      ("product/mug", "[]", 400, "invalidField", nil),
      ("product/mug", "{", 400, "invalidJSON", nil),
      ("product/mug", "", 400, "invalidJSON", nil),
      ("product/mug", #"{"title":"a","title":"b"}"#, 400, "invalidJSON", nil),
      ("product/mug?x=1", "{}", 400, "invalidParameter", "x"),
    ] as [(String, String, Int, String, String?)] {
      let patched = try await Self.patch(shop, path, json)
      #expect(patched.status == status, "\(path) \(json): \(patched.answer)")
      #expect(Self.problem(patched.answer) == [code, field], "\(path) \(json)")
    }
    for type in ["text/plain", "multipart/form-data; boundary=b", "application/json-patch+json"] {
      let refused = try await shop.ask(
        "PATCH /v1/entities/product/mug", [Self.authorization, "Content-Type: \(type)"], [])
      #expect(refused.status == 415)
      #expect(refused["Accept-Patch"] == "application/merge-patch+json, application/json")
    }
    #expect(try Catalogue(directory: shop.index).generation == 1)
  }

  /// Would break if one of two patches at once took back what the other did.
  @Test func `patches at once are all made`() async throws {
    let shop = try await Self.shop()
    let updates = EntityUpdates(Indexer(directory: shop.index, pool: WorkerPool(width: 2)))
    let id = EntityID(type: .product, value: "mug")
    try await withThrowingTaskGroup(of: EntityChange.Effect.self) { group in
      for number in 0..<20 {
        group.addTask {
          try await updates.write(.patch(id, .object(["f\(number)": .integer(1)]))).outcome.effect
        }
      }
      for try await effect in group { #expect(effect == .changed) }
    }
    let stored = try await EntityLookup(catalogue: try Catalogue(directory: shop.index)).entities(
      for: [id])
    #expect(stored.first?.extra.count == 20)
  }

  /// Would break if one of two titles were taken without a word, or if an entity could make each answer and the index large.
  @Test func `repeated names and texts beyond the limits are refused`() async throws {
    let shop = try await Self.shop()
    for json in [
      #"{"title":"a","title":"b"}"#, #"{"title":"a","price":{"amount":"1","amount":"2"}}"#,
      #"{"title":"a","tit\u006ce":"b"}"#,
    ] {
      let put = try await Self.put(shop, "product/k", json)
      #expect(put.status == 400 && Self.problem(put.answer) == ["invalidJSON", nil], "\(json)")
      #expect((put.answer["detail"] as? String)?.contains("several times") == true)
      let form = try await Self.send(shop, "product/k", Self.form(json, []))
      #expect(form.status == 400)
    }
    let long = String(repeating: "ü", count: 1001)
    let many = (0...256).map { "\"w\($0)\"" }.joined(separator: ",")
    let heavy = (0..<20).map { "\"\($0)\(String(repeating: "x", count: 240))\"" }
      .joined(separator: ",")
    for (field, json) in [
      ("title", #"{"title":"\#(long)"}"#), ("subtitle", #"{"title":"a","subtitle":"\#(long)"}"#),
      ("brand", #"{"title":"a","brand":"\#(long)"}"#),
      ("localized.de.title", #"{"title":"a","localized":{"de":{"title":"\#(long)"}}}"#),
      ("attributes.color", #"{"title":"a","attributes":{"color":"\#(long)"}}"#),
      ("labels", #"{"title":"a","labels":[\#(many)]}"#),
      ("labels", #"{"title":"a","labels":[\#(heavy)]}"#),
      ("synonyms", #"{"title":"a","synonyms":[\#(many)]}"#),
    ] {
      let put = try await Self.put(shop, "product/k", json)
      #expect(put.status == 422 && Self.problem(put.answer) == ["invalidEntity", field])
    }
    let most = try await Self.put(shop, "product/k", #"{"title":"\#(long.dropLast())"}"#)
    #expect(most.status == 201)
  }

  @Test func `images come as parts of a form, and stay by their names`() async throws {
    let shop = try await Self.shop(ShopSettings(thumbnailSides: [160]))
    let kettle = try ImageDecoder().contents(ofFile: SampleShop.image("kettle.jpg"))
    let oats = try ImageDecoder().contents(ofFile: SampleShop.image("oats.jpg"))
    let address = "https://shop.example/oats.jpg"
    let added = try await Self.send(
      shop, "product/new",
      Self.form(
        #"{"title":"New","images":["front","images/mug-red.jpg","\#(address)"]}"#,
        [("front", kettle), (address, oats)]))
    #expect(added.status == 201, "\(added.answer)")
    let names = try #require(added.answer["images"] as? [String])
    #expect(names[0].hasPrefix("upload:") && names[2] == address)
    let response = try await shop.ask(
      "POST /v1/match", [Self.authorization, "Content-Type: image/jpeg"], kettle)
    let match = try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
    #expect(ServedShop.ids(match ?? [:], "values").first == "new")
    let thumbnail = "GET /v1/entities/product/new/thumbnail?size=small"
    #expect(try await shop.ask(thumbnail, [Self.authorization]).status == 200)

    let list = names.map { "\"\($0)\"" }.joined(separator: ",")
    let kept = try await Self.put(shop, "product/new", #"{"title":"Newer","images":[\#(list)]}"#)
    #expect(kept.status == 200 && kept.answer["images"] as? [String] == names)
    // Without a list, the parts are the images, in their order.
    let all = try await Self.send(
      shop, "product/two", Self.form(#"{"title":"Two"}"#, [("b", kettle), ("a", oats)]))
    #expect(all.status == 201 && (all.answer["images"] as? [String])?.first == names[0])
  }

  @Test func `empty elements of lists are left out, as in rows of a feed`() async throws {
    let row = #"{"type":"product","id":"a","title":"A","labels":["kettle",""],"synonyms":[""]}"#
    let shop = try await ServedShop(
      feed: { try $0.write(row, to: "feed.jsonl") },
      keys: try APIKeys(lines: Self.writer.line, file: "keys.txt"))
    let put = try await Self.put(shop, "product/a", row)
    #expect(put.status == 200 && put.answer["effect"] as? String == "unchanged")
    let entity = try await shop.json("GET /v1/entities/product/a", [Self.authorization])
    let product = (entity["entity"] as? [String: Any])?["product"] as? [String: Any]
    #expect(product?["labels"] as? [String] == ["kettle"])
  }

  @Test func `what cannot be indexed as a whole changes nothing, and is named`() async throws {
    let shop = try await Self.shop()
    let kettle = try ImageDecoder().contents(ofFile: SampleShop.image("kettle.jpg"))
    for (json, status, code, field) in [
      ("{", 400, "invalidJSON", nil), ("[]", 400, "invalidField", nil),
      (#"{"title":""}"#, 422, "invalidEntity", "title"),
      (#"{"title":"T","id":"other"}"#, 422, "invalidEntity", "id"),
      (#"{"title":"T","type":"store"}"#, 422, "invalidEntity", "type"),
      (#"{"title":"T","price":{"amount":"x","currency":"EUR"}}"#, 422, "invalidEntity", "price"),
      (#"{"title":"T","url":"ftp://a/b"}"#, 422, "invalidEntity", "url"),
      (#"{"title":"T","images":["images/none.jpg"]}"#, 422, "invalidEntity", "images[0]"),
      (#"{"title":"T","images":["/etc/passwd"]}"#, 422, "invalidEntity", "images[0]"),
      (#"{"title":"T","images":["https://a.example/b"]}"#, 422, "invalidEntity", "images[0]"),
    ] as [(String, Int, String, String?)] {
      let refused = try await Self.put(shop, "product/mug", json)
      #expect(refused.status == status, "\(json)")
      #expect(Self.problem(refused.answer) == [code, field], "\(json): \(refused.answer)")
      let detail = refused.answer["detail"] as? String ?? ""
      #expect(!detail.contains(shop.folder.path), "\(detail)")
    }
    for (body, status, code, field) in [
      (Self.form(nil, [("a", kettle)]), 400, "invalidField", "entity"),
      (Self.form(#"{"title":"T","images":["b"]}"#, [("a", kettle)]), 400, "invalidField", "images"),
      (
        Self.form(#"{"title":"T"}"#, [("a", kettle), ("b", Array(kettle.prefix(3000)))]), 422,
        "invalidEntity", "images[1]"
      ),
      (Self.form(#"{"title":"T"}"#, [("a", [])]), 422, "invalidEntity", "images[0]"),
      (Self.form("{", []), 400, "invalidJSON", nil),
    ] as [([UInt8], Int, String, String?)] {
      let refused = try await Self.send(shop, "product/mug", body)
      #expect(refused.status == status && Self.problem(refused.answer) == [code, field])
    }
    for type in ["image/jpeg", "text/plain"] {
      let refused = try await shop.ask(
        "PUT /v1/entities/product/mug", [Self.authorization, "Content-Type: \(type)"], kettle)
      #expect(refused.status == 415)
    }
    let entity = try await shop.json("GET /v1/entities/product/mug", [Self.authorization])
    #expect(entity["generation"] as? Int == 1)
    #expect(try await CatalogueUpkeep(directory: shop.index).verify() == [])
  }

  @Test(arguments: ["PUT", "PATCH", "DELETE"])
  func `a server without a key that may write takes no changes`(method: String) async throws {
    let reader = APIKeys.made(role: .read, name: "reader")
    for keys in [nil, try APIKeys(lines: reader.line, file: "keys.txt")] {
      let shop = try await ServedShop(
        feed: { try $0.write(#"{"type":"product","id":"mug","title":"Mug"}"#, to: "feed.jsonl") },
        keys: keys)
      for (given, status) in [([], 401), (["Authorization: Bearer \(reader.key)"], 403)] {
        let response = try await shop.ask(
          "\(method) /v1/entities/product/mug", ["Content-Type: application/json"] + given,
          Array(#"{"title":"T"}"#.utf8))
        #expect(response.status == status)
        #expect(String(decoding: response.body, as: UTF8.self).contains("--role write"))
      }
    }
  }

  @Test func `a change waits for no other writer, but says when to try again`() async throws {
    let shop = try await Self.shop()
    let lock = try #require(FileHandle(forUpdatingAtPath: shop.index + "/writer.lock"))
    #expect(flock(lock.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
    let json = Array(#"{"title":"T"}"#.utf8)
    for line in ["PUT", "PATCH", "DELETE"].map({ "\($0) /v1/entities/product/mug" }) {
      let busy = try await shop.ask(
        line, [Self.authorization, "Content-Type: application/json"], json)
      #expect(busy.status == 503 && busy["Retry-After"] == "10")
      #expect(String(decoding: busy.body, as: UTF8.self).contains("catalogueBusy"))
    }
    try lock.close()
    #expect(try await Self.put(shop, "product/mug", #"{"title":"T"}"#).status == 200)
  }

  /// Would break if an entity with tens of thousands of images took minutes, or if each name of a part copied it.
  @Test func `an entity has at most 64 images`() async throws {
    let shop = try await Self.shop()
    func json(_ count: Int, _ name: String) -> String {
      let names = Array(repeating: "\"\(name)\"", count: count).joined(separator: ",")
      return "{\"title\":\"Many\",\"images\":[\(names)]}"
    }
    let many = try await Self.put(shop, "product/many", json(40_000, "images/mug-red.jpg"))
    #expect(many.status == 422, "\(many.answer)")
    #expect(Self.problem(many.answer) == ["invalidEntity", "images"])
    #expect(many.answer["limit"] as? Int == 64)
    let oats = try ImageDecoder().contents(ofFile: SampleShop.image("oats.jpg"))
    let form = Self.form(json(50_000, "front"), [("front", oats)])
    #expect(try await Self.send(shop, "product/many", form).status == 422)
    let most = try await Self.put(shop, "product/many", json(64, "images/mug-red.jpg"))
    #expect(most.status == 201 && (most.answer["images"] as? [String])?.count == 64)
  }

  /// Would break if a change were made after its client was told to try again.
  @Test func `a change whose time is over is not made`() async throws {
    let shop = try await Self.shop(changeBudget: .zero)
    let response = try await shop.ask(
      "PUT /v1/entities/product/new", [Self.authorization, "Content-Type: application/json"],
      Array(#"{"title":"New","images":["images/mug-red.jpg"]}"#.utf8))
    let answer = try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
    #expect(response.status == 503 && response["Retry-After"] != nil)
    #expect(answer?["code"] as? String == "catalogueBusy")
    #expect(try Catalogue(directory: shop.index).entityCount == 1)
  }

  /// Would break if a change that a client gave up were made later, or if one that waits for a batch waited for ever.
  @Test(.timeLimit(.minutes(30))) func `a change that is cancelled while it waits is not made`()
    async throws
  {
    let shop = try await Self.shop()
    let pool = WorkerPool(width: 1)
    let updates = EntityUpdates(Indexer(directory: shop.index, pool: pool))
    let (isHeld, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    // Its thread is taken, so that the first batch does not end.
    let holder = Task(executorPreference: pool) {
      isHeld.signal()
      hold(release)
    }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      DispatchQueue.global().async {
        isHeld.wait()
        continuation.resume()
      }
    }
    func write(_ id: String, images: [String] = []) -> Task<EntityUpdates.Phase?, Never> {
      Task {
        do throws(EntityUpdates.Failure) {
          _ = try await updates.write(.put(.product(Product(id: id, title: "T", images: images))))
          return nil
        } catch {
          if case .cancelled(let phase) = error { return phase }
          return nil
        }
      }
    }
    let first = write("first")
    while await updates.batchCount == 0 { await Task.yield() }
    let second = write("second")
    while await updates.waitingCount == 0 { await Task.yield() }
    second.cancel()
    #expect(await second.value == .waiting)
    first.cancel()
    #expect(await first.value == .writing)
    let withImage = write("image", images: ["images/mug-red.jpg"])
    withImage.cancel()
    release.signal()
    #expect(await withImage.value == .analyzing)
    await holder.value
    #expect(await write("third").value == nil)
    let stored = try await EntityLookup(catalogue: try Catalogue(directory: shop.index)).entities(
      for: ["first", "second", "image", "third"].map { EntityID(type: .product, value: $0) })
    #expect(stored.map(\.id.value) == ["first", "third"])
  }

  /// Would break if two writers of one server met at the lock, or if an answer came before its
  /// change was durable.
  @Test func `changes at once are all written, several in a generation`() async throws {
    let shop = try await Self.shop()
    let index = shop.index
    let updates = EntityUpdates(Indexer(directory: index, pool: WorkerPool(width: 2)))
    let generations = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<60 {
        group.addTask {
          // Some are changed twice.
          let product = Product(id: "p\(number % 50)", title: "T\(number)")
          let written = try await updates.write(.put(.product(product)))
          #expect(try Catalogue(directory: index).generation >= written.generation)
          #expect(written.outcome.id.value == product.id)
          return written.generation
        }
      }
      return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(generations.count < 30)
    #expect(try Catalogue(directory: shop.index).entityCount == 51)
  }

  /// A change while the index was moved away made an empty one in its place, which the server then served.
  @Test(arguments: ["PUT", "DELETE", "bridge"])
  func `an index that was moved away is not made anew`(
    change: String
  ) async throws {
    let shop = try await Self.shop()
    let labelled = #"{"title":"Mug","labels":["mug"]}"#
    #expect(try await Self.put(shop, "product/mug", labelled).status == 200)
    try FileManager.default.moveItem(atPath: shop.index, toPath: shop.index + ".old")
    let json = [Self.authorization, "Content-Type: application/json"]
    let status =
      switch change {
      case "PUT": try await Self.put(shop, "product/zz", #"{"title":"Z"}"#).status
      case "DELETE":
        try await shop.ask("DELETE /v1/entities/product/mug", [Self.authorization]).status
      default:
        try await shop.ask(
          "POST /v1/labels/bridge", json, Array(#"{"label":"cup","labels":["mug"]}"#.utf8)
        ).status
      }
    #expect(change == "bridge" ? status >= 400 : status == 503)
    #expect(!FileManager.default.fileExists(atPath: shop.index))
    #expect(try await shop.ask("GET /v1/entities/product/mug", [Self.authorization]).status == 200)
  }

  /// Would break if a condition were ignored: of two clients that change an entity, one lost its change without a word.
  @Test(arguments: ["If-Match: \"1\"", "If-None-Match: *"]) func `changes take no conditions`(
    field: String
  ) async throws {
    let shop = try await Self.shop()
    let json = [Self.authorization, "Content-Type: application/json", field]
    let put = try await shop.ask(
      "PUT /v1/entities/product/mug", json, Array(#"{"title":"Cup"}"#.utf8))
    #expect(put.status == 400)
    #expect(
      try await shop.ask("PATCH /v1/entities/product/mug", json, Array("{}".utf8)).status == 400)
    #expect(
      try await shop.ask("DELETE /v1/entities/product/mug", [Self.authorization, field]).status
        == 400)
    let mug = try await shop.ask("GET /v1/entities/product/mug", [Self.authorization])
    #expect(String(decoding: mug.body, as: UTF8.self).contains("Mug"))
  }

  /// Twenty thousand fields of one entity hid the codes of all, and made each change look them all up.
  @Test func `codes are found beside very many fields, and changes leave nothing behind`()
    async throws
  {
    let shop = try await Self.shop()
    let code = #"{"title":"Coded","gtin":"4006381333931","zone":"Z"}"#
    #expect(try await Self.put(shop, "product/coded", code).status == 201)
    let fields = (0..<20_000).map { #""a\#($0)":1"# }.joined(separator: ",")
    #expect(try await Self.put(shop, "product/many", "{\"title\":\"M\",\(fields)}").status == 201)
    func found() async throws -> String {
      let answer = try await shop.ask(
        "POST /v1/match", [Self.authorization, "Content-Type: application/json"],
        Array(#"{"codes":["4006381333931"]}"#.utf8))
      return String(decoding: answer.body, as: UTF8.self)
    }
    #expect(try await found().contains(#""id":"coded""#))
    // The fields of the form before are gone, those of other entities are not.
    #expect(try await Self.put(shop, "product/coded", #"{"title":"Coded"}"#).status == 200)
    #expect(try await !found().contains(#""id":"coded""#))
    let many = try await shop.ask("GET /v1/entities/product/many", [Self.authorization])
    #expect(many.status == 200)
    #expect(
      try await shop.ask("DELETE /v1/entities/product/many", [Self.authorization]).status == 204)
    #expect(try await Self.put(shop, "product/coded", code).status == 200)
    #expect(try await found().contains(#""id":"coded""#))
  }

  /// Would break if a client were told to use options of the command line.
  @Test func `an image on a server is to be sent along`() async throws {
    let shop = try await Self.shop()
    let (status, answer) = try await Self.put(
      shop, "product/new", #"{"title":"New","images":["https://a.example/b.jpg"]}"#)
    #expect(status == 422)
    #expect(
      answer["detail"] as? String
        == "'images[0]' https://a.example/b.jpg: the server fetches no images; send it as a part of a form "
        + "that has this address as its name")
  }
}

/// Blocks a thread until it is released. A function of its own, since an asynchronous one must not wait.
private func hold(_ semaphore: DispatchSemaphore) { semaphore.wait() }
