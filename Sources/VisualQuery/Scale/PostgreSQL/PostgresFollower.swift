internal import PixelMatch

/// Brings a directory to the newest generation in PostgreSQL.
///
/// The directory is a cache: it takes the keys, the list of changes, the identity and the secret from
/// PostgreSQL, so that every copy gives the same answers and understands the tokens of every other.
/// Signatures come as the bytes of segment files, which are the same on all copies.
///
/// A directory that has its segments with signatures can become one without, and the other way round. The
/// files of both have different names, so that neither is ever read as the other, whenever the change is
/// interrupted and whoever reads meanwhile.
///
/// The caller holds the lock of the directory.
package struct PostgresFollower {
  private let connection: PostgresConnection
  private let database: CatalogueDatabase
  private let directory: String
  private let files: SegmentFiles

  /// - Parameter files: What the directory has of the segments; the rest stays in PostgreSQL.
  package init(
    _ connection: PostgresConnection, _ database: CatalogueDatabase, _ directory: String,
    _ files: SegmentFiles = .whole
  ) {
    self.connection = connection
    self.database = database
    self.directory = directory
    self.files = files
  }

  /// Takes the newest generation, unless the directory has it already.
  ///
  /// - Returns: The newest generation in PostgreSQL, or `nil` if there is none.
  /// - Throws: ``CatalogueError``; the directory keeps its generation then.
  package func follow() throws(CatalogueError) -> PostgresGeneration? {
    try connection.transaction(Self.snapshot) { () throws(CatalogueError) in
      try followInSnapshot()
    }
  }

  /// The mode of a transaction that sees one generation.
  static let snapshot = "isolation level repeatable read read only"

  /// Like ``follow()``, in a transaction that the caller has begun.
  ///
  /// - Parameter isComplete: True if the directory has all files of its generation; a snapshot has only the database.
  func followInSnapshot(
    isComplete: Bool = true
  ) throws(CatalogueError) -> PostgresGeneration? {
    try PostgresSchema.check(connection)
    let state = try database.tables.state.current()
    let token = try database.tables.replica.token()
    guard let newest = try PostgresGeneration.newest(connection) else {
      guard token == nil else {
        throw CatalogueError(
          code: .missing,
          message: """
            PostgreSQL has no generation, although '\(directory)' is a copy of generation \
            \(state.generation); if it was emptied on purpose, remove '\(directory)'
            """)
      }
      return nil
    }
    if newest.token == token, isComplete, try SegmentFiles(database.tables.settings) == files {
      return newest
    }
    let base = try base(state, token)
    if base == nil, token != nil, newest.number < state.generation,
      try connection.run("select pg_is_in_recovery()").first?.onlyInteger == 1
    {
      // The server is a standby that is behind this copy, and a copy never goes back to an
      // earlier generation.
      return newest
    }
    try take(newest, after: base, isComplete)
    return newest
  }

  /// Returns the generation that the directory has, or `nil` if it must be built anew.
  private func base(
    _ state: StateTable.State, _ token: String?
  ) throws(CatalogueError) -> Int? {
    guard let token else { return nil }
    let known = try connection.run(
      "select 1::bigint from vq.generation where id = $1 and token = $2",
      [.integer(state.generation), .text(token)])
    return known.isEmpty ? nil : state.generation
  }

  /// A segment of signatures in PostgreSQL.
  private struct Listed {
    let id: Int
    let number: Int
    let type: EntityType
    let rows: Int
    let byteCount: Int
    let born: Int
    /// The name of the file in the directory.
    let file: String

    var record: SegmentList.Record {
      SegmentList.Record(id: number, file: file, type: type, rows: rows, byteCount: byteCount)
    }
  }

  /// Returns the name of the file of a segment in all copies that have its signatures. No other segment ever
  /// has it: after the promotion of a standby that was behind, ids and numbers are given again, tokens are
  /// not.
  ///
  /// - Parameter token: The token of the generation that it was written for.
  static func file(_ type: String, number: Int, token: String) -> String {
    "\(type)-\(number)p\(token.prefix(16)).segment"
  }

  private func take(
    _ newest: PostgresGeneration, after base: Int?, _ isComplete: Bool
  ) throws(CatalogueError) {
    let catalogue = try connection.run(
      "select \(CatalogueColumn.list) from vq.catalogue"
    ).first
    let version = catalogue?.integer(CatalogueColumn.signatureVersion) ?? 0
    guard let catalogue, version == Int(Signature.version) else {
      throw CatalogueError(
        code: .otherSignatureVersion,
        message: """
          PostgreSQL has signatures of version \(version); this build reads \
          \(Signature.version); index the feed into a new database
          """)
    }
    let listed = try listedSegments()
    let records = base == nil ? [] : try database.tables.segments.all()
    let kept = try SegmentFiles(database.tables.settings) == files ? records : []
    let present = Set(kept.filter { FileStatus.exists(directory + "/" + $0.file) }.map(\.id))
    let added = listed.filter { !present.contains($0.number) }
    let known = Set(records.map(\.id))
    for segment in added { try fetch(segment) }
    try fetchThumbnails(after: isComplete ? base : nil)
    try database.replace { () throws(CatalogueError) in
      if base == nil { try database.removeContents() }
      try write(listed, added, placing: { !known.contains($0.number) }, after: base)
      try writeReadings(after: base)
      try writeFeeds(after: base)
      try writeSettings()
      try database.tables.sequences.set(newest.numbers)
      try database.tables.state.replace(
        with: StateTable.State(
          generation: newest.number, productCount: newest.products, storeCount: newest.stores,
          imageCount: newest.images, identity: catalogue.text(CatalogueColumn.identity),
          secret: catalogue.text(CatalogueColumn.secret)))
      try database.tables.replica.set(token: newest.token)
      try files.note(in: database.tables.settings)
      if database.tables.growth.isActive { try database.tables.growth.forget() }
    }
    // The generation is committed already, so a failure to remove old files is left to the next
    // one.
    try? CatalogueFolder.removeOrphans(in: directory, except: database.tables.segments)
  }

  private func listedSegments() throws(CatalogueError) -> [Listed] {
    var listed: [Listed] = []
    for row in try connection.run(
      """
      select \(ListedColumn.list)
      from vq.segment s join vq.generation g on g.id = s.born
      where s.died is null and s.kind <> 'entities' order by s.number
      """)
    {
      guard let type = EntityType(rawValue: row.text(ListedColumn.kind)) else { continue }
      let number = row.integer(ListedColumn.number)
      let file = Self.file(type.rawValue, number: number, token: row.text(ListedColumn.token))
      listed.append(
        Listed(
          id: row.integer(ListedColumn.id), number: number, type: type,
          rows: row.integer(ListedColumn.rows), byteCount: row.integer(ListedColumn.bytes),
          born: row.integer(ListedColumn.born),
          file: files == .heads ? SegmentList.Record.headPrefix + file : file))
    }
    return listed
  }

  // MARK: Signatures

  /// Fetches the file of a segment, unless an interrupted run has done that.
  private func fetch(_ segment: Listed) throws(CatalogueError) {
    if (try? opened(segment)) != nil { return }
    if files == .heads {
      try fetchHead(segment)
      _ = try opened(segment)
      return
    }
    try CatalogueFile.write(to: segment.file, in: directory) { put throws(CatalogueError) in
      var offset = 0
      try connection.copyOut(
        """
        copy (select bytes from vq.chunk where segment = \(segment.id) order by part) \
        to stdout (format binary)
        """
      ) { row throws(CatalogueError) in
        try put(row.onlyBytes, offset)
        offset += row.onlyBytes.count
      }
    }
    _ = try opened(segment)
  }

  /// Fetches the columns of a segment other than those with signatures, which become holes in its file.
  private func fetchHead(_ segment: Listed) throws(CatalogueError) {
    let header = try bytes(0..<SegmentHead.headerByteCount, of: segment, part: 0)
    guard let ranges = SegmentHead.ranges(header: header) else {
      throw CatalogueError(
        code: .corrupt, message: "PostgreSQL has a damaged segment; index the feed again",
        file: segment.file)
    }
    try CatalogueFile.write(to: segment.file, in: directory) { put throws(CatalogueError) in
      try put([0], segment.byteCount - 1)
      try put(header, 0)
      let size = PostgresPublisher.partByteCount
      for range in ranges {
        for part in range.lowerBound / size...(range.upperBound - 1) / size {
          let start = max(range.lowerBound, part * size)
          let end = min(range.upperBound, (part + 1) * size)
          try put(
            try bytes(start - part * size..<end - part * size, of: segment, part: part), start)
        }
      }
    }
  }

  /// Returns a range of the bytes of a part of a segment.
  private func bytes(
    _ range: Range<Int>, of segment: Listed, part: Int
  ) throws(CatalogueError) -> [UInt8] {
    try connection.run(
      """
      select substring(bytes from $3::int for $4::int) from vq.chunk
      where segment = $1 and part = $2
      """,
      [
        .integer(segment.id), .integer(part), .integer(range.lowerBound + 1),
        .integer(range.count),
      ]
    ).first?.onlyBytes ?? []
  }

  /// Opens the file of a segment and reads all of it.
  private func opened(_ segment: Listed) throws(CatalogueError) -> SignatureSegment {
    let opened = try Catalogue.open(
      segment.record, in: directory, files)
    do throws(SegmentError) {
      try opened.verify()
    } catch {
      throw Catalogue.damage(error, of: segment.file, in: directory)
    }
    return opened
  }

  /// - Parameter isPlaced: Returns whether the images of a segment are not known yet.
  private func write(
    _ listed: [Listed], _ added: [Listed], placing isPlaced: (Listed) -> Bool, after base: Int?
  ) throws(CatalogueError) {
    for segment in added {
      try database.tables.segments.put(segment.record, generation: segment.born)
    }
    try writeEntities(after: base)
    try writeImages(after: base)
    let live = Set(listed.map(\.number))
    try database.tables.segments.forget(
      try database.tables.segments.all().map(\.id).filter { !live.contains($0) })
    let numbers = Dictionary(uniqueKeysWithValues: listed.map { ($0.id, $0.number) })
    let new = added.map { String($0.id) }.joined(separator: ",")
    try connection.copyOut(
      """
      copy (select \(DeadColumn.list) from vq.dead where born > \(base ?? -1)\
      \(new.isEmpty ? "" : " or segment in (\(new))")) to stdout (format binary)
      """
    ) { row throws(CatalogueError) in
      guard let number = numbers[row.integer(DeadColumn.segment)] else { return }
      try database.tables.segments.addDeadRow(row.integer(DeadColumn.row), of: number)
    }
    for segment in added where isPlaced(segment) { try placeImages(of: segment) }
  }

  /// Notes which images the live rows of a new segment belong to: a merge moves signatures without a
  /// change of their entities.
  private func placeImages(of listed: Listed) throws(CatalogueError) {
    let segment = try opened(listed)
    let dead = try database.tables.segments.deadRows(of: listed.number)
    for row in 0..<segment.count where !dead.contains(row) {
      try database.tables.images.place(
        of: segment.key(at: row), position: Int(segment.tag(at: row)), at: (listed.number, row))
    }
  }

  // MARK: Entities

  private func writeEntities(after base: Int?) throws(CatalogueError) {
    try connection.copyOut(
      """
      copy (select \(EntityColumn.list(of: "e.")) from vq.entity e \
      join vq.segment s on s.id = e.segment where s.born > \(base ?? -1) order by e.sequence) \
      to stdout (format binary)
      """
    ) { row throws(CatalogueError) in
      guard let type = EntityType(rawValue: row.text(EntityColumn.type)) else {
        throw CatalogueError(
          code: .otherSchemaVersion,
          message: """
            PostgreSQL has entities of the type '\(row.text(EntityColumn.type))'; install a newer vq
            """)
      }
      try write(row, EntityID(type: type, value: row.text(EntityColumn.id)))
    }
    try connection.copyOut(
      """
      copy (select w.word from vq.word w join vq.segment s on s.id = w.segment \
      where s.born > \(base ?? -1)) to stdout (format binary)
      """
    ) { row throws(CatalogueError) in try database.tables.text.insertWord(row.onlyText) }
  }

  private func write(_ row: PostgresRow, _ id: EntityID) throws(CatalogueError) {
    let sequence = row.integer(EntityColumn.sequence)
    let key = row.isNull(EntityColumn.key) ? nil : row.integer(EntityColumn.key)
    if let existing = try database.tables.existing(id) {
      if Int(existing.key) == key {
        try database.replaceImages(of: existing.key, with: [], previous: [])
      } else {
        _ = try database.remove(id)
      }
    }
    guard let key else {
      return try database.tables.changeLog.note(id, key: nil, sequence: sequence)
    }
    _ = try database.upsert(
      try EntityTable.entity(row.text(EntityColumn.doc)),
      rowHash: row.isNull(EntityColumn.rowHash) ? nil : row.integer(EntityColumn.rowHash),
      at: CatalogueDatabase.Place(key: key, sequence: sequence))
  }

  private func writeImages(after base: Int?) throws(CatalogueError) {
    try connection.copyOut(
      """
      copy (select \(ImageColumn.list) from vq.image i join vq.entity e on e.segment = i.segment and e.sequence = i.sequence \
      join vq.segment s on s.id = i.segment where s.born > \(base ?? -1) \
      order by i.segment, i.sequence, i.position) to stdout (format binary)
      """
    ) { row throws(CatalogueError) in
      try database.tables.images.insert(
        ImageTable.Record(
          position: row.integer(ImageColumn.position), path: row.text(ImageColumn.path),
          byteCount: row.integer(ImageColumn.byteCount),
          modified: row.integer(ImageColumn.modified),
          contentHash: row.integer(ImageColumn.contentHash),
          segment: row.integer(ImageColumn.number), row: row.integer(ImageColumn.row)),
        of: row.integer(ImageColumn.key))
    }
  }

  /// Takes what was read in images; a later reading replaces an earlier one.
  private func writeReadings(after base: Int?) throws(CatalogueError) {
    guard try PostgresSchema.check(connection) >= PostgresSchema.readingsVersion else { return }
    try connection.copyOut(
      """
      copy (select \(ReadingColumn.list) from vq.reading r join vq.reading_models m on m.id = r.models \
      join vq.segment s on s.id = r.segment where s.born > \(base ?? -1)) to stdout (format binary)
      """
    ) { row throws(CatalogueError) in
      try database.tables.readings.put(
        ReadingTable.Stored(
          content: ReadingTable.ImageContent(
            byteCount: row.integer(ReadingColumn.byteCount),
            hash: row.integer(ReadingColumn.contentHash)),
          modelsID: row.text(ReadingColumn.id), models: row.text(ReadingColumn.models),
          json: row.text(ReadingColumn.json)))
    }
  }

  /// Takes the feeds of entities. A row that is gone went with its entity.
  private func writeFeeds(after base: Int?) throws(CatalogueError) {
    guard try PostgresSchema.check(connection) >= PostgresSchema.feedsVersion else { return }
    try connection.copyOut(
      """
      copy (select \(FeedColumn.list(of: "f.")) from vq.entity_feed f \
      join vq.segment s on s.id = f.segment where s.born > \(base ?? -1)) to stdout (format binary)
      """
    ) { row throws(CatalogueError) in
      try database.tables.feeds.set(
        row.integer(FeedColumn.feed), ofKey: row.integer(FeedColumn.key))
    }
  }

  private func fetchThumbnails(after base: Int?) throws(CatalogueError) {
    var kept: KeptThumbnails?
    try connection.copyOut(
      """
      copy (select \(ThumbnailColumn.list(of: "t.")) from vq.thumbnail t \
      join vq.segment s on s.id = t.segment where s.born > \(base ?? -1)) to stdout (format binary)
      """
    ) { row throws(CatalogueError) in
      if kept == nil { kept = try KeptThumbnails(writing: directory) }
      try kept?.put(
        KeptThumbnails.Thumbnail(
          side: row.integer(ThumbnailColumn.side), jpeg: row.bytes(ThumbnailColumn.jpeg)),
        of: KeptThumbnails.Picture(
          entity: row.integer(ThumbnailColumn.key),
          contentHash: row.integer(ThumbnailColumn.contentHash)))
    }
    try kept?.commit()
  }

  // MARK: Settings

  private func writeSettings() throws(CatalogueError) {
    try database.tables.settings.removeContents()
    for row in try connection.run("select \(SettingColumn.list) from vq.setting") {
      try database.tables.settings.set(
        row.text(SettingColumn.name), to: row.text(SettingColumn.value))
    }
    var targets: [String: Set<String>] = [:]
    for row in try connection.run("select \(BridgeColumn.list) from vq.bridge") {
      targets[row.text(BridgeColumn.label), default: []].insert(row.text(BridgeColumn.target))
    }
    let bridge = LabelBridge(targets: targets)
    if try database.tables.labelBridge.bridge() != bridge {
      try database.tables.labelBridge.replace(with: bridge)
    }
  }
}

/// The columns of what is read from PostgreSQL.
private enum CatalogueColumn: Int, PostgresColumns { case identity, secret, signatureVersion }
private enum DeadColumn: Int, PostgresColumns { case segment, row }
private enum EntityColumn: Int, PostgresColumns { case sequence, key, type, id, rowHash, doc }
private enum ThumbnailColumn: Int, PostgresColumns { case key, contentHash, side, jpeg }
private enum FeedColumn: Int, PostgresColumns { case key, feed }
private enum SettingColumn: Int, PostgresColumns { case name, value }
private enum BridgeColumn: Int, PostgresColumns { case label, target }

private enum ListedColumn: Int, PostgresColumns {
  case id, number, kind, rows, bytes, born, token

  static let list = "s.id, s.number, s.kind, s.rows, s.bytes, s.born, g.token"
}

private enum ReadingColumn: Int, PostgresColumns {
  case contentHash, byteCount, id, models, json

  static let list = "r.content_hash, r.byte_count, m.id, m.doc, r.doc"
}

private enum ImageColumn: Int, PostgresColumns {
  case key, position, path, byteCount, modified, contentHash, number, row

  static let list =
    "e.key, i.position, i.path, i.byte_count, i.modified, i.content_hash, i.number, i.row"
}
