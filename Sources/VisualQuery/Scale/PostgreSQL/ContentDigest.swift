/// A digest of everything in a catalogue that answers depend on: entities, images and their text, signatures, the
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
    let version = try PostgresSchema.check(connection)
    let readings = version >= PostgresSchema.readingsVersion ? [Self.readings] : []
    let statements = [Self.statements + "vq.statement order by number"]
    for query in Self.queries + readings + statements {
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

  private static let readings = """
    select r.content_hash, r.byte_count, m.id, m.doc, r.doc from vq.reading r
    join vq.reading_models m on m.id = r.models join vq.segment s on s.id = r.segment
    where (r.content_hash, r.byte_count) in (
      select i.content_hash, i.byte_count from vq.image i join vq.segment t on t.id = i.segment)
    order by r.content_hash, r.byte_count
    """

  private static let statements =
    "select number, state, time, author, labels, signature, chosen, rejected, image from "

  // MARK: A directory

  /// Reads the generation that a connection sees.
  init(_ tables: CatalogueTables, _ directory: String) throws(CatalogueError) {
    var digest = ContentDigest()
    let state = try tables.state.current()
    digest.add([.text(state.identity), .text(state.secret)])
    try tables.changeLog.forEach(after: 0) { change in
      digest.add([
        .integer(change.sequence), change.key.map(PostgresValue.integer) ?? .null,
        .text(change.type), .text(change.id), change.rowHash.map(PostgresValue.integer) ?? .null,
        change.key == nil ? .null : .text(change.json),
      ])
    }
    try tables.changeLog.forEachImage(after: 0) { sequence, image in
      digest.add([
        .integer(sequence), .integer(image.position), .text(image.path),
        .integer(image.byteCount), .integer(image.modified), .integer(image.contentHash),
      ])
    }
    for record in try tables.segments.all() {
      try CatalogueFile.forEachPart(
        of: directory + "/" + record.file, byteCount: PostgresPublisher.partByteCount
      ) { bytes in
        digest.add([
          .integer(record.id), .text(record.type.rawValue), .integer(record.rows), .bytes(bytes),
        ])
      }
    }
    for (segment, rows) in try tables.segments.deadRows().sorted(by: { $0.key < $1.key }) {
      for row in rows { digest.add([.integer(segment), .integer(row)]) }
    }
    for (name, value) in try tables.replica.publishedSettings().sorted(by: {
      Self.precedes($0.key, $1.key)
    }) { digest.add([.text(name), .text(value)]) }
    for (label, targets) in try tables.labelBridge.targets().sorted(by: {
      Self.precedes($0.key, $1.key)
    }) {
      for target in targets { digest.add([.text(label), .text(target)]) }
    }
    try tables.readings.forEachStored(.used) { stored in
      digest.add([
        .integer(stored.content.hash), .integer(stored.content.byteCount), .text(stored.modelsID),
        .text(stored.models), .text(stored.json),
      ])
    }
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
    row.values.map { value in
      switch value {
      case .null: .null
      case .integer(let number): .integer(number)
      case .number(let number): .text("\(number)")
      case .text(let text): .text(text)
      case .blob(let bytes): .bytes(bytes)
      }
    }
  }
}
