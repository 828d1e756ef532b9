internal import PixelMatch

/// A question to one shard, which reads the rows of the answer.
///
/// Nothing in an answer is trusted. A row that was not asked for, that comes twice or that is not what it
/// should be is left out and counted. Each value has a limit, which the statement asks the server to keep, and
/// rows beyond the number of those that were asked for end the answer. So an answer takes no more memory than
/// the question allows, unless what answers is not PostgreSQL: libpq reads a message before it can be checked.
protocol ShardQuestion: Sendable {
  /// Queries with the same columns. If there are none, the shard is not asked.
  var queries: [String] { get }
  /// The settings that the queries need besides those of all questions.
  var settings: [String] { get }
  /// The rows that were left out so far.
  var damaged: DamagedRows? { get }
  /// Takes a row of the answer.
  ///
  /// - Throws: ``CatalogueError`` if it cannot belong to any answer.
  mutating func take(_ row: PostgresRow) throws(CatalogueError)
  /// Called after the last row.
  mutating func finish()
}

extension ShardQuestion {
  var settings: [String] { [] }

  fileprivate static func array(_ numbers: [some BinaryInteger]) -> String {
    "'{" + numbers.map { String($0) }.joined(separator: ",") + "}'"
  }

  /// Returns whether a row has its seal, or is of a segment without seals.
  fileprivate static func isRight(
    _ seal: UInt64, _ row: PostgresRow, _ column: some PostgresColumns, _ record: PostedRecord.State
  ) -> Bool {
    guard record.hasSeals else { return true }
    return !row.isNull(column) && UInt64(bitPattern: Int64(row.integer(column))) == seal
  }

  fileprivate static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }
}

/// Counts the rows that arrive and the damaged ones among them.
private struct RowTally {
  private let columnCount: Int
  private var rest: Int
  private(set) var damaged: DamagedRows?

  init(columnCount: Int, rowLimit: Int) {
    self.columnCount = columnCount
    rest = rowLimit
  }

  mutating func count(_ row: PostgresRow) throws(CatalogueError) {
    guard row.columns.count == columnCount else {
      throw CatalogueError(
        code: .io,
        message:
          "PostgreSQL sent a row of \(row.columns.count) columns instead of \(columnCount)")
    }
    guard rest > 0 else {
      throw CatalogueError(code: .io, message: "PostgreSQL sent more rows than it was asked for")
    }
    rest -= 1
  }

  mutating func leaveOut(_ reason: String) {
    let row = DamagedRows(reason)
    if damaged == nil { damaged = row } else { damaged? += row }
  }
}

/// The question for the posting lists of some words.
///
/// `lateral` and `offset 0` make each word one look-up by both columns of the key, whatever the server
/// knows of the tables: with `= any(…)` and no statistics it would read all lists of a segment.
struct ListQuestion: ShardQuestion {
  /// The columns of ``queries``: a list of a word, or the number of rows without a word.
  private enum Column: Int, PostgresColumns { case ordinal, word, rows, posts, seal }

  private let shard: PostgresShard
  private let shardCount: Int
  private let names: [String]
  private let questions: [WordQuestion]
  /// The record of each segment; `nil` if the shard has none.
  private let records: [PostedRecord.State?]
  /// The words of each segment whose lists have not come.
  private var open: [Set<UInt32>]
  private var tally: RowTally
  /// The lists of each segment.
  private(set) var lists: [String: [(word: UInt32, bytes: [UInt8])]] = [:]
  /// The rows of each segment that the shard has.
  private(set) var rowCounts: [String: Int] = [:]

  /// - Parameter records: What the shard must have of the segments.
  init(
    _ words: [String: WordQuestion], shard: PostgresShard, of shardCount: Int,
    records: [String: PostedRecord.State]
  ) {
    self.shard = shard
    self.shardCount = shardCount
    names = words.keys.sorted()
    questions = names.compactMap { words[$0] }
    self.records = names.map { records[$0] }
    open = questions.map { Set($0.words) }
    tally = RowTally(
      columnCount: Column.allCases.count, rowLimit: open.reduce(names.count) { $0 + $1.count })
    for (name, record) in zip(names, self.records) {
      if case .damaged = record { tally.leaveOut("the record of segment \(name) is damaged") }
    }
  }

  var damaged: DamagedRows? { tally.damaged }

  var queries: [String] {
    zip(names, questions).enumerated().map { ordinal, segment in
      let name = Self.quoted(segment.0)
      let seal = records[ordinal]?.hasSeals == true ? "seal" : "null::bigint seal"
      return """
        select \(ordinal), w.word, null::bigint, p.posts, p.seal from vq.posted s \
        cross join unnest(\(Self.array(segment.1.words))::int[]) w(word) cross join lateral \
        (select case when length(posts) <= \(segment.1.bounds.byteLimit) then posts end posts, \(seal) \
        from vq.post where segment = s.id and word = w.word offset 0) p \
        where s.name = \(name) \
        union all select \(ordinal), null, rows, null, null from vq.posted where name = \(name)
        """
    }
  }

  mutating func take(_ row: PostgresRow) throws(CatalogueError) {
    try tally.count(row)
    let ordinal = row.integer(Column.ordinal)
    guard names.indices.contains(ordinal) else {
      return tally.leaveOut("a row of a segment that was not asked for")
    }
    if row.isNull(Column.word) {
      takeCount(row.integer(Column.rows), ordinal)
    } else {
      takeList(row, ordinal)
    }
  }

  private mutating func takeCount(_ count: Int, _ ordinal: Int) {
    let (name, all) = (names[ordinal], questions[ordinal].bounds.rowCount)
    let own = max(0, (all - shard.number + shardCount - 1) / shardCount)
    guard count == own, rowCounts[name] == nil else {
      return tally.leaveOut("segment \(name) has \(count) rows here instead of \(own)")
    }
    rowCounts[name] = count
  }

  private mutating func takeList(_ row: PostgresRow, _ ordinal: Int) {
    let name = names[ordinal]
    guard let word = UInt32(exactly: row.integer(Column.word)),
      open[ordinal].remove(word) != nil
    else {
      return tally.leaveOut(
        "a list of word \(row.integer(Column.word)) of segment \(name), which was not asked for")
    }
    guard let bytes = row.columns[Column.posts.rawValue] else {
      return tally.leaveOut("the list of word \(word) of segment \(name) is too long")
    }
    let (shard, count) = (shard, shardCount)
    let fault = questions[ordinal].bounds.fault(of: bytes, word: word) { shard.has($0, of: count) }
    if let fault {
      return tally.leaveOut("the list of word \(word) of segment \(name) is damaged: \(fault)")
    }
    let seal = StoredSeals(of: name).seal(ofList: bytes, word: word)
    guard records[ordinal].map({ Self.isRight(seal, row, Column.seal, $0) }) ?? true else {
      return tally.leaveOut("the list of word \(word) of segment \(name) does not have its seal")
    }
    lists[name, default: []].append((word, bytes))
  }

  // If no list arrives for a word, either no image has this word or the list is lost.
  mutating func finish() {
    for (ordinal, name) in names.enumerated() where rowCounts[name] != nil {
      for word in open[ordinal].sorted() where records[ordinal]?.mustHave(word) == true {
        tally.leaveOut("segment \(name) has no list of word \(word)")
      }
    }
  }
}

/// The question for the signatures of some rows.
struct SignatureQuestion: ShardQuestion {
  /// The columns of ``queries``.
  private enum Column: Int, PostgresColumns { case ordinal, row, bytes, seal }

  private let names: [String]
  private let rows: [[Int]]
  /// The record of each segment; `nil` if the shard has none.
  private let records: [PostedRecord.State?]
  /// The rows of each segment that have not come.
  private var open: [Set<Int>]
  private var tally: RowTally
  /// The signatures of each segment, by their rows.
  private(set) var signatures: [String: [Int: Signature]] = [:]

  /// - Parameter records: What the shard must have of the segments.
  init(
    _ rows: [String: [Int]], shard: PostgresShard, of shardCount: Int,
    records: [String: PostedRecord.State]
  ) {
    let own = rows.mapValues { $0.filter { shard.has($0, of: shardCount) } }
      .filter { !$0.value.isEmpty }
    names = own.keys.sorted()
    self.rows = names.compactMap { own[$0] }
    self.records = names.map { records[$0] }
    open = self.rows.map { Set($0) }
    tally = RowTally(columnCount: Column.allCases.count, rowLimit: open.reduce(0) { $0 + $1.count })
  }

  var damaged: DamagedRows? { tally.damaged }

  var queries: [String] {
    zip(names, rows).enumerated().map { ordinal, segment in
      """
      select \(ordinal), r.row, p.bytes, p.seal from vq.posted s \
      cross join unnest(\(Self.array(segment.1))::bigint[]) r(row) cross join lateral \
      (select case when length(bytes) <= \(Signature.mostEncodedByteCount) then bytes end bytes, \
      \(records[ordinal]?.hasSeals == true ? "seal" : "null::bigint seal") from vq.signature where segment = s.id and row = r.row offset 0) p \
      where s.name = \(Self.quoted(segment.0))
      """
    }
  }

  mutating func take(_ row: PostgresRow) throws(CatalogueError) {
    try tally.count(row)
    let (ordinal, number) = (row.integer(Column.ordinal), row.integer(Column.row))
    guard names.indices.contains(ordinal), open[ordinal].remove(number) != nil else {
      return tally.leaveOut("a signature of row \(number), which was not asked for")
    }
    let name = names[ordinal]
    guard let bytes = row.columns[Column.bytes.rawValue] else {
      return tally.leaveOut("the signature of row \(number) of segment \(name) is too long")
    }
    do throws(SignatureError) {
      let signature = try Signature(encoded: bytes)
      let seal = StoredSeals(of: name).seal(ofSignature: bytes, row: number)
      guard records[ordinal].map({ Self.isRight(seal, row, Column.seal, $0) }) ?? true else {
        return tally.leaveOut(
          "the signature of row \(number) of segment \(name) does not have its seal")
      }
      signatures[name, default: [:]][number] = signature
    } catch {
      tally.leaveOut(
        "the signature of row \(number) of segment \(name) is damaged: \(error.message)")
    }
  }

  mutating func finish() {
    for (name, rows) in zip(names, open) {
      for row in rows.sorted() {
        tally.leaveOut("segment \(name) has no signature of row \(row)")
      }
    }
  }
}

/// The question for the rows whose vectors are nearest to one.
///
/// The number of a segment is not compared as it is: the planner would else read all vectors of a segment by the primary key. So it follows
/// the index of pgvector, and goes on until enough rows are of the segments and the model that are asked for.
struct VectorQuestion: ShardQuestion {
  /// The columns of ``queries``.
  private enum Column: Int, PostgresColumns { case ordinal, row, distance }

  private let embedding: ImageEmbedding
  private let count: Int
  private let shard: PostgresShard
  private let shardCount: Int
  private let names: [String]
  private let rowCounts: [Int]
  private var seen: Set<[Int]> = []
  private var tally: RowTally
  /// The rows of each segment that were found.
  private(set) var rows: [String: [StoredNeighbors.Row]] = [:]

  /// - Parameters:
  ///   - rowCounts: The number of rows of each segment, by the names of their files.
  ///   - count: The most rows of the answer.
  init(
    _ embedding: ImageEmbedding, _ rowCounts: [String: Int], count: Int, shard: PostgresShard,
    of shardCount: Int
  ) {
    (self.embedding, self.count, self.shard, self.shardCount) =
      (embedding, count, shard, shardCount)
    names = rowCounts.keys.sorted()
    self.rowCounts = names.map { rowCounts[$0] ?? 0 }
    tally = RowTally(columnCount: Column.allCases.count, rowLimit: count)
  }

  var damaged: DamagedRows? { tally.damaged }

  var settings: [String] {
    ["set local hnsw.ef_search = \(count)", "set local hnsw.iterative_scan = relaxed_order"]
  }

  var queries: [String] {
    guard !names.isEmpty else { return [] }
    let segments = names.enumerated().map { "(\(Self.quoted($1)), \($0))" }
    let (list, vector) = (segments.joined(separator: ", "), PostgresVectors.text(embedding))
    return [
      """
      select n.ordinal, e.row, e.distance from (select segment, row, vector <=> \
      \(Self.quoted(vector))::halfvec(\(ImageEmbedding.componentLimit)) as distance \
      from vq.embedding where model = \(Int(bitPattern: UInt(embedding.model))) \
      and segment + 0 = any (array(select s.id from vq.posted s join (values \(list)) n(name, ordinal) \
      on n.name = s.name)) \
      order by vector <=> \(Self.quoted(vector))::halfvec(\(ImageEmbedding.componentLimit)) \
      limit \(count)) e \
      join vq.posted s on s.id = e.segment join (values \(list)) n(name, ordinal) on n.name = s.name
      """
    ]
  }

  mutating func take(_ row: PostgresRow) throws(CatalogueError) {
    try tally.count(row)
    let (ordinal, number) = (row.integer(Column.ordinal), row.integer(Column.row))
    let distance = Double(
      bitPattern: UInt64(bitPattern: Int64(row.integer(Column.distance))))
    guard names.indices.contains(ordinal), (0..<rowCounts[ordinal]).contains(number),
      shard.has(number, of: shardCount), seen.insert([ordinal, number]).inserted
    else {
      return tally.leaveOut("the vector of row \(number), which was not asked for")
    }
    guard row.bytes(Column.distance).count == 8, distance.isFinite else {
      return tally.leaveOut(
        "the vector of row \(number) of segment \(names[ordinal]) has no distance")
    }
    rows[names[ordinal], default: []].append(
      StoredNeighbors.Row(row: number, distance: distance))
  }

  // Nothing to check at the end: an index need not find every row.
  mutating func finish() {}
}
