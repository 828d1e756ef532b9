internal import PixelMatch

/// The index of the vectors of images on a shard, by pgvector (Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search
/// using Hierarchical Navigable Small World graphs", 2018, <https://doi.org/10.1109/TPAMI.2018.2889473>).
///
/// The extension is the operator's to install, so the tables are not made by a migration: `vq postgres init --shard` makes them if
/// the server has it. Rows refer to the segment, and are removed with it, by earlier builds too.
enum PostgresVectors {
  /// The first version that goes on searching if rows that were found are not those of the question.
  private static let leastVersion = "0.8.0"

  /// The tables. `embedded` has the segments whose vectors are complete.
  private static let tables = [
    """
    create table if not exists vq.embedding(
      segment bigint references vq.posted(id) on delete cascade, row bigint, model bigint not null,
      vector halfvec(\(ImageEmbedding.componentLimit)) not null, primary key (segment, row))
    """,
    """
    create table if not exists vq.embedded(
      segment bigint primary key references vq.posted(id) on delete cascade)
    """,
    "grant select on vq.embedding, vq.embedded to vq_reader, vq_writer",
    "grant insert, delete on vq.embedding, vq.embedded to vq_writer",
  ]

  private enum ExtensionColumn: Int, PostgresColumns { case installedVersion, defaultVersion }

  /// Makes the tables of a shard if its server has pgvector, outside of a transaction.
  static func prepare(_ connection: PostgresConnection) throws(CatalogueError) -> ShardVectors {
    let available = try connection.run(
      "select \(ExtensionColumn.list) from pg_available_extensions where name = 'vector'")
    guard let row = available.first else {
      let major = try connection.run(
        "select current_setting('server_version_num')::bigint / 10000"
      ).first?.onlyInteger
      return .missing(
        "the server has no pgvector (the package postgresql-\(major ?? 0)-pgvector)")
    }
    let isInstalled = !row.isNull(ExtensionColumn.installedVersion)
    let version = row.text(
      isInstalled ? ExtensionColumn.installedVersion : ExtensionColumn.defaultVersion)
    guard !numbers(of: version).lexicographicallyPrecedes(numbers(of: leastVersion)) else {
      return .missing("pgvector has version \(version), and \(leastVersion) is needed")
    }
    if !isInstalled {
      do throws(CatalogueError) {
        try connection.run("create extension vector")
      } catch  where error.code == .notPermitted {
        return .missing(
          "this user may not install pgvector; let an administrator run 'create extension vector'")
      }
    }
    let isVisible = try connection.run("select to_regtype('halfvec') is not null").first
    guard isVisible?.onlyInteger == 1 else {
      return .missing("the schema of pgvector is not in the search_path of this user")
    }
    try connection.transaction { () throws(CatalogueError) in
      for statement in tables { try connection.run(statement) }
    }
    return .indexed(version: version)
  }

  /// Makes the index, after the vectors were written, which is faster than before.
  static func makeIndex(_ connection: PostgresConnection) throws(CatalogueError) {
    try connection.run(
      """
      create index if not exists embedding_vector on vq.embedding
      using hnsw (vector halfvec_cosine_ops)
      """)
  }

  /// Returns whether a shard has the tables.
  static func exist(_ connection: PostgresConnection) throws(CatalogueError) -> Bool {
    try connection.run("select to_regclass('vq.embedded') is not null").first?.onlyInteger == 1
  }

  /// Returns the names of the segments whose vectors a shard has.
  static func segments(_ connection: PostgresConnection) throws(CatalogueError) -> Set<String> {
    let rows = try connection.run(
      "select p.name from vq.embedded e join vq.posted p on p.id = e.segment")
    return Set(rows.map(\.onlyText))
  }

  /// Writes the vectors of some rows of a segment.
  ///
  /// - Parameter id: The number of the segment on the shard.
  static func write(
    _ segment: SignatureSegment, rows: [Int], _ id: Int, _ connection: PostgresConnection
  ) throws(CatalogueError) {
    try connection.copyIn(
      "copy vq.embedding(segment, row, model, vector) from stdin (format binary)"
    ) { put throws(CatalogueError) in
      for row in rows {
        guard let embedding = segment.embedding(at: row) else { continue }
        try put([
          .integer(id), .integer(row), .integer(Int(bitPattern: UInt(embedding.model))),
          .bytes(binary(embedding)),
        ])
      }
    }
    try connection.run("insert into vq.embedded values($1)", [.integer(id)])
  }

  /// Returns the binary format of a `halfvec`: the number of dimensions, zero, and the components, which halves hold exactly. Those that
  /// a shorter vector lacks are zero, which no cosine changes.
  static func binary(_ embedding: ImageEmbedding) -> [UInt8] {
    let count = ImageEmbedding.componentLimit
    var bytes = PostgresValue.bigEndian(UInt64(count), count: 2) + [0, 0]
    for component in embedding.components {
      bytes += PostgresValue.bigEndian(UInt64(half(component)), count: 2)
    }
    return bytes + [UInt8](repeating: 0, count: 2 * (count - embedding.components.count))
  }

  /// Returns the bits of a number in half precision, which has five for the exponent and ten for the fraction.
  private static func half(_ number: Int8) -> UInt16 {
    if number == 0 { return 0 }
    let bits = Float(number).bitPattern
    let exponent = Int(bits >> 23 & 0xFF) - 127 + 15
    return UInt16(bits >> 31) << 15 | UInt16(exponent) << 10 | UInt16(bits >> 13 & 0x3FF)
  }

  /// Returns the text of a `halfvec`.
  static func text(_ embedding: ImageEmbedding) -> String {
    let rest = repeatElement("0", count: ImageEmbedding.componentLimit - embedding.components.count)
    return "[" + (embedding.components.map { String($0) } + rest).joined(separator: ",") + "]"
  }

  private static func numbers(of version: String) -> [Int] {
    version.split(separator: ".").map { Int($0) ?? 0 }
  }
}

/// Tells whether a shard has an index of vectors.
package enum ShardVectors: Sendable, Hashable {
  /// It has one, by this version of pgvector.
  case indexed(version: String)
  /// It has none, for this reason.
  case missing(String)
}
