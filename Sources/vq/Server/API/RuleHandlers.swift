import HTTPServer
import VisualQuery

/// `/v1/rules`: the shop's rules of what answers show, and trials of others.
struct RuleHandlers: Handlers {
  let shop: ShopContext

  func listRules(_ request: HTTPRequest) throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    let catalogue = try self.catalogue.newest()
    return untagged(RulesDocument(generation: catalogue.generation, catalogue.rules))
  }

  func replaceRules(_ request: HTTPRequest) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    // Missing entities are no error, because they may come with the next feed of the catalogue.
    let (rules, _) = try checkedRules(request.body, "the body", in: catalogue.newest())
    do {
      let generation = try await Indexer(
        directory: catalogue.directory, settings: ShopSettings(rules: rules)
      ).putSettings()
      return untagged(RulesDocument(generation: generation, rules))
    } catch let error as CatalogueError {
      throw shop.problem(ofChange: error, request)
    }
  }

  /// Reads rules, and finds the entities that they name and the catalogue lacks.
  private func checkedRules(
    _ json: [UInt8], _ name: String, in catalogue: Catalogue
  ) throws -> (rules: ShopRules, missing: [EntityID]) {
    do {
      let rules = try ShopRules(json: JSONValue(json: json))
      return (rules, try catalogue.missingEntities(of: rules))
    } catch let error as JSONError {
      throw Problem(.invalidJSON, "\(name) \(error.message)")
    } catch let error as FieldError {
      throw Problem(
        .invalidField, "'\(error.field ?? "rules")' \(error.reason)", field: error.field ?? "rules")
    }
  }

  // MARK: Trials

  /// The part of a form that has the rules.
  private static let rulesPart = "rules"

  /// Answers a search with the rules as they are, and with other ones, which are not stored.
  func tryRules(_ request: HTTPRequest, _ form: MatchForm) async throws -> HTTPResponse {
    guard case .multipart(let boundary) = form else { throw MatchForm.isNotMultipart }
    try RequestFields(request.info.head.query).finish()
    let parts = try FormParts(
      request.body, boundary, names: [Self.rulesPart, "request", "image"])
    guard let json = try parts.content(Self.rulesPart, limit: ShopRules.byteLimit) else {
      throw Problem(
        .invalidField, #"the form has no part 'rules' with {"rules":[…]}"#, field: Self.rulesPart)
    }
    var matcher = matcher(try catalogue.newest(), request, clock: request.time)
    matcher.models = settings.models
    let (rules, missing) = try checkedRules(json, "the part 'rules'", in: matcher.catalogue)
    let picture = try parts.content("image")
    let fields = try RequestFields(
      json: try parts.content("request", limit: BodyLimits.question) ?? Array("{}".utf8))
    try fields.refuse([Question.continuation], "cannot be tried; send the labels and the image")
    let question = try Question(
      fields, hasPicture: picture != nil,
      language: LanguageRange.preferred(request.info.head.fields))
    try matcher.fields.check(question)
    matcher.ruleDate = question.date
    let deadline = request.arrival + settings.deadlines.deadline(question.deadline)
    let asked = try await MatchHandlers(shop).content(
      of: picture, question, matcher, timeout: request.time.remaining(until: deadline))
    func answer(_ rules: ShopRules?) async throws -> MatchResponse {
      matcher.rules = rules
      return try await matcher.values(
        for: asked, options: question.options(timeout: request.time.remaining(until: deadline)))
    }
    let before = try await answer(nil)
    return untagged(
      RuleTrialDocument(
        generation: matcher.catalogue.generation, missing: missing.map(\.description),
        before: RuleTrialDocument.Answer(before),
        after: RuleTrialDocument.Answer(try await answer(rules))))
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

/// The answers to one search with the rules of a generation, and with others.
struct RuleTrialDocument: Sendable, Encodable {
  /// An entity of an answer.
  struct Place: Sendable, Encodable {
    let type: EntityType
    let id: String
    let title: String
    let confidence: Double
    /// The rule that moved it.
    let rule: String?

    init(_ match: Match) {
      type = match.value.id.type
      id = match.value.id.value
      title = match.value.displayRepresentation.title
      confidence = match.confidence
      rule = match.rule
    }
  }

  /// An answer.
  struct Answer: Sendable, Encodable {
    /// False if the deadline passed before all was searched.
    let complete: Bool
    /// The matches, in their order.
    let values: [Place]
    /// The list of what it may be.
    let possible: [Place]

    init(_ response: MatchResponse) {
      complete = response.isComplete
      values = response.matches.map(Place.init)
      possible = response.possible.map(Place.init)
    }
  }

  let generation: Int
  /// The entities that the rules name and the shop lacks.
  let missing: [String]
  let before: Answer
  let after: Answer
}
