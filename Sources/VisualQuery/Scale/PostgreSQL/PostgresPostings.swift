internal import PixelMatch

/// Writes the posting lists and signatures of segments for engine mode.
///
/// Rows are added under the name of a segment's file, which no other segment ever has, and are never
/// changed. Readers ask for the names of their own generation only. So shards are written before the
/// generation that needs them is published, each in a transaction of its own, and what a lost writer
/// has written is never asked for.
struct PostgresPostings {
  private let connection: PostgresConnection
  private let shards: [PostgresShard]

  /// The time for which a replaced segment is kept for readers of older generations.
  private static let keptInterval = "10 minutes"

  /// - Parameter connection: A connection to the catalogue, in a transaction that lists the segments.
  /// - Returns: `nil` if the catalogue is not made for engine mode.
  init?(_ connection: PostgresConnection) throws(CatalogueError) {
    let shards = try PostgresShard.all(connection)
    if shards.isEmpty { return nil }
    self.init(connection, shards)
  }

  init(_ connection: PostgresConnection, _ shards: [PostgresShard]) {
    self.connection = connection
    self.shards = shards
  }

  private enum SegmentColumn: Int, PostgresColumns {
    case kind, number, token, isLive

    static let list = "s.kind, s.number, born.token, s.died is null"
  }

  /// Writes what shards lack of the live segments, and removes what no generation needs any more.
  ///
  /// - Parameters:
  ///   - checksPosted: True to write again the segments of which a shard lacks lists or signatures, or their seals.
  ///     It reads the keys of all lists on all shards.
  ///   - open: Opens the segment of a number; `nil` if it is unknown.
  func update(
    checkingPosted checksPosted: Bool = false,
    opening open: (_ number: Int) throws(CatalogueError) -> SignatureSegment?
  ) throws(CatalogueError) {
    let rows = try connection.run(
      """
      select \(SegmentColumn.list)
      from vq.segment s join vq.generation born on born.id = s.born
      left join vq.generation died on died.id = s.died
      where s.kind <> 'entities'
        and (s.died is null or died.published > now() - interval '\(Self.keptInterval)')
      """)
    var kept: Set<String> = []
    var live: [(name: String, number: Int)] = []
    for row in rows {
      let number = row.integer(SegmentColumn.number)
      let name = PostgresFollower.file(
        row.text(SegmentColumn.kind), number: number, token: row.text(SegmentColumn.token))
      kept.insert(name)
      if row.integer(SegmentColumn.isLive) == 1 { live.append((name, number)) }
    }
    try write(live, keeping: kept, checkingPosted: checksPosted, opening: open)
  }

  /// Removes everything.
  func remove() throws(CatalogueError) {
    try write([], keeping: [], checkingPosted: false) { _ in nil }
  }

  /// A shard in a transaction, which ends with its connection unless it is committed.
  private struct OpenShard {
    let shard: PostgresShard
    let connection: PostgresConnection
    /// True if its tables have seals.
    let hasSeals: Bool
    /// The numbers of the segments that it has, by their names.
    let posted: [String: Int]
    /// The names of those whose vectors it has, or `nil` if it has no tables of vectors.
    let embedded: Set<String>?

    /// Returns whether nothing is missing of a segment.
    func isComplete(_ name: String) -> Bool {
      posted[name] != nil && embedded?.contains(name) ?? true
    }
  }

  private func write(
    _ live: [(name: String, number: Int)], keeping kept: Set<String>,
    checkingPosted checksPosted: Bool,
    opening open: (_ number: Int) throws(CatalogueError) -> SignatureSegment?
  ) throws(CatalogueError) {
    var all: [OpenShard] = []
    for shard in shards {
      let connection = try begin(shard)
      let hasSeals = try PostgresSchema.check(connection) >= PostgresSchema.sealsVersion
      let posted = try Self.removeOthers(
        than: kept, checkingPosted: checksPosted && hasSeals, connection)
      all.append(
        OpenShard(
          shard: shard, connection: connection, hasSeals: hasSeals, posted: posted,
          embedded: try PostgresVectors.exist(connection)
            ? try PostgresVectors.segments(connection) : nil))
    }
    for (name, number) in live {
      let lacking = all.filter { !$0.isComplete(name) }
      guard !lacking.isEmpty, let segment = try open(number) else { continue }
      for open in lacking { try write(segment, name, to: open) }
    }
    for open in all where open.shard.location != nil { try open.connection.run("commit") }
  }

  /// Returns a connection to a shard, in a transaction.
  private func begin(_ shard: PostgresShard) throws(CatalogueError) -> PostgresConnection {
    guard let location = shard.location else { return connection }
    let remote = try PostgresConnection(location, for: .writing, stoppingWhen: { false })
    try PostgresSchema.check(remote)
    try remote.run("begin")
    try remote.run("set local client_connection_check_interval = 2000")
    return remote
  }

  private enum PostedColumn: Int, PostgresColumns { case name, id }

  /// - Returns: The segments that are left.
  private static func removeOthers(
    than kept: Set<String>, checkingPosted checksPosted: Bool, _ connection: PostgresConnection
  ) throws(CatalogueError) -> [String: Int] {
    var posted: [String: Int] = [:]
    for row in try connection.run("select \(PostedColumn.list) from vq.posted") {
      let (name, id) = (row.text(PostedColumn.name), row.integer(PostedColumn.id))
      var isKept = kept.contains(name)
      if isKept, checksPosted { isKept = try PostedRecord.isComplete(name, id, connection) }
      if isKept {
        posted[name] = id
      } else {
        try remove(id, connection)
      }
    }
    return posted
  }

  private static func remove(
    _ id: Int, _ connection: PostgresConnection
  ) throws(CatalogueError) {
    for (table, column) in [("post", "segment"), ("signature", "segment"), ("posted", "id")] {
      try connection.run("delete from vq.\(table) where \(column) = $1", [.integer(id)])
    }
  }

  /// Writes what a shard lacks of a segment.
  private func write(
    _ segment: SignatureSegment, _ name: String, to open: OpenShard
  ) throws(CatalogueError) {
    let rows = (0..<segment.count).filter { open.shard.has($0, of: shards.count) }
    var id = open.posted[name]
    if id == nil { id = try post(segment, rows, name, to: open) }
    guard let id, open.embedded != nil else { return }
    try PostgresVectors.write(segment, rows: rows, id, open.connection)
  }

  /// - Returns: The number of the segment on the shard.
  private func post(
    _ segment: SignatureSegment, _ rows: [Int], _ name: String, to open: OpenShard
  ) throws(CatalogueError) -> Int? {
    let (shard, connection, hasSeals) = (open.shard, open.connection, open.hasSeals)
    let id = try connection.run(
      "insert into vq.posted(name, rows) values($1, $2) returning id",
      [.text(name), .integer(rows.count)]
    ).first?.onlyInteger
    guard let id else { return nil }
    let seals = StoredSeals(of: name)
    let column = hasSeals ? ", seal" : ""
    var (words, listsSeal, signaturesSeal) = (StoredWords(of: segment), UInt64(0), UInt64(0))
    func values(_ seal: UInt64) -> [PostgresValue] {
      hasSeals ? [.integer(Int(bitPattern: UInt(seal)))] : []
    }
    try connection.copyIn(
      "copy vq.post(segment, word, posts\(column)) from stdin (format binary)"
    ) { put throws(CatalogueError) in
      try segment.forEachList(ofRows: { shard.has($0, of: shards.count) }) {
        word, bytes throws(CatalogueError) in
        let seal = seals.seal(ofList: bytes, word: word)
        listsSeal ^= seal
        words.insert(word)
        try put([.integer(id), .int32(Int32(word)), .bytes(bytes)] + values(seal))
      }
    }
    try connection.copyIn(
      "copy vq.signature(segment, row, bytes\(column)) from stdin (format binary)"
    ) { put throws(CatalogueError) in
      for row in rows {
        let bytes = segment.signature(at: row).encoded
        let seal = seals.seal(ofSignature: bytes, row: row)
        signaturesSeal ^= seal
        try put([.integer(id), .integer(row), .bytes(bytes)] + values(seal))
      }
    }
    try Self.checkIntact(segment, name)
    if hasSeals {
      let record = PostedRecord(
        words: words, listsSeal: listsSeal, rows: rows.count, signaturesSeal: signaturesSeal)
      try connection.run(PostedRecord.update, record.values(name) + [.integer(id)])
    }
    return id
  }

  /// Checks that nothing damaged was written, since it has valid seals then.
  private static func checkIntact(
    _ segment: SignatureSegment, _ name: String
  ) throws(CatalogueError) {
    do throws(SegmentError) {
      try segment.checkUnchanged()
    } catch {
      throw CatalogueError(
        code: .corrupt, message: "segment \(name): \(error.message); \(CatalogueError.remedy)")
    }
  }
}
