/// What happened to matches.
extension SearchNumbers {
  /// The outcome of counting events.
  package struct Counted: Sendable, Hashable {
    /// The number that was counted.
    package var counted = 0
    /// The number that had been counted before.
    package var known = 0
    /// The number that was not counted, since too many were for the answers of their day and key.
    package var excess = 0
  }

  /// Counts events. An action on an entity of an answer counts once.
  ///
  /// What was counted is remembered as long as it could be told again, and nothing of it is forgotten to make room: a day that is full counts no
  /// more events.
  ///
  /// - Parameter first: The first day whose answers still count; what was counted of earlier ones is forgotten.
  /// - Throws: ``CatalogueError``.
  package func count(_ events: [Event], since first: String) throws(CatalogueError) -> Counted {
    var counted = Counted()
    if events.isEmpty { return counted }
    try write { connection throws(CatalogueError) in
      for table in ["counted", "countedSums"] {
        try connection.statement("DELETE FROM \(table) WHERE day < ?").bind(.text(first)).run()
      }
      for event in events {
        let place = Place(event.circumstances)
        let isKnown = try connection.first(
          "SELECT 1 FROM counted WHERE day = ? AND key = ? AND id = ?",
          place.values + [.integer(event.id)]
        ) { _ in true }
        if isKnown == true {
          counted.known += 1
          continue
        }
        let before = try connection.first(
          "SELECT count FROM countedSums WHERE day = ? AND key = ?", place.values
        ) { $0.onlyInteger }
        guard before ?? 0 < Self.eventLimit else {
          counted.excess += 1
          try Self.note(.events, 1, place, in: connection)
          continue
        }
        try connection.statement("INSERT INTO counted VALUES(?, ?, ?)")
          .bind(place.values + [.integer(event.id)]).run()
        try connection.statement(
          "INSERT INTO countedSums VALUES(?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1"
        ).bind(place.values).run()
        try Self.add(
          Row(
            .action, event.circumstances, rule: event.rule, outcome: event.action.rawValue,
            rank: event.rank, count: 1), in: connection)
        counted.counted += 1
      }
      try Self.keepLimits(of: Set(events.map { Place($0.circumstances) }), in: connection)
    }
    return counted
  }
}

extension Matcher {
  /// Reads what happened to a match of an answer.
  ///
  /// - Parameters:
  ///   - entity: The entity of the match.
  ///   - token: ``MatchResponse/continuation`` of the answer, or of one of its pages.
  ///   - key: The name of the client's key: only what the same key asked counts.
  ///   - first: The first day whose answers still count.
  /// - Returns: The event, or `nil` if the answer does not have the entity, was not counted for this key, or is too old.
  /// - Throws: ``MatchError`` with the code `invalidToken` or `expiredToken`.
  package func event(
    _ action: SearchNumbers.Action, of entity: EntityID, inAnswer token: String, key: String,
    since first: String
  ) throws(MatchError) -> SearchNumbers.Event? {
    let continuation = try Continuation(token: token, catalogue: catalogue)
    guard let counted = continuation.options.counted, counted.key == key, counted.day >= first
    else { return nil }
    let hash = Continuation.hash(of: entity)
    func place(in list: [Continuation.Entry]) -> Int? {
      list.firstIndex { $0.idHash == hash && $0.scored.type == entity.type }
    }
    let match = place(in: continuation.entries)
    guard
      let entry = match.map({ continuation.entries[$0] })
        ?? place(in: continuation.possible).map({ continuation.possible[$0] })
    else { return nil }
    let name = "\(counted.number) \(action.rawValue) \(entity.description)"
    let id = SHA256.hash(Array(name.utf8)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return SearchNumbers.Event(
      id: Int(Int64(bitPattern: id)), circumstances: counted, action: action,
      rank: match.map { $0 + 1 } ?? 0, rule: entry.scored.rule ?? "")
  }

  /// Returns the side of an experiment that a caller is on: the same one each time, by a hash of the caller's id.
  package static func arm(ofCaller caller: String) -> String {
    (SHA256.hash(Array(caller.utf8)).first ?? 0) & 1 == 0 ? "A" : "B"
  }
}
