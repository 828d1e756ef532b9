/// The tables of a catalogue in PostgreSQL, in the schema `vq`.
///
/// A generation consists of segments, whose numbers come from a sequence. Rows are only added with a
/// new segment and never changed. `vq.segment` says which segments a generation has: what is not
/// listed there does not exist, so rows that a lost writer may add are never part of a generation.
/// Rows that were replaced are listed in `vq.dead` (signatures), or removed (entities).
///
/// Every publication is one transaction, so that readers with a snapshot see all of it or nothing.
enum PostgresSchema {
  /// Migrations in their order; the version of the tables is the number of those that were made.
  /// Each is made once, in a transaction of its own. Never change one: add another.
  static let migrations = [
    """
    create schema vq;
    create table vq.meta(key text primary key, value text not null);
    create table vq.catalogue(
      one boolean primary key default true check (one),
      identity text not null, secret text not null, signature_version bigint not null);
    create table vq.generation(
      id bigint primary key, token text not null unique, published timestamptz not null default now(),
      products bigint not null, stores bigint not null, images bigint not null,
      last_key bigint not null, last_sequence bigint not null, last_segment bigint not null);
    create sequence vq.segment_number;
    create table vq.segment(
      id bigint primary key, born bigint not null, died bigint,
      kind text not null check (kind in ('product', 'store', 'entities')),
      number bigint, rows bigint not null, bytes bigint not null);
    create table vq.chunk(
      segment bigint, part bigint, bytes bytea not null, primary key (segment, part));
    alter table vq.chunk alter bytes set storage external;
    create table vq.dead(
      segment bigint, row bigint, born bigint not null, primary key (segment, row));
    create index dead_born on vq.dead(born);
    create table vq.entity(
      segment bigint, sequence bigint, key bigint, type text not null, id text not null,
      row_hash bigint, doc json, primary key (segment, sequence));
    create index entity_id on vq.entity(type, id);
    create table vq.image(
      segment bigint, sequence bigint, position bigint, path text not null,
      byte_count bigint not null, modified bigint not null, content_hash bigint not null,
      number bigint not null, row bigint not null, primary key (segment, sequence, position));
    create table vq.thumbnail(
      key bigint, content_hash bigint, side bigint, segment bigint not null, jpeg bytea not null,
      primary key (key, content_hash, side));
    create index thumbnail_segment on vq.thumbnail(segment);
    alter table vq.thumbnail alter jpeg set storage external;
    create table vq.word(segment bigint, word text, primary key (segment, word));
    create table vq.setting(name text primary key, value text not null);
    create table vq.bridge(label text, target text, primary key (label, target));
    """,
    // Snapshots: the SQLite database from which a new copy starts, in parts.
    """
    create table vq.snapshot(
      generation bigint, part bigint, bytes bytea not null, primary key (generation, part));
    alter table vq.snapshot alter bytes set storage external;
    """,
    // Feedback, and for engine mode the posting lists and signatures of segments, by the names
    // of their files. Every server has these tables; only shards use those of engine mode.
    """
    create table vq.feedback(
      one boolean primary key default true check (one),
      version bigint not null, token text not null, last_number bigint not null);
    insert into vq.feedback values(true, 0, '', 0);
    create table vq.statement(
      number bigint primary key, token text not null, state text not null, time bigint not null,
      author text, labels text not null, signature bytea not null, chosen text,
      rejected text not null, image bytea);
    alter table vq.statement alter image set storage external;
    create table vq.shard(number bigint primary key, location text);
    create table vq.posted(
      id bigint generated always as identity primary key, name text not null unique,
      rows bigint not null);
    create table vq.post(
      segment bigint, word int, posts bytea not null, primary key (segment, word))
      with (toast_tuple_target = 8160);
    alter table vq.post alter posts set storage external;
    create table vq.signature(
      segment bigint, row bigint, bytes bytea not null, primary key (segment, row))
      with (toast_tuple_target = 8160);
    alter table vq.signature alter bytes set storage external;
    """,
    // The text and codes of images, by their content, and the models that read them.
    """
    create table vq.reading_models(id text primary key, doc text not null);
    create table vq.reading(
      content_hash bigint, byte_count bigint, segment bigint not null, models text not null,
      doc text not null, primary key (content_hash, byte_count));
    create index reading_segment on vq.reading(segment);
    """,
    // The feed of each entity that has one, by the key of the entity. The seals of posting lists and signatures, and for each segment what a shard must have of it. Those of earlier
    // versions have none, until 'vq postgres init --shard' writes them again.
    """
    create table vq.entity_feed(key bigint primary key, segment bigint not null, feed bigint not null);
    create index entity_feed_segment on vq.entity_feed(segment);
    alter table vq.post add column seal bigint;
    alter table vq.signature add column seal bigint;
    alter table vq.posted add column lists bigint, add column lists_seal bigint,
      add column signatures_seal bigint, add column words bytea, add column seal bigint;
    alter table vq.posted alter words set storage external;
    """,
  ]

  /// The first version with the text of images.
  static let readingsVersion = 4
  /// The first version with the feeds of entities.
  static let feedsVersion = 5
  /// The first version with seals of posting lists and signatures.
  static let sealsVersion = 5

  /// The version of the tables that this build makes.
  static var version: Int { migrations.count }

  /// The versions that this build reads and writes: its own and the two before, so that servers can
  /// be replaced one after another.
  static var acceptedVersions: ClosedRange<Int> { max(1, version - 2)...version }

  /// The names of advisory locks: for migrations, for the one writer, for a publication, and for a
  /// change of the feedback.
  enum Lock: Int {
    case migration = 1
    case writer = 2
    case publication = 3
    case feedback = 4

    /// The key of the lock in PostgreSQL, whose first half is "vqpg".
    var key: Int { 0x7671_7067 << 32 | rawValue }
  }

  /// The roles with the least rights, and what they may do.
  static let readerRole = "vq_reader"
  static let writerRole = "vq_writer"

  private static let grants = """
    grant usage on schema vq to vq_reader, vq_writer;
    grant select on all tables in schema vq to vq_reader, vq_writer;
    grant insert on vq.catalogue, vq.generation, vq.segment, vq.chunk, vq.dead, vq.entity, vq.image,
      vq.thumbnail, vq.word, vq.setting, vq.bridge, vq.snapshot, vq.statement, vq.posted, vq.post,
      vq.signature, vq.reading, vq.reading_models, vq.entity_feed to vq_writer;
    grant delete on vq.segment, vq.chunk, vq.dead, vq.entity, vq.image, vq.thumbnail, vq.word,
      vq.setting, vq.bridge, vq.snapshot, vq.statement, vq.posted, vq.post, vq.signature,
      vq.reading, vq.entity_feed to vq_writer;
    grant update (died) on vq.segment to vq_writer;
    grant update (lists, lists_seal, signatures_seal, words, seal) on vq.posted to vq_writer;
    grant update (version, token, last_number) on vq.feedback to vq_writer;
    grant usage on sequence vq.segment_number to vq_writer;
    """

  /// Makes the tables, or brings them to the version of this build, and makes the roles.
  ///
  /// - Returns: The version before, 0 if there were no tables.
  /// - Throws: ``CatalogueError``: `notPermitted` if the user may not make them.
  static func prepare(_ connection: PostgresConnection) throws(CatalogueError) -> Int {
    var before: Int?
    for number in 1... {
      let isDone = try connection.transaction { () throws(CatalogueError) in
        try connection.run(
          "select pg_advisory_xact_lock($1)", [.integer(Lock.migration.key)])
        let current = try storedVersion(connection)
        before = before ?? current
        guard current <= version else { throw otherVersion(current) }
        guard current + 1 == number, number <= version else { return current >= version }
        for statement in statements(of: migrations[number - 1]) { try connection.run(statement) }
        try connection.run(
          """
          insert into vq.meta values('schema', $1)
          on conflict (key) do update set value = excluded.value
          """, [.text(String(number))])
        return number == version
      }
      if isDone { break }
    }
    try makeRoles(connection)
    return before ?? 0
  }

  private static func makeRoles(_ connection: PostgresConnection) throws(CatalogueError) {
    try connection.transaction { () throws(CatalogueError) in
      try connection.run("select pg_advisory_xact_lock($1)", [.integer(Lock.migration.key)])
      for role in [readerRole, writerRole] {
        let exists = try connection.run(
          "select 1::bigint from pg_roles where rolname = $1", [.text(role)])
        if exists.isEmpty { try make(role, connection) }
      }
      for statement in statements(of: grants) { try connection.run(statement) }
    }
  }

  private static func make(
    _ role: String, _ connection: PostgresConnection
  ) throws(CatalogueError) {
    do throws(CatalogueError) {
      try connection.run("create role \(role) nologin")
    } catch  where error.code == .notPermitted {
      throw CatalogueError(
        code: .notPermitted,
        message: """
          the tables are made, but this user may not make the roles; let an administrator run \
          'create role \(readerRole); create role \(writerRole)', then run this again
          """)
    }
  }

  /// The statements of a text in which no literal contains a semicolon.
  private static func statements(of sql: String) -> [String] {
    sql.split(separator: ";").map(String.init).filter { $0.contains { !$0.isWhitespace } }
  }

  /// Returns the version of the tables, 0 if there are none.
  private static func storedVersion(_ connection: PostgresConnection) throws(CatalogueError) -> Int
  {
    let exists = try connection.run("select to_regclass('vq.meta') is not null")
    guard exists.first?.onlyInteger == 1 else { return 0 }
    let row = try connection.run("select value from vq.meta where key = 'schema'").first
    return row.flatMap { Int($0.onlyText) } ?? 0
  }

  /// Checks that this build can use the tables.
  ///
  /// - Returns: The version of the tables.
  /// - Throws: ``CatalogueError``: `missing` if there are none, `otherSchemaVersion`.
  @discardableResult
  static func check(_ connection: PostgresConnection) throws(CatalogueError) -> Int {
    let row = try connection.run("select value from vq.meta where key = 'schema'").first
    let found = row.flatMap { Int($0.onlyText) } ?? 0
    guard acceptedVersions.contains(found) else { throw otherVersion(found) }
    return found
  }

  private static func otherVersion(_ found: Int) -> CatalogueError {
    CatalogueError(
      code: .otherSchemaVersion,
      message: """
        the tables in PostgreSQL have version \(found); this build accepts \
        \(acceptedVersions.lowerBound) to \(acceptedVersions.upperBound); \
        \(found > version ? "install a newer vq" : "run 'vq postgres init' with this one")
        """)
  }
}
