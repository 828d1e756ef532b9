import HTTPServer
import VisualQuery

/// `/v1/rules`: the shop's rules of what answers show.
struct RuleHandlers: Handlers {
  let shop: ShopContext

  func listRules(_ request: HTTPRequest) throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    let catalogue = try self.catalogue.newest()
    return untagged(RulesDocument(generation: catalogue.generation, catalogue.rules))
  }

  func replaceRules(_ request: HTTPRequest) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    let rules: ShopRules
    do {
      rules = try ShopRules(json: JSONValue(json: request.body))
      // Missing entities are no error, because they may come with the next feed of the
      // catalogue.
      _ = try catalogue.newest().missingEntities(of: rules)
    } catch let error as JSONError {
      throw Problem(.invalidJSON, "the body \(error.message)")
    } catch let error as FieldError {
      throw Problem(
        .invalidField, "'\(error.field ?? "rules")' \(error.reason)", field: error.field ?? "rules")
    }
    do {
      let generation = try await Indexer(
        directory: catalogue.directory, settings: ShopSettings(rules: rules)
      ).putSettings()
      return untagged(RulesDocument(generation: generation, rules))
    } catch let error as CatalogueError where error.code == .locked {
      throw Problem(
        .catalogueBusy, "the catalogue is being indexed; try again", retryAfter: 10)
    }
  }
}

/// The rules of a generation.
struct RulesDocument: Sendable, Encodable {
  let generation: Int
  let rules: [JSONValue]

  init(generation: Int, _ rules: ShopRules) {
    self.generation = generation
    self.rules = rules.rules.map(\.json)
  }
}
