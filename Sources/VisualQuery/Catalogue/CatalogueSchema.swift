/// The tables of `catalogue.sqlite`.
enum CatalogueSchema {
  /// Raised with every change of the tables.
  static let version = 1
  /// Marks the file as ours: "VQCT".
  static let applicationID = 0x5651_4354

  static let sql = """
    PRAGMA page_size = 16384;
    PRAGMA journal_mode = WAL;
    BEGIN IMMEDIATE;
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(version);
    CREATE TABLE state(
      generation INTEGER NOT NULL, signatureVersion INTEGER NOT NULL,
      productCount INTEGER NOT NULL, storeCount INTEGER NOT NULL, imageCount INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE entities(
      key INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL, id TEXT NOT NULL,
      json TEXT NOT NULL, UNIQUE(type, id)
    ) STRICT;
    CREATE TABLE images(
      entity INTEGER NOT NULL REFERENCES entities(key), position INTEGER NOT NULL,
      path TEXT NOT NULL, byteCount INTEGER NOT NULL, modified INTEGER NOT NULL,
      segment INTEGER NOT NULL REFERENCES segments(id), row INTEGER NOT NULL,
      PRIMARY KEY(entity, position)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE labels(
      label TEXT NOT NULL, entity INTEGER NOT NULL REFERENCES entities(key),
      PRIMARY KEY(label, entity)
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
    CREATE TABLE segments(
      id INTEGER PRIMARY KEY AUTOINCREMENT, file TEXT NOT NULL, type TEXT NOT NULL,
      rows INTEGER NOT NULL, byteCount INTEGER NOT NULL, generation INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE deadRows(
      segment INTEGER NOT NULL REFERENCES segments(id), row INTEGER NOT NULL,
      PRIMARY KEY(segment, row)
    ) STRICT, WITHOUT ROWID;
    CREATE VIRTUAL TABLE entityText USING fts5(
      title, subtitle, labels, brand, tokenize = 'porter unicode61 remove_diacritics 2');
    """
}
