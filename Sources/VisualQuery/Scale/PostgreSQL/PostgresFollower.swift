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
    let state = try database.state()
    let token = try database.replica.token()
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
    if newest.token == token, isComplete, try SegmentFiles(database.settings) == files {
      return newest
    }
    let base = try base(state, token)
    if base == nil, token != nil, newest.number < state.generation,
      try connection.run("select pg_is_in_recovery()").first?.integer(0) == 1
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
    _ state: CatalogueDatabase.State, _ token: String?
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
      "select identity, secret, signature_version from vq.catalogue"
    ).first
    guard let catalogue, catalogue.integer(2) == Int(Signature.version) else {
      throw CatalogueError(
        code: .otherSignatureVersion,
        message: """
          PostgreSQL has signatures of version \(catalogue?.integer(2) ?? 0); this build reads \
          \(Signature.version); index the feed into a new database
          """)
    }
    let listed = try listedSegments()
    let records = base == nil ? [] : try database.segments.all()
    let kept = try SegmentFiles(database.settings) == files ? records : []
    let present = Set(kept.filter { FileStatus.exists(directory + "/" + $0.file) }.map(\.id))
    let added = listed.filter { !present.contains($0.number) }
    let known = Set(records.map(\.id))
    for segment in added { try fetch(segment) }
    try fetchThumbnails(after: isComplete ? base : nil)
    try database.connection.execute("BEGIN IMMEDIATE; PRAGMA defer_foreign_keys = ON")
    do throws(CatalogueError) {
      if base == nil { try database.removeContents() }
      try write(listed, added, placing: { !known.contains($0.number) }, after: base)
      try writeSettings()
      try database.sequences.set(newest.numbers)
      try database.connection.statement(
        """
        UPDATE state SET generation = ?, productCount = ?, storeCount = ?, imageCount = ?,
          identity = ?, secret = ?
        """
      ).bind(
        .integer(newest.number), .integer(newest.products), .integer(newest.stores),
        .integer(newest.images), .text(catalogue.text(0)), .text(catalogue.text(1))
      ).run()
      try database.replica.set(token: newest.token)
      try files.note(in: database.settings)
      if database.growth.isActive { try database.growth.forget() }
      try database.connection.execute("COMMIT")
    } catch {
      try? database.rollBack()
      throw error
    }
    // The generation is committed already, so a failure to remove old files is left to the next
    // one.
    try? database.removeOrphans(in: directory)
  }

  private func listedSegments() throws(CatalogueError) -> [Listed] {
    var listed: [Listed] = []
    for row in try connection.run(
      """
      select s.id, s.number, s.kind, s.rows, s.bytes, s.born, g.token
      from vq.segment s join vq.generation g on g.id = s.born
      where s.died is null and s.kind <> 'entities' order by s.number
      """)
    {
      guard let type = EntityType(rawValue: row.text(2)) else { continue }
      let file = Self.file(type.rawValue, number: row.integer(1), token: row.text(6))
      listed.append(
        Listed(
          id: row.integer(0), number: row.integer(1), type: type, rows: row.integer(3),
          byteCount: row.integer(4), born: row.integer(5),
          file: files == .heads ? CatalogueDatabase.SegmentRecord.headPrefix + file : file))
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
        try put(row.bytes(0), offset)
        offset += row.bytes(0).count
      }
    }
    _ = try opened(segment)
  }

  /// Fetches what a segment knows of its rows besides their signatures, which are holes in its file.
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
    ).first?.bytes(0) ?? []
  }

  /// Opens the file of a segment and reads all of it.
  private func opened(_ segment: Listed) throws(CatalogueError) -> SignatureSegment {
    let opened = try Catalogue.open(
      CatalogueDatabase.SegmentRecord(
        id: segment.number, file: segment.file, type: segment.type, rows: segment.rows,
        byteCount: segment.byteCount), in: directory, files)
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
      try database.connection.statement("INSERT OR REPLACE INTO segments VALUES(?, ?, ?, ?, ?, ?)")
        .bind(
          .integer(segment.number), .text(segment.file), .text(segment.type.rawValue),
          .integer(segment.rows), .integer(segment.byteCount), .integer(segment.born)
        ).run()
    }
    try writeEntities(after: base)
    try writeImages(after: base)
    let live = Set(listed.map(\.number))
    try database.segments.forget(
      try database.segments.all().map(\.id).filter { !live.contains($0) })
    let numbers = Dictionary(uniqueKeysWithValues: listed.map { ($0.id, $0.number) })
    let new = added.map { String($0.id) }.joined(separator: ",")
    try connection.copyOut(
      """
      copy (select segment, row from vq.dead where born > \(base ?? -1)\
      \(new.isEmpty ? "" : " or segment in (\(new))")) to stdout (format binary)
      """
    ) { row throws(CatalogueError) in
      guard let number = numbers[row.integer(0)] else { return }
      try database.connection.statement("INSERT OR IGNORE INTO deadRows VALUES(?, ?)").bind(
        .integer(number), .integer(row.integer(1))
      ).run()
    }
    for segment in added where isPlaced(segment) { try placeImages(of: segment) }
  }

  /// Notes which images the live rows of a new segment belong to: a merge moves signatures without a
  /// change of their entities.
  private func placeImages(of listed: Listed) throws(CatalogueError) {
    let segment = try opened(listed)
    let dead = try database.segments.deadRows(of: listed.number)
    for row in 0..<segment.count where !dead.contains(row) {
      try database.connection.statement(
        "UPDATE images SET segment = ?, row = ? WHERE entity = ? AND position = ?"
      ).bind(
        .integer(listed.number), .integer(row), .integer(Int(segment.key(at: row))),
        .integer(Int(segment.tag(at: row)))
      ).run()
    }
  }

  // MARK: Entities

  private func writeEntities(after base: Int?) throws(CatalogueError) {
    try connection.copyOut(
      """
      copy (select e.sequence, e.key, e.type, e.id, e.row_hash, e.doc from vq.entity e \
      join vq.segment s on s.id = e.segment where s.born > \(base ?? -1) order by e.sequence) \
      to stdout (format binary)
      """
    ) { row throws(CatalogueError) in
      guard let type = EntityType(rawValue: row.text(2)) else {
        throw CatalogueError(
          code: .otherSchemaVersion,
          message: "PostgreSQL has entities of the type '\(row.text(2))'; install a newer vq")
      }
      try write(row, EntityID(type: type, value: row.text(3)))
    }
    try connection.copyOut(
      """
      copy (select w.word from vq.word w join vq.segment s on s.id = w.segment \
      where s.born > \(base ?? -1)) to stdout (format binary)
      """
    ) { row throws(CatalogueError) in try database.text.insertWord(row.text(0)) }
  }

  private func write(_ row: PostgresRow, _ id: EntityID) throws(CatalogueError) {
    let sequence = row.integer(0)
    let key = row.isNull(1) ? nil : row.integer(1)
    if let existing = try database.existing(id) {
      if Int(existing.key) == key {
        try database.replaceImages(of: existing.key, with: [], previous: [])
      } else {
        _ = try database.remove(id)
      }
    }
    guard let key else { return try database.changeLog.note(id, key: nil, sequence: sequence) }
    _ = try database.upsert(
      try CatalogueDatabase.entity(row.text(5)), rowHash: row.isNull(4) ? nil : row.integer(4),
      at: CatalogueDatabase.Place(key: key, sequence: sequence))
  }

  private func writeImages(after base: Int?) throws(CatalogueError) {
    try connection.copyOut(
      """
      copy (select e.key, i.position, i.path, i.byte_count, i.modified, i.content_hash, i.number, \
      i.row from vq.image i join vq.entity e on e.segment = i.segment and e.sequence = i.sequence \
      join vq.segment s on s.id = i.segment where s.born > \(base ?? -1) \
      order by i.segment, i.sequence, i.position) to stdout (format binary)
      """
    ) { row throws(CatalogueError) in
      try database.images.insert(
        CatalogueDatabase.ImageRecord(
          position: row.integer(1), path: row.text(2), byteCount: row.integer(3),
          modified: row.integer(4), contentHash: row.integer(5), segment: row.integer(6),
          row: row.integer(7)), of: row.integer(0))
    }
  }

  private func fetchThumbnails(after base: Int?) throws(CatalogueError) {
    var kept: KeptThumbnails?
    try connection.copyOut(
      """
      copy (select t.key, t.content_hash, t.side, t.jpeg from vq.thumbnail t \
      join vq.segment s on s.id = t.segment where s.born > \(base ?? -1)) to stdout (format binary)
      """
    ) { row throws(CatalogueError) in
      if kept == nil { kept = try KeptThumbnails(writing: directory) }
      try kept?.put(
        KeptThumbnails.Thumbnail(side: row.integer(2), jpeg: row.bytes(3)),
        of: KeptThumbnails.Picture(entity: row.integer(0), contentHash: row.integer(1)))
    }
    try kept?.commit()
  }

  // MARK: Settings

  private func writeSettings() throws(CatalogueError) {
    try database.connection.execute(
      "DELETE FROM settings WHERE name NOT GLOB '\(ShopSettings.replicaPrefix)*'")
    for row in try connection.run("select name, value from vq.setting") {
      try database.settings.set(row.text(0), to: row.text(1))
    }
    var targets: [String: Set<String>] = [:]
    for row in try connection.run("select label, target from vq.bridge") {
      targets[row.text(0), default: []].insert(row.text(1))
    }
    let bridge = LabelBridge(targets: targets)
    if try database.labelBridge.bridge() != bridge {
      try database.labelBridge.replace(with: bridge)
    }
  }
}
