#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import HTTPServer
import PixelMatch
import VisualQuery

/// The neighbors and the history of an entity.
extension EntityHandlers {
  /// Finds the others of the type of an entity that look most like it: by the vectors of their images, as far as these have them, and by a
  /// search with its first image.
  func neighbors(of id: EntityID, _ request: HTTPRequest) async throws -> HTTPResponse {
    var fields = RequestFields(request.info.head.query)
    let limit = try fields.integer("limit", in: 1...Matcher.neighborLimit) ?? 12
    let filter = try Question([Question.conditions, Question.wantedLabels], of: &fields).filter
    let relation: EntityRelation? = try fields.choice("relation")
    let locale = try locale(of: fields, request)
    let catalogue = try self.catalogue.newest()
    if let relation {
      return try await related(to: id, by: relation, limit, filter, catalogue, locale, request)
    }
    let matcher = matcher(catalogue, request)
    func timeLeft() -> Duration {
      max(.zero, settings.deadlines.maximum - (ContinuousClock.now - request.arrival))
    }
    let nearest = try await matcher.nearestEntities(
      to: id, limit: limit, filter: filter, timeout: timeLeft())
    var picture: EntityThumbnails.Thumbnail?
    var missing: Problem?
    do {
      picture = try await thumbnail(of: id, 0, .extraLarge, catalogue, request)
    } catch let problem as Problem where problem.code == .noPicture {
      missing = problem
    }
    let found = try await matcher.neighbors(
      of: id, nearest, picture: picture?.jpeg, limit: limit, filter: filter,
      decoder: ImageDecoder(limits: DecodeLimits(memoryLimit: settings.decodeLimits.memoryLimit)),
      timeout: timeLeft())
    guard let found else {
      throw missing ?? Problem(.noPicture, "the entity has no image", field: "image")
    }
    let entities = try await documents(
      of: found.neighbors.map(\.value), EntityLookup(catalogue: catalogue, pool: pool), locale)
    return untagged(
      NeighborsDocument(
        generation: catalogue.generation, signatureSearched: found.isBySignature,
        neighbors: zip(found.neighbors, entities).map { neighbor, entity in
          NeighborsDocument.Neighbor(
            entity: entity, sharesDetails: neighbor.sharesDetails,
            cosine: neighbor.cosine)
        }), locale)
  }

  /// Answers with the entities that the feed relates to one.
  private func related(
    to id: EntityID, by relation: EntityRelation, _ limit: Int, _ filter: EntityFilter,
    _ catalogue: Catalogue, _ locale: String?, _ request: HTTPRequest
  ) async throws -> HTTPResponse {
    var lookup = EntityLookup(catalogue: catalogue, pool: pool)
    lookup.fields = fields(of: catalogue, for: request)
    guard let others = try await lookup.related(to: id, by: relation, limit: limit, filter: filter)
    else { throw Problem(.unknownEntity, "there is no \(id.type.rawValue) '\(id.value.excerpt)'") }
    return untagged(
      NeighborsDocument(
        generation: catalogue.generation,
        neighbors: try await documents(of: others, lookup, locale).map {
          NeighborsDocument.Neighbor(entity: $0, sharesDetails: false, cosine: nil)
        }), locale)
  }

  func history(of id: EntityID, _ request: HTTPRequest) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    let lookup = EntityLookup(catalogue: try catalogue.newest(), pool: pool)
    guard let history = try await lookup.history(of: id) else {
      throw Problem(.unknownEntity, "there is no \(id.type.rawValue) '\(id.value.excerpt)'")
    }
    return untagged(HistoryDocument(history))
  }
}

/// The times at which an entity was added and changed.
struct HistoryDocument: Sendable, Encodable {
  /// A generation, or a range of them if it is not known exactly.
  struct Event: Sendable, Encodable {
    let firstGeneration: Int
    let generation: Int
    /// The time of `generation`.
    let date: String

    init(_ event: EntityHistory.Event) {
      (firstGeneration, generation) = (event.firstGeneration, event.generation)
      date = event.date.formatted(.iso8601)
    }
  }

  let generation: Int
  let added: Event?
  let changed: Event?

  init(_ history: EntityHistory) {
    generation = history.generation
    added = history.added.map(Event.init)
    changed = history.changed.map(Event.init)
  }

  private enum CodingKeys: CodingKey { case generation, added, changed }

  /// Encodes every key, with `null` for what is not known.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(generation, forKey: .generation)
    try container.encode(added, forKey: .added)
    try container.encode(changed, forKey: .changed)
  }
}

/// The entities whose images look most like that of an entity, or that the feed relates to it.
struct NeighborsDocument: Sendable {
  struct Neighbor: Sendable {
    let entity: EntityDocument
    /// True if details of the two images agree in their places, as those of the same thing in another
    /// color do.
    let sharesDetails: Bool
    /// The cosine of the angle between the vectors of the images; absent without vectors.
    let cosine: Double?
  }

  let generation: Int
  /// True if the file of the image could not be read, and what the index has of it was searched with. Absent otherwise.
  var signatureSearched = false
  let neighbors: [Neighbor]
}

extension NeighborsDocument: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("generation", generation)
      json.field("neighbors", neighbors)
      if signatureSearched { json.field("signatureSearched", true) }
    }
  }
}

extension NeighborsDocument.Neighbor: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field(ifPresent: cosine, "cosine")
      json.field("entity", entity)
      json.field("sharesDetails", sharesDetails)
    }
  }
}
