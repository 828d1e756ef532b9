import Foundation
import HTTPServer
import TestSupport
import Testing
import VisualQuery

@testable import vq

/// The questions that an app asks about the shop as a whole: settings, names, phrases, facets and links.
@Suite struct ShopRouteTests {
  private static let gtin = "4006381333931"

  /// A shop whose products have codes and a public field.
  private static func shopWithCodes(
    deadlines: DeadlineLimits = DeadlineLimits(standard: .seconds(600), maximum: .seconds(600))
  ) async throws -> ServedShop {
    try await ServedShop(
      feed: { folder in
        try folder.write(
          """
          {"type":"product","id":"pen","title":"Pen","labels":["pen"],"brand":"Aster","gtin":"\(gtin)","material":"steel"}
          {"type":"product","id":"book","title":"Book","labels":["book"],"Barcode":"978-3-16-148410-0","purchasePrice":"1"}
          {"type":"product","id":"cup","title":"Cup","labels":["cup"],"ean":96385074}
          {"type":"product","id":"pen-2","title":"Other pen","labels":["pen"],"brand":"Aster"}
          {"type":"store","id":"north","title":"North","labels":["shop"],"stock":["pen"],"address":"Quay 4","geo":{"latitude":53.5,"longitude":10}}

          """, to: "feed.jsonl")
      }, shop: ShopSettings(publicFields: ["material"]), deadlines: deadlines)
  }

  // MARK: Facets

  /// A filter, and the same test of an entity of the answer.
  struct Filter: CustomTestStringConvertible, Sendable {
    let query: String
    let accepts: @Sendable (_ type: String, _ fields: [String: Any]) -> Bool
    var testDescription: String { query }
  }

  private static func price(_ fields: [String: Any]) -> Double? {
    ((fields["price"] as? [String: Any])?["amount"] as? String).flatMap(Double.init)
  }

  static let filters = [
    Filter(query: "") { _, _ in true },
    Filter(query: "&type=product") { type, _ in type == "product" },
    Filter(query: "&type=store") { type, _ in type == "store" },
    Filter(query: "&where=price%3C15") { _, fields in price(fields).map { $0 < 15 } ?? false },
    Filter(query: "&where=price%3C15&where=availability%3DinStock") { _, fields in
      fields["availability"] as? String == "inStock" && price(fields).map { $0 < 15 } ?? false
    },
    Filter(query: "&where=brand!%3DNorthlight") { _, fields in
      fields["brand"] as? String != "Northlight"
    },
    Filter(query: "&withLabel=mug&type=product") { type, fields in
      type == "product" && (fields["labels"] as? [String] ?? []).contains("mug")
    },
    Filter(query: "&where=price%3E100000") { _, _ in false },
  ]

  @Test(arguments: filters)
  func `facets count what a look at every entity counts`(filter: Filter) async throws {
    let shop = try await ServedShop()
    let all = try await shop.json("GET /v1/entities?limit=1000&cursor=")
    let entities = try #require(all["entities"] as? [[String: Any]]).compactMap { entity in
      let type = entity["type"] as? String ?? ""
      let fields = entity[type] as? [String: Any] ?? [:]
      return filter.accepts(type, fields) ? fields : nil
    }
    let answer = try await shop.json(
      "GET /v1/facets?facets=brand,availability,labels,price\(filter.query)")
    #expect(answer["entityCount"] as? Int == entities.count)
    for facet in try #require(answer["facets"] as? [[String: Any]]) {
      let property = try #require(facet["property"] as? String)
      var counts: [String: Int] = [:]
      for fields in entities {
        let values =
          fields[property] as? [String]
          ?? (property == "price"
            ? Self.price(fields).map { ["\($0)"] } : (fields[property] as? String).map { [$0] })
          ?? []
        for value in Set(values) { counts[value, default: 0] += 1 }
      }
      let found = try #require(facet["values"] as? [[String: Any]]).map { value in
        let text = value["value"] as? String ?? "\(value["value"] as? Double ?? -1)"
        return (text, value["count"] as? Int ?? 0)
      }
      #expect(Dictionary(uniqueKeysWithValues: found) == counts, "\(property)")
      #expect(found.map(\.1) == found.map(\.1).sorted(by: >))
      #expect(facet["valueCount"] as? Int == counts.count)
      if property == "price" {
        let range = facet["range"] as? [String: Double]
        #expect(range?["minimum"] == entities.compactMap(Self.price).min())
        #expect(range?["maximum"] == entities.compactMap(Self.price).max())
      }
    }
  }

  @Test func `options are the values that begin with what is typed`() async throws {
    let shop = try await ServedShop()
    let answer = try await shop.json(
      "GET /v1/facets?facets=labels&facetPrefix=DRI&facetLimit=1&type=product")
    let facet = try #require((answer["facets"] as? [[String: Any]])?.first)
    let values = try #require(facet["values"] as? [[String: Any]])
    #expect(values.map { $0["value"] as? String } == ["drinkware"])
  }

  @Test func `a match counts all of its pages, and a continuation the same`() async throws {
    let shop = try await ServedShop()
    let question =
      #"{"labels":["drinkware"],"limit":3,"products":100,"stores":0,"facets":["brand","labels"]}"#
    let first = try await shop.json("POST /v1/match", [], question)
    let token = try #require(first["continuation"] as? String)
    let next = try await shop.json(
      "POST /v1/match", [], #"{"continuation":"\#(token)","limit":100,"facets":["brand","labels"]}"#
    )
    #expect(ServedShop.ids(first, "values").count == 3)
    let ids = ServedShop.ids(first, "values") + ServedShop.ids(next, "values")
    for answer in [first, next] {
      let facets = try #require(answer["facets"] as? [String: Any])
      #expect(facets["entityCount"] as? Int == ids.count)
      let labels = try #require((facets["facets"] as? [[String: Any]])?.last)
      let drinkware = try #require(labels["values"] as? [[String: Any]]).first {
        $0["value"] as? String == "drinkware"
      }
      #expect(drinkware?["count"] as? Int == ids.count)
    }
    let none = try await shop.json("POST /v1/match", [], #"{"labels":["drinkware"]}"#)
    #expect(none["facets"] == nil)
  }

  @Test(arguments: [
    ("facets=purchasePrice", 422), ("facets=stock", 422), ("facets=title", 422), ("", 400),
    ("facets=material", 200), ("facetLimit=0&facets=brand", 400), ("facetPrefix=a", 400),
    ("facets=brand&where=purchasePrice%3D1", 422),
  ])
  func `only public properties have facets`(query: String, status: Int) async throws {
    let shop = try await Self.shopWithCodes()
    #expect(try await shop.ask("GET /v1/facets?\(query)").status == status)
  }

  // MARK: Codes

  @Test(arguments: [
    (gtin, "pen"), ("0\(gtin)", "pen"), ("4006-3813 33931", "pen"), ("9783161484100", "book"),
    ("96385074", "cup"),
  ])
  func `a product with the code comes first`(code: String, id: String) async throws {
    let shop = try await Self.shopWithCodes()
    let answer = try await shop.json(
      "POST /v1/match", [], #"{"labels":["cup","pen","book"],"codes":["\#(code)"]}"#)
    let values = try #require(answer["values"] as? [[String: Any]])
    #expect(values.first?["id"] as? String == id && values.first?["tier"] as? String == "code")
    #expect(values.count > 1 && answer["unmatchedCodes"] == nil)
    let alone = try await shop.json("POST /v1/match", [], #"{"codes":["\#(code)"],"stores":0}"#)
    #expect(ServedShop.ids(alone, "values") == [id])
  }

  @Test func `a wrong code is named and changes nothing`() async throws {
    let shop = try await Self.shopWithCodes()
    let answer = try await shop.json(
      "POST /v1/match", [], #"{"labels":["cup"],"codes":["4006381333932","12345670","x"]}"#)
    let plain = try await shop.json("POST /v1/match", [], #"{"labels":["cup"]}"#)
    #expect(ServedShop.ids(answer, "values") == ServedShop.ids(plain, "values"))
    let codes = try #require(answer["unmatchedCodes"] as? [[String: String]])
    #expect(codes.map { $0["reason"] } == ["invalid", "unknown", "invalid"])
    let filtered = try await shop.json(
      "POST /v1/match", [], #"{"codes":["\#(Self.gtin)"],"where":["brand!=Aster"]}"#)
    #expect(ServedShop.ids(filtered, "values").isEmpty)
  }

  @Test func `lines of text find titles`() async throws {
    let shop = try await Self.shopWithCodes()
    let answer = try await shop.json("POST /v1/match", [], #"{"texts":["BOOK","zzyzx"]}"#)
    #expect(ServedShop.ids(answer, "values").first == "book")
    let many = Array(repeating: #""a""#, count: 65).joined(separator: ",")
    let refused = try await shop.json("POST /v1/match", [], #"{"texts":[\#(many)]}"#)
    #expect(refused["field"] as? String == "texts" && refused["limit"] as? Int == 64)
  }

  @Test func `codes that time did not suffice for are not called unknown`() async throws {
    let shop = try await Self.shopWithCodes(
      deadlines: DeadlineLimits(standard: .zero, maximum: .zero))
    let answer = try await shop.json(
      "POST /v1/match", [], #"{"labels":["cup"],"codes":["\#(Self.gtin)"]}"#)
    #expect(answer["complete"] as? Bool == false && answer["unmatchedCodes"] == nil)
    #expect(ServedShop.ids(answer, "values") == ["cup"])
  }

  @Test func `a code brings the stores that stock its product, and pages go on`() async throws {
    let shop = try await Self.shopWithCodes()
    let answer = try await shop.json(
      "POST /v1/match", [], #"{"codes":["\#(Self.gtin)"],"labels":["pen"],"limit":1}"#)
    #expect(ServedShop.ids(answer, "values") == ["pen"])
    let token = try #require(answer["continuation"] as? String)
    let next = try await shop.json("POST /v1/match", [], #"{"continuation":"\#(token)","limit":9}"#)
    #expect(ServedShop.ids(next, "values").contains("north"))
    let again = try await shop.json(
      "POST /v1/match", [], #"{"continuation":"\#(token)","fromStart":true,"refresh":true}"#)
    #expect(ServedShop.ids(again, "values").first == "pen")
  }

  /// Would break if a field that is not public any more could be asked about through an old continuation.
  @Test func `a continuation does not ask for what is private by now`() async throws {
    let shop = try await ServedShop(
      feed: { folder in
        let rows = (0..<3).map {
          #"{"type":"product","id":"\#($0)","title":"M","labels":["mug"],"margin":"high"}"#
        }
        return try folder.write(rows.joined(separator: "\n"), to: "feed.jsonl")
      }, shop: ShopSettings(publicFields: ["margin"]))
    let first = try await shop.json(
      "POST /v1/match", [], #"{"labels":["mug"],"where":["margin=high"],"limit":1}"#)
    let token = try #require(first["continuation"] as? String)
    let refresh = #"{"continuation":"\#(token)","refresh":true}"#
    let again = try await shop.json("POST /v1/match", [], refresh)
    #expect(ServedShop.ids(again, "values").isEmpty == false)
    _ = try await Indexer(directory: shop.index, settings: ShopSettings(publicFields: []))
      .putSettings()
    let refused = try await shop.json("POST /v1/match", [], refresh)
    #expect(refused["code"] as? String == "invalidFilter")
  }

  /// Would break if requests for a generation that never comes took the places of others.
  @Test func `a generation of a directory is there or is not`() async throws {
    // A wait would last as long as the deadline of these tests, ten minutes.
    let answer = try await ServedShop().json(
      "GET /v1/settings", ["X-At-Least-Generation: 9223372036854775807"])
    #expect(answer["code"] as? String == "catalogueUnavailable")
  }

  // MARK: Links

  @Test(arguments: [
    ("https://shop.example/p/pen", "pen"), ("https://shop.example/p/pen?utm_source=x#top", "pen"),
    ("https://shop.example/p/none", nil), ("https://other.example/p/pen", nil),
    ("https://shop.example/p/pen/more", nil), ("not a link", nil),
    // The longest link that may be asked for.
    ("https://shop.example/" + String(repeating: "p", count: 979), nil),
  ])
  func `a link leads to the entity that it opens`(link: String, id: String?) async throws {
    let shop = try await Self.shopWithCodes()
    let encoded = try #require(
      link.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    let answer = try await shop.json("GET /v1/route?url=\(encoded)")
    #expect((answer["entity"] as? [String: Any])?["id"] as? String == id)
    if id == nil { #expect(answer["code"] as? String == "unknownEntity") }
  }

  @Test func `an entity's own URL leads to it`() async throws {
    let shop = try await ServedShop()
    let answer = try await shop.json(
      "GET /v1/route?url=https%3A%2F%2Fshop.example%2Fstores%2Fharbour")
    #expect((answer["entity"] as? [String: Any])?["id"] as? String == "harbour")
  }

  /// Feeds have links with the variant in the query, and marks of campaigns.
  @Test(arguments: [
    ("https://shop.example/tee?variant=2", "blue"),
    ("https://shop.example/tee?variant=2&utm_source=mail&gclid=x#top", "blue"),
    ("https://shop.example/tee?size=m&variant=1", "red"),
    ("https://shop.example/tee?variant=3", nil), ("https://shop.example/tee", nil),
    ("https://shop.example/cup", "cup"), ("https://shop.example/cup?utm_source=mail", "cup"),
    ("https://shop.example/te?variant=2", nil), ("https://shop.example/tee?variant=22", nil),
    ("HTTPS://Shop.Example/tee?variant=2", "blue"), ("https://SHOP.example/cup", "cup"),
    ("https://shop.example/CUP", nil), ("http://shop.example/cup", "cup"),
    ("https://www.shop.example/cup/", "cup"), ("shop.example/cup", nil),
    ("http://www.shop.example/tee/?variant=2&utm_medium=qr", "blue"),
    ("https://other.example/cup", nil),
  ])
  func `a query tells variants apart, and campaigns do not`(link: String, id: String?) async throws
  {
    let shop = try await ServedShop(feed: { folder in
      try folder.write(
        """
        {"type":"product","id":"red","title":"Tee","url":"https://shop.example/tee?variant=1&utm_source=feed"}
        {"type":"product","id":"blue","title":"Tee","url":"https://shop.example/tee?utm_source=feed&variant=2"}
        {"type":"product","id":"cup","title":"Cup","url":"https://shop.example/cup?utm_source=feed"}

        """, to: "feed.jsonl")
    })
    let encoded = try #require(
      link.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    let answer = try await shop.json("GET /v1/route?url=\(encoded)")
    #expect((answer["entity"] as? [String: Any])?["id"] as? String == id)
  }

  // MARK: Words

  @Test(arguments: [("en", "Product"), ("de-CH", "Produkt"), ("fr", "Article"), ("xx", "Product")])
  func `types and values have names in the language`(language: String, name: String) async throws {
    let shop = try await ServedShop()
    let schema = try await shop.json("GET /v1/schema", ["Accept-Language: \(language)"])
    let types = try #require(schema["types"] as? [String: [String: String]])
    #expect(types["product"]?["name"] == name)
    let enumerations = try #require(schema["enumerations"] as? [String: [String: String]])
    #expect(
      Set(try #require(enumerations["availability"]).keys)
        == Set(Availability.allCases.map(\.rawValue)))
    #expect(Set(try #require(enumerations["tier"]).keys) == Set(MatchTier.allCases.map(\.rawValue)))
    #expect(
      Set(try #require(enumerations["evidence"]).keys)
        == Set(Evidence.Kind.allCases.map(\.rawValue)))
    #expect(Set(enumerations.keys) == Set(EnumerationWords.all.map { $0.enumerationName }))
    let phrases = try await shop.json("GET /v1/phrases?locale=\(language)")
    for shortcut in try #require(phrases["shortcuts"] as? [[String: Any]]) {
      let texts = try #require(shortcut["phrases"] as? [String])
      #expect(texts.allSatisfy { $0.contains("${applicationName}") } && texts.count == 2)
      #expect((shortcut["values"] as? [[String: String]])?.isEmpty == false)
    }
  }

  /// Would break if the page showed values such as `patches` as they are, or words of its own that nobody adds to.
  @Test func `the page takes the words for values from the schema`() throws {
    let scripts = ServedFiles.pageFiles.filter { $0.key.hasSuffix(".js") }
      .mapValues { String(decoding: $0.bytes, as: UTF8.self) }
    let asked = Set(
      scripts.values.flatMap { $0.matches(of: /\bword\("(\w+)",/).map { String($0.1) } })
    // The page never shows an order of sorting, so it does not ask for the words of `order`.
    #expect(asked == Set(EnumerationWords.all.map { $0.enumerationName }).subtracting(["order"]))
    // If a script had its own table of words, the values would be its keys. Values of a single lower-case word are
    // left out, because other tables have them as keys, too.
    let values = EnumerationWords.all.flatMap { EnumerationWords.words(of: $0).keys }
      .filter { $0.contains(where: \.isUppercase) }
    #expect(values.count > 20)
    for (name, script) in scripts {
      for value in values { #expect(!script.contains("\(value):"), "\(name) has words of its own") }
    }
  }

  @Test func `the shop has settings`() async throws {
    let shop = try await ServedShop()
    let settings = try await shop.json("GET /v1/settings")
    #expect(settings["visualSearch"] as? Bool == true && settings["id"] as? String == "shop")
    #expect(settings["products"] as? Int == 28 && settings["stores"] as? Int == 4)
    #expect(settings["currencies"] as? [String] == ["EUR"])
    let bare = try await Self.shopWithCodes().json("GET /v1/settings")
    #expect(bare["visualSearch"] as? Bool == false)
    #expect(bare["publicFields"] as? [String] == ["material"])
  }

  @Test(arguments: [("en", "no longer"), ("de", "nicht mehr"), ("fr-CA", "n’a plus")])
  func `a problem has a sentence in the language of the client`(
    language: String, part: String
  ) async throws {
    let shop = try await ServedShop()
    let problem = try await shop.json(
      "GET /v1/entities/product/none", ["Accept-Language: \(language)"])
    #expect((problem["userMessage"] as? String)?.contains(part) == true)
  }

  /// Would break if a person who gave neither an image nor a word read that the app had made a mistake.
  @Test(arguments: [("en", "photo"), ("de", "Foto"), ("fr", "photo")])
  func `who asks for nothing is told what to give`(language: String, part: String) async throws {
    let problem = try await ServedShop().json(
      "POST /v1/match", ["Accept-Language: \(language)"], #"{"labels":[]}"#)
    #expect(problem["code"] as? String == "nothingAsked")
    #expect((problem["userMessage"] as? String)?.contains(part) == true)
  }

  @Test func `every sentence differs, and says nothing of the server`() {
    for language in ShopWords.languages {
      let texts = UserMessage.allCases.map { $0.text(in: language) }
      #expect(Set(texts).count == texts.count)
      #expect(texts.allSatisfy { !$0.contains("vq") && !$0.contains("HTTP") })
    }
  }

  // MARK: Forms

  @Test func `an entity is given for models and as text, without private fields`() async throws {
    let shop = try await Self.shopWithCodes()
    let model = try await shop.json("GET /v1/entities/product/pen?format=model")
    #expect(
      model as? [String: String] == [
        "type": "Product", "id": "pen", "title": "Pen", "labels": "pen", "brand": "Aster",
        "material": "steel", "url": "https://shop.example/p/pen",
      ])
    let german = try await shop.ask(
      "GET /v1/entities?cursor=&format=model", ["Accept-Language: de-CH"])
    #expect(german["Content-Language"] == "de-CH")
    let list = try #require(
      try JSONSerialization.jsonObject(with: Data(german.body)) as? [String: Any])
    let models = try #require(list["entities"] as? [[String: String]])
    #expect(Set(models.compactMap { $0["type"] }) == ["Produkt", "Filiale"])
    #expect(models.allSatisfy { $0["display"] == nil && $0["id"] != nil })
    #expect(try await shop.ask("GET /v1/entities?q=pen&format=text").status == 400)
    let text = try await shop.ask("GET /v1/entities/store/north", ["Accept: text/plain"])
    #expect(text["Content-Type"] == "text/plain; charset=utf-8")
    #expect(String(decoding: text.body, as: UTF8.self) == "North\nQuay 4\n")
    let full = try await shop.ask("GET /v1/entities/store/north")
    #expect(full["ETag"] != text["ETag"] && full["Content-Type"] == "application/json")
    #expect(try await shop.ask("GET /v1/entities/store/north?format=x").status == 400)
  }

  @Test func `changes have the attributes of an index on the device if they are asked for`()
    async throws
  {
    let shop = try await Self.shopWithCodes()
    let changes = try await shop.json("GET /v1/sync?attributes=true")
    let upserts = try #require(changes["upserts"] as? [[String: Any]])
    let sets = upserts.compactMap { $0["attributeSet"] as? [String: Any] }
    #expect(sets.count == upserts.count)
    #expect(sets.first?["keywords"] as? [String] == ["pen", "Aster"])
    #expect(sets.last?["latitude"] as? Double == 53.5)
    let plain = try await shop.json("GET /v1/sync")
    #expect(
      (plain["upserts"] as? [[String: Any]])?.allSatisfy { $0["attributeSet"] == nil } == true)
  }
}
