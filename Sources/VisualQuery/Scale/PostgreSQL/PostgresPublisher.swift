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
  package func publish(_ tables: CatalogueTables, _ directory: String) throws(CatalogueError) {
    let token = PostgresGeneration.newToken()
    let state = try tables.state.current()
    let base = try tables.replica.token()
    try connection.transaction { () throws(CatalogueError) in
      try begin()
      let newest = try PostgresGeneration.newest(connection)
      guard newest?.token == base, newest == nil || newest?.number == state.generation - 1 else {
        throw CatalogueError(
          code: .locked,
          message: "another writer has published generation \(newest?.number ?? 0); run this again")
      }
      try write(tables, directory, state, after: newest, token)
    }
    try tables.replica.set(token: token)
    try tables.growth.forget()
  }

  /// Publishes all contents of a directory as the first generation in PostgreSQL.
  ///
  /// - Parameter complete: Called in the same transaction, which is rolled back if it throws.
  /// - Returns: The token of the generation.
  func publishAll(
    _ tables: CatalogueTables, _ directory: String,
    complete: (PostgresConnection) throws(CatalogueError) -> Void
  ) throws(CatalogueError) -> String {
    let state = try tables.state.current()
    let token = PostgresGeneration.newToken()
    try connection.transaction { () throws(CatalogueError) in
      try begin()
      guard try PostgresGeneration.newest(connection) == nil else {
        throw CatalogueError(
          code: .locked,
          message: "PostgreSQL has a catalogue already; copy into a database that has none")
      }
      try write(tables, directory, state, after: nil, token)
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
    _ tables: CatalogueTables, _ directory: String, _ state: StateTable.State,
    after newest: PostgresGeneration?, _ token: String
  ) throws(CatalogueError) {
    if newest == nil {
      try connection.run(
        "insert into vq.catalogue(identity, secret, signature_version) values($1, $2, $3)",
        [.text(state.identity), .text(state.secret), .integer(Int(Signature.version))])
    }
    let batch = try nextSegmentNumber()
    let since = newest?.numbers.sequence ?? 0
    let version = try PostgresSchema.check(connection)
    let keepsReadings = version >= PostgresSchema.readingsVersion
    var rows = try writeEntities(tables, since, batch)
    var touched = try removeReplaced(by: batch)
    if version >= PostgresSchema.feedsVersion {
      rows += try writeFeeds(tables, isWhole: newest == nil, batch, &touched)
    }
    rows += try writeReadings(
      tables, isWhole: newest == nil, batch, keepsReadings: keepsReadings, &touched)
    try removeEmpty(touched, version)
    rows += try writeWords(tables, isWhole: newest == nil, batch)
    rows += try writeThumbnails(tables, directory, since, isWhole: newest == nil, batch)
    if rows > 0 {
      try connection.run(
        "insert into vq.segment values($1, $2, null, 'entities', null, $3, 0)",
        [.integer(batch), .integer(state.generation), .integer(rows)])
    }
    try writeSegments(tables, directory, state.generation, isWhole: newest == nil)
    try writeSettings(tables, isWhole: newest == nil)
    let numbers = try tables.sequences.last()
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
      try tables.segments.all().first { $0.id == number }.map { record throws(CatalogueError) in
        try Catalogue.open(record, in: directory)
      }
    }
    try connection.run("select pg_notify('vq_generation', $1)", [.text("\(state.generation)")])
  }

  private func nextSegmentNumber() throws(CatalogueError) -> Int {
    try connection.run("select nextval('vq.segment_number')").first?.onlyInteger ?? 0
  }

  // MARK: Entities

  /// - Returns: The number of rows.
  private func writeEntities(
    _ tables: CatalogueTables, _ since: Int, _ batch: Int
  ) throws(CatalogueError) -> Int {
    var count = 0
    try connection.copyIn(
      "copy vq.entity(segment, sequence, key, type, id, row_hash, doc) from stdin (format binary)"
    ) { put throws(CatalogueError) in
      try tables.changeLog.forEach(after: since) { change throws(CatalogueError) in
        count += 1
        try put([
          .integer(batch), .integer(change.sequence),
          change.key.map(PostgresValue.integer) ?? .null,
          .text(change.type), .text(change.id), change.rowHash.map(PostgresValue.integer) ?? .null,
          change.key == nil ? .null : .text(change.json),
        ])
      }
    }
    try connection.copyIn(
      """
      copy vq.image(segment, sequence, position, path, byte_count, modified, content_hash, number, row) \
      from stdin (format binary)
      """
    ) { put throws(CatalogueError) in
      try tables.changeLog.forEachImage(after: since) { sequence, image throws(CatalogueError) in
        try put([
          .integer(batch), .integer(sequence), .integer(image.position), .text(image.path),
          .integer(image.byteCount), .integer(image.modified), .integer(image.contentHash),
          .integer(image.segment), .integer(image.row),
        ])
      }
    }
    return count
  }

  /// Removes the rows of entities that a batch replaces, and the thumbnails of images that these entities do not
  /// have any more.
  ///
  /// Thumbnails of their other images stay, since this machine may not have them.
  ///
  /// - Returns: The batches that have fewer rows now.
  private func removeReplaced(by batch: Int) throws(CatalogueError) -> Set<Int> {
    try connection.run(
      """
      delete from vq.image i using vq.entity old, vq.entity new
      where new.segment = $1 and old.type = new.type and old.id = new.id and old.segment <> $1
        and i.segment = old.segment and i.sequence = old.sequence
      """, [.integer(batch)])
    return try numbers(
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
  }

  /// Returns the different integers of the rows of a statement.
  private func numbers(
    _ statement: String, _ values: [PostgresValue]
  ) throws(CatalogueError) -> Set<Int> {
    Set(try connection.run(statement, values).map(\.onlyInteger))
  }

  /// Removes those of some batches that have no row from the list.
  private func removeEmpty(_ batches: Set<Int>, _ version: Int) throws(CatalogueError) {
    let further = [
      (PostgresSchema.readingsVersion, "reading"), (PostgresSchema.feedsVersion, "entity_feed"),
    ].filter { version >= $0.0 }
      .map { " and not exists (select from vq.\($0.1) f where f.segment = s.id)" }.joined()
    for batch in batches.sorted() {
      try connection.run(
        """
        delete from vq.segment s where s.id = $1
          and not exists (select from vq.entity e where e.segment = s.id)
          and not exists (select from vq.word w where w.segment = s.id)
          and not exists (select from vq.thumbnail t where t.segment = s.id)\
        \(further)
        """, [.integer(batch)])
    }
  }

  /// - Returns: The number of rows.
  private func writeWords(
    _ tables: CatalogueTables, isWhole: Bool, _ batch: Int
  ) throws(CatalogueError) -> Int {
    var count = 0
    try connection.copyIn("copy vq.word(segment, word) from stdin (format binary)") {
      put throws(CatalogueError) in
      func send(_ word: String) throws(CatalogueError) {
        count += 1
        try put([.integer(batch), .text(word)])
      }
      if isWhole { try tables.text.forEachWord(send) } else { try tables.growth.forEachWord(send) }
    }
    return count
  }

  // MARK: Feeds

  /// The most rows that one statement removes.
  private static let removedRows = 10_000

  /// Writes the feeds of entities that came or changed since the last generation, and removes those of entities that are gone.
  ///
  /// - Parameter touched: Gets the batches that have fewer rows afterwards.
  /// - Returns: The number of rows.
  private func writeFeeds(
    _ tables: CatalogueTables, isWhole: Bool, _ batch: Int, _ touched: inout Set<Int>
  ) throws(CatalogueError) -> Int {
    let changed = isWhole ? [] : try tables.growth.changedFeeds()
    for start in stride(from: 0, to: changed.count, by: Self.removedRows) {
      let part = changed[start..<min(start + Self.removedRows, changed.count)]
      touched.formUnion(
        try numbers(
          """
          with gone as (
            delete from vq.entity_feed where key = any($1::text::bigint[]) returning segment)
          select distinct segment from gone
          """, [.text("{" + part.map(String.init).joined(separator: ",") + "}")]))
    }
    var count = 0
    try connection.copyIn("copy vq.entity_feed(key, segment, feed) from stdin (format binary)") {
      put throws(CatalogueError) in
      func send(_ key: Int, _ feed: Int) throws(CatalogueError) {
        count += 1
        try put([.integer(key), .integer(batch), .integer(feed)])
      }
      if isWhole { return try tables.feeds.forEach(send) }
      for key in changed {
        guard let feed = try tables.feeds.number(ofKey: UInt32(clamping: key)) else { continue }
        try send(key, feed)
      }
    }
    return count
  }

  // MARK: Text of images

  /// Writes what was read in images since the last generation, and removes what it replaces and what is gone.
  ///
  /// - Parameter touched: Gets the batches that have fewer rows afterwards.
  /// - Returns: The number of rows.
  /// - Throws: ``CatalogueError``, with the code `otherSchemaVersion` if the tables cannot keep what was read.
  private func writeReadings(
    _ tables: CatalogueTables, isWhole: Bool, _ batch: Int, keepsReadings: Bool,
    _ touched: inout Set<Int>
  ) throws(CatalogueError) -> Int {
    let changed = isWhole ? [] : try tables.growth.changedReadings()
    guard try isWhole ? tables.readings.hasAny() : !changed.isEmpty else { return 0 }
    guard keepsReadings else {
      throw CatalogueError(
        code: .otherSchemaVersion,
        message:
          "the tables in PostgreSQL cannot keep the text of images; run 'vq postgres init' with this build"
      )
    }
    for start in stride(from: 0, to: changed.count, by: Self.removedRows) {
      let part = changed[start..<min(start + Self.removedRows, changed.count)]
      func list(_ numbers: [Int]) -> PostgresValue {
        .text("{" + numbers.map(String.init).joined(separator: ",") + "}")
      }
      touched.formUnion(
        try numbers(
          """
          with gone as (
            delete from vq.reading r
            using unnest($1::text::bigint[], $2::text::bigint[]) as c(content_hash, byte_count)
            where r.content_hash = c.content_hash and r.byte_count = c.byte_count
            returning r.segment)
          select distinct segment from gone
          """, [list(part.map(\.hash)), list(part.map(\.byteCount))]))
    }
    var (count, models) = (0, [String: String]())
    try connection.copyIn(
      "copy vq.reading(content_hash, byte_count, segment, models, doc) from stdin (format binary)"
    ) { put throws(CatalogueError) in
      try tables.readings.forEachStored(isWhole ? .all : .new) { stored throws(CatalogueError) in
        count += 1
        models[stored.modelsID] = stored.models
        try put([
          .integer(stored.content.hash), .integer(stored.content.byteCount), .integer(batch),
          .text(stored.modelsID), .text(stored.json),
        ])
      }
    }
    for (id, doc) in models.sorted(by: { $0.key < $1.key }) {
      try connection.run(
        "insert into vq.reading_models values($1, $2) on conflict do nothing",
        [.text(id), .text(doc)])
    }
    return count
  }

  // MARK: Thumbnails

  /// Writes the thumbnails that PostgreSQL lacks: of changed entities, and of those that got some.
  ///
  /// - Returns: The number of rows.
  private func writeThumbnails(
    _ tables: CatalogueTables, _ directory: String, _ since: Int, isWhole: Bool, _ batch: Int
  ) throws(CatalogueError) -> Int {
    guard let kept = try KeptThumbnails(reading: directory) else { return 0 }
    let pictures = try tables.changeLog.pictures(
      after: since, noted: isWhole ? nil : tables.growth)
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
      "select \(ThumbnailColumn.list) from vq.thumbnail where key = any($1::text::bigint[])",
      [.text(list)])
    {
      let picture = KeptThumbnails.Picture(
        entity: row.integer(ThumbnailColumn.key),
        contentHash: row.integer(ThumbnailColumn.contentHash))
      sides[picture, default: []].insert(row.integer(ThumbnailColumn.side))
    }
    return sides
  }

  // MARK: Signatures and settings

  private func writeSegments(
    _ tables: CatalogueTables, _ directory: String, _ generation: Int, isWhole: Bool
  ) throws(CatalogueError) {
    var listed: [Int: Int] = [:]
    for row in try connection.run(
      "select \(ListedColumn.list) from vq.segment where died is null and kind <> 'entities'")
    { listed[row.integer(ListedColumn.number)] = row.integer(ListedColumn.id) }
    let records = try tables.segments.all()
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
      func send(_ segment: Int, _ row: Int) throws(CatalogueError) {
        guard let id = listed[segment] else { return }
        try put([.integer(id), .integer(row), .integer(generation)])
      }
      if isWhole {
        for (segment, rows) in try tables.segments.deadRows().sorted(by: { $0.key < $1.key }) {
          for row in rows { try send(segment, row) }
        }
      } else {
        try tables.growth.forEachDeadRow(send)
      }
    }
  }

  /// Writes the bytes of a segment's file.
  private func write(
    _ record: SegmentList.Record, _ directory: String, _ id: Int
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
    _ tables: CatalogueTables, isWhole: Bool
  ) throws(CatalogueError) {
    var stored: [String: String] = [:]
    for row in try connection.run("select \(SettingColumn.list) from vq.setting") {
      stored[row.text(SettingColumn.name)] = row.text(SettingColumn.value)
    }
    let settings = try tables.replica.publishedSettings()
    for name in Set(stored.keys).union(settings.keys).sorted() where stored[name] != settings[name]
    {
      try connection.run("delete from vq.setting where name = $1", [.text(name)])
      if let value = settings[name] {
        try connection.run("insert into vq.setting values($1, $2)", [.text(name), .text(value)])
      }
    }
    if !isWhole, try !tables.growth.hasBridge() { return }
    try connection.run("delete from vq.bridge")
    try connection.copyIn("copy vq.bridge(label, target) from stdin (format binary)") {
      put throws(CatalogueError) in
      for (label, targets) in try tables.labelBridge.targets().sorted(by: { $0.key < $1.key }) {
        for target in targets { try put([.text(label), .text(target)]) }
      }
    }
  }
}

/// The columns of what is read from PostgreSQL.
private enum ThumbnailColumn: Int, PostgresColumns { case key, contentHash, side }
private enum ListedColumn: Int, PostgresColumns { case number, id }
private enum SettingColumn: Int, PostgresColumns { case name, value }
