/// A digest of everything in a catalogue that answers depend on: entities, images, signatures, the
/// list of changes, settings, statements about answers, the identity and the secret of tokens.
///
/// Made of the same records in the same order on both sides, a directory and PostgreSQL have the same
/// digest if they have the same contents.
struct ContentDigest {
  private var hash: [UInt8] = []

  /// The digest in hexadecimal digits.
  var text: String {
    hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Adds a record.
  private mutating func add(_ values: [PostgresValue]) {
    var bytes = hash
    PostgresCopyFormat.append(values, to: &bytes)
    hash = SHA256.hash(bytes)
  }

  private mutating func add(_ row: PostgresRow) {
    add(row.columns.map { $0.map(PostgresValue.bytes) ?? .null })
  }

  // MARK: PostgreSQL

  /// Reads the newest generation in PostgreSQL; call it in a transaction.
  init(_ connection: PostgresConnection) throws(CatalogueError) {
    var digest = ContentDigest()
    let hasFeedback = try PostgresSchema.check(connection) >= PostgresSchema.statementsVersion
    let statements = hasFeedback ? [Self.statements + "vq.statement order by number"] : []
    for query in Self.queries + statements {
      try connection.copyOut("copy (\(query)) to stdout (format binary)") { digest.add($0) }
    }
    self = digest
  }

  private init() {}

  private static let queries = [
    "select identity, secret from vq.catalogue",
    """
    select e.sequence, e.key, e.type, e.id, e.row_hash, e.doc::text from vq.entity e
    join vq.segment s on s.id = e.segment order by e.sequence
    """,
    """
    select i.sequence, i.position, i.path, i.byte_count, i.modified, i.content_hash
    from vq.image i join vq.segment s on s.id = i.segment order by i.sequence, i.position
    """,
    """
    select s.number, s.kind, s.rows, c.bytes from vq.segment s join vq.chunk c on c.segment = s.id
    where s.died is null order by s.number, c.part
    """,
    """
    select s.number, d.row from vq.dead d join vq.segment s on s.id = d.segment
    where s.died is null order by s.number, d.row
    """,
    "select name, value from vq.setting order by name collate \"C\"",
    "select label, target from vq.bridge order by label collate \"C\", target collate \"C\"",
  ]

  private static let statements =
    "select number, state, time, author, labels, signature, chosen, rejected, image from "

  // MARK: A directory

  /// Reads the generation that a database sees.
  init(_ database: CatalogueDatabase, _ directory: String) throws(CatalogueError) {
    var digest = ContentDigest()
    let state = try database.state()
    digest.add([.text(state.identity), .text(state.secret)])
    func addRows(_ sql: String) throws(CatalogueError) {
      let row = try database.connection.statement(sql, isScan: true)
      defer { row.reset() }
      while try row.step() { digest.add(Self.values(of: row)) }
    }
    try addRows(
      """
      SELECT sequence, key, changes.type, changes.id, rowHash, json
      FROM changes LEFT JOIN entities ON key = entity ORDER BY sequence
      """)
    try addRows(
      """
      SELECT sequence, position, path, byteCount, modified, contentHash
      FROM changes JOIN images ON images.entity = changes.entity ORDER BY sequence, position
      """)
    for record in try database.segments.all() {
      try CatalogueFile.forEachPart(
        of: directory + "/" + record.file, byteCount: PostgresPublisher.partByteCount
      ) { bytes in
        digest.add([
          .integer(record.id), .text(record.type.rawValue), .integer(record.rows), .bytes(bytes),
        ])
      }
    }
    try addRows("SELECT segment, row FROM deadRows ORDER BY segment, row")
    for (name, value) in try database.replica.publishedSettings().sorted(by: {
      Self.precedes($0.key, $1.key)
    }) { digest.add([.text(name), .text(value)]) }
    try addRows("SELECT label, target FROM labelBridge ORDER BY label, target")
    if FileStatus.exists(directory + "/" + KeptFeedback.fileName) {
      try KeptFeedback.connect(directory).forEachRow(
        Self.statements + "statements ORDER BY number"
      ) { digest.add(Self.values(of: $0)) }
    }
    self = digest
  }

  private static func precedes(_ a: String, _ b: String) -> Bool {
    a.utf8.lexicographicallyPrecedes(b.utf8)
  }

  private static func values(of row: CatalogueStatement) -> [PostgresValue] {
    row.columnIndices.map { column in
      switch row.value(column) {
      case .null: .null
      case .integer(let number): .integer(number)
      case .number, .text: .text(row.text(column))
      case .blob(let bytes): .bytes(bytes)
      }
    }
  }
}
