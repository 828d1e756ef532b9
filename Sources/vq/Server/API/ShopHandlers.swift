#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import HTTPServer
import VisualQuery

/// The questions that an app asks about the shop as a whole.
struct ShopHandlers: Handlers {
  let shop: ShopContext

  /// The figures of the catalogue.
  func describeCatalogue(_ request: HTTPRequest) throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    let catalogue = try self.catalogue.newest()
    return untagged(
      CatalogueDocument(
        generation: catalogue.generation, products: catalogue.entityCount(of: .product),
        stores: catalogue.entityCount(of: .store), images: catalogue.imageCount,
        minimumConfidence: Calibration.defaultCutOff, feedback: shop.takesFeedback,
        lastRun: shop.runs.latest.first.map(LastRunDocument.init)))
  }

  private static let facetFields: [any AnyQuestionField] = [
    Question.type, Question.wantedLabels, Question.conditions, Question.facets,
    Question.facetPrefix, Question.facetLimit,
  ]

  /// The values of properties, with the number of entities that have each.
  func facets(_ request: HTTPRequest) async throws -> HTTPResponse {
    let catalogue = try self.catalogue.newest()
    var fields = RequestFields(request.info.head.query)
    let asked = try Question(Self.facetFields, of: &fields)
    guard let question = asked.facetQuestion else {
      throw fields.problem("facets", "given; it names properties such as brand,availability")
    }
    let locale = try locale(of: fields, request)
    let found = try await lookup(catalogue, request).facets(
      question, matching: asked.filter, types: asked.options(timeout: nil).types)
    if let same = notModified(request, catalogue, locale) { return same }
    return json(
      FacetAnswer(
        generation: catalogue.generation,
        facets: FacetsDocument(found.facets, entityCount: found.entityCount)), catalogue, locale)
  }

  /// The shop itself, of which there is one.
  func settings(_ request: HTTPRequest) async throws -> HTTPResponse {
    let catalogue = try self.catalogue.newest()
    let locale = try locale(of: RequestFields(request.info.head.query), request)
    let currencies = try await lookup(catalogue, request).facets(
      FacetQuestion([EntityProperty("currency")], limit: 16))
    if let same = notModified(request, catalogue, locale) { return same }
    let names: [String] = currencies.facets.flatMap(\.values).compactMap {
      if case .text(let name) = $0.value { name } else { nil }
    }
    return json(
      SettingsDocument(
        generation: catalogue.generation, name: settings.shopName, currencies: names,
        products: catalogue.entityCount(of: .product), stores: catalogue.entityCount(of: .store),
        visualSearch: catalogue.imageCount > 0, publicFields: catalogue.publicFields.sorted()),
      catalogue, locale)
  }

  /// The names of types, properties and enumerations in a language.
  func schema(_ request: HTTPRequest) async throws -> HTTPResponse {
    let catalogue = try self.catalogue.newest()
    let locale = try locale(of: RequestFields(request.info.head.query), request)
    if let same = notModified(request, catalogue, locale) { return same }
    return json(
      SchemaDocument(ShopWords(language: locale), publicFields: catalogue.publicFields.sorted()),
      catalogue, locale)
  }

  /// The most parameter values of phrases, as the system takes few.
  private static let phraseValueLimit = 20

  /// The phrases of App Shortcuts in a language, with the entities that are named in them first.
  func phrases(_ request: HTTPRequest) async throws -> HTTPResponse {
    let catalogue = try self.catalogue.newest()
    let locale = try locale(of: RequestFields(request.info.head.query), request)
    let lookup = lookup(catalogue, request)
    var values: [EntityType: [EntityValue]] = [:]
    for type in EntityType.allCases {
      values[type] = try await lookup.suggestedEntities(
        types: [type], limit: Self.phraseValueLimit)
    }
    if let same = notModified(request, catalogue, locale) { return same }
    let words = ShopWords(language: locale)
    return json(
      PhrasesDocument(
        generation: catalogue.generation, language: words.language,
        shortcuts: EntityType.allCases.map { type in
          PhrasesDocument.Shortcut(
            type: type, title: words.openTitle(of: type), phrases: words.phrases(of: type),
            values: (values[type] ?? []).map {
              PhrasesDocument.Value(
                id: $0.id.value, title: $0.displayRepresentation(for: locale).title)
            })
        }), catalogue, locale)
  }

  /// The most characters of a link.
  private static let linkLimit = EntityComparator.textLimit

  /// The entity that a link opens.
  func reverse(_ request: HTTPRequest) async throws -> HTTPResponse {
    let catalogue = try self.catalogue.newest()
    var fields = RequestFields(request.info.head.query)
    guard let url = try fields.text("url", limit: Self.linkLimit), !url.isEmpty else {
      throw fields.problem("url", "given; it is a link of the shop")
    }
    let locale = try locale(of: fields, request)
    let lookup = lookup(catalogue, request)
    guard let value = try await lookup.entity(forLink: url) else {
      throw Problem(.unknownEntity, "no entity has this link", field: "url")
    }
    if let same = notModified(request, catalogue, locale) { return same }
    let projection = try await lookup.publicProjection(of: [value.id])
    return json(
      SingleEntityDocument(
        generation: catalogue.generation,
        entity: EntityDocument(
          value, locale: locale, links: catalogue.links, projection: projection)),
      catalogue, locale)
  }
}

/// The figures of a catalogue.
struct CatalogueDocument: Sendable, Encodable {
  let generation: Int
  let products: Int
  let stores: Int
  let images: Int
  /// The lowest confidence of a match if a question does not say another.
  let minimumConfidence: Double
  /// True if the server takes feedback: some key may give it.
  let feedback: Bool
  /// The last run of `vq index`; `nil` if it is not known.
  let lastRun: LastRunDocument?
}

/// The last run of `vq index`, without what only the shop should know, such as the name of its feed.
struct LastRunDocument: Sendable, Encodable {
  /// When it ended, or began if it has not ended.
  let time: String
  /// How it ended; `nil` if it has not.
  let outcome: RunRecord.Outcome?
  /// The number of old values that were kept.
  let kept: Int

  init(_ run: RunRecord) {
    time = Date(timeIntervalSince1970: Double(run.time)).formatted(.iso8601)
    outcome = run.outcome
    kept = EntityType.allCases.reduce(run.result?.keptImages ?? 0) { sum, type in
      sum + CoverageField.all(of: type).reduce(0) { $0 + (run.result?.kept[type, $1] ?? 0) }
    }
  }
}

/// The facets of a generation.
struct FacetAnswer: Sendable, Encodable {
  let generation: Int
  let facets: FacetsDocument

  private enum CodingKeys: CodingKey { case generation }

  /// Encodes the generation beside the fields of the facets.
  func encode(to encoder: any Encoder) throws {
    try facets.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(generation, forKey: .generation)
  }
}

/// The shop as an app's unique entity.
struct SettingsDocument: Sendable, Encodable {
  let id = "shop"
  let generation: Int
  let name: String?
  /// The currencies of its prices, the most frequent first.
  let currencies: [String]
  let products: Int
  let stores: Int
  /// True if images can be searched for.
  let visualSearch: Bool
  /// The fields of the shop's own that entities show.
  let publicFields: [String]
  /// The languages of messages and of the names of types.
  let languages = ShopWords.languages
}

/// The names of types, properties and enumerations.
struct SchemaDocument: Sendable, Encodable {
  struct TypeNames: Sendable, Encodable {
    let name: String
    let plural: String
  }

  let language: String
  let types: [String: TypeNames]
  let properties: [String: String]
  let enumerations: [String: [String: String]]
  let publicFields: [String]

  init(_ words: ShopWords, publicFields: [String]) {
    language = words.language
    types = Dictionary(
      uniqueKeysWithValues: EntityType.allCases.map {
        ($0.rawValue, TypeNames(name: words.name(of: $0), plural: words.plural(of: $0)))
      })
    properties = words.properties
    enumerations = words.enumerations
    self.publicFields = publicFields
  }
}

/// The phrases of App Shortcuts.
struct PhrasesDocument: Sendable, Encodable {
  struct Value: Sendable, Encodable {
    let id: String
    let title: String
  }

  struct Shortcut: Sendable, Encodable {
    let type: EntityType
    let title: String
    /// The phrases, with `${target}` and `${applicationName}` as in a string catalogue of phrases.
    let phrases: [String]
    let values: [Value]
  }

  let generation: Int
  let language: String
  let shortcuts: [Shortcut]
}
