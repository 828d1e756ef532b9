import VisualQuery

/// The public part of an entity, as in a match but without the fields that the match adds.
struct EntityDocument: Sendable {
  let type: EntityType
  let id: String
  let url: String?
  let display: DisplayRepresentation
  let product: JSONValue?
  let store: JSONValue?
  /// The attributes for an index on the device, if they are asked for.
  let attributeSet: AttributeSet?

  init(
    _ value: EntityValue, locale: String?, links: LinkSettings, projection: PublicProjection,
    hasAttributes: Bool = false
  ) {
    type = value.id.type
    id = value.id.value
    url = links.handoff(for: value).url
    display = projection.display(value.displayRepresentation(for: locale), of: value)
    let object = projection.object(for: value)
    switch value {
    case .product: (product, store) = (object, nil)
    case .store: (product, store) = (nil, object)
    }
    attributeSet = hasAttributes ? AttributeSet(value, display: display, url: url) : nil
  }
}

extension EntityDocument: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field(ifPresent: attributeSet, "attributeSet")
      json.field("display", display)
      json.field("id", id)
      json.field(ifPresent: product, "product")
      json.field(ifPresent: store, "store")
      json.field("type", type)
      json.field(ifPresent: url, "url")
    }
  }
}

/// The attributes of an entity in Spotlight's index, by the names of `CSSearchableItemAttributeSet`. The image is not among them:
/// `thumbnailURL` is that of a local file, and an app passes what it loads from `display.image` as `thumbnailData`.
struct AttributeSet: Sendable {
  let displayName: String
  let contentDescription: String?
  let alternateNames: [String]?
  let keywords: [String]?
  let url: String?
  let latitude: Double?
  let longitude: Double?
  let fullyFormattedAddress: String?

  init(_ value: EntityValue, display: DisplayRepresentation, url: String?) {
    displayName = display.title
    contentDescription = display.subtitle
    alternateNames = display.synonyms.isEmpty ? nil : display.synonyms
    self.url = url
    var words = value.labels
    switch value {
    case .product(let product):
      words += [product.brand].compactMap { $0 } + product.attributes.values.sorted()
      (latitude, longitude, fullyFormattedAddress) = (nil, nil, nil)
    case .store(let store):
      latitude = store.geo?.latitude
      longitude = store.geo?.longitude
      fullyFormattedAddress = store.address
    }
    keywords = words.isEmpty ? nil : words
  }
}

extension AttributeSet: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field(ifPresent: alternateNames, "alternateNames")
      json.field(ifPresent: contentDescription, "contentDescription")
      json.field("displayName", displayName)
      json.field(ifPresent: fullyFormattedAddress, "fullyFormattedAddress")
      json.field(ifPresent: keywords, "keywords")
      json.field(ifPresent: latitude, "latitude")
      json.field(ifPresent: longitude, "longitude")
      json.field(ifPresent: url, "url")
    }
  }
}

/// Some entities of one generation.
struct EntityListDocument: Sendable {
  let generation: Int
  let entities: [EntityDocument]
}

extension EntityListDocument: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("entities", entities)
      json.field("generation", generation)
    }
  }
}

/// A page of a list of entities.
struct EntityPageDocument: Sendable {
  let generation: Int
  let entities: [EntityDocument]
  /// The cursor of the next page, or `nil` if there is none.
  let cursor: String?
}

extension EntityPageDocument: JSONWritable {
  /// Writes every field, with `null` for an absent cursor.
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("cursor", cursor.map(JSONValue.string) ?? .null)
      json.field("entities", entities)
      json.field("generation", generation)
    }
  }
}

/// The entities of some ids.
struct ResolvedEntitiesDocument: Sendable {
  let generation: Int
  let entities: [EntityDocument]
  /// The ids that name no entity, as they were given.
  let missing: [String]
}

extension ResolvedEntitiesDocument: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("entities", entities)
      json.field("generation", generation)
      json.field("missing", missing)
    }
  }
}

/// One entity of one generation.
struct SingleEntityDocument: Sendable {
  let generation: Int
  let entity: EntityDocument
}

extension SingleEntityDocument: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("entity", entity)
      json.field("generation", generation)
    }
  }
}

extension EntityChange.Outcome {
  /// Sentences about what was kept but is probably a mistake, or `nil` if nothing is.
  var warnings: [String]? {
    guard let misspelt = value?.misspeltFields, !misspelt.isEmpty else { return nil }
    return misspelt.map {
      "the field '\($0.name)' is kept but means nothing; did you mean '\($0.meant)'?"
    }
  }
}

/// The outcome of a change of one entity.
struct EntityChangeDocument: Sendable, Encodable {
  let generation: Int
  let type: EntityType
  let id: String
  /// `added`, `changed` or `unchanged`.
  let effect: String
  /// The stored names of the images, which keep them in a later change.
  let images: [String]
  /// Sentences about what was kept but is probably a mistake, or `nil` if nothing is.
  let warnings: [String]?

  init(_ outcome: EntityChange.Outcome, generation: Int) {
    self.generation = generation
    (type, id, effect) = (outcome.id.type, outcome.id.value, outcome.effect.rawValue)
    images = outcome.images
    warnings = outcome.warnings
  }
}

/// The changes of a catalogue.
struct ChangesDocument: Sendable {
  struct Tombstone: Sendable {
    let type: EntityType
    let id: String
  }

  let generation: Int
  let state: String
  let hasMore: Bool
  let upserts: [EntityDocument]
  let tombstones: [Tombstone]
}

extension ChangesDocument {
  init(
    _ changes: EntityChanges, locale: String?, links: LinkSettings, projection: PublicProjection,
    hasAttributes: Bool
  ) {
    generation = changes.generation
    state = changes.state
    hasMore = changes.hasMore
    upserts = changes.upserts.map {
      EntityDocument(
        $0, locale: locale, links: links, projection: projection, hasAttributes: hasAttributes)
    }
    tombstones = changes.tombstones.map { Tombstone(type: $0.type, id: $0.value) }
  }
}

extension ChangesDocument: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("generation", generation)
      json.field("hasMore", hasMore)
      json.field("state", state)
      json.field("tombstones", tombstones)
      json.field("upserts", upserts)
    }
  }
}

extension ChangesDocument.Tombstone: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("id", id)
      json.field("type", type)
    }
  }
}

/// Whether the server answers as well as it should.
struct ReadinessDocument: Sendable, Encodable {
  enum Status: String, Sendable, Encodable, CaseIterable { case ok, degraded }

  let status: Status
  /// The generation and the reasons, or `nil` for clients that may not see them.
  let generation: Int?
  let reasons: [Degradation]?

  init(generation: Int, reasons: [Degradation]) {
    status = reasons.isEmpty ? .ok : .degraded
    (self.generation, self.reasons) = (generation, reasons)
  }

  /// Makes the document for clients that may not see more.
  init(isDegraded: Bool) {
    status = isDegraded ? .degraded : .ok
    (generation, reasons) = (nil, nil)
  }
}

/// The limits of the server.
struct LimitsDocument: Sendable, Encodable {
  struct Deadline: Sendable, Encodable {
    let `default`: Int
    let maximum: Int
  }

  let bodyBytes: Int
  let picturePixels: Int
  let pictureMemoryBytes: Int
  let headerBytes: Int
  let targetBytes: Int
  let labels = SemanticContent.labelLimit
  let labelCharacters = SemanticContent.labelLength
  let matches = MatchOptions.maximumLimit
  let entities = EntityLookup.maximumLimit
  let deadlineMs: Deadline
  /// The content types of the formats that are accepted and installed.
  let pictureTypes: [String]
  let thumbnailPixels = [String: Int](
    uniqueKeysWithValues: EntityThumbnails.Size.allCases.map { ($0.rawValue, $0.longerSide) })
}

/// `apple-app-site-association`: which links open in which app.
struct AssociationDocument: Sendable, Encodable {
  struct Links: Sendable, Encodable {
    let details: [Detail]
  }

  struct Detail: Sendable, Encodable {
    let appIDs: [String]
    let components: [[String: String]]
  }

  let applinks: Links

  /// The paths of a catalogue's templates; `nil` if none is of https.
  ///
  /// - Parameter host: The host that the app asks; if no template has it, the paths of all templates are given.
  init?(_ links: LinkSettings, appIDs: [String], host: String) {
    let templates = links.templates.sorted { $0.key < $1.key }.map(\.value)
    let own = templates.filter { $0.host == host }
    var paths: [String] = []
    for path in (own.isEmpty ? templates : own).compactMap(\.pathPattern)
    where !paths.contains(path) { paths.append(path) }
    guard !paths.isEmpty, !appIDs.isEmpty else { return nil }
    applinks = Links(
      details: [Detail(appIDs: appIDs, components: paths.map { ["/": $0] })])
  }
}
