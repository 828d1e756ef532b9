/// The numbers of a shop's searches: how many there were, what they found, and what was opened at which rank.
///
/// They are sums by day in `numbers.sqlite` beside the catalogue, shared by all processes. Images, addresses, and persons are not recorded,
/// and neither is which search was whose. An object is for one task: each opens its own.
///
/// Strangers may make searches and events, so their names are those of the shop (``CountedNames``), and each day has limits: what is
/// too much of a day is added up or left out, and ``SearchReport/excess`` tells it. Earlier days lose nothing by it.
package final class SearchNumbers {
  /// The days that are kept.
  package static let dayLimit = 400
  /// The most sums of searches of a day and key; those of fewer searches are then added up (``merge(_:of:in:)``).
  package static let searchLimit = 500
  /// The most sums of what was done with matches of a day and key: more than all of one language, rule and model, which are 1212.
  package static let actionLimit = 1_500
  /// The days in which what is done with an answer counts, that of the search included. As long is remembered what was counted.
  package static let eventDays = 7
  /// The most events that count for the answers of a day and key.
  package static let eventLimit = 500_000
  /// The most searches of a client, which is a key and an address, that count for a side of an experiment on a day.
  package static let sideLimit = 200
  /// The most labels of a day; the rarest half is then left out.
  package static let labelLimit = 500
  /// The fewest searches with a label that are reported. Fewer might identify a person.
  package static let leastSearches = 10

  /// What of a day was more than its limits allow.
  enum Excess: String, CaseIterable {
    /// Sums that were added up.
    case merged
    /// Events that were not counted.
    case events
    /// Searches that found nothing, whose labels were left out.
    case labels
    /// Searches that count for no side of an experiment, since one client had asked too often.
    case sides
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
    /// Its circumstances. Their number is 0, since searches with equal ones are added up.
    package let circumstances: CountedAnswer
    /// True if it counts for no side of an experiment, since its client had asked too often.
    package let isSideless: Bool
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
      isSideless: Bool = false, _ counted: CountedAnswer
    ) {
      circumstances = CountedAnswer(
        number: 0, day: counted.day, key: counted.key, language: counted.language,
        arm: counted.arm, model: counted.model)
      self.isSideless = isSideless
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
    /// A hash of the answer, the entity and the action: what counts once.
    let id: Int
    /// The circumstances of its search.
    package let circumstances: CountedAnswer
    /// The action of the person.
    package let action: Action
    /// The rank of the match, from 1, or 0 for one of a list of what it may be.
    package let rank: Int
    /// The rule that moved the match, or an empty text.
    package let rule: String
  }

  /// The file's name within a catalogue's directory.
  package static let fileName = "numbers.sqlite"

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
    CREATE TABLE IF NOT EXISTS counted(
      day TEXT, key TEXT, id INTEGER, PRIMARY KEY(day, key, id)) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS countedSums(
      day TEXT, key TEXT, count INTEGER NOT NULL, PRIMARY KEY(day, key)) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS excess(
      day TEXT, key TEXT, kind TEXT, count INTEGER NOT NULL,
      PRIMARY KEY(day, key, kind)) STRICT, WITHOUT ROWID;
    -- The ids of events of an earlier version, whose answers do not count any more.
    DROP TABLE IF EXISTS events;
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
