/// The numbers of a shop's searches: how many there were, what they found, and what was opened at which rank.
///
/// They are sums by day in `numbers.sqlite` beside the catalogue, shared by all processes. Images, addresses, and persons are not recorded,
/// and neither is which search was whose. An object is for one task: each opens its own. The days, the rows and the ids of events are bounded; the oldest ones are removed.
package final class SearchNumbers {
  /// The days that are kept.
  package static let dayLimit = 400
  /// The most sums that are kept.
  package static let rowLimit = 200_000
  /// The most ids of events that are remembered, by which one that is sent again counts once.
  package static let eventLimit = 500_000
  /// The most labels of a day.
  package static let labelLimit = 2_000
  /// The fewest searches with a label that are reported. Fewer might identify a person.
  package static let leastSearches = 10

  /// The circumstances that searches and events are counted by.
  package struct Circumstances: Sendable, Hashable {
    /// The day in UTC, such as `2026-11-27`.
    package var day: String
    /// The name of the key, or an empty text without keys.
    package var key: String
    /// The language that was asked for, or an empty text.
    package var language: String
    /// The side of an experiment, `A` or `B`, or an empty text without one.
    package var arm: String
    /// The name of the model by which images were compared, too, or an empty text without one.
    package var model: String

    /// Makes circumstances. Texts beyond 64 characters are cut off.
    package init(
      day: String, key: String = "", language: String = "", arm: String = "", model: String = ""
    ) {
      func short(_ text: String) -> String {
        String(text.unicodeScalars.prefix(64).map(Character.init))
      }
      (self.day, self.key, self.language, self.arm, self.model) = (
        short(day), short(key), short(language), arm, short(model)
      )
    }
  }

  /// The outcome of a search.
  package enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// Something is sure.
    case sure
    /// Nothing is sure, and there is a list of what it may be.
    case list
    /// There is nothing to show.
    case empty
  }

  /// What a person did with a match.
  package enum Action: String, Sendable, Hashable, CaseIterable {
    /// It was on the screen.
    case shown
    /// It was opened.
    case opened
    /// It was put into the basket.
    case added
    /// It was ordered.
    case ordered
  }

  /// A search, as it is counted.
  package struct Search: Sendable, Hashable {
    /// Its circumstances.
    package let circumstances: Circumstances
    /// Its outcome.
    package let outcome: Outcome
    /// The names of the rules that moved something, one on a line.
    package let rules: String
    /// The labels of a search that found nothing.
    package let emptyLabels: [String]
    /// The place in the image of a region that was searched without finding anything, or `nil`.
    package let emptyRegion: String?

    /// Counts an answer.
    ///
    /// - Parameter region: The part of the image that was searched, or `nil` for all of it.
    package init(
      _ response: MatchResponse, labels: [String], region: PictureRegion? = nil,
      _ circumstances: Circumstances
    ) {
      self.circumstances = circumstances
      outcome = !response.matches.isEmpty ? .sure : response.possible.isEmpty ? .empty : .list
      let names = Set((response.matches + response.possible).compactMap(\.rule))
      rules = names.sorted().joined(separator: "\n")
      emptyLabels =
        outcome == .empty
        ? Set(labels.prefix(SemanticContent.labelLimit).map(LabelText.normalized)).filter {
          !$0.isEmpty && $0.unicodeScalars.count <= SemanticContent.labelLength
        }.sorted() : []
      emptyRegion = outcome == .empty ? region.flatMap(Self.place) : nil
    }

    /// Returns the place of a region in words, of which there are 27: the third of the image that its middle lies in, and its size.
    /// A region in pixels has none, since the size of the image is not known.
    static func place(of region: PictureRegion) -> String? {
      guard region.unit == .fractions else { return nil }
      func third(_ middle: Double, _ names: [String]) -> String {
        names[min(max(Int(3 * middle), 0), 2)]
      }
      let area = region.width * region.height
      return third(region.y + region.height / 2, ["top", "middle", "bottom"]) + " "
        + third(region.x + region.width / 2, ["left", "center", "right"])
        + (area < 1.0 / 16 ? ", small" : area < 0.25 ? ", medium" : ", large")
    }
  }

  /// Something that happened to a match, as it is counted.
  package struct Event: Sendable, Hashable {
    /// The first bytes of the hash of the client's id of the event.
    let id: [UInt8]
    /// The circumstances of its search.
    package let circumstances: Circumstances
    /// The action of the person.
    package let action: Action
    /// The rank of the match, from 1, or 0 for one of a list of what it may be.
    package let rank: Int
    /// The rule that moved the match, or an empty text.
    package let rule: String
  }

  private static let fileName = "numbers.sqlite"

  let connection: CatalogueConnection

  /// Opens the numbers of the catalogue in a directory for reading, and creates nothing: without a file, there are none.
  ///
  /// - Throws: ``CatalogueError``.
  package convenience init(reading directory: String) throws(CatalogueError) {
    let path = directory + "/" + Self.fileName
    guard FileStatus.exists(path) else {
      try self.init(path: ":memory:")
      return
    }
    let connection = try CatalogueConnection(reading: path)
    // A file of an older version, or without tables, gets those of this version first.
    guard try Self.hasModels(connection) else {
      try self.init(path: path)
      return
    }
    self.init(connection)
  }

  /// Opens the numbers of the catalogue in a directory, and creates the file if it does not exist.
  ///
  /// - Throws: ``CatalogueError`` if the directory is not writable.
  package convenience init(directory: String) throws(CatalogueError) {
    try self.init(path: directory + "/" + Self.fileName)
  }

  private init(_ connection: CatalogueConnection) { self.connection = connection }

  private init(path: String) throws(CatalogueError) {
    let connection = try CatalogueConnection(path: path, mode: .write)
    // Losing the last numbers in a power cut is acceptable.
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; " + Self.tables)
    self.connection = connection
    if try !Self.hasModels(connection) {
      try write { connection throws(CatalogueError) in
        // Another process may have changed the tables since the check above.
        if try !Self.hasModels(connection) { try connection.execute(Self.addingModels) }
      }
    }
  }

  private static let tables = """
    CREATE TABLE IF NOT EXISTS searches(
      day TEXT, key TEXT, language TEXT, arm TEXT, model TEXT, rule TEXT, outcome TEXT,
      count INTEGER NOT NULL,
      PRIMARY KEY(day, key, language, arm, model, rule, outcome)) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS actions(
      day TEXT, key TEXT, language TEXT, arm TEXT, model TEXT, rule TEXT, action TEXT, rank INTEGER,
      count INTEGER NOT NULL,
      PRIMARY KEY(day, key, language, arm, model, rule, action, rank)) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS labels(
      day TEXT, label TEXT, count INTEGER NOT NULL, PRIMARY KEY(day, label)) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS regions(
      day TEXT, region TEXT, count INTEGER NOT NULL, PRIMARY KEY(day, region)) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS events(
      number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE) STRICT;
    """

  /// Brings a file from before searches were counted by model to the tables of this version.
  private static let addingModels = """
    ALTER TABLE searches RENAME TO oldSearches; ALTER TABLE actions RENAME TO oldActions; \(tables)
    INSERT INTO searches SELECT day, key, language, arm, '', rule, outcome, count FROM oldSearches;
    INSERT INTO actions SELECT day, key, language, arm, '', rule, action, rank, count FROM oldActions;
    DROP TABLE oldSearches; DROP TABLE oldActions;
    """

  private static func hasModels(_ connection: CatalogueConnection) throws(CatalogueError) -> Bool {
    try connection.first("SELECT 1 FROM pragma_table_info('searches') WHERE name = 'model'") { _ in
      true
    } ?? false
  }
}
