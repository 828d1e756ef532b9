import HTTPServer
import VisualQuery

extension Endpoint {
  /// Everything that is served. `HEAD` goes with `GET`, and every path answers `OPTIONS`.
  static let all: [Endpoint] = search + entities + shop + feedback + checks + server + page

  private static let search: [Endpoint] = [
    Endpoint("POST /v1/match", .app, body: .question, budget: .stated) { shop, call in
      try await MatchHandlers(shop).match(call.request, call.form ?? .picture)
    },
    // The same with one kind of body each, as `openapi.json` describes it: clients that generators make know one for each operation.
    Endpoint("POST /v1/match:image", .app, body: .image, budget: .stated) { shop, call in
      try await MatchHandlers(shop).match(call.request, .picture)
    },
    Endpoint(
      "POST /v1/match:query", .app, body: .json(BodyLimits.question), budget: .stated
    ) { shop, call in
      try await MatchHandlers(shop).match(call.request, .json, continues: false)
    },
    Endpoint(
      "POST /v1/match:continue", .app, body: .json(BodyLimits.question), budget: .stated
    ) { shop, call in
      try await MatchHandlers(shop).match(call.request, .json, continues: true)
    },
    Endpoint(
      "POST /v1/events", .app, body: .json(BodyLimits.question), lane: .changes, budget: .change
    ) { shop, call in
      try await EventHandlers(shop).countEvents(call.request)
    },
    Endpoint("POST /mcp", .read, body: .json(BodyLimits.agent)) { shop, call in
      try await AgentHandlers(shop).answer(call.request)
    },
    Endpoint("GET /v1/numbers", .write) { shop, call in
      try EventHandlers(shop).numbers(call.request)
    },
  ]

  private static let entities: [Endpoint] = [
    Endpoint("GET /v1/entities", .app) { shop, call in
      try await EntityHandlers(shop).entities(call.request)
    },
    Endpoint("GET /v1/entities/suggested", .app) { shop, call in
      try await EntityHandlers(shop).suggested(call.request)
    },
    Endpoint("POST /v1/entities:query", .read, body: .json(BodyLimits.question)) { shop, call in
      try await EntityHandlers(shop).query(call.request)
    },
    Endpoint("POST /v1/entities:resolve", .app, body: .json(BodyLimits.ids)) { shop, call in
      try await EntityHandlers(shop).resolve(call.request)
    },
    Endpoint("GET /v1/entities/{type}/{id}", .app) { shop, call in
      try await EntityHandlers(shop).entity(call.entity, call.request)
    },
    Endpoint(
      "PUT /v1/entities/{type}/{id}", .write, body: .entity, lane: .changes, budget: .change
    ) { shop, call in
      try await ChangeHandlers(shop).put(call.entity, call.request, call.form ?? .json)
    },
    Endpoint(
      "PUT /v1/entities/{type}/{id}/form", .write, body: .form, lane: .changes, budget: .change
    ) { shop, call in
      try await ChangeHandlers(shop).put(call.entity, call.request, call.form ?? .json)
    },
    Endpoint(
      "PATCH /v1/entities/{type}/{id}", .write, body: .patch, lane: .changes, budget: .change
    ) { shop, call in
      try await ChangeHandlers(shop).patch(call.entity, call.request)
    },
    Endpoint("POST /v1/entities:import", .write, body: .lines, lane: .changes, budget: .change) {
      shop, call in
      try await ChangeHandlers(shop).importEntities(call.request)
    },
    Endpoint("DELETE /v1/entities/{type}/{id}", .write, lane: .changes, budget: .change) {
      shop, call in
      try await ChangeHandlers(shop).remove(call.entity, call.request)
    },
    Endpoint("GET /v1/entities/{type}/{id}/thumbnail", .app) { shop, call in
      try await EntityHandlers(shop).thumbnail(of: call.entity, call.request)
    },
    Endpoint("GET /v1/entities/{type}/{id}/neighbors", .read) { shop, call in
      try await EntityHandlers(shop).neighbors(of: call.entity, call.request)
    },
    Endpoint("GET /v1/entities/{type}/{id}/history", .read) { shop, call in
      try await EntityHandlers(shop).history(of: call.entity, call.request)
    },
    Endpoint("GET /v1/sync", .read) { shop, call in
      try await EntityHandlers(shop).changes(call.request)
    },
  ]

  private static let shop: [Endpoint] = [
    Endpoint("GET /v1/catalogue", .read) { shop, call in
      try ShopHandlers(shop).describeCatalogue(call.request)
    },
    Endpoint("GET /v1/facets", .read) { shop, call in
      try await ShopHandlers(shop).facets(call.request)
    },
    Endpoint("GET /v1/settings", .app) { shop, call in
      try await ShopHandlers(shop).settings(call.request)
    },
    Endpoint("GET /v1/schema", .app) { shop, call in
      try await ShopHandlers(shop).schema(call.request)
    },
    Endpoint("GET /v1/phrases", .app) { shop, call in
      try await ShopHandlers(shop).phrases(call.request)
    },
    Endpoint("GET /v1/route", .app) { shop, call in
      try await ShopHandlers(shop).reverse(call.request)
    },
    Endpoint("GET /v1/rules", .write) { shop, call in
      try RuleHandlers(shop).listRules(call.request)
    },
    Endpoint(
      "PUT /v1/rules", .write, body: .json(ShopRules.byteLimit), lane: .changes, budget: .change
    ) { shop, call in
      try await RuleHandlers(shop).replaceRules(call.request)
    },
    Endpoint("POST /v1/rules/trial", .write, body: .form) { shop, call in
      try await RuleHandlers(shop).tryRules(call.request, call.form ?? .json)
    },
  ]

  private static let feedback: [Endpoint] = [
    Endpoint("GET /v1/feedback", .write) { shop, call in
      try FeedbackHandlers(shop).listFeedback(call.request)
    },
    // A statement with an image runs in the lane of answers, because decoding would delay changes.
    Endpoint(
      "POST /v1/feedback", .feedback, body: .statement, lane: .changes, imageLane: .answers
    ) { shop, call in
      try await FeedbackHandlers(shop).keepFeedback(call.request, call.form ?? .json)
    },
    Endpoint(
      "POST /v1/feedback:form", .feedback, body: .statementForm, lane: .changes, imageLane: .answers
    ) { shop, call in
      try await FeedbackHandlers(shop).keepFeedback(call.request, call.form ?? .json)
    },
    Endpoint("GET /v1/feedback/queries", .write) { shop, call in
      try FeedbackHandlers(shop).feedbackQueries(call.request)
    },
    Endpoint("DELETE /v1/feedback/{number}", .write, lane: .changes) { shop, call in
      try FeedbackHandlers(shop).removeStatement(call.statement, call.request)
    },
    Endpoint("PUT /v1/feedback/{number}/acceptance", .write, lane: .changes) { shop, call in
      try FeedbackHandlers(shop).acceptStatement(call.statement, call.request)
    },
  ]

  private static let checks: [Endpoint] = [
    Endpoint("GET /v1/doctor", .write, budget: .check) { shop, call in
      try await CheckHandlers(shop).findings(call.request)
    },
    Endpoint("POST /v1/evaluations", .write, body: .form, budget: .check) { shop, call in
      try await CheckHandlers(shop).evaluation(call.request, call.form ?? .json)
    },
    Endpoint("POST /v1/evaluations:figures", .read, body: .json(BodyLimits.outcomes)) {
      shop, call in
      try CheckHandlers(shop).evaluationFigures(call.request)
    },
    Endpoint("GET /v1/fit", .write) { shop, call in
      try FitHandlers(shop).listFits(call.request)
    },
    Endpoint("POST /v1/fit/photos", .write, body: .photo, budget: .check) { shop, call in
      try await FitHandlers(shop).askPhoto(call.request, call.form ?? .json)
    },
    Endpoint(
      "POST /v1/fit/photos:kept", .write, body: .json(BodyLimits.question), budget: .check
    ) { shop, call in
      try await FitHandlers(shop).askPhoto(call.request, .json)
    },
    Endpoint(
      "POST /v1/fit", .write, body: .json(BodyLimits.fit), lane: .changes, budget: .change
    ) { shop, call in
      try await FitHandlers(shop).fit(call.request)
    },
    Endpoint("DELETE /v1/fit", .write, lane: .changes, budget: .change) { shop, call in
      try await FitHandlers(shop).undo(call.request)
    },
    Endpoint("GET /v1/labels/unknown", .write) { shop, call in
      try CheckHandlers(shop).unknownLabels(call.request)
    },
    Endpoint(
      "POST /v1/labels/bridge", .write, body: .json(BodyLimits.question), lane: .changes,
      budget: .change
    ) { shop, call in
      try await CheckHandlers(shop).addToBridge(call.request)
    },
    Endpoint("GET /v1/rejected", .write) { shop, call in
      try CheckHandlers(shop).rejectedRows(call.request)
    },
  ]

  private static let server: [Endpoint] = [
    Endpoint(atOnce: "GET /v1/limits", .app) { shop, _ throws(Problem) in
      ServerHandlers.json(ServerHandlers(shop).limits)
    },
    Endpoint(atOnce: "GET /metrics", .operate) { shop, _ throws(Problem) in
      ServerHandlers(shop).figures()
    },
    Endpoint(atOnce: "GET /.well-known/apple-app-site-association") {
      shop, head throws(Problem) in
      try ServerHandlers(shop).association(head)
    },
    Endpoint(atOnce: "GET /livez", isHealthCheck: true) { _, _ throws(Problem) in
      ServerHandlers.text("ok\n")
    },
    Endpoint(atOnce: "GET /readyz", isHealthCheck: true) { shop, head throws(Problem) in
      try ServerHandlers(shop).readiness(head)
    },
    Endpoint(atOnce: "GET /openapi.json") { _, _ throws(Problem) in
      ServerHandlers.file(ProgramData.openAPI, "application/json")
    },
  ]

  private static let page: [Endpoint] =
    [
      Endpoint(atOnce: "GET /") { _, _ throws(Problem) in
        ServerHandlers.file(ProgramData.page, "text/html; charset=utf-8")
      }
    ]
    + ServedFiles.pageFiles.sorted { $0.key < $1.key }.map { name, file in
      Endpoint(atOnce: "GET /page/\(name)") { _, _ throws(Problem) in
        ServerHandlers.file(file.bytes, file.contentType)
      }
    }
}
