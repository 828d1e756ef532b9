import HTTPServer
import VisualQuery

/// The handlers of the requests of one topic: a value for each request over what the service shares.
protocol Handlers: Sendable {
  init(shop: ShopContext)
  var shop: ShopContext { get }
}

extension Handlers {
  init(_ shop: ShopContext) { self.init(shop: shop) }

  var catalogue: ServedCatalogue { shop.catalogue }
  var pool: WorkerPool { shop.pool }
  var changePool: WorkerPool { shop.changePool }
  var settings: ShopService.Settings { shop.settings }
  var metrics: Metrics { shop.metrics }
  var log: ServerLog { shop.log }

  // MARK: Answers

  static func json(_ document: some Encodable) -> HTTPResponse {
    HTTPResponse(
      status: 200, ["Content-Type": "application/json", "Cache-Control": "no-cache"],
      body: JSONBody.encoded(document))
  }

  static func text(_ text: String) -> HTTPResponse {
    HTTPResponse(
      status: 200, ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"],
      body: Array(text.utf8))
  }

  /// The answer to a POST, which is not kept.
  func untagged(_ document: some Encodable, _ locale: String? = nil) -> HTTPResponse {
    untagged(body: JSONBody.encoded(document), locale)
  }

  /// The answer to a POST, which is not kept, of a document that writes itself.
  func untagged(_ document: some JSONWritable, _ locale: String? = nil) -> HTTPResponse {
    untagged(body: JSONWriter.bytes(of: document), locale)
  }

  private func untagged(body: [UInt8], _ locale: String?) -> HTTPResponse {
    var response = HTTPResponse(
      status: 200, ["Content-Type": "application/json", "Cache-Control": "no-store"], body: body)
    response.set(language: locale)
    return response
  }

  // MARK: Entities

  /// The fields that a request may look at: those that the shop did not make public only with a key that may write.
  func fields(of catalogue: Catalogue, for request: HTTPRequest) -> ReadableFields {
    catalogue.fields(
      forStrangers: shop.key(of: request.info.head)?.role.includes(.write) != true)
  }

  /// A matcher that looks at the fields which a request may look at.
  ///
  /// - Parameter clock: The clock of deadlines.
  func matcher(
    _ catalogue: Catalogue, _ request: HTTPRequest,
    clock: some Clock<Duration> = ContinuousClock()
  ) -> Matcher {
    var matcher = Matcher(catalogue: catalogue, pool: pool, clock: clock)
    matcher.fields = fields(of: catalogue, for: request)
    return matcher
  }

  /// A lookup that ends when the request's time is over, and looks at the fields which the request may look at.
  func lookup(_ catalogue: Catalogue, _ request: HTTPRequest) -> EntityLookup {
    let spent = ContinuousClock.now - request.arrival
    var lookup = EntityLookup(
      catalogue: catalogue, pool: pool, timeout: max(.zero, settings.deadlines.maximum - spent))
    lookup.fields = fields(of: catalogue, for: request)
    return lookup
  }

  /// The public part of some entities.
  func documents(
    of values: [EntityValue], _ lookup: EntityLookup, _ locale: String?
  ) async throws -> [EntityDocument] {
    let projection = try await lookup.publicProjection(of: values.map(\.id))
    return values.map {
      EntityDocument(
        $0, locale: locale, links: lookup.catalogue.links, projection: projection)
    }
  }

  /// The language to answer in; the last of the fields that are read.
  func locale(of fields: RequestFields, _ request: HTTPRequest) throws(Problem) -> String? {
    var fields = fields
    let locale = try Question([Question.locale], of: &fields).locale
    try fields.finish()
    return locale ?? LanguageRange.preferred(request.info.head.fields)
  }

  static func unknown(_ id: EntityID) -> Problem {
    Problem(
      .unknownEntity, "there is no \(id.type.rawValue) of this id", field: "id")
  }

  // MARK: Tags

  /// The version of the documents of entities, which is raised if the same generation gets other
  /// answers.
  private static var documentVersion: Int { 5 }

  /// The tag of the answers of a generation in a language.
  ///
  /// - Parameter form: The form of the answer if `Accept` has a say in it, else `nil`.
  func tag(_ catalogue: Catalogue, _ locale: String?, _ form: EntityTextForm? = nil) -> EntityTag {
    var tag = EntityTag(
      "\(catalogue.identity.prefix(12))-\(catalogue.generationTag)-\(Self.documentVersion)-\(locale ?? "own")"
        + (form.flatMap { $0 == .full ? nil : "-" + $0.rawValue } ?? ""))
    if form != nil { tag.vary = "Accept, Accept-Language, Authorization" }
    return tag
  }

  /// The `Cache-Control` of an answer that never changes. A shared cache would give it to clients
  /// without a key.
  var immutableCaching: String {
    (shop.hasKeys ? "private" : "public") + ", max-age=31536000, immutable"
  }

  func tagged(_ response: HTTPResponse, _ tag: EntityTag) -> HTTPResponse {
    var response = response
    response.set("ETag", tag.text)
    response.set("Cache-Control", tag.caching)
    if let vary = tag.vary { response.set("Vary", vary) }
    return response
  }

  /// The answer to a client that already has this version (304).
  func notModified(
    _ request: HTTPRequest, _ catalogue: Catalogue, _ locale: String?, _ form: EntityTextForm? = nil
  ) -> HTTPResponse? {
    notModified(request, tag(catalogue, locale, form))
  }

  /// The answer to a client that has the version of a tag already.
  ///
  /// Called only after it is known that the answer would be a success, because preconditions are ignored for other
  /// answers (RFC 9110, 13.2.1).
  func notModified(_ request: HTTPRequest, _ tag: EntityTag) -> HTTPResponse? {
    let known = request.info.head.fields.list("if-none-match").map {
      $0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0
    }
    guard known.contains(tag.text) || known == ["*"] else { return nil }
    return tagged(HTTPResponse(status: 304), tag)
  }

  func json(
    _ document: some Encodable, _ catalogue: Catalogue, _ locale: String?,
    _ form: EntityTextForm? = nil
  ) -> HTTPResponse {
    json(body: JSONBody.encoded(document), catalogue, locale, form)
  }

  /// The answer with a document that writes itself.
  func json(
    _ document: some JSONWritable, _ catalogue: Catalogue, _ locale: String?,
    _ form: EntityTextForm? = nil
  ) -> HTTPResponse {
    json(body: JSONWriter.bytes(of: document), catalogue, locale, form)
  }

  private func json(
    body: [UInt8], _ catalogue: Catalogue, _ locale: String?, _ form: EntityTextForm?
  ) -> HTTPResponse {
    var response = HTTPResponse(
      status: 200, ["Content-Type": "application/json"], body: body)
    response.set(language: locale)
    return tagged(response, tag(catalogue, locale, form))
  }
}

/// The `ETag` of an answer, with the fields that say who may keep it.
struct EntityTag: Sendable {
  private(set) var text: String
  var caching = "private, no-cache"
  var vary: String? = "Accept-Language, Authorization"

  init(_ text: String) { self.text = "\"\(text)\"" }

  /// Adds a suffix that distinguishes another form of the answer.
  mutating func append(_ suffix: String) { text = "\(text.dropLast())\(suffix)\"" }

  /// The tag of an answer that never changes and has no language.
  init(_ text: String, caching: String) {
    self.init(text)
    self.caching = caching
    vary = nil
  }
}

extension HTTPResponse {
  /// Tells the language that was asked for, in which the answer is as far as the shop has it (RFC 9110, 8.5).
  mutating func set(language: String?) {
    guard let language else { return }
    set("Content-Language", String(language.map { $0 == "_" ? "-" : $0 }))
  }
}
