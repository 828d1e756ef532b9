import VisualQuery

/// The feeds of a run.
extension IndexCommand {
  /// Checks that there are feeds, each once, and that no option belongs to one of several.
  static func checkFeeds(of arguments: ParsedArguments) throws {
    let feeds = arguments.operands
    if feeds.isEmpty { throw arguments.missingOperand("'vq index' requires a FEED") }
    if feeds.count == 1 { return }
    try arguments.refuse(
      [map.description, sheet.description, feedName.description], with: "several feeds")
    var seen: Set<String> = []
    for feed in feeds where !seen.insert(FeedName.standard(of: feed)).inserted {
      throw CommandFailure(
        .usage, "the feed '\(DisplayText.escaped(ShownAddress.of(feed)))' is named twice",
        advice: ["files that differ by their dates only are one feed: index them one after another"]
      )
    }
  }

  /// Reports what became of feeds, as far as their own messages do not.
  static func report(_ feeds: [FeedResult], to console: Console) {
    for feed in feeds {
      let name = DisplayText.escaped(feed.name)
      if !feed.keptOptions.isEmpty {
        console.diagnostics.note(
          "'\(name)' is read with \(DisplayText.escaped(feed.keptOptions.joined(separator: " "))), as last time"
        )
      }
      for (other, taken) in feed.taken.sorted(by: { $0.key < $1.key }) {
        let ids = taken.ids.prefix(3).map { DisplayText.escaped($0.value) }.joined(separator: ", ")
        console.diagnostics.warning(
          "\(DisplayText.count(taken.count, "entity", "entities")) of the feed '\(DisplayText.escaped(other))' "
            + "\(taken.count == 1 ? "belongs" : "belong") to '\(name)' now, which has the same ids: \(ids)"
            + (taken.count > 3 ? ", …" : ""),
          advice: ["if it is the same feed under another name, use --feed-name, see 'vq feeds'"])
      }
      if feeds.count > 1, let failure = feed.failure {
        console.diagnostics.error(
          "'\(name)': \(failure.message)", advice: failure.advice.map { [$0] } ?? [])
      }
    }
  }

  /// Returns the failure of a run in which some feeds were not indexed, or `nil`.
  static func failure(of feeds: [FeedResult]) -> CommandFailure? {
    let failures = feeds.compactMap(\.failure)
    guard !failures.isEmpty else { return nil }
    return CommandFailure(
      failures.allSatisfy(\.isRefusal) ? .refused : .failure,
      "\(failures.count) of \(feeds.count) feeds \(failures.count == 1 ? "was" : "were") not indexed"
    )
  }
}
