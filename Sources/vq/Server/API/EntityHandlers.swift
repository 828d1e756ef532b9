import HTTPServer
import PixelMatch
import VisualQuery

/// The routes of entities, for an app's `EntityQuery` and its copy on the device.
struct EntityHandlers: Handlers {
  let shop: ShopContext

  func entities(_ request: HTTPRequest) async throws -> HTTPResponse {
    var fields = RequestFields(request.info.head.query)
    let names = try fields.words(
      "ids", limit: EntityLookup.maximumLimit, length: 264, mayHaveCommas: true)
    let text = try fields.text("q", limit: 1000)
    let enumeration = try EntityQuestion.enumeration(&fields)
    let form = try EntityTextForm(ofList: &fields)
    let given = ["ids", "q", "cursor"].filter(fields.has)
    guard given.count == 1 else {
      throw Problem(
        .invalidParameter,
        "exactly one of 'ids', 'q' and 'cursor' is needed"
          + (given.isEmpty ? "" : "; found \(given.joined(separator: " and "))"), field: "ids")
    }
    let ids = try names.map { names throws(Problem) in try EntityQuestion.ids(names, fields) }
    let types = try EntityQuestion.types(&fields)
    let limit = try fields.integer("limit", in: 1...EntityLookup.maximumLimit)
    if ids == nil { try checkMayList(all: text == nil, limit, request) }
    if let enumeration {
      return try await page(request, fields, form: form) { lookup in
        try await lookup.page(after: enumeration.cursor, types: types, limit: limit ?? 200)
      }
    }
    return try await list(request, fields, form: form) { lookup in
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
    try checkMayList(all: false, limit, request)
    let form = try EntityTextForm(ofList: &fields)
    return try await list(request, fields, form: form) { lookup in
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
    if fields.has("where") {
      throw Problem(
        .invalidField, "there is no field 'where' here; conditions are in 'comparators'",
        field: "where")
    }
    let mode: ComparatorMode = try fields.choice("mode") ?? .and
    let limit = try fields.integer("limit", in: 1...EntityLookup.maximumLimit) ?? 100
    let (conditions, orders) = (comparators, sorts)
    let enumeration = try EntityQuestion.enumeration(&fields)
    if let enumeration {
      guard orders.isEmpty else {
        throw fields.problem("sortedBy", "absent, since a list with 'cursor' has its own order")
      }
      return try await page(request, fields, hasTag: false) { lookup in
        try await lookup.page(
          after: enumeration.cursor, matching: conditions, mode: mode, types: types, limit: limit)
      }
    }
    return try await list(request, fields, hasTag: false) { lookup in
      try await lookup.entities(
        matching: conditions, mode: mode, types: types, sortedBy: orders, limit: limit)
    }
  }

  func resolve(_ request: HTTPRequest) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    var fields = try RequestFields(json: request.body)
    let names = try fields.words("ids", limit: EntityLookup.maximumLimit, length: 264) ?? []
    let ids = try EntityQuestion.ids(names, fields)
    var seen: Set<EntityID> = []
    let different = ids.filter { seen.insert($0).inserted }
    let catalogue = try self.catalogue.newest()
    let locale = try locale(of: fields, request)
    let lookup = lookup(catalogue, request)
    let values = try await lookup.entities(for: different)
    let found = Set(values.map(\.id))
    var missing: [String] = []
    var unknown: Set<EntityID> = []
    for (name, id) in zip(names, ids) where !found.contains(id) && unknown.insert(id).inserted {
      missing.append(name)
    }
    return untagged(
      ResolvedEntitiesDocument(
        generation: catalogue.generation, entities: try await documents(of: values, lookup, locale),
        missing: missing), locale)
  }

  func entity(_ id: EntityID, _ request: HTTPRequest) async throws -> HTTPResponse {
    let catalogue = try self.catalogue.newest()
    var fields = RequestFields(request.info.head.query)
    let form = try EntityTextForm(&fields, request.info.head)
    let locale = try locale(of: fields, request)
    let lookup = lookup(catalogue, request)
    guard let value = try await lookup.entities(for: [id]).first else { throw Self.unknown(id) }
    if let same = notModified(request, catalogue, locale, form) { return same }
    let projection = try await lookup.publicProjection(of: [id])
    let url = catalogue.links.handoff(for: value).url
    switch form {
    case .full:
      let document = SingleEntityDocument(
        generation: catalogue.generation,
        entity: EntityDocument(
          value, locale: locale, links: catalogue.links, projection: projection))
      return json(document, catalogue, locale, form)
    case .model:
      return json(
        Self.model(of: value, projection, catalogue, locale), catalogue, locale, form)
    case .text:
      var response = HTTPResponse(
        status: 200, ["Content-Type": "text/plain; charset=utf-8"],
        body: Array(projection.plainText(of: value, for: locale, url: url).utf8))
      response.set(language: locale)
      return tagged(response, tag(catalogue, locale, form))
    }
  }

  func changes(_ request: HTTPRequest) async throws -> HTTPResponse {
    let catalogue = try self.catalogue.newest()
    var fields = RequestFields(request.info.head.query)
    // An empty state begins a list, like an empty cursor.
    let state = try fields.text("state", limit: 1000).flatMap { $0.isEmpty ? nil : $0 }
    let limit = try fields.integer("limit", in: 1...EntityLookup.maximumLimit) ?? 200
    let hasAttributes = try fields.flag("attributes") ?? false
    let locale = try locale(of: fields, request)
    let lookup = lookup(catalogue, request)
    let changes = try await lookup.changes(since: state, limit: limit)
    if let same = notModified(request, catalogue, locale) { return same }
    let projection = try await lookup.publicProjection(of: changes.upserts.map(\.id))
    return json(
      ChangesDocument(
        changes, locale: locale, links: catalogue.links, projection: projection,
        hasAttributes: hasAttributes),
      catalogue, locale)
  }

  /// The most entities that a key in an app finds by a text, or is suggested.
  static let appFindLimit = 20

  /// Rejects a list for a key that may search only, and more finds than an app shows.
  private func checkMayList(all: Bool, _ limit: Int?, _ request: HTTPRequest) throws(Problem) {
    guard let key = shop.key(of: request.info.head), !key.role.includes(.read),
      all || (limit ?? 0) > Self.appFindLimit
    else { return }
    var problem = Problem(
      .forbidden,
      "the key '\(key.name)' may \(key.role.rights)"
        + (all ? "" : ", and find at most \(Self.appFindLimit) at once"),
      field: all ? "cursor" : "limit")
    problem.userMessage = .notAllowedToDo
    throw problem
  }

  func thumbnail(of id: EntityID, _ request: HTTPRequest) async throws -> HTTPResponse {
    let catalogue = try self.catalogue.newest()
    var fields = RequestFields(request.info.head.query)
    let size: EntityThumbnails.Size = try fields.choice("size") ?? .small
    let image = try fields.integer("image", in: 0...1000) ?? 0
    let contentTag = try fields.text("v", limit: 64)
    let background: CardBackground? = try fields.choice("background")
    try fields.finish()
    let thumbnail = try await thumbnail(of: id, image, size, catalogue, request)
    let suffix = background.map { "-\($0.rawValue)" } ?? ""
    var tag =
      contentTag == thumbnail.contentTag
      ? EntityTag("\(thumbnail.contentTag)-\(size.rawValue)\(suffix)", caching: immutableCaching)
      : tag(catalogue, nil)
    if contentTag != thumbnail.contentTag, background != nil { tag.append(suffix) }
    if let same = notModified(request, tag) { return same }
    let decoder = ImageDecoder()
    let file = try background?.file(of: decoder.decode(thumbnail.jpeg), decoder)
    return tagged(
      HTTPResponse(
        status: 200, ["Content-Type": file?.type ?? "image/jpeg"],
        body: file?.bytes ?? thumbnail.jpeg), tag)
  }

  func thumbnail(
    of id: EntityID, _ image: Int, _ size: EntityThumbnails.Size, _ catalogue: Catalogue,
    _ request: HTTPRequest
  ) async throws -> EntityThumbnails.Thumbnail {
    let key = ThumbnailCache.Key(
      id: id, image: image, size: size, catalogue: catalogue.identity,
      generation: catalogue.generation)
    if let kept = shop.thumbnails[key] { return kept }
    let decoder = ImageDecoder(limits: DecodeLimits(memoryLimit: settings.decodeLimits.memoryLimit))
    let made: EntityThumbnails.Thumbnail?
    do {
      made = try await EntityThumbnails(catalogue: catalogue, pool: pool, decoder: decoder)
        .thumbnail(of: id, image: image, size: size)
    } catch let error as DecodeError {
      // The client must not see the message, which contains the images root. `vq doctor` reports it
      // to the shop.
      log.write("thumbnail", "\(id), image \(image): \(error.code.rawValue)", level: "warning")
      throw Problem(.noPicture, "the picture has gone or changed since it was indexed")
    }
    guard let made else {
      guard try await lookup(catalogue, request).entities(for: [id]).isEmpty else {
        throw Problem(.noPicture, "the entity has no such picture", field: "image")
      }
      throw Self.unknown(id)
    }
    shop.thumbnails[key] = made
    return made
  }

  // MARK: Lists

  private func list(
    _ request: HTTPRequest, _ fields: RequestFields, form: EntityTextForm = .full,
    hasTag: Bool = true,
    _ find: (EntityLookup) async throws -> [EntityValue]
  ) async throws -> HTTPResponse {
    let catalogue = try self.catalogue.newest()
    let locale = try locale(of: fields, request)
    let tagForm = form == .full ? nil : form
    if hasTag, let same = notModified(request, catalogue, locale, tagForm) { return same }
    let lookup = lookup(catalogue, request)
    let values = try await find(lookup)
    if form == .model {
      let models = try await models(of: values, lookup, locale)
      return json(
        ModelListDocument(generation: catalogue.generation, entities: models), catalogue, locale,
        tagForm)
    }
    let document = EntityListDocument(
      generation: catalogue.generation,
      entities: try await documents(of: values, lookup, locale))
    return hasTag ? json(document, catalogue, locale) : untagged(document, locale)
  }

  private func page(
    _ request: HTTPRequest, _ fields: RequestFields, form: EntityTextForm = .full,
    hasTag: Bool = true,
    _ find: (EntityLookup) async throws -> EntityPage
  ) async throws -> HTTPResponse {
    let catalogue = try self.catalogue.newest()
    let locale = try locale(of: fields, request)
    let lookup = lookup(catalogue, request)
    let page = try await find(lookup)
    let tagForm = form == .full ? nil : form
    if hasTag, let same = notModified(request, catalogue, locale, tagForm) { return same }
    if form == .model {
      let models = try await models(of: page.entities, lookup, locale)
      return json(
        ModelListDocument(
          generation: page.generation, entities: models, cursor: page.cursor?.description),
        catalogue, locale, tagForm)
    }
    let document = EntityPageDocument(
      generation: page.generation, entities: try await documents(of: page.entities, lookup, locale),
      cursor: page.cursor?.description)
    return hasTag ? json(document, catalogue, locale) : untagged(document, locale)
  }

  /// The form of an entity for a language model: names and strings, as people of the language read them.
  private static func model(
    of value: EntityValue, _ projection: PublicProjection, _ catalogue: Catalogue, _ locale: String?
  ) -> [String: String] {
    let words = ShopWords(language: locale)
    var flat = projection.flatStrings(
      of: value, for: locale, url: catalogue.links.handoff(for: value).url)
    flat["type"] = words.name(of: value.id.type)
    for (name, values) in words.enumerations {
      if let known = flat[name].flatMap({ values[$0] }) { flat[name] = known }
    }
    return flat
  }

  private func models(
    of values: [EntityValue], _ lookup: EntityLookup, _ locale: String?
  ) async throws -> [[String: String]] {
    let projection = try await lookup.publicProjection(of: values.map(\.id))
    return values.map { Self.model(of: $0, projection, lookup.catalogue, locale) }
  }
}

/// Entities in the form for language models.
struct ModelListDocument: Sendable, Encodable {
  let generation: Int
  let entities: [[String: String]]
  /// The cursor of the next page, if the list has pages.
  var cursor: String?
}
