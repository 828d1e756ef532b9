import HTTPServer
import VisualQuery

/// `POST /v1/events` and `GET /v1/numbers`.
struct EventHandlers: Handlers {
  let shop: ShopContext

  /// The most events of a request.
  static let eventLimit = 100

  private func requireNumbers() throws(Problem) {
    guard settings.keepsNumbers else {
      throw Problem(.forbidden, "this server keeps no numbers; it was started without --numbers")
    }
  }

  /// Gives the report of all days, or of the last ones.
  func numbers(_ request: HTTPRequest) throws -> HTTPResponse {
    var fields = RequestFields(request.info.head.query)
    let days = try fields.integer("days", in: 1...SearchNumbers.dayLimit)
    try fields.finish()
    try requireNumbers()
    shop.countSearches()
    let numbers = try SearchNumbers(reading: catalogue.directory)
    return untagged(try numbers.report(since: days.map(ReportDays.first)))
  }

  func countEvents(_ request: HTTPRequest) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    try requireNumbers()
    var fields = try RequestFields(json: request.body)
    guard let token = try fields.text("query", limit: Question.tokenLimit) else {
      throw fields.problem("query", "the 'continuation' of an answer")
    }
    let events = try fields.objects("events", limit: Self.eventLimit)
    try fields.finish()
    guard !events.isEmpty else { throw fields.problem("events", "a list of at least one event") }
    let matcher = matcher(try catalogue.newest(), request)
    let key = shop.key(of: request.info.head)?.name ?? ""
    let first = ReportDays.first(ofLast: SearchNumbers.eventDays)
    var found: [SearchNumbers.Event] = []
    for var event in events {
      // An action on an entity of an answer counts once, so an event that is sent again does, whatever its id.
      guard try event.text("id", limit: 100)?.isEmpty == false else {
        throw event.problem("id", "a text that tells the event from all others")
      }
      guard let action: SearchNumbers.Action = try event.choice("action") else {
        throw event.problem("action", "shown, opened, added or ordered")
      }
      let entity = try event.text("entity", limit: 300).flatMap(EntityID.init(described:))
      guard let entity else {
        throw event.problem("entity", "a type and an id, such as product:mug-red")
      }
      try event.finish()
      if let event = try matcher.event(action, of: entity, inAnswer: token, key: key, since: first)
      {
        found.append(event)
      }
    }
    let kept = found
    let counted: SearchNumbers.Counted
    do {
      counted = try await withTaskExecutorPreference(changePool) { @concurrent in
        try SearchNumbers(directory: self.catalogue.directory).count(kept, since: first)
      }
    } catch let error as CatalogueError {
      throw shop.problem(ofChange: error, request)
    }
    return untagged(
      EventsDocument(
        counted: counted.counted, known: counted.known,
        unknown: events.count - counted.counted - counted.known))
  }
}

/// The outcome of events.
struct EventsDocument: Sendable, Encodable {
  /// The number that was counted.
  let counted: Int
  /// The number that had been counted before.
  let known: Int
  /// The number that cannot be counted: the answer does not have the entity, was asked with another key, or is too old, or its day is full.
  let unknown: Int
}
