/// Ids that somebody mistyped.
extension EntityLookup {
  /// Ids that are compared; a catalogue with more is compared in part.
  private static let nearestLimit = 1_000_000

  /// Returns those of some ids that no entity has, in their order.
  ///
  /// - Throws: ``CatalogueError``.
  package func unknown(_ ids: [EntityID]) async throws -> [EntityID] {
    try await run { stop in
      try catalogue.read(stoppingWhen: stop) { database throws(CatalogueError) in
        var unknown: [EntityID] = []
        for id in ids where try database.existing(id) == nil { unknown.append(id) }
        return unknown
      }
    }
  }

  /// Returns the id of some types that is nearest to a text, or `nil` if none is near.
  ///
  /// - Throws: ``CatalogueError``.
  /// - Complexity: O(*n*) for *n* entities: for commands, not for requests.
  package func nearestID(
    to text: String, types: [EntityType] = EntityType.allCases
  ) async throws -> EntityID? {
    try await run { stop in
      let length = text.utf8.count
      var near: [EntityID] = []
      var compared = 0
      for type in types {
        var last = ""
        while compared < Self.nearestLimit {
          let part = try catalogue.read(stoppingWhen: stop) { database throws(CatalogueError) in
            try database.entities.ids(of: type, after: last, limit: Catalogue.partLength)
          }.map(\.id)
          compared += part.count
          // An edit changes one Unicode scalar, so it changes the length by at most four bytes.
          let candidates = part.lazy.map(\.value).filter {
            $0.hasPrefix(text) || abs($0.utf8.count - length) <= 4 * max(1, (length + 1) / 3)
          }
          if let best = Suggestion.nearest(to: text, among: Array(candidates)) {
            near.append(EntityID(type: type, value: best))
          }
          guard part.count == Catalogue.partLength, let end = part.last else { break }
          last = end.value
          try await catalogue.rest(stop)
        }
      }
      let best = Suggestion.nearest(to: text, among: near.map(\.value))
      return near.first { $0.value == best }
    }
  }
}
