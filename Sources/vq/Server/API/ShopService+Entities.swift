import PixelMatch
import VisualQuery

/// What an app's `EntityQuery` asks, and its copy on the device.
extension ShopService {
  func entities(_ request: HTTPRequest) async throws -> HTTPResponse {
    var fields = RequestFields(request.info.head.query)
    let names = try fields.words("ids", limit: EntityLookup.maximumLimit, length: 264)
    let text = try fields.text("q", limit: 1000)
    guard (names == nil) != (text == nil) else {
      throw Problem(400, "invalidParameter", "one of 'ids' and 'q' is needed", field: "ids")
    }
    let ids = try names.map { names throws(Problem) in try Self.ids(names, fields) }
    let types = try Self.types(&fields)
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
    let types = try Self.types(&fields)
    let limit = try fields.integer("limit", in: 1...EntityLookup.maximumLimit) ?? 10
    return try await list(request, fields) { lookup in
      try await lookup.suggestedEntities(types: types, limit: limit)
    }
  }

  func query(_ request: HTTPRequest) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    var fields = try RequestFields(json: request.body)
    let types = try Self.types(&fields)
    var comparators: [EntityComparator] = []
    for object in try fields.objects("comparators", limit: EntityFilter.comparatorLimit) {
      comparators.append(try Self.comparator(object))
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
    let catalogue = try current.catalogue()
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
      gone = try await Indexer(directory: current.directory, pool: pool).remove([id])
    } catch let error as CatalogueError where error.code == .locked {
      throw Problem(
        503, "catalogueBusy", "the catalogue is being indexed; try again", retryAfter: 10)
    }
    guard !gone.isEmpty else { throw Self.unknown(id) }
    return HTTPResponse(status: 204, ["Cache-Control": "no-store"])
  }

  func changes(_ request: HTTPRequest) async throws -> HTTPResponse {
    let catalogue = try current.catalogue()
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
    let catalogue = try current.catalogue()
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
            throw Problem(404, "noPicture", "the entity has no such picture", field: "image")
          }
          throw Self.unknown(id)
        }
        bytes = made
      } catch let error as DecodeError {
        log.write("thumbnail", "\(id): \(error.message)", level: "warning")
        throw Problem(404, "noPicture", "the picture has gone or changed since it was indexed")
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
    let catalogue = try current.catalogue()
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

  private static func types(_ fields: inout RequestFields) throws(Problem) -> Set<EntityType> {
    let type: EntityType? = try fields.choice("type")
    return type.map { [$0] } ?? Set(EntityType.allCases)
  }

  private static func ids(
    _ names: [String], _ fields: RequestFields
  ) throws(Problem) -> [EntityID] {
    var ids: [EntityID] = []
    guard !names.isEmpty else {
      throw fields.problem("ids", "a list such as product:mug-red,store:harbour")
    }
    for name in names {
      let parts = name.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, let type = EntityType(rawValue: String(parts[0])) else {
        throw fields.problem("ids", "a list such as product:mug-red,store:harbour")
      }
      ids.append(EntityID(type: type, value: String(parts[1])))
    }
    return ids
  }

  private enum ComparisonName: String, CaseIterable {
    case equalTo, notEqualTo, lessThan, lessThanOrEqualTo, greaterThan, greaterThanOrEqualTo
    case isBetween, contains, hasPrefix, hasSuffix
  }

  private static func comparator(_ fields: RequestFields) throws(Problem) -> EntityComparator {
    var fields = fields
    let property = try fields.text("property", limit: 256)
    let name: ComparisonName? = try fields.choice("comparison")
    let comparison = try name.flatMap { name throws(Problem) in try self.comparison(name, &fields) }
    try fields.finish()
    guard let property, let comparison else {
      throw Problem(
        400, "invalidField",
        "a comparator has 'property', 'comparison', 'value' and, to be between, 'upperValue'",
        field: "comparators")
    }
    return EntityComparator(EntityProperty(property), comparison)
  }

  /// `nil` where a value is missing.
  private static func comparison(
    _ name: ComparisonName, _ fields: inout RequestFields
  ) throws(Problem) -> EntityComparator.Comparison? {
    switch name {
    case .contains:
      return try fields.text("value", limit: EntityComparator.textLimit).map { .contains($0) }
    case .hasPrefix:
      return try fields.text("value", limit: EntityComparator.textLimit).map { .hasPrefix($0) }
    case .hasSuffix:
      return try fields.text("value", limit: EntityComparator.textLimit).map { .hasSuffix($0) }
    default: break
    }
    guard let value = try operand("value", &fields) else { return nil }
    switch name {
    case .equalTo: return .equalTo(value)
    case .notEqualTo: return .notEqualTo(value)
    case .lessThan: return .lessThan(value)
    case .lessThanOrEqualTo: return .lessThanOrEqualTo(value)
    case .greaterThan: return .greaterThan(value)
    case .greaterThanOrEqualTo: return .greaterThanOrEqualTo(value)
    case .isBetween: return try operand("upperValue", &fields).map { .isBetween(value, $0) }
    case .contains, .hasPrefix, .hasSuffix: return nil
    }
  }

  /// A text or a number; a text that is a number is compared as one.
  private static func operand(
    _ name: String, _ fields: inout RequestFields
  ) throws(Problem) -> PropertyValue? {
    switch try fields.value(name) {
    case nil: return nil
    case .integer(let number)?: return .number(Double(number))
    case .number(let number)?: return .number(number)
    case .string(let text)?
    where text.unicodeScalars.count <= EntityComparator.textLimit && RequestFields.isPrintable(text):
      return Double(text).flatMap { $0.isFinite ? .number($0) : nil } ?? .text(text)
    default: throw fields.problem(name, "a number, or a text of at most 1000 characters")
    }
  }

  private static func unknown(_ id: EntityID) -> Problem {
    Problem(404, "unknownEntity", "there is no \(id.type.rawValue) of this id", field: "id")
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
