/// A report of searches: sums of ``SearchNumbers``.
package struct SearchReport: Sendable, Hashable, Encodable {
  /// The sums of some searches and of what was done with their matches.
  package struct Sums: Sendable, Hashable, Encodable {
    /// The number of searches.
    package internal(set) var searches = 0
    /// The searches in which something was sure.
    package internal(set) var sure = 0
    /// The searches with only a list of what it may be.
    package internal(set) var list = 0
    /// The searches without an answer.
    package internal(set) var empty = 0
    /// The number of matches that were shown.
    package internal(set) var shown = 0
    /// The number of matches that were opened.
    package internal(set) var opened = 0
    /// The number of matches that were put into a basket.
    package internal(set) var added = 0
    /// The number of matches that were ordered.
    package internal(set) var ordered = 0

    mutating func count(_ outcome: SearchNumbers.Outcome, _ count: Int) {
      searches += count
      switch outcome {
      case .sure: sure += count
      case .list: list += count
      case .empty: empty += count
      }
    }

    mutating func count(_ action: SearchNumbers.Action, _ count: Int) {
      switch action {
      case .shown: shown += count
      case .opened: opened += count
      case .added: added += count
      case .ordered: ordered += count
      }
    }
  }

  /// The sums of a day, a key, a language, a rule, a model, or a side of an experiment.
  package struct Row: Sendable, Hashable, Encodable {
    /// Its name; empty for none.
    package let name: String
    /// Its sums.
    package let sums: Sums
  }

  /// What was done with matches of a rank.
  package struct Rank: Sendable, Hashable, Encodable {
    /// The rank, from 1, or 0 for a list of what it may be.
    package let rank: Int
    /// The number of matches that were shown.
    package internal(set) var shown = 0
    /// The number of matches that were opened.
    package internal(set) var opened = 0
    /// The number of matches that were put into a basket.
    package internal(set) var added = 0
    /// The number of matches that were ordered.
    package internal(set) var ordered = 0
  }

  /// A place in images of regions that were searched without finding anything.
  package struct Region: Sendable, Hashable, Encodable {
    /// The place, such as `top left, small`.
    package let region: String
    /// The number of searches.
    package let searches: Int
  }

  /// A label of searches that found nothing.
  package struct Label: Sendable, Hashable, Encodable {
    /// The label, normalized.
    package let label: String
    /// The number of searches.
    package let searches: Int
  }

  /// The difference between the sides of an experiment, in openings per search, B less A.
  package struct Difference: Sendable, Hashable, Encodable {
    /// The difference.
    package let openedPerSearch: Double
    /// The lower bound of the 95 % interval.
    package let low: Double
    /// The upper bound of the 95 % interval.
    package let high: Double
  }

  /// What was more than the limits of a day allow.
  package struct Excess: Sendable, Hashable, Encodable {
    /// The days.
    package internal(set) var days: [String] = []
    /// The number of sums that were added up as ``CountedNames/other`` languages and models.
    package internal(set) var merged = 0
    /// The number of events that were not counted.
    package internal(set) var events = 0
    /// The number of searches without an answer whose label was left out.
    package internal(set) var labels = 0
    /// The number of searches that count for no side of an experiment, since their client had asked too often.
    package internal(set) var sides = 0

    mutating func count(_ kind: SearchNumbers.Excess, _ count: Int) {
      switch kind {
      case .merged: merged += count
      case .events: events += count
      case .labels: labels += count
      case .sides: sides += count
      }
    }
  }

  let schema = "vq.report/1"
  /// The first day with numbers, or `nil` without any.
  package let from: String?
  /// The last day with numbers, or `nil` without any.
  package let until: String?
  /// The sums of all.
  package let total: Sums
  /// The sums of each day.
  package let byDay: [Row]
  /// The sums of each key.
  package let byKey: [Row]
  /// The sums of each language.
  package let byLanguage: [Row]
  /// The searches in which a rule moved something, and the actions on what it moved.
  package let byRule: [Row]
  /// The sums of each model by which images were compared, too.
  package let byModel: [Row]
  /// The sums of each side of an experiment.
  package let byArm: [Row]
  /// What was done with matches of each rank.
  package let ranks: [Rank]
  /// Labels of at least ``SearchNumbers/leastSearches`` searches that found nothing, the most frequent first.
  package let emptyLabels: [Label]
  /// Regions of images of at least ``SearchNumbers/leastSearches`` searches that found nothing, the most frequent first.
  package let emptyRegions: [Region]
  /// `nil` unless both sides have searches.
  package let difference: Difference?
  /// What was too much of a day, or `nil` if nothing was.
  package let excess: Excess?
}

extension SearchReport {
  /// Returns the 95 % interval of a share (E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927),
  /// or `nil` of nothing.
  package static func interval(_ count: Int, of total: Int) -> ClosedRange<Double>? {
    guard total > 0 else { return nil }
    let (n, z) = (Double(total), 1.96)
    let share = Double(count) / n
    let middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    let half = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
    return max(0, middle - half)...min(1, middle + half)
  }

  /// Returns the difference of two rates of counts that are Poisson distributed, with its 95 % interval.
  static func difference(_ a: Sums, _ b: Sums) -> Difference? {
    guard a.searches > 0, b.searches > 0 else { return nil }
    let (n, m) = (Double(a.searches), Double(b.searches))
    let difference = Double(b.opened) / m - Double(a.opened) / n
    let half = 1.96 * (Double(a.opened) / (n * n) + Double(b.opened) / (m * m)).squareRoot()
    return Difference(
      openedPerSearch: difference, low: difference - half, high: difference + half)
  }
}

extension SearchNumbers {
  private enum SearchColumn: Int, SQLiteColumns {
    case day, key, language, arm, model, rule, outcome, count
  }
  private enum ActionColumn: Int, SQLiteColumns {
    case day, key, language, arm, model, rule, action, count, rank
  }
  private enum EmptyColumn: Int, SQLiteColumns { case name, searches }
  private enum ExcessColumn: Int, SQLiteColumns { case day, kind, count }

  /// Makes the report of some days.
  ///
  /// - Parameters:
  ///   - first: The first day, such as `2026-11-01`, or `nil` for all that are kept.
  ///   - others: The numbers of other servers of the shop, which are added. A label or a region counts by the sum.
  /// - Throws: ``CatalogueError``.
  package func report(
    since first: String? = nil, with others: [SearchNumbers] = []
  ) throws(CatalogueError) -> SearchReport {
    var sums = ReportSums()
    for numbers in [self] + others { try numbers.add(since: first ?? "", to: &sums) }
    func frequent(_ counts: [String: Int]) -> [(name: String, searches: Int)] {
      counts.filter { $0.value >= Self.leastSearches }
        .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }
    let rows = sums.groups.map { group in
      group.sorted { $0.key < $1.key }.map { SearchReport.Row(name: $0.key, sums: $0.value) }
    }
    return SearchReport(
      from: rows[0].first?.name, until: rows[0].last?.name, total: sums.total, byDay: rows[0],
      byKey: rows[1], byLanguage: rows[2], byRule: rows[3], byModel: rows[4],
      byArm: rows[5].filter { !$0.name.isEmpty },
      ranks: sums.ranks.values.sorted { $0.rank < $1.rank },
      emptyLabels: frequent(sums.labels).map {
        SearchReport.Label(label: $0.name, searches: $0.searches)
      },
      emptyRegions: frequent(sums.regions).map {
        SearchReport.Region(region: $0.name, searches: $0.searches)
      },
      difference: sums.groups[5]["A"].flatMap { a in
        sums.groups[5]["B"].flatMap { SearchReport.difference(a, $0) }
      }, excess: sums.excess.days.isEmpty ? nil : sums.excess)
  }

  /// Adds the sums of this file.
  private func add(since first: String, to sums: inout ReportSums) throws(CatalogueError) {
    let since: [SQLiteValue] = [.text(first)]
    /// The names of a row in each group.
    func names(_ row: SQLiteStatement<CatalogueError>) -> [[String]] {
      // The first columns of both tables are the same.
      [
        [row.text(SearchColumn.day)], [row.text(SearchColumn.key)],
        [row.text(SearchColumn.language)], rules(row.text(SearchColumn.rule)),
        [row.text(SearchColumn.model)], [row.text(SearchColumn.arm)],
      ]
    }
    func rules(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
    try connection.forEachRow(
      "SELECT \(SearchColumn.list) FROM searches WHERE day >= ?", since, isScan: true
    ) { row throws(CatalogueError) in
      guard let outcome = Outcome(rawValue: row.text(SearchColumn.outcome)) else { return }
      let count = row.integer(SearchColumn.count)
      sums.total.count(outcome, count)
      for (group, names) in names(row).enumerated() {
        for name in names { sums.groups[group][name, default: .init()].count(outcome, count) }
      }
    }
    try connection.forEachRow(
      "SELECT \(ActionColumn.list) FROM actions WHERE day >= ?", since, isScan: true
    ) { row throws(CatalogueError) in
      guard let action = Action(rawValue: row.text(ActionColumn.action)) else { return }
      let (count, rank) = (row.integer(ActionColumn.count), row.integer(ActionColumn.rank))
      sums.total.count(action, count)
      sums.ranks[rank, default: .init(rank: rank)].count(action, count)
      for (group, names) in names(row).enumerated() {
        for name in names { sums.groups[group][name, default: .init()].count(action, count) }
      }
    }
    func count(_ column: String, of table: String, into counts: inout [String: Int])
      throws(CatalogueError)
    {
      try connection.forEachRow(
        "SELECT \(column), sum(count) FROM \(table) WHERE day >= ? GROUP BY \(column)", since,
        isScan: true
      ) { row throws(CatalogueError) in
        counts[row.text(EmptyColumn.name), default: 0] += row.integer(EmptyColumn.searches)
      }
    }
    try count("label", of: "labels", into: &sums.labels)
    try count("region", of: "regions", into: &sums.regions)
    // A file that no server of this version has written to has no such table.
    guard try hasTable("excess") else { return }
    var days = Set(sums.excess.days)
    try connection.forEachRow(
      "SELECT \(ExcessColumn.list) FROM excess WHERE day >= ?", since, isScan: true
    ) { row throws(CatalogueError) in
      guard let kind = Excess(rawValue: row.text(ExcessColumn.kind)) else { return }
      days.insert(row.text(ExcessColumn.day))
      sums.excess.count(kind, row.integer(ExcessColumn.count))
    }
    sums.excess.days = days.sorted()
  }
}

/// The sums that a report is made of.
private struct ReportSums {
  var total = SearchReport.Sums()
  /// By day, key, language, rule, model, and side.
  var groups: [[String: SearchReport.Sums]] = Array(repeating: [:], count: 6)
  var ranks: [Int: SearchReport.Rank] = [:]
  var labels: [String: Int] = [:]
  var regions: [String: Int] = [:]
  var excess = SearchReport.Excess()
}

extension SearchReport.Rank {
  fileprivate mutating func count(_ action: SearchNumbers.Action, _ count: Int) {
    switch action {
    case .shown: shown += count
    case .opened: opened += count
    case .added: added += count
    case .ordered: ordered += count
    }
  }
}
