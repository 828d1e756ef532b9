/// The tables of `catalogue.sqlite`.
///
/// In `properties`, the values of a property are stored together, in the order of the entities'
/// keys, so that a filter reads only the properties that it names. `folded` is `NULL` if it would
/// be equal to `value`. `wordParts` finds mistyped words: ``WordParts``. In `labels`, `words` is the number
/// of words of the shortest label of the entity that ends with `label`.
package enum CatalogueSchema {
  /// The version of the tables, incremented with every change.
  package static let version = 7
  /// The oldest version whose tables of facts are those of today, so that ``CatalogueUpgrade`` converts it.
  /// Signatures of older ones have other versions, too.
  package static let oldestUpgradeable = 6
  /// The application id of the file: "VQCT".
  static let applicationID = 0x5651_4354

  /// The SQL that creates all tables, up to its transaction's end.
  static let sql = """
    PRAGMA page_size = 16384;
    PRAGMA journal_mode = WAL;
    BEGIN IMMEDIATE;
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(version);
    \(facts)
    \(derived)
    \(additions)
    """

  /// The tables that a catalogue may lack, because an earlier version wrote it: what was read in images, by their content,
  /// and the models that did it; the feed that brought an entity; when the files of a feed's images were read; and the entities with old
  /// values. They are added when it is opened for writing; that version ignores them.
  static let additions = """
    CREATE TABLE IF NOT EXISTS readings(
      contentHash INTEGER NOT NULL, byteCount INTEGER NOT NULL, models TEXT NOT NULL,
      json TEXT NOT NULL, PRIMARY KEY(contentHash, byteCount)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS readingModels(
      id TEXT PRIMARY KEY, json TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS entityFeeds(entity INTEGER PRIMARY KEY, feed INTEGER NOT NULL) STRICT;
    CREATE INDEX IF NOT EXISTS entitiesOfFeed ON entityFeeds(feed);
    CREATE TABLE IF NOT EXISTS fileReadings(
      feed TEXT PRIMARY KEY, start INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS keptValues(
      entity INTEGER PRIMARY KEY, fields INTEGER NOT NULL, json TEXT NOT NULL, rowHash INTEGER
    ) STRICT;
    """

  /// The tables that only feeds and images can fill.
  private static let facts = """
    CREATE TABLE state(
      generation INTEGER NOT NULL, signatureVersion INTEGER NOT NULL,
      productCount INTEGER NOT NULL, storeCount INTEGER NOT NULL, imageCount INTEGER NOT NULL,
      identity TEXT NOT NULL, secret TEXT NOT NULL
    ) STRICT;
    CREATE TABLE settings(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE labelBridge(
      label TEXT NOT NULL, target TEXT NOT NULL, PRIMARY KEY(label, target)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE entities(
      key INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL, id TEXT NOT NULL,
      json TEXT NOT NULL, rowHash INTEGER, rank INTEGER NOT NULL, UNIQUE(type, id)
    ) STRICT;
    CREATE INDEX entitiesByRow ON entities(rowHash);
    CREATE INDEX entitiesByType ON entities(type);
    CREATE INDEX entitiesByRank ON entities(type, rank);
    CREATE TABLE changes(
      sequence INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL, id TEXT NOT NULL,
      entity INTEGER, UNIQUE(type, id)
    ) STRICT;
    CREATE TABLE images(
      entity INTEGER NOT NULL REFERENCES entities(key), position INTEGER NOT NULL,
      path TEXT NOT NULL, byteCount INTEGER NOT NULL, modified INTEGER NOT NULL,
      contentHash INTEGER NOT NULL, segment INTEGER NOT NULL REFERENCES segments(id), row INTEGER NOT NULL,
      PRIMARY KEY(entity, position)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE segments(
      id INTEGER PRIMARY KEY AUTOINCREMENT, file TEXT NOT NULL, type TEXT NOT NULL,
      rows INTEGER NOT NULL, byteCount INTEGER NOT NULL, generation INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE deadRows(
      segment INTEGER NOT NULL REFERENCES segments(id), row INTEGER NOT NULL,
      PRIMARY KEY(segment, row)
    ) STRICT, WITHOUT ROWID;
    """

  /// The tables that are filled from the JSON form of the entities.
  package static let derived = """
    CREATE TABLE propertyNames(number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE properties(
      property INTEGER NOT NULL, entity INTEGER NOT NULL,
      place INTEGER NOT NULL, value ANY NOT NULL, folded TEXT,
      PRIMARY KEY(property, entity, place)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE stock(
      product TEXT NOT NULL, store INTEGER NOT NULL REFERENCES entities(key),
      PRIMARY KEY(product, store)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX stockOfStore ON stock(store);
    CREATE TABLE places(
      store INTEGER PRIMARY KEY REFERENCES entities(key), latitude REAL NOT NULL,
      longitude REAL NOT NULL
    ) STRICT;
    CREATE TABLE labels(
      label TEXT NOT NULL, type TEXT NOT NULL, entity INTEGER NOT NULL REFERENCES entities(key),
      words INTEGER NOT NULL, PRIMARY KEY(label, type, entity)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX labelsOfEntity ON labels(entity);
    CREATE TABLE labelFrequencies(
      label TEXT PRIMARY KEY, frequency INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER labelAdded AFTER INSERT ON labels BEGIN
      INSERT INTO labelFrequencies VALUES(new.label, 1)
        ON CONFLICT(label) DO UPDATE SET frequency = frequency + 1;
    END;
    CREATE TRIGGER labelRemoved AFTER DELETE ON labels BEGIN
      UPDATE labelFrequencies SET frequency = frequency - 1 WHERE label = old.label;
    END;
    CREATE VIRTUAL TABLE entityText USING fts5(
      title, subtitle, labels, brand, names, description, prefix = '1 2',
      tokenize = 'porter unicode61 remove_diacritics 2');
    CREATE TABLE wordParts(
      length INTEGER NOT NULL, place INTEGER NOT NULL, part TEXT NOT NULL, word TEXT NOT NULL,
      PRIMARY KEY(length, place, part, word)
    ) STRICT, WITHOUT ROWID;
    """

  /// The names of the tables in ``derived``.
  package static let derivedTables = [
    "propertyNames", "properties", "stock", "places", "labels", "labelFrequencies", "entityText",
    "wordParts",
  ]
}
