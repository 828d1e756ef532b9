/// The sums of searches and of what was done with matches, as they are stored.
extension SearchNumbers {
  /// A sum.
  struct Row: Hashable {
    /// The kind of a sum, each in a table of its own.
    enum Kind: String {
      case search, action
    }

    let kind: Kind
    var place: CountedAnswer
    /// The names of rules, one on a line; empty for none.
    var rule: String
    /// The outcome of a search, or an action.
    let outcome: String
    /// The rank of a match; 0 for a search.
    let rank: Int
    let count: Int

    init(
      _ kind: Kind, _ place: CountedAnswer, rule: String, outcome: String, rank: Int, count: Int
    ) {
      (self.kind, self.place, self.rule) = (kind, place, rule)
      (self.outcome, self.rank, self.count) = (outcome, rank, count)
    }

    /// Reads a row of ``Kind/columns``; `nil` if its count is no number of anything.
    init?(_ kind: Kind, _ row: SQLiteStatement<CatalogueError>) {
      self.init(
        kind,
        CountedAnswer(
          number: 0, day: row.text(Column.day), key: row.text(Column.key),
          language: row.text(Column.language), arm: row.text(Column.arm),
          model: row.text(Column.model)),
        rule: row.text(Column.rule), outcome: row.text(Column.outcome),
        rank: row.integer(Column.rank), count: row.integer(Column.count))
      if count < 1 { return nil }
    }

    private enum Column: Int, SQLiteColumns {
      case day, key, language, arm, model, rule, outcome, rank, count
    }

    /// The sum that it is added to if its day has too many.
    var merged: Row {
      var row = self
      row.place = CountedAnswer(
        number: 0, day: place.day, key: place.key, language: CountedNames.other, arm: place.arm,
        model: CountedNames.other)
      row.rule = ""
      return row
    }

    /// The values of its table.
    fileprivate var values: [SQLiteValue] {
      [
        .text(place.day), .text(place.key), .text(place.language), .text(place.arm),
        .text(place.model), .text(rule), .text(outcome),
      ] + (kind == .action ? [.integer(rank)] : []) + [.integer(count)]
    }

    /// Everything but the count, to order equally frequent ones.
    fileprivate var name: [String] {
      [place.language, place.arm, place.model, rule, outcome, "\(rank)"]
    }
  }

  /// Adds a sum to the one of the same names.
  ///
  /// - Parameter isLargest: True if the larger of both counts is kept instead of their sum.
  static func add(
    _ row: Row, isLargest: Bool = false, in connection: CatalogueConnection
  ) throws(CatalogueError) {
    let marks = row.values.map { _ in "?" }.joined(separator: ", ")
    let count = isLargest ? "max(count, excluded.count)" : "count + excluded.count"
    try connection.statement(
      "INSERT INTO \(row.kind.table) VALUES(\(marks)) ON CONFLICT DO UPDATE SET count = \(count)"
    ).bind(row.values).run()
  }
}

extension SearchNumbers.Row: Comparable {
  static func < (a: Self, b: Self) -> Bool { a.name.lexicographicallyPrecedes(b.name) }
}

extension SearchNumbers.Row.Kind {
  var table: String { self == .search ? "searches" : "actions" }

  /// The columns in the order in which ``SearchNumbers/Row`` reads them.
  var columns: String {
    self == .search
      ? "day, key, language, arm, model, rule, outcome, 0, count"
      : "day, key, language, arm, model, rule, action, rank, count"
  }

  /// The most sums of a day and key.
  var limit: Int { self == .search ? SearchNumbers.searchLimit : SearchNumbers.actionLimit }

  /// The number of sums that are kept as they are if there are too many: few enough to leave room for those that the others are added to.
  var mostUsed: Int { 250 }
}
