import VisualQuery

/// The sentences of a report of searches about what was more than the limits of a day allow.
enum ExcessText {
  static func sentences(about report: SearchReport) -> [String] {
    guard let excess = report.excess, let first = excess.days.first, let last = excess.days.last
    else { return [] }
    let days = first == last ? first : "\(excess.days.count) days from \(first) to \(last)"
    return [
      (excess.merged, "sum was", "sums were", "added up as '\(CountedNames.other)'"),
      (excess.events, "event was", "events were", "not counted"),
      (excess.labels, "search was", "searches were", "left out of the labels that find nothing"),
      (
        excess.sides, "search counts", "searches count",
        "for no side, since one client asked more than \(SearchNumbers.sideLimit) times a day"
      ),
    ].filter { $0.0 > 0 }.map {
      "Limits of a day (\(days)): \(DisplayText.count($0.0, $0.1, $0.2)) \($0.3)."
    }
  }
}
