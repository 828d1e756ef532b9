import HTTPServer
import PixelMatch
import VisualQuery

/// The routes of entities, for an app's `EntityQuery` and its copy on the device.
extension ShopService {
  func entities(_ request: HTTPRequest) async throws -> HTTPResponse {
    var fields = RequestFields(request.info.head.query)
    let names = try fields.words("ids", limit: EntityLookup.maximumLimit, length: 264)
    let text = try fields.text("q", limit: 1000)
    guard (names == nil) != (text == nil) else {
      throw Problem(
        .invalidParameter, "one of 'ids' and 'q' is needed", field: "ids")
    }
    let ids = try names.map { names throws(Problem) in try EntityQuestion.ids(names, fields) }
    let types = try EntityQuestion.types(&fields)
    let limit = try fields.integer("limit", in: 1...EntityLookup.maximumLimit)
    return try await list(request, fields) { lookup in
      if let ids {
        let wanted = ids.filter { types.contains($0.type) }
        return Array(try await lookup.entities(for: wanted).prefix(limit ?? ids.count))
      }
      return try await lookup.entities(matching: text ?? "", types: types, limit: limit ?? 10)
    }
  }

  func suggested(_ request: HTTPRequest) async throws -> HTTPResponse {
    var fields = RequestFields(request.info.head.query)
    let types = try EntityQuestion.types(&fields)
    let limit = try fields.integer("limit", in: 1...EntityLookup.maximumLimit) ?? 10
    return try await list(request, fields) { lookup in
      try await lookup.suggestedEntities(types: types, limit: limit)
    }
  }

  func query(_ request: HTTPRequest) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    var fields = try RequestFields(json: request.body)
    let types = try EntityQuestion.types(&fields)
    var comparators: [EntityComparator] = []
    for object in try fields.objects("comparators", limit: EntityFilter.comparatorLimit) {
      comparators.append(try EntityQuestion.comparator(object))
    }
    var sorts: [EntitySort] = []
    for object in try fields.objects("sortedBy", limit: EntitySort.countLimit) {
      var object = object
      let property = try object.text("property", limit: 256)
      let order: EntitySort.Order = try object.choice("order") ?? .ascending
      try object.finish()
      guard let property else {
        throw fields.problem("sortedBy", "a list of properties and orders")
      }
      sorts.append(EntitySort(by: EntityProperty(property), order: order))
    }
    let mode: ComparatorMode = try fields.choice("mode") ?? .and
    let limit = try fields.integer("limit", in: 1...EntityLookup.maximumLimit) ?? 100
    let (conditions, orders) = (comparators, sorts)
    return try await list(request, fields, hasTag: false) { lookup in
      try await lookup.entities(
        matching: conditions, mode: mode, types: types, sortedBy: orders, limit: limit)
    }
  }

  func entity(_ id: EntityID, _ request: HTTPRequest) async throws -> HTTPResponse {
    let catalogue = try self.catalogue.newest()
    let locale = try locale(of: RequestFields(request.info.head.query), request)
    guard let value = try await lookup(catalogue, request).entities(for: [id]).first else {
      throw Self.unknown(id)
    }
    if let same = notModified(request, catalogue, locale) { return same }
    let document = SingleEntityDocument(
      generation: catalogue.generation,
      entity: EntityDocument(value, locale: locale, links: catalogue.links))
    return json(document, catalogue, locale)
  }

  func remove(_ id: EntityID) async throws -> HTTPResponse {
    let gone: [EntityID]
    do {
      gone = try await Indexer(directory: catalogue.directory, pool: pool).remove([id])
    } catch let error as CatalogueError where error.code == .locked {
      throw Problem(
        .catalogueBusy, "the catalogue is being indexed; try again", retryAfter: 10)
    }
    guard !gone.isEmpty else { throw Self.unknown(id) }
    return HTTPResponse(status: 204, ["Cache-Control": "no-store"])
  }

  func changes(_ request: HTTPRequest) async throws -> HTTPResponse {
    let catalogue = try self.catalogue.newest()
    var fields = RequestFields(request.info.head.query)
    let state = try fields.text("state", limit: 1000)
    let limit = try fields.integer("limit", in: 1...EntityLookup.maximumLimit) ?? 200
    let locale = try locale(of: fields, request)
    let changes = try await lookup(catalogue, request).changes(
      since: state.map { SyncState($0) }, limit: limit)
    if let same = notModified(request, catalogue, locale) { return same }
    return json(
      ChangesDocument(changes, locale: locale, links: catalogue.links), catalogue, locale)
  }

  func thumbnail(of id: EntityID, _ request: HTTPRequest) async throws -> HTTPResponse {
    let catalogue = try self.catalogue.newest()
    var fields = RequestFields(request.info.head.query)
    let size: EntityThumbnails.Size = try fields.choice("size") ?? .small
    let image = try fields.integer("image", in: 0...1000) ?? 0
    try fields.finish()
    let key = ThumbnailCache.Key(
      id: id, image: image, size: size, catalogue: catalogue.identity,
      generation: catalogue.generation)
    let bytes: [UInt8]
    if let kept = thumbnails[key] {
      bytes = kept
    } else {
      do {
        let decoder = ImageDecoder(
          limits: DecodeLimits(memoryLimit: settings.decodeLimits.memoryLimit))
        let made = try await EntityThumbnails(catalogue: catalogue, pool: pool, decoder: decoder)
          .jpeg(of: id, image: image, size: size)
        guard let made else {
          guard try await lookup(catalogue, request).entities(for: [id]).isEmpty else {
            throw Problem(
              .noPicture, "the entity has no such picture", field: "image")
          }
          throw Self.unknown(id)
        }
        bytes = made
      } catch let error as DecodeError {
        log.write("thumbnail", "\(id): \(error.message)", level: "warning")
        throw Problem(
          .noPicture, "the picture has gone or changed since it was indexed")
      }
      thumbnails[key] = bytes
    }
    if let same = notModified(request, catalogue, nil) { return same }
    return tagged(
      HTTPResponse(status: 200, ["Content-Type": "image/jpeg"], body: bytes), catalogue, nil)
  }

  // MARK: What they share

  /// A lookup that ends when the request's time is over.
  private func lookup(_ catalogue: Catalogue, _ request: HTTPRequest) -> EntityLookup {
    let spent = ContinuousClock.now - request.arrival
    return EntityLookup(
      catalogue: catalogue, pool: pool, timeout: max(.zero, settings.deadlines.maximum - spent))
  }

  private func list(
    _ request: HTTPRequest, _ fields: RequestFields, hasTag: Bool = true,
    _ find: (EntityLookup) async throws -> [EntityValue]
  ) async throws -> HTTPResponse {
    let catalogue = try self.catalogue.newest()
    let locale = try locale(of: fields, request)
    if hasTag, let same = notModified(request, catalogue, locale) { return same }
    let values = try await find(lookup(catalogue, request))
    let document = EntityListDocument(
      generation: catalogue.generation,
      entities: values.map { EntityDocument($0, locale: locale, links: catalogue.links) })
    if hasTag { return json(document, catalogue, locale) }
    return HTTPResponse(
      status: 200, ["Content-Type": "application/json", "Cache-Control": "no-store"],
      body: JSONBody.encoded(document))
  }

  /// The language to answer in; the last of the fields that are read.
  private func locale(of fields: RequestFields, _ request: HTTPRequest) throws(Problem) -> String? {
    var fields = fields
    let locale = try LanguageRange.locale(&fields)
    try fields.finish()
    return locale ?? LanguageRange.preferred(request.info.head.fields)
  }

  private static func unknown(_ id: EntityID) -> Problem {
    Problem(
      .unknownEntity, "there is no \(id.type.rawValue) of this id", field: "id")
  }

  // MARK: Tags

  /// The same for as long as the answer is: until another generation, or in another language.
  private func tag(_ catalogue: Catalogue, _ locale: String?) -> String {
    "\"\(catalogue.identity.prefix(12))-\(catalogue.generation)-\(locale ?? "own")\""
  }

  private func tagged(
    _ response: HTTPResponse, _ catalogue: Catalogue, _ locale: String?
  ) -> HTTPResponse {
    var response = response
    response.set("ETag", tag(catalogue, locale))
    response.set("Cache-Control", "private, no-cache")
    response.set("Vary", "Accept-Language, Authorization")
    return response
  }

  /// The answer to a client that has this version already.
  ///
  /// Asked once it is known that the answer would be a success: to a client with any other answer, a
  /// precondition means nothing (RFC 9110, 13.2.1).
  private func notModified(
    _ request: HTTPRequest, _ catalogue: Catalogue, _ locale: String?
  ) -> HTTPResponse? {
    let tag = tag(catalogue, locale)
    let known = request.info.head.fields.list("if-none-match").map {
      $0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0
    }
    guard known.contains(tag) || known == ["*"] else { return nil }
    return tagged(HTTPResponse(status: 304), catalogue, locale)
  }

  private func json(
    _ document: some Encodable, _ catalogue: Catalogue, _ locale: String?
  ) -> HTTPResponse {
    tagged(
      HTTPResponse(
        status: 200, ["Content-Type": "application/json"], body: JSONBody.encoded(document)),
      catalogue, locale)
  }
}
