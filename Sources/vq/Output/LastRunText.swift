#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import VisualQuery

/// The last run of a feed, in words.
enum LastRunText {
  /// Returns the lines of `vq catalogue status`, such as "last run    2026-11-28 03:12 of feed.csv: kept 24 old images".
  static func lines(_ run: LastRun) -> [String] {
    let undone = run.isUndone ? "; rolled back" : ""
    let reason = run.reason.map { ["            \(DisplayText.escaped($0))"] } ?? []
    return [
      "last run    \(time(run.ended ?? run.began)) of \(DisplayText.escaped(run.feed)): \(outcome(run))\(undone)"
    ] + reason
  }

  /// Returns how a run ended.
  static func outcome(_ run: LastRun) -> String {
    let words =
      switch run.outcome {
      case .done: "done"
      case .nothingToDo: "nothing to do"
      case .losses: "done, but rows, images or fields were rejected"
      // Nothing of a feed that is another one than last time is taken.
      case .refused: run.generation == nil ? "refused" : "refused to lose too much"
      case .interrupted: "interrupted"
      case .failed: "failed"
      case nil: "has not ended: it is at work, or it was killed"
      }
    let kept = kept(run)
    return kept.isEmpty ? words : "\(words); kept \(kept)"
  }

  /// Returns what was kept, such as "24 old images, 3 old prices".
  static func kept(_ run: LastRun) -> String {
    var counts: [CoverageField: Int] = [:]
    if run.keptImages > 0 { counts[.image] = run.keptImages }
    for kept in run.kept {
      // An entity keeps its images, be it that its row names none or that those cannot be found.
      counts[kept.field == .signature ? .image : kept.field, default: 0] += kept.entities
    }
    return CoverageField.allCases.compactMap { field in
      counts[field].map { "\(DisplayText.grouped($0)) old \(noun(field, $0))" }
    }.joined(separator: ", ")
  }

  private static func noun(_ field: CoverageField, _ count: Int) -> String {
    let (one, many) =
      switch field {
      case .entities: ("entity", "entities")
      case .image, .signature: ("image", "images")
      case .availability: ("availability", "availabilities")
      case .price, .link, .group, .color, .place, .text: (field.rawValue, field.rawValue + "s")
      }
    return count == 1 ? one : many
  }

  /// Returns a time in UTC, to the minute.
  static func time(_ seconds: Int) -> String {
    let date = Date(timeIntervalSince1970: Double(seconds))
    return date.formatted(
      Date.ISO8601FormatStyle(dateTimeSeparator: .space).year().month().day()
        .dateTimeSeparator(.space).time(includingFractionalSeconds: false)
    ).prefix(16) + " UTC"
  }
}
