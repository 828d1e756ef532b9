/// The link of a directory with the catalogue in PostgreSQL that it is a copy of, and the changes of
/// a generation that is to be published there.
extension CatalogueDatabase {
  private static let originName = ShopSettings.replicaPrefix + "origin"

  /// The address of the catalogue that this directory is a copy of, or `nil` if it is not a copy.
  func replicaOrigin() throws(CatalogueError) -> String? { try settings.value(of: Self.originName) }

  /// The token of the generation in PostgreSQL that this directory has, or `nil` if it has none yet.
  func replicaToken() throws(CatalogueError) -> String? { try settings.value(of: Self.tokenName) }

  /// Notes the address that this directory is a copy of; `nil` makes it a catalogue of its own.
  func setReplicaOrigin(_ location: String?) throws(CatalogueError) {
    try settings.set(Self.originName, to: location)
    if location == nil { try settings.set(Self.tokenName, to: nil) }
  }

  /// Returns whether the segments of this directory have no signatures.
  func isHeadOnly() throws(CatalogueError) -> Bool {
    try settings.value(of: ShopSettings.headOnlyName) != nil
  }

  /// Notes whether the segments have no signatures, in the transaction that lists their files.
  func setHeadOnly(_ isHeadOnly: Bool) throws(CatalogueError) {
    try settings.set(ShopSettings.headOnlyName, to: isHeadOnly ? "1" : nil)
  }

  func setReplicaToken(_ token: String) throws(CatalogueError) {
    try settings.set(Self.tokenName, to: token)
  }

  /// Makes a copy of a database a copy of a generation in PostgreSQL, wherever that is.
  static func setReplica(inFile path: String, token: String) throws(CatalogueError) {
    let connection = try CatalogueConnection(path: path, mode: .write)
    try connection.statement("DELETE FROM settings WHERE name = ?").bind(.text(originName)).run()
    try connection.statement("INSERT OR REPLACE INTO settings VALUES(?, ?)").bind(
      .text(tokenName), .text(token)
    ).run()
  }

  /// The settings that are part of the contents.
  func publishedSettings() throws(CatalogueError) -> [String: String] {
    try settings.all().filter { !$0.key.hasPrefix(ShopSettings.replicaPrefix) }
  }

  // MARK: Changes of a generation

  /// Begins to note what a generation adds to tables that do not know their generation.
  func noteGrowth() throws(CatalogueError) {
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS newDeadRows(segment INTEGER, row INTEGER);
      CREATE TEMP TABLE IF NOT EXISTS newWords(word TEXT);
      CREATE TEMP TABLE IF NOT EXISTS newThumbnails(entity INTEGER);
      CREATE TEMP TABLE IF NOT EXISTS newBridge(label TEXT);
      CREATE TEMP TRIGGER IF NOT EXISTS noteDeadRow AFTER INSERT ON main.deadRows BEGIN
        INSERT INTO newDeadRows VALUES(new.segment, new.row);
      END;
      CREATE TEMP TRIGGER IF NOT EXISTS noteWord AFTER INSERT ON main.wordParts
        WHEN new.place = 0 BEGIN
        INSERT INTO newWords VALUES(new.word);
      END;
      CREATE TEMP TRIGGER IF NOT EXISTS noteBridge AFTER INSERT ON main.labelBridge BEGIN
        INSERT INTO newBridge VALUES(new.label);
      END;
      CREATE TEMP TRIGGER IF NOT EXISTS noteNoBridge AFTER DELETE ON main.labelBridge BEGIN
        INSERT INTO newBridge VALUES(old.label);
      END;
      """)
    notesGrowth = true
  }

  /// Forgets what was noted, in the transaction that publishes it.
  func forgetGrowth() throws(CatalogueError) {
    for table in ["newDeadRows", "newWords", "newThumbnails", "newBridge"] {
      try connection.execute("DELETE FROM temp.\(table)")
    }
  }

  /// Notes that thumbnails of an entity were added, which does not change the entity.
  func noteThumbnails(of key: UInt32) throws(CatalogueError) {
    guard notesGrowth else { return }
    try connection.statement("INSERT INTO temp.newThumbnails VALUES(?)").bind(.integer(Int(key)))
      .run()
  }

  /// Returns whether thumbnails were added since the last generation.
  func hasNewThumbnails() throws(CatalogueError) -> Bool {
    guard notesGrowth else { return false }
    return try connection.first("SELECT 1 FROM temp.newThumbnails LIMIT 1") { _ in true } ?? false
  }

  /// The last key, place in the list of changes and segment that were ever given, which are never
  /// given again.
  struct LastNumbers: Sendable, Hashable {
    var key = 0
    var sequence = 0
    var segment = 0
  }

  private static let numberedTables: [(String, any WritableKeyPath<LastNumbers, Int> & Sendable)] =
    [
      ("entities", \.key), ("changes", \.sequence), ("segments", \.segment),
    ]

  func lastNumbers() throws(CatalogueError) -> LastNumbers {
    var numbers = LastNumbers()
    for (table, path) in Self.numberedTables {
      numbers[keyPath: path] =
        try connection.first("SELECT seq FROM sqlite_sequence WHERE name = ?", [.text(table)]) {
          $0.integer(0)
        } ?? 0
    }
    return numbers
  }

  func setLastNumbers(_ numbers: LastNumbers) throws(CatalogueError) {
    for (table, path) in Self.numberedTables {
      try connection.statement("DELETE FROM sqlite_sequence WHERE name = ?").bind(.text(table))
        .run()
      try connection.statement("INSERT INTO sqlite_sequence(name, seq) VALUES(?, ?)").bind(
        .text(table), .integer(numbers[keyPath: path])
      ).run()
    }
  }

  /// Removes all contents, but neither the list of generations of the origin nor the origin.
  func removeContents() throws(CatalogueError) {
    forgetWritten()
    try connection.execute(
      """
      DELETE FROM images; DELETE FROM deadRows; DELETE FROM labels; DELETE FROM labelFrequencies;
      DELETE FROM stock; DELETE FROM places; DELETE FROM segments; DELETE FROM properties;
      DELETE FROM propertyNames; DELETE FROM entities; DELETE FROM changes; DELETE FROM entityText;
      DELETE FROM wordParts; DELETE FROM labelBridge;
      DELETE FROM settings WHERE name NOT GLOB '\(ShopSettings.replicaPrefix)*';
      """)
  }
}
