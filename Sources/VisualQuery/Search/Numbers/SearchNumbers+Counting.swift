/// Counting searches, and the limits of a day.
extension SearchNumbers {
  /// A day and a key, whose sums have limits of their own.
  struct Place: Hashable {
    let day: String
    let key: String

    init(_ counted: CountedAnswer) { (day, key) = (counted.day, counted.key) }

    var values: [SQLiteValue] { [.text(day), .text(key)] }
  }

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
        try Self.add(
          Row(
            .search, place, rule: search.rules, outcome: search.outcome.rawValue, rank: 0,
            count: count), in: connection)
        if search.isSideless { try Self.note(.sides, count, Place(place), in: connection) }
        for label in search.emptyLabels {
          try connection.statement(
            """
            INSERT INTO labels VALUES(?, ?, ?)
            ON CONFLICT DO UPDATE SET count = count + excluded.count
            """
          ).bind([.text(place.day), .text(label), .integer(count)]).run()
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
      try Self.keepLimits(of: Set(searches.keys.map { Place($0.circumstances) }), in: connection)
    }
  }

  /// Adds to what of a day was too much.
  static func note(
    _ excess: Excess, _ count: Int, _ place: Place, in connection: CatalogueConnection
  ) throws(CatalogueError) {
    if count == 0 { return }
    try connection.statement(
      """
      INSERT INTO excess VALUES(?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count
      """
    ).bind(place.values + [.text(excess.rawValue), .integer(count)]).run()
  }

  // MARK: Limits

  /// Brings days and keys that were written to within their limits, and removes the oldest days beyond ``dayLimit``.
  static func keepLimits(
    of places: Set<Place>, in connection: CatalogueConnection
  ) throws(CatalogueError) {
    for place in places {
      try merge(.search, of: place, in: connection)
      try merge(.action, of: place, in: connection)
    }
    for day in Set(places.map(\.day)) { try dropLabels(of: day, in: connection) }
    try removeOldestDays(in: connection)
  }

  /// Adds up the rarest sums of a day and key if it has too many: those of a side, outcome or action, and rank become one sum of
  /// ``CountedNames/other`` languages and models without a rule. No total changes.
  private static func merge(
    _ kind: Row.Kind, of place: Place, in connection: CatalogueConnection
  ) throws(CatalogueError) {
    let count = try connection.first(
      "SELECT count(*) FROM \(kind.table) WHERE day = ? AND key = ?", place.values
    ) { $0.onlyInteger }
    guard count ?? 0 > kind.limit else { return }
    let rows = try connection.rows(
      "SELECT \(kind.columns) FROM \(kind.table) WHERE day = ? AND key = ?", place.values
    ) { Row(kind, $0) }.sorted { ($1.count, $0) < ($0.count, $1) }
    try connection.statement("DELETE FROM \(kind.table) WHERE day = ? AND key = ?")
      .bind(place.values).run()
    var merged = 0
    for (index, row) in rows.enumerated() {
      let isKept = index < kind.mostUsed || row == row.merged
      if !isKept { merged += 1 }
      try add(isKept ? row : row.merged, in: connection)
    }
    try note(.merged, merged, place, in: connection)
  }

  /// Leaves out the rarest labels of a day if it has too many.
  private static func dropLabels(
    of day: String, in connection: CatalogueConnection
  ) throws(CatalogueError) {
    let sums = try connection.rows(
      "SELECT count FROM labels WHERE day = ? ORDER BY count DESC, label", [.text(day)]
    ) { $0.onlyInteger }
    guard sums.count > labelLimit else { return }
    try connection.statement(
      """
      DELETE FROM labels WHERE day = ?1 AND label NOT IN (
        SELECT label FROM labels WHERE day = ?1 ORDER BY count DESC, label LIMIT ?2)
      """
    ).bind([.text(day), .integer(labelLimit / 2)]).run()
    let place = Place(CountedAnswer(number: 0, day: day))
    try note(.labels, sums.dropFirst(labelLimit / 2).reduce(0, +), place, in: connection)
  }

  /// The tables with a sum of each day.
  private static let tables = ["searches", "actions", "labels", "regions"]

  /// Removes the oldest days beyond the limit. A day is counted whatever its date, so that a wrong clock does not remove any.
  private static func removeOldestDays(
    in connection: CatalogueConnection
  ) throws(CatalogueError) {
    var days: Set<String> = []
    for table in tables {
      // Looks up one day after the other, so that the time does not depend on the number of sums.
      days.formUnion(
        try connection.rows(
          """
          WITH RECURSIVE days(day) AS (
            SELECT max(day) FROM \(table) UNION ALL
            SELECT (SELECT max(day) FROM \(table) WHERE day < days.day) FROM days WHERE day IS NOT NULL)
          SELECT day FROM days WHERE day IS NOT NULL
          """, isScan: true
        ) { $0.onlyText })
    }
    guard days.count > dayLimit else { return }
    let first = days.sorted()[days.count - dayLimit]
    for table in tables + ["excess"] {
      try connection.statement("DELETE FROM \(table) WHERE day < ?").bind(.text(first)).run()
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
