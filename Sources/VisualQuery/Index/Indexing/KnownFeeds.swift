/// The feeds of the catalogue in a directory, read before a run opens it.
struct KnownFeeds {
  private let settings: [String: String]
  private let feeds: [Feed]

  /// Reads the feeds; there are none if there is no catalogue, or one that cannot be read: the run itself reports that.
  init(directory: String) {
    // An index whose first run was interrupted has no settings.
    let isPresent = FileStatus.exists(directory + "/" + CatalogueDatabase.fileName)
    settings =
      (isPresent ? try? CatalogueDatabase(reading: directory).tables.settings.all() : nil) ?? [:]
    feeds = Feed.all(in: settings)
  }

  /// Returns how a feed was read last time, or `nil` if it is new.
  ///
  /// A new feed is read with the mapping of a feed whose file has the same name in another folder, or that an earlier version
  /// stored for files of that name.
  func reading(of name: String) -> Feed.Reading? {
    if let feed = feeds.first(where: { $0.name.hasSameBytes(as: name) }) { return feed.reading }
    var reading = Feed.Reading()
    let file = Self.file(name)
    if file.isEmpty || name == FeedName.standardInput { return nil }
    if let feed = feeds.last(where: { Self.file($0.name) == file && !$0.reading.mapping.isEmpty }) {
      reading.mapping = feed.reading.mapping
    } else if let stored = ShopSettings.feedMapping(settings),
      Self.file(FeedName.standard(of: "/" + stored.feed)) == file
    {
      reading.mapping = stored.assignments
    }
    return reading
  }

  private static func file(_ name: String) -> String {
    String(name.split(separator: "/").last ?? "")
  }
}

extension FeedOptions {
  /// Takes over the options of an earlier run that this one does not give.
  ///
  /// - Returns: The options that were taken over, as the command has them.
  mutating func complete(by reading: Feed.Reading?) -> [String] {
    guard let reading else { return [] }
    var kept: [String] = []
    func take(_ option: String, _ value: inout String?, _ stored: String?) {
      guard value == nil, let stored else { return }
      value = stored
      kept.append("\(option) \(stored)")
    }
    take("--currency", &currency, reading.currency)
    take("--locale", &locale, reading.locale)
    take("--encoding", &encoding, reading.encoding)
    if fields.isEmpty, !forgetsMapping, !reading.mapping.isEmpty {
      fields = reading.mapping.flatMap { FieldAssignment.list($0) ?? [] }
      kept.append("--map")
    }
    return kept
  }
}
