import VisualQuery

/// A path that is served, with the entity that it names.
enum Route: Sendable, Hashable {
  case match
  case entities
  case suggestedEntities
  case entityQuery
  case entityResolution
  case entity(EntityID)
  case thumbnail(EntityID)
  case neighbors(EntityID)
  case history(EntityID)
  case catalogue
  case feedback
  case feedbackQueries
  case feedbackStatement(Int)
  case feedbackAcceptance(Int)
  case doctor
  case evaluation
  case unknownLabels
  case labelBridge
  case rules
  case ruleTrial
  case events
  case numbers
  case rejectedRows
  case sync
  case facets
  case settings
  case schema
  case phrases
  case reverse
  case limits
  case association
  case livez
  case readyz
  case metrics
  case openAPI
  case page
  case pageFile(String)

  /// The routes whose paths name no entity.
  static let fixed: [Route] =
    [
      .match, .entities, .suggestedEntities, .entityQuery, .entityResolution, .catalogue, .feedback,
      .feedbackQueries, .doctor, .evaluation, .unknownLabels, .labelBridge, .rules, .ruleTrial,
      .events, .numbers, .rejectedRows,
      .sync,
      .facets, .settings, .schema, .phrases, .reverse, .limits, .association, .livez, .readyz,
      .metrics,
      .openAPI, .page,
    ] + ServedFiles.pageFiles.keys.sorted().map(Route.pageFile)

  private static let routesByPath = [String: Route](
    uniqueKeysWithValues: fixed.map { ($0.template, $0) })

  /// Finds the route of a path, or returns `nil` if nothing is served at it.
  ///
  /// Only an id may contain a slash, percent-encoded in the path: `/v1%2Fmatch` is not `/v1/match`.
  /// Otherwise it would get past the rules of a proxy for `/v1/match`.
  ///
  /// - Parameter path: The percent-decoded segments.
  init?(path: [String]) throws(Problem) {
    if path.count >= 4 && path[0] == "v1" && path[1] == "entities" {
      try self.init(entityPath: path[2...])
      return
    }
    if path.count >= 3 && path[0] == "v1" && path[1] == "feedback", path[2] != "queries" {
      try self.init(feedbackPath: path[2...])
      return
    }
    guard !path.contains(where: { $0.utf8.contains(UInt8(ascii: "/")) }),
      let route = Self.routesByPath["/" + path.joined(separator: "/")]
    else { return nil }
    self = route
  }

  /// Finds the route of the segments after `/v1/entities`, of which there are at least two.
  private init?(entityPath path: ArraySlice<String>) throws(Problem) {
    let (name, value, rest) = (path[path.startIndex], path[path.startIndex + 1], path.dropFirst(2))
    guard rest.count <= 1, ["thumbnail", "neighbors", "history", nil].contains(rest.first) else {
      return nil
    }
    guard let type = EntityType(rawValue: name), !value.isEmpty else {
      throw Problem(
        .unknownEntity, "an entity is named by product or store, and its id", field: "type")
    }
    let id = EntityID(type: type, value: value)
    self =
      switch rest.first {
      case "thumbnail": .thumbnail(id)
      case "neighbors": .neighbors(id)
      case "history": .history(id)
      default: .entity(id)
      }
  }

  /// Finds the route of the segments after `/v1/feedback`, of which there is at least one.
  private init?(feedbackPath path: ArraySlice<String>) throws(Problem) {
    let rest = path.dropFirst()
    guard rest.isEmpty || rest.elementsEqual(["acceptance"]) else { return nil }
    guard let text = path.first, let number = Int(text), number > 0, text == String(number) else {
      throw Problem(.unknownStatement, "a statement is named by its number", field: "number")
    }
    self = rest.isEmpty ? .feedbackStatement(number) : .feedbackAcceptance(number)
  }

  /// The path with placeholders, which names the route in logs, metrics and `openapi.json`.
  var template: String {
    switch self {
    case .match: "/v1/match"
    case .entities: "/v1/entities"
    case .suggestedEntities: "/v1/entities/suggested"
    case .entityQuery: "/v1/entities:query"
    case .entityResolution: "/v1/entities:resolve"
    case .entity: "/v1/entities/{type}/{id}"
    case .thumbnail: "/v1/entities/{type}/{id}/thumbnail"
    case .neighbors: "/v1/entities/{type}/{id}/neighbors"
    case .history: "/v1/entities/{type}/{id}/history"
    case .catalogue: "/v1/catalogue"
    case .feedback: "/v1/feedback"
    case .feedbackQueries: "/v1/feedback/queries"
    case .feedbackStatement: "/v1/feedback/{number}"
    case .feedbackAcceptance: "/v1/feedback/{number}/acceptance"
    case .doctor: "/v1/doctor"
    case .evaluation: "/v1/evaluations"
    case .unknownLabels: "/v1/labels/unknown"
    case .labelBridge: "/v1/labels/bridge"
    case .rules: "/v1/rules"
    case .ruleTrial: "/v1/rules/trial"
    case .events: "/v1/events"
    case .numbers: "/v1/numbers"
    case .rejectedRows: "/v1/rejected"
    case .sync: "/v1/sync"
    case .facets: "/v1/facets"
    case .settings: "/v1/settings"
    case .schema: "/v1/schema"
    case .phrases: "/v1/phrases"
    case .reverse: "/v1/route"
    case .limits: "/v1/limits"
    case .association: "/.well-known/apple-app-site-association"
    case .livez: "/livez"
    case .readyz: "/readyz"
    case .metrics: "/metrics"
    case .openAPI: "/openapi.json"
    case .page: "/"
    case .pageFile(let name): "/page/\(name)"
    }
  }

  /// The methods besides HEAD, which goes with GET, and OPTIONS.
  var methods: [String] {
    switch self {
    case .match, .entityQuery, .entityResolution, .evaluation, .labelBridge, .ruleTrial, .events:
      ["POST"]
    case .feedback: ["GET", "POST"]
    case .feedbackStatement: ["DELETE"]
    case .feedbackAcceptance: ["PUT"]
    case .rules: ["GET", "PUT"]
    case .entity: ["GET", "PUT", "DELETE"]
    case .entities, .suggestedEntities, .thumbnail, .neighbors, .history, .catalogue, .sync,
      .facets, .settings, .schema, .phrases, .reverse, .limits, .feedbackQueries, .doctor,
      .unknownLabels, .numbers,
      .rejectedRows, .association, .livez, .readyz, .metrics, .openAPI, .page, .pageFile:
      ["GET"]
    }
  }

  /// The value of `Allow`.
  var allow: String {
    (methods + (methods.contains("GET") ? ["HEAD"] : []) + ["OPTIONS"]).joined(separator: ", ")
  }

  /// Returns the role of the key that a method needs if there are keys, or `nil` if it needs none.
  func role(for method: String) -> APIKeys.Role? {
    switch self {
    case .association, .livez, .readyz, .openAPI, .page, .pageFile: nil
    case .match, .entities, .suggestedEntities, .entityQuery, .entityResolution, .entity,
      .thumbnail, .neighbors, .history, .catalogue, .sync, .facets, .settings, .schema, .phrases,
      .reverse,
      .limits, .metrics, .events:
      ["PUT", "DELETE"].contains(method) ? .write : .read
    case .feedback: method == "POST" ? .feedback : .write
    case .feedbackQueries, .feedbackStatement, .feedbackAcceptance, .doctor, .evaluation,
      .unknownLabels, .labelBridge, .rules, .ruleTrial, .numbers, .rejectedRows:
      .write
    }
  }

  /// True if its requests count against the rate of a client.
  var isRateLimited: Bool { template.hasPrefix("/v1/") }

  /// True if it is answered even beyond the limits of connections.
  var isHealthCheck: Bool { self == .livez || self == .readyz }
}
