/// Counting, and the limits of what is kept.
extension SearchNumbers {
  /// Counts searches, each with its number.
  ///
  /// Waits for other processes that are counting, so call it after answers are sent.
  ///
  /// - Throws: ``CatalogueError``.
  package func count(_ searches: [Search: Int]) throws(CatalogueError) {
    if searches.isEmpty { return }
    try write { connection throws(CatalogueError) in
      for (search, count) in searches {
        let place = search.circumstances
        try connection.statement(
          """
          INSERT INTO searches VALUES(?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET count = count + excluded.count
          """
        ).bind(
          place.values + [.text(search.rules), .text(search.outcome.rawValue), .integer(count)]
        ).run()
        for label in search.emptyLabels {
          try Self.count(label, count, on: place.day, in: connection)
        }
        if let region = search.emptyRegion {
          try connection.statement(
            """
            INSERT INTO regions VALUES(?, ?, ?)
            ON CONFLICT DO UPDATE SET count = count + excluded.count
            """
          ).bind([.text(place.day), .text(region), .integer(count)]).run()
        }
      }
      try Self.removeOldest(in: connection)
    }
  }

  private static func count(
    _ label: String, _ count: Int, on day: String, in connection: CatalogueConnection
  ) throws(CatalogueError) {
    try connection.statement("UPDATE labels SET count = count + ? WHERE day = ? AND label = ?")
      .bind([.integer(count), .text(day), .text(label)]).run()
    guard connection.changedRowCount == 0 else { return }
    let known = try connection.first(
      "SELECT count(*) FROM labels WHERE day = ?", [.text(day)]
    ) { $0.onlyInteger }
    guard known ?? 0 < labelLimit else { return }
    try connection.statement("INSERT INTO labels VALUES(?, ?, ?)")
      .bind([.text(day), .text(label), .integer(count)]).run()
  }

  /// Counts events; those whose ids are known are not counted again.
  ///
  /// - Returns: The number of events that were counted.
  /// - Throws: ``CatalogueError``.
  package func count(_ events: [Event]) throws(CatalogueError) -> Int {
    if events.isEmpty { return 0 }
    return try write { connection throws(CatalogueError) in
      var counted = 0
      for event in events {
        try connection.statement("INSERT OR IGNORE INTO events(id) VALUES(?)")
          .bind([.blob(event.id)]).run()
        guard connection.changedRowCount == 1 else { continue }
        counted += 1
        try connection.statement(
          """
          INSERT INTO actions VALUES(?, ?, ?, ?, ?, ?, ?, ?, 1)
          ON CONFLICT DO UPDATE SET count = count + 1
          """
        ).bind(
          event.circumstances.values
            + [.text(event.rule), .text(event.action.rawValue), .integer(event.rank)]
        ).run()
      }
      try connection.execute(
        "DELETE FROM events WHERE number <= (SELECT max(number) FROM events) - \(Self.eventLimit)")
      try Self.removeOldest(in: connection)
      return counted
    }
  }

  private enum DayAndRows: Int, SQLiteColumns { case day, rows }

  /// Removes the oldest days beyond the limits of days and of rows.
  private static func removeOldest(in connection: CatalogueConnection) throws(CatalogueError) {
    let tables = ["searches", "actions", "labels", "regions"]
    let days = try connection.rows(
      """
      SELECT day, sum(count) AS rows FROM (\(tables.map { "SELECT day, count(*) AS count FROM \($0) GROUP BY day" }
        .joined(separator: " UNION ALL ")))
      GROUP BY day ORDER BY day DESC
      """, isScan: true
    ) { (day: $0.text(DayAndRows.day), rows: $0.integer(DayAndRows.rows)) }
    var rows = 0
    for (index, day) in days.enumerated() {
      rows += day.rows
      // The newest day is kept even if it alone exceeds the limit of rows.
      guard index > 0, index >= dayLimit || rows > rowLimit else { continue }
      for table in tables {
        try connection.statement("DELETE FROM \(table) WHERE day <= ?").bind([.text(day.day)]).run()
      }
      return
    }
  }

  func write<Value>(
    _ body: (CatalogueConnection) throws(CatalogueError) -> Value
  ) throws(CatalogueError) -> Value {
    try connection.execute("BEGIN IMMEDIATE")
    do throws(CatalogueError) {
      let value = try body(connection)
      try connection.execute("COMMIT")
      return value
    } catch {
      try? connection.execute("ROLLBACK")
      throw error
    }
  }
}

extension SearchNumbers.Circumstances {
  fileprivate var values: [SQLiteValue] {
    [.text(day), .text(key), .text(language), .text(arm), .text(model)]
  }
}

extension Matcher {
  /// Reads what happened to a match of an answer.
  ///
  /// - Parameters:
  ///   - id: The client's id of the event: one that comes again counts once.
  ///   - entity: The entity of the match.
  ///   - token: ``MatchResponse/continuation`` of the answer, or of one of its pages.
  ///   - day: The day in UTC.
  ///   - key: The name of the client's key.
  /// - Returns: The event, or `nil` if the answer does not have the entity.
  /// - Throws: ``MatchError`` with the code `invalidToken` or `expiredToken`.
  package func event(
    _ id: String, _ action: SearchNumbers.Action, of entity: EntityID,
    inAnswer token: String, day: String, key: String
  ) throws(MatchError) -> SearchNumbers.Event? {
    let continuation = try Continuation(token: token, catalogue: catalogue)
    let hash = Continuation.hash(of: entity)
    func place(in list: [Continuation.Entry]) -> Int? {
      list.firstIndex { $0.idHash == hash && $0.scored.type == entity.type }
    }
    let match = place(in: continuation.entries)
    guard
      let entry = match.map({ continuation.entries[$0] })
        ?? place(in: continuation.possible).map({ continuation.possible[$0] })
    else { return nil }
    return SearchNumbers.Event(
      id: Array(SHA256.hash(Array(id.utf8)).prefix(16)),
      circumstances: SearchNumbers.Circumstances(
        day: day, key: key, language: continuation.options.locale ?? "",
        arm: continuation.options.arm ?? "", model: continuation.options.countedModel ?? ""),
      action: action, rank: match.map { $0 + 1 } ?? 0, rule: entry.scored.rule ?? "")
  }

  /// Returns the side of an experiment that a caller is on: the same one each time, by a hash of the caller's id.
  package static func arm(ofCaller caller: String) -> String {
    (SHA256.hash(Array(caller.utf8)).first ?? 0) & 1 == 0 ? "A" : "B"
  }
}
