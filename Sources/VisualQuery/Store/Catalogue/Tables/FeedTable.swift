/// The table `entityFeeds`, the feed that brought each entity; and the settings that store the feeds.
///
/// An entity without a row has no feed: a program put it, or it is from an index of a version without feeds.
package struct FeedTable {
  let connection: CatalogueConnection

  private var settings: SettingsTable { SettingsTable(connection: connection) }

  /// Returns whether there are tables of feeds: a catalogue that an earlier version wrote gets them when it is opened for
  /// writing.
  package func exists() throws(CatalogueError) -> Bool {
    try connection.first(
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'entityFeeds'"
    ) { _ in true } ?? false
  }

  // MARK: Feeds

  /// Returns the feeds, in the order of their numbers.
  package func all() throws(CatalogueError) -> [Feed] { Feed.all(in: try settings.all()) }

  /// Returns the feed of a name, or `nil` if there is none.
  package func feed(named name: String) throws(CatalogueError) -> Feed? {
    try all().first { $0.name.hasSameBytes(as: name) }
  }

  /// Returns a number that no feed has, and no entity refers to.
  package func freeNumber() throws(CatalogueError) -> Int {
    let last = try connection.first("SELECT max(feed) FROM entityFeeds") { $0.onlyInteger } ?? 0
    return max(last, try all().map(\.number).max() ?? 0) + 1
  }

  /// Stores a feed, in place of the one with its number.
  package func put(_ feed: Feed) throws(CatalogueError) {
    try settings.set(feed.settingName, to: feed.json.text)
  }

  /// Forgets a feed. Its entities must be removed before, or belong to others.
  package func remove(_ feed: Feed) throws(CatalogueError) {
    try settings.set(feed.settingName, to: nil)
  }

  // MARK: Entities

  /// Returns the number of the feed that an entity belongs to, or `nil` if it has none. ``exists()`` must be true.
  package func number(ofKey key: UInt32) throws(CatalogueError) -> Int? {
    try connection.first("SELECT feed FROM entityFeeds WHERE entity = ?", [.integer(Int(key))]) {
      $0.onlyInteger
    }
  }

  /// Makes an entity belong to a feed.
  package func set(_ number: Int, ofKey key: Int) throws(CatalogueError) {
    try connection.statement("INSERT OR REPLACE INTO entityFeeds VALUES(?, ?)")
      .bind(.integer(key), .integer(number)).run()
  }

  /// Forgets the feed of an entity.
  package func remove(key: Int) throws(CatalogueError) {
    try connection.statement("DELETE FROM entityFeeds WHERE entity = ?").bind(.integer(key)).run()
  }

  private enum TypeAndID: Int, SQLiteColumns { case type, id }

  /// Returns the ids of the entities of a feed, in the order of types and ids.
  ///
  /// - Parameter number: The number of the feed, or `nil` for the entities without one.
  package func ids(of number: Int?) throws(CatalogueError) -> [EntityID] {
    guard try exists() else {
      return number == nil ? try EntityTable(connection: connection).allIDs() : []
    }
    return try connection.rows(
      """
      SELECT \(TypeAndID.list) FROM entities LEFT JOIN entityFeeds ON entity = key
      WHERE feed IS ? ORDER BY type, id
      """, [number.map(SQLiteValue.integer) ?? .null], isScan: true
    ) { row in
      EntityType(rawValue: row.text(TypeAndID.type)).map {
        EntityID(type: $0, value: row.text(TypeAndID.id))
      }
    }
  }

  /// Returns the number of entities of a feed. ``exists()`` must be true.
  package func count(of number: Int) throws(CatalogueError) -> Int {
    try connection.first(
      "SELECT count(*) FROM entityFeeds WHERE feed = ?", [.integer(number)]
    ) { $0.onlyInteger } ?? 0
  }

  /// The number of entities of a feed and a type; those without a feed have the number `nil`.
  package struct Count: Sendable, Hashable {
    package let number: Int?
    package let type: EntityType
    package let count: Int
  }

  private enum CountColumn: Int, SQLiteColumns {
    case feed, type, entities

    static let list = "feed, type, count(*) AS entities"
  }

  /// Returns the numbers of entities by their feed and type.
  ///
  /// - Complexity: O(entities).
  package func counts() throws(CatalogueError) -> [Count] {
    let join = try exists() ? "LEFT JOIN entityFeeds ON entity = key" : ""
    let columns = join.isEmpty ? "NULL AS feed, type, count(*) AS entities" : CountColumn.list
    return try connection.rows(
      "SELECT \(columns) FROM entities \(join) GROUP BY feed, type ORDER BY feed, type",
      isScan: true
    ) { row in
      EntityType(rawValue: row.text(CountColumn.type)).map {
        Count(
          number: row.isNull(CountColumn.feed) ? nil : row.integer(CountColumn.feed), type: $0,
          count: row.integer(CountColumn.entities))
      }
    }
  }

  private enum Stored: Int, SQLiteColumns {
    case entity, feed

    static let list = "entity, feed"
  }

  /// Calls `body` with the key of each entity that has a feed, and with the number of the feed, in the order of the keys.
  package func forEach(
    _ body: (_ key: Int, _ number: Int) throws(CatalogueError) -> Void
  ) throws(CatalogueError) {
    guard try exists() else { return }
    try connection.forEachRow(
      "SELECT \(Stored.list) FROM entityFeeds ORDER BY entity", isScan: true
    ) { row throws(CatalogueError) in
      try body(row.integer(Stored.entity), row.integer(Stored.feed))
    }
  }
}
