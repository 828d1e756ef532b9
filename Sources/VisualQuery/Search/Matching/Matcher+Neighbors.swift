package import PixelMatch

/// An entity that looks like another one.
package struct NeighboringEntity: Sendable {
  /// The entity.
  package let value: EntityValue
  /// The cosine of the angle between the vectors of their images, to four places, or `nil` if one of them has none.
  package let cosine: Double?
  /// True if details of the two images agree in their places.
  package internal(set) var sharesDetails = false
}

/// The entities that look most like another one.
package struct Neighborhood: Sendable {
  /// The nearest first.
  package let neighbors: [NeighboringEntity]
  /// True if the signature of the image was searched with, since its file cannot be read. That finds less.
  package let isBySignature: Bool
}

/// The entities that look most like one of the catalogue.
extension Matcher {
  /// The largest number of neighbors.
  package static let neighborLimit = 50
  /// The number of images that are looked at first for the neighbors, and by how much it grows while they are of too few entities.
  private static let (nearestImages, growth) = (256, 8)

  /// Returns the entities of the type of one whose images have the nearest vectors to that of its first image with a vector.
  ///
  /// Of an entity, the nearest image counts.
  ///
  /// - Parameters:
  ///   - limit: The most entities.
  ///   - filter: The conditions that they must meet.
  ///   - timeout: The time after which those that were found so far are returned; `nil` sets no limit.
  /// - Returns: The nearest first, ties in the order of the catalogue; empty if the entity is unknown, or has no vector, or no other has one of
  ///   the same model.
  /// - Throws: ``MatchError`` with the code `invalidFilter`; ``CatalogueError``; `CancellationError`.
  /// - Complexity: O(*n*) for *n* images of the type.
  package func nearestEntities(
    to id: EntityID, limit: Int, filter: EntityFilter = EntityFilter(), timeout: Duration? = nil
  ) async throws -> [NeighboringEntity] {
    try fields.check(filter)
    let now = now
    let deadline = timeout.map { now() + $0 }
    let shouldStop: @Sendable () -> Bool = {
      Task.isCancelled || (deadline.map { now() >= $0 } ?? false)
    }
    return try await cancelling {
      try await withTaskExecutorPreference(pool) { @concurrent in
        // In engine mode, the vectors are in PostgreSQL and not in the segments of this directory.
        guard catalogue.candidates.hasAllSignatures, let key = try catalogue.key(of: id),
          let vector = try firstVector(of: key, id.type)
        else { return [] }
        let allowed =
          filter.isEmpty
          ? nil : try await catalogue.keys(matching: filter, shouldStop: shouldStop)
        let segments = catalogue.segments(of: id.type).map {
          $0.keeping { $0 != key && allowed?.contains($0) ?? true }
        }
        let found = Self.nearest(to: vector, in: segments, limit: limit, shouldStop: shouldStop)
        try catalogue.checkUnchanged()
        let values = try catalogue.entities(keys: found.map(\.key))
        return found.compactMap { key, cosine in
          values[key].map { NeighboringEntity(value: $0, cosine: rounded(cosine, 4)) }
        }
      }
    }
  }

  /// Returns the vector of the first image of an entity that has one.
  private func firstVector(
    of key: UInt32, _ type: EntityType
  ) throws(CatalogueError) -> ImageEmbedding? {
    try first(of: key, type) { $0.embedding(at: $1) }
  }

  /// Returns the signature of the first image of an entity as that of a query, or `nil` if it has no image, or in engine mode.
  private func firstSignature(of id: EntityID) throws(CatalogueError) -> QuerySignature? {
    guard catalogue.candidates.hasAllSignatures, let key = try catalogue.key(of: id) else {
      return nil
    }
    return try first(of: key, id.type) { QuerySignature($0.signature(at: $1)) }
  }

  /// Returns what `read` makes of the row of the first image of an entity for which it makes something.
  private func first<Value>(
    of key: UInt32, _ type: EntityType, read: (SignatureSegment, Int) -> Value?
  ) throws(CatalogueError) -> Value? {
    let segments = catalogue.segments(of: type)
    var first: (position: UInt32, value: Value)?
    for place in try catalogue.rows(of: key, type) {
      let segment = segments[place.segment].segment
      let position = segment.tag(at: place.row)
      if let first, first.position <= position { continue }
      if let value = read(segment, place.row) { first = (position, value) }
    }
    return first?.value
  }

  /// Returns the keys of the nearest entities with the cosines of their nearest images.
  private static func nearest(
    to vector: ImageEmbedding, in segments: [LiveSegment], limit: Int, shouldStop: () -> Bool
  ) -> [(key: UInt32, cosine: Double)] {
    let scan = FlatScan(segments)
    var count = nearestImages
    while true {
      let found = scan.nearest(to: .embedding(vector), limit: count, shouldStop: shouldStop).top
        .sorted
      var cosines: [UInt32: Double] = [:]
      for candidate in found {
        let segment = segments[candidate.segment].segment
        guard let cosine = segment.embedding(at: candidate.row)?.similarity(to: vector) else {
          continue
        }
        let key = segment.key(at: candidate.row)
        cosines[key] = max(cosines[key] ?? -1, cosine)
      }
      if cosines.count >= limit || found.count < count || shouldStop() {
        let ranked = cosines.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return ranked.prefix(limit).map { ($0.key, $0.value) }
      }
      count *= growth
    }
  }

  /// Returns the entities of the type of one that look most like it: those with vectors by these, and after them those that a search with its
  /// first image finds.
  ///
  /// - Parameters:
  ///   - nearest: The entities by their vectors: ``nearestEntities(to:limit:filter:timeout:)`` with the same limit and filter.
  ///   - picture: The file of its first image, or `nil` if it cannot be read: the stored signature is then searched with.
  ///   - limit: The most entities.
  /// - Returns: `nil` if there is nothing to search with, and nothing is near by vectors.
  /// - Throws: `DecodeError`; the errors of ``values(for:options:)``.
  package func neighbors(
    of id: EntityID, _ nearest: [NeighboringEntity], picture: [UInt8]?, limit: Int,
    filter: EntityFilter, decoder: ImageDecoder = ImageDecoder(), timeout: Duration? = nil
  ) async throws -> Neighborhood? {
    let start = now()
    let content: SemanticContent
    if let picture {
      content = try await self.content(decoding: picture, decoder: decoder)
    } else if let signature = try firstSignature(of: id) {
      content = SemanticContent(signature: signature)
    } else {
      return nearest.isEmpty ? nil : Neighborhood(neighbors: nearest, isBySignature: false)
    }
    let spent = now() - start
    let response = try await values(
      for: content,
      options: MatchOptions(
        limit: (nearest.isEmpty ? limit : Self.neighborLimit) + 1, typeLimits: [:],
        types: [id.type], filters: [id.type: filter], minimumConfidence: 0,
        timeout: timeout.map { max(.zero, $0 - spent) }, pageLimit: 0, usesFeedback: false))
    let others = response.matches.filter { $0.value.id != id }
    let sharing = Set(others.filter { $0.alignment != nil }.map(\.value.id))
    var neighbors = nearest.map {
      var neighbor = $0
      neighbor.sharesDetails = sharing.contains($0.value.id)
      return neighbor
    }
    // The list by vectors is complete if it leaves room, so only entities that it lacks are added.
    let known = Set(nearest.map(\.value.id))
    for other in others where neighbors.count < limit && !known.contains(other.value.id) {
      neighbors.append(
        NeighboringEntity(
          value: other.value, cosine: nil, sharesDetails: other.alignment != nil))
    }
    return Neighborhood(neighbors: neighbors, isBySignature: picture == nil)
  }
}
