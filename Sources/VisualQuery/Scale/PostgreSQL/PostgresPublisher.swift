internal import PixelMatch

/// The one writer of a catalogue in PostgreSQL: publishes generations of a directory that is a copy
/// of it.
///
/// One connection holds the writer's lock from `init` on, in a transaction of its own, so that a
/// second writer is rejected at once. Another one publishes. If the first is lost, another writer may
/// come, and then the next publication fails, since its generation does not follow the newest one.
///
/// A directory calls ``publish(_:_:)`` before its own commit. So it is never ahead of PostgreSQL; if
/// it is killed in between, it takes the generation from PostgreSQL like any other copy.
package final class PostgresPublisher {
  package let connection: PostgresConnection
  private let lock: PostgresConnection

  /// The number of bytes of a part of a segment.
  static let partByteCount = 1 << 20
  /// The number of generations after which a segment that died is no longer listed.
  private static let listedGenerations = 1000

  /// Takes the writer's lock. Cancellation does not stop the publisher: a cancelled run publishes the
  /// work so far.
  ///
  /// - Throws: ``CatalogueError``, with the code `locked` if there is another writer.
  package init(_ location: PostgresLocation, waiting limit: Duration) throws(CatalogueError) {
    connection = try PostgresConnection(location, for: .writing, stoppingWhen: { false })
    try PostgresSchema.check(connection)
    lock = try PostgresConnection(location, for: .writing, stoppingWhen: { false })
    try lock.run("begin")
    try lock.run("set local idle_in_transaction_session_timeout = 0")
    let milliseconds = max(1, Int(limit / .milliseconds(1)))
    try lock.run("set local lock_timeout = \(milliseconds)")
    do throws(CatalogueError) {
      try lock.run(
        "select pg_advisory_xact_lock($1)", [.integer(PostgresSchema.Lock.writer.key)])
    } catch  where error.code == .locked {
      throw CatalogueError(
        code: .locked,
        message: "another writer changes the catalogue in PostgreSQL; wait until it has ended")
    }
  }

  /// Publishes what a directory has in its open transaction as the next generation.
  ///
  /// - Throws: ``CatalogueError``; nothing is published then, unless the connection was lost at the
  ///   very end.
  package func publish(_ database: CatalogueDatabase, _ directory: String) throws(CatalogueError) {
    let token = CatalogueDatabase.randomToken()
    let state = try database.state()
    let base = try database.replica.token()
    try connection.transaction { () throws(CatalogueError) in
      try begin()
      let newest = try PostgresGeneration.newest(connection)
      guard newest?.token == base, newest == nil || newest?.number == state.generation - 1 else {
        throw CatalogueError(
          code: .locked,
          message: "another writer has published generation \(newest?.number ?? 0); run this again")
      }
      try write(database, directory, state, after: newest, token)
    }
    try database.replica.set(token: token)
    try database.growth.forget()
  }

  /// Publishes all contents of a directory as the first generation in PostgreSQL.
  ///
  /// - Parameter complete: Called in the same transaction, which is rolled back if it throws.
  /// - Returns: The token of the generation.
  func publishAll(
    _ database: CatalogueDatabase, _ directory: String,
    complete: (PostgresConnection) throws(CatalogueError) -> Void
  ) throws(CatalogueError) -> String {
    let state = try database.state()
    let token = CatalogueDatabase.randomToken()
    try connection.transaction { () throws(CatalogueError) in
      try begin()
      guard try PostgresGeneration.newest(connection) == nil else {
        throw CatalogueError(
          code: .locked,
          message: "PostgreSQL has a catalogue already; copy into a database that has none")
      }
      try write(database, directory, state, after: nil, token)
      try complete(connection)
    }
    return token
  }

  private func begin() throws(CatalogueError) {
    // If this process ends, the server notices within two seconds.
    try connection.run("set local client_connection_check_interval = 2000")
    try connection.run("set local lock_timeout = 5000")
    try connection.run(
      "select pg_advisory_xact_lock($1)", [.integer(PostgresSchema.Lock.publication.key)])
  }

  /// Writes what is new since a generation, all if it is `nil`.
  private func write(
    _ database: CatalogueDatabase, _ directory: String, _ state: CatalogueDatabase.State,
    after newest: PostgresGeneration?, _ token: String
  ) throws(CatalogueError) {
    if newest == nil {
      try connection.run(
        "insert into vq.catalogue(identity, secret, signature_version) values($1, $2, $3)",
        [.text(state.identity), .text(state.secret), .integer(Int(Signature.version))])
    }
    let batch = try nextSegmentNumber()
    let since = newest?.numbers.sequence ?? 0
    var rows = try writeEntities(database, since, batch)
    try removeReplaced(by: batch)
    rows += try writeWords(database, isWhole: newest == nil, batch)
    rows += try writeThumbnails(database, directory, since, isWhole: newest == nil, batch)
    if rows > 0 {
      try connection.run(
        "insert into vq.segment values($1, $2, null, 'entities', null, $3, 0)",
        [.integer(batch), .integer(state.generation), .integer(rows)])
    }
    try writeSegments(database, directory, state.generation, isWhole: newest == nil)
    try writeSettings(database, isWhole: newest == nil)
    let numbers = try database.sequences.last()
    try connection.run(
      "insert into vq.generation values($1, $2, now(), $3, $4, $5, $6, $7, $8)",
      [
        .integer(state.generation), .text(token), .integer(state.productCount),
        .integer(state.storeCount), .integer(state.imageCount), .integer(numbers.key),
        .integer(numbers.sequence), .integer(numbers.segment),
      ])
    try connection.run(
      "delete from vq.segment where died < $1",
      [.integer(state.generation - Self.listedGenerations)]
    )
    try PostgresPostings(connection)?.update { number throws(CatalogueError) in
      try database.segments.all().first { $0.id == number }.map { record throws(CatalogueError) in
        try Catalogue.open(record, in: directory)
      }
    }
    try connection.run("select pg_notify('vq_generation', $1)", [.text("\(state.generation)")])
  }

  private func nextSegmentNumber() throws(CatalogueError) -> Int {
    try connection.run("select nextval('vq.segment_number')").first?.integer(0) ?? 0
  }

  // MARK: Entities

  /// - Returns: The number of rows.
  private func writeEntities(
    _ database: CatalogueDatabase, _ since: Int, _ batch: Int
  ) throws(CatalogueError) -> Int {
    var count = 0
    try connection.copyIn(
      "copy vq.entity(segment, sequence, key, type, id, row_hash, doc) from stdin (format binary)"
    ) { put throws(CatalogueError) in
      try database.connection.forEachRow(
        """
        SELECT \(ChangeColumn.list)
        FROM changes LEFT JOIN entities ON key = entity WHERE sequence > ? ORDER BY sequence
        """, [.integer(since)]
      ) { row throws(CatalogueError) in
        count += 1
        try put([
          .integer(batch), .integer(row.integer(ChangeColumn.sequence)),
          row.isNull(ChangeColumn.key) ? .null : .integer(row.integer(ChangeColumn.key)),
          .text(row.text(ChangeColumn.type)), .text(row.text(ChangeColumn.id)),
          row.isNull(ChangeColumn.rowHash) ? .null : .integer(row.integer(ChangeColumn.rowHash)),
          row.isNull(ChangeColumn.key) ? .null : .text(row.text(ChangeColumn.json)),
        ])
      }
    }
    try connection.copyIn(
      """
      copy vq.image(segment, sequence, position, path, byte_count, modified, content_hash, number, row) \
      from stdin (format binary)
      """
    ) { put throws(CatalogueError) in
      try database.connection.forEachRow(
        """
        SELECT \(ImageColumn.list)
        FROM changes JOIN images ON images.entity = changes.entity
        WHERE sequence > ? ORDER BY sequence, position
        """, [.integer(since)]
      ) { row throws(CatalogueError) in
        let numbers: [ImageColumn] = [.byteCount, .modified, .contentHash, .segment, .row]
        try put(
          [
            .integer(batch), .integer(row.integer(ImageColumn.sequence)),
            .integer(row.integer(ImageColumn.position)), .text(row.text(ImageColumn.path)),
          ] + numbers.map { .integer(row.integer($0)) })
      }
    }
    return count
  }

  /// Removes the rows of entities that a batch replaces, the thumbnails of images that these entities do not
  /// have any more, and batches without rows from the list.
  ///
  /// Thumbnails of their other images stay, since this machine may not have them.
  private func removeReplaced(by batch: Int) throws(CatalogueError) {
    try connection.run(
      """
      delete from vq.image i using vq.entity old, vq.entity new
      where new.segment = $1 and old.type = new.type and old.id = new.id and old.segment <> $1
        and i.segment = old.segment and i.sequence = old.sequence
      """, [.integer(batch)])
    let touched = try connection.run(
      """
      with lost as (
        delete from vq.thumbnail t using vq.entity old, vq.entity new
        where new.segment = $1 and old.type = new.type and old.id = new.id and old.segment <> $1
          and t.key = old.key and not exists (
            select from vq.image i
            where new.key = old.key and i.segment = new.segment and i.sequence = new.sequence
              and i.content_hash = t.content_hash)
        returning t.segment),
      gone as (
        delete from vq.entity old using vq.entity new
        where new.segment = $1 and old.type = new.type and old.id = new.id and old.segment <> $1
        returning old.segment)
      select segment from lost union select segment from gone
      """, [.integer(batch)])
    for row in touched {
      try connection.run(
        """
        delete from vq.segment s where s.id = $1
          and not exists (select from vq.entity e where e.segment = s.id)
          and not exists (select from vq.word w where w.segment = s.id)
          and not exists (select from vq.thumbnail t where t.segment = s.id)
        """, [.integer(row.integer(0))])
    }
  }

  /// - Returns: The number of rows.
  private func writeWords(
    _ database: CatalogueDatabase, isWhole: Bool, _ batch: Int
  ) throws(CatalogueError) -> Int {
    var count = 0
    let sql =
      isWhole
      ? "SELECT DISTINCT word FROM wordParts WHERE place = 0"
      : "SELECT DISTINCT word FROM temp.newWords"
    try connection.copyIn("copy vq.word(segment, word) from stdin (format binary)") {
      put throws(CatalogueError) in
      try database.connection.forEachRow(sql) { row throws(CatalogueError) in
        count += 1
        try put([.integer(batch), .text(row.text(0))])
      }
    }
    return count
  }

  // MARK: Thumbnails

  /// Writes the thumbnails that PostgreSQL lacks: of changed entities, and of those that got some.
  ///
  /// - Returns: The number of rows.
  private func writeThumbnails(
    _ database: CatalogueDatabase, _ directory: String, _ since: Int, isWhole: Bool, _ batch: Int
  ) throws(CatalogueError) -> Int {
    guard let kept = try KeptThumbnails(reading: directory) else { return 0 }
    let noted = isWhole ? "" : "UNION SELECT entity FROM temp.newThumbnails"
    let pictures = Set(
      try database.connection.rows(
        """
        SELECT \(PictureColumn.list) FROM images WHERE entity IN (
          SELECT entity FROM changes WHERE sequence > ? AND entity IS NOT NULL \(noted))
        """, [.integer(since)]
      ) {
        KeptThumbnails.Picture(
          entity: $0.integer(PictureColumn.entity),
          contentHash: $0.integer(PictureColumn.contentHash))
      })
    if pictures.isEmpty { return 0 }
    let keys = Set(pictures.map(\.entity)).sorted()
    let stored = isWhole ? [:] : try storedThumbnails(of: keys)
    var count = 0
    try connection.copyIn(
      "copy vq.thumbnail(key, content_hash, side, segment, jpeg) from stdin (format binary)"
    ) { put throws(CatalogueError) in
      for key in keys {
        try kept.forEach(of: key) { contentHash, thumbnail throws(CatalogueError) in
          let picture = KeptThumbnails.Picture(entity: key, contentHash: contentHash)
          guard pictures.contains(picture), stored[picture]?.contains(thumbnail.side) != true
          else { return }
          count += 1
          try put([
            .integer(key), .integer(contentHash), .integer(thumbnail.side), .integer(batch),
            .bytes(thumbnail.jpeg),
          ])
        }
      }
    }
    return count
  }

  /// Returns the sides of the thumbnails that PostgreSQL has of some entities.
  private func storedThumbnails(
    of keys: [Int]
  ) throws(CatalogueError) -> [KeptThumbnails.Picture: Set<Int>] {
    let list = "{" + keys.map(String.init).joined(separator: ",") + "}"
    var sides: [KeptThumbnails.Picture: Set<Int>] = [:]
    for row in try connection.run(
      "select key, content_hash, side from vq.thumbnail where key = any($1::text::bigint[])",
      [.text(list)])
    {
      let picture = KeptThumbnails.Picture(entity: row.integer(0), contentHash: row.integer(1))
      sides[picture, default: []].insert(row.integer(2))
    }
    return sides
  }

  // MARK: Signatures and settings

  private func writeSegments(
    _ database: CatalogueDatabase, _ directory: String, _ generation: Int, isWhole: Bool
  ) throws(CatalogueError) {
    var listed: [Int: Int] = [:]
    for row in try connection.run(
      "select number, id from vq.segment where died is null and kind <> 'entities'")
    { listed[row.integer(0)] = row.integer(1) }
    let records = try database.segments.all()
    let live = Set(records.map(\.id))
    for (number, id) in listed.sorted(by: { $0.key < $1.key }) where !live.contains(number) {
      try connection.run("delete from vq.chunk where segment = $1", [.integer(id)])
      try connection.run("delete from vq.dead where segment = $1", [.integer(id)])
      try connection.run(
        "update vq.segment set died = $2 where id = $1", [.integer(id), .integer(generation)])
      listed[number] = nil
    }
    for record in records where listed[record.id] == nil {
      let id = try nextSegmentNumber()
      listed[record.id] = id
      try write(record, directory, id)
      try connection.run(
        "insert into vq.segment values($1, $2, null, $3, $4, $5, $6)",
        [
          .integer(id), .integer(generation), .text(record.type.rawValue), .integer(record.id),
          .integer(record.rows), .integer(record.byteCount),
        ])
    }
    try connection.copyIn("copy vq.dead(segment, row, born) from stdin (format binary)") {
      put throws(CatalogueError) in
      try database.connection.forEachRow(
        "SELECT \(DeadRowColumn.list) FROM \(isWhole ? "main.deadRows" : "temp.newDeadRows")"
      ) { row throws(CatalogueError) in
        guard let id = listed[row.integer(DeadRowColumn.segment)] else { return }
        try put([.integer(id), .integer(row.integer(DeadRowColumn.row)), .integer(generation)])
      }
    }
  }

  /// Writes the bytes of a segment's file.
  private func write(
    _ record: CatalogueDatabase.SegmentRecord, _ directory: String, _ id: Int
  ) throws(CatalogueError) {
    var byteCount = 0
    var part = 0
    try connection.copyIn("copy vq.chunk(segment, part, bytes) from stdin (format binary)") {
      put throws(CatalogueError) in
      try CatalogueFile.forEachPart(
        of: directory + "/" + record.file, byteCount: Self.partByteCount
      ) { bytes throws(CatalogueError) in
        try put([.integer(id), .integer(part), .bytes(bytes)])
        byteCount += bytes.count
        part += 1
      }
    }
    guard byteCount == record.byteCount else {
      throw CatalogueError(
        code: .truncated,
        message: """
          '\(directory)/\(record.file)' has \(byteCount) of \(record.byteCount) bytes; \
          index the feed again
          """,
        file: record.file)
    }
  }

  private func writeSettings(
    _ database: CatalogueDatabase, isWhole: Bool
  ) throws(CatalogueError) {
    var stored: [String: String] = [:]
    for row in try connection.run("select name, value from vq.setting") {
      stored[row.text(0)] = row.text(1)
    }
    let settings = try database.replica.publishedSettings()
    for name in Set(stored.keys).union(settings.keys).sorted() where stored[name] != settings[name]
    {
      try connection.run("delete from vq.setting where name = $1", [.text(name)])
      if let value = settings[name] {
        try connection.run("insert into vq.setting values($1, $2)", [.text(name), .text(value)])
      }
    }
    if !isWhole {
      let isChanged = try database.connection.first("SELECT 1 FROM temp.newBridge LIMIT 1") { _ in
        true
      }
      if isChanged != true { return }
    }
    try connection.run("delete from vq.bridge")
    try connection.copyIn("copy vq.bridge(label, target) from stdin (format binary)") {
      put throws(CatalogueError) in
      try database.connection.forEachRow("SELECT \(BridgeColumn.list) FROM labelBridge") {
        row throws(CatalogueError) in
        try put([.text(row.text(BridgeColumn.label)), .text(row.text(BridgeColumn.target))])
      }
    }
  }
}

/// The columns of what is read from the catalogue's file.
private enum ChangeColumn: Int, SQLiteColumns {
  case sequence, type, id, key, rowHash, json

  /// `entities` has a type and an id, too.
  static let list = "sequence, changes.type, changes.id, key, rowHash, json"
}

private enum ImageColumn: Int, SQLiteColumns {
  case sequence, position, path, byteCount, modified, contentHash, segment, row
}

private enum PictureColumn: Int, SQLiteColumns { case entity, contentHash }
private enum DeadRowColumn: Int, SQLiteColumns { case segment, row }
private enum BridgeColumn: Int, SQLiteColumns { case label, target }
