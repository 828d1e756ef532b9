import Foundation
import Testing

@testable import VisualQueryClient

/// Would break if the service said something that the client neither reads nor leaves out on purpose.
@Suite struct APITests {
  /// A document of the service, the client's type for it, and the properties that the client leaves out, with the reason.
  struct Document: CustomTestStringConvertible, Sendable {
    let schema: String
    let leftOut: [String: String]
    let roundTrip: @Sendable (Data) throws -> Data

    init<Value: Codable & Sendable & SendableMetatype>(
      _ schema: String, _ type: Value.Type, leftOut: [String: String] = [:]
    ) {
      self.schema = schema
      self.leftOut = leftOut
      roundTrip = {
        try JSONEncoder().encode(try JSONDecoder().decode(Value.self, from: $0))
      }
    }

    var testDescription: String { schema }
  }

  private static let titled = "Entity.type is the same"
  private static let attributes = "the app makes the attributes of Spotlight from the entity"

  static let documents = [
    Document(
      "MatchAnswer", MatchAnswer.self,
      leftOut: [
        "nearMiss": "always null",
        "values.product.type": titled, "values.store.type": titled,
        "values.variants.product.type": titled,
        "possible.product.type": titled, "possible.store.type": titled,
        "possible.variants.product.type": titled,
        "sibling.product.type": titled, "sibling.store.type": titled,
        "sibling.variants.product.type": titled,
        "similar.product.type": titled, "similar.store.type": titled,
        "similar.variants.product.type": titled,
      ]),
    Document(
      "EntityAnswer", EntityAnswer.self,
      leftOut: [
        "entity.product.type": titled, "entity.store.type": titled,
        "entity.attributeSet": attributes,
      ]),
    Document(
      "EntityList", EntityPage.self,
      leftOut: [
        "entities.product.type": titled, "entities.store.type": titled,
        "entities.attributeSet": attributes,
      ]),
    Document(
      "ResolvedEntities", ResolvedEntities.self,
      leftOut: [
        "entities.product.type": titled, "entities.store.type": titled,
        "entities.attributeSet": attributes,
      ]),
    Document(
      "Sync", Changes.self,
      leftOut: [
        "upserts.product.type": titled, "upserts.store.type": titled,
        "upserts.attributeSet": attributes,
      ]),
    Document(
      "Neighbors", Neighbors.self,
      leftOut: [
        "neighbors.entity.product.type": titled, "neighbors.entity.store.type": titled,
        "neighbors.entity.attributeSet": attributes,
      ]),
    Document("History", EntityHistory.self),
    Document("ModelList", ModelList.self),
    Document("Feedback", StoredStatement.self),
    Document("CountedEvents", CountedEvents.self),
    Document("Facets", Facets.self),
    Document("FacetAnswer", Facets.self, leftOut: ["generation": "options have none"]),
    Document("Settings", ShopSettings.self),
    Document("Schema", ShopSchema.self),
    Document("Phrases", ShopPhrases.self),
    Document(
      "Limits", ServiceLimits.self,
      leftOut: [
        "headerBytes": "the client's headers are short",
        "targetBytes": "the client's addresses are short",
      ]),
    Document("Problem", Problem.self, leftOut: ["type": "always about:blank"]),
  ]

  @Test(arguments: documents, [0, 1])
  func `the client reads every property, or leaves it out on purpose`(
    document: Document, choice: Int
  ) throws {
    let example = try APIDescription().example(of: document.schema, choice: choice)
    let written = try document.roundTrip(try JSONSerialization.data(withJSONObject: example))
    let read = APIDescription.paths(of: try JSONSerialization.jsonObject(with: written))
    let all = APIDescription.paths(of: example)
    let lost = all.subtracting(read).filter { path in
      !document.leftOut.keys.contains { path == $0 || path.hasPrefix($0 + ".") }
    }
    #expect(lost == [], "\(document.schema) has properties that the client does not read")
  }

  @Test func `a question can have every field, or leaves it out on purpose`() throws {
    let api = try APIDescription()
    func names(_ value: some Encodable) throws -> Set<String> {
      let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(value))
      return Set(try #require(object as? [String: Any]).keys)
    }
    let question = MatchQuestion(
      image: .signature("AA"), labels: ["mug"], codes: ["1"], texts: ["oats"],
      embedding: ImageEmbedding(model: "m", vector: [1, 0]), limit: 1, products: 1, stores: 1,
      type: .product, withLabels: ["mug"], conditions: ["price<20"],
      near: GeoPoint(latitude: 1, longitude: 1), radius: 1, isGrouped: true, facets: ["brand"],
      facetPrefix: "a", facetLimit: 1, subject: .catalogued, answers: .sure,
      acceptsTruncated: true, region: ImageRegion(left: 0, top: 0, width: 1, height: 1),
      minConfidence: 0.5, at: Date(timeIntervalSince1970: 0), usesFeedback: false,
      showsSimilar: true, appPage: "home", caller: "4f2a", text: "in green")
    #expect(
      try api.properties(of: "MatchQuestion").subtracting(
        names(question.fields(searchTime: .seconds(1)))) == ["locale"])
    let continuation = ContinuationFields(
      continuation: "A", limit: 1, facets: ["brand"], facetPrefix: "a", facetLimit: 1,
      fromStart: true, refresh: true, where: ["price<20"], deadlineMs: 1)
    #expect(try api.properties(of: "MatchContinuation").subtracting(names(continuation)) == [])
    let query = PropertyQuestion(
      type: .product, comparators: [.init("price", .isBetween, "1", upperValue: "2")],
      sortedBy: [.init("price")], limit: 1)
    // The language is a header, and a list of at most 1000 needs no cursor.
    #expect(
      try api.properties(of: "EntityQuery").subtracting(names(query)) == ["locale", "cursor"])
    let statement = Statement(
      about: "A", chosen: EntityID(.product, "a"), rejected: [EntityID(.product, "b")])
    #expect(try api.properties(of: "Statement").subtracting(names(statement)) == [])
  }

  /// The operations that an app has no use for.
  private static let leftOut: [String: String] = [
    "putEntity": "for the shop", "deleteEntity": "for the shop", "listFeedback": "for the shop",
    "getFeedbackQueries": "for the shop", "removeFeedback": "for the shop",
    "acceptFeedback": "for the shop", "getFindings": "for the shop",
    "makeEvaluation": "for the shop", "getEvaluationFigures": "for the shop",
    "getUnknownLabels": "for the shop",
    "addToBridge": "for the shop", "listRules": "for the shop", "replaceRules": "for the shop",
    "tryRules": "for the shop", "getNumbers": "for the shop",
    "getRejectedRows": "for the shop",
    "listFits": "for the shop", "askPhoto": "for the shop", "askKeptPhoto": "for the shop",
    "fitPhotos": "for the shop", "undoFit": "for the shop", "putEntityForm": "for the shop",
    "patchEntity": "for the shop", "importEntities": "for the shop",
    "matchImage": "`match` sends all kinds of bodies, as older services know it",
    "matchQuery": "`match` sends it", "continueMatch": "`match` sends it",
    "giveFeedbackForm": "`giveFeedback` sends it", "getCatalogue": "for the shop",
    "getLiveness": "for operators", "getReadiness": "for operators",
    "getMetrics": "for operators", "getDescription": "for developers",
  ]

  /// The parameters of addresses that the client leaves out.
  private static let leftOutParameters: Set<String> = [
    // A header tells the language.
    "locale",
    // The client resolves ids by POST, which has no limit of length.
    "listEntities.ids",
    // The app makes the attributes of Spotlight from the entity.
    "sync.attributes",
    // The tag is in the addresses of answers.
    "getThumbnail.v",
    // Suggestions are for people.
    "suggestEntities.format",
  ]

  @Test func `the client has a function for every operation that apps use`() async throws {
    let service = try ScriptedService { _, _ in
      ScriptedService.Answer(status: 404, body: Data())
    }
    let shop = ShopClient(ServiceConfiguration(address: service.address, language: "en"))
    let id = EntityID(.product, "a")
    _ = try? await shop.match(MatchQuestion(labels: ["mug"]))
    _ = try? await shop.entities(matching: "a", type: .product, limit: 1)
    _ = try? await shop.page(after: "a", type: .product, limit: 1)
    _ = try? await shop.suggestedEntities(type: .product, limit: 1)
    _ = try? await shop.entities(PropertyQuestion(type: .product))
    _ = try? await shop.entities(for: [id])
    _ = try? await shop.entity(for: id)
    _ = try? await shop.model(of: id)
    _ = try? await shop.thumbnail(try #require(shop.thumbnailURL(of: id, background: .dark)))
    _ = try? await shop.neighbors(
      of: id, limit: 1, conditions: ["price<1"], withLabels: ["mug"], relation: .look)
    _ = try? await shop.models(matching: "a", limit: 1)
    _ = try? await shop.history(of: id)
    _ = try? await shop.give(Statement(about: "A", chosen: id))
    _ = try? await shop.count([MatchEvent(.opened, of: id)], ofAnswer: "A")
    _ = try? await shop.changes(since: "a", limit: 1)
    _ = try? await shop.limits()
    _ = try? await shop.facets(
      ["brand"], prefix: "a", type: .product, conditions: ["price<1"], withLabels: ["mug"],
      limit: 1)
    _ = try? await shop.settings()
    _ = try? await shop.schema()
    _ = try? await shop.phrases()
    _ = try? await shop.entity(forLink: try #require(URL(string: "https://shop.example/a")))
    let asked = service.requests
    for (name, operation) in try APIDescription().operations() {
      let pattern = operation.path.replacing("{type}", with: "product").replacing("{id}", with: "a")
      let found = asked.filter { $0.method == operation.method && $0.path == pattern }
      #expect(found.isEmpty == (Self.leftOut[name] != nil), "\(name)")
      // The parameters of POST are those of uploads without a form.
      guard operation.method == "GET", !found.isEmpty else { continue }
      let sent = Set(
        found.flatMap(\.query).compactMap {
          $0.split(separator: "=").first.flatMap { String($0).removingPercentEncoding }
        })
      let missing = operation.parameters.subtracting(sent).filter {
        !Self.leftOutParameters.contains($0) && !Self.leftOutParameters.contains("\(name).\($0)")
      }
      #expect(missing == [], "\(name)")
    }
  }

  /// Would break if one type, reason or tier of a newer service lost the rest of an answer.
  @Test func `names of a newer service lose nothing else`() throws {
    let api = try APIDescription()
    var answer = try #require(try api.example(of: "MatchAnswer", choice: 0) as? [String: Any])
    var value = try #require((answer["values"] as? [[String: Any]])?.first)
    value["type"] = "collection"
    value["tier"] = "guessed"
    value["collection"] = ["season": "summer"]
    value["product"] = nil
    answer["values"] = try #require(answer["values"] as? [[String: Any]]) + [value]
    answer["emptyReason"] = "tooDark"
    answer["newer"] = ["a": 1]
    let read = try JSONDecoder().decode(
      MatchAnswer.self, from: try JSONSerialization.data(withJSONObject: answer))
    #expect(read.values.map(\.type) == [.product, EntityType(rawValue: "collection")])
    #expect(read.values[1].tier == MatchTier(rawValue: "guessed"))
    #expect(read.values[1].entity.display.title == read.values[0].display.title)
    let page = Data(
      """
      {"generation":1,"entities":[{"type":"collection","id":"a","display":{"title":"A"}},
       {"type":"product","id":"b","display":{"title":"B"}}]}
      """.utf8)
    let entities = try JSONDecoder().decode(EntityList.self, from: page).entities
    #expect(entities.map(\.entityID.description) == ["collection:a", "product:b"])
    var copy = EntityCopy()
    copy.apply(
      CopyBatch(
        beginsAnew: true, upserts: entities, removals: [],
        state: CopyState(token: "t", language: "en"), generation: 1))
    let again = try JSONDecoder().decode(EntityCopy.self, from: JSONEncoder().encode(copy))
    #expect(again == copy)
  }
}
