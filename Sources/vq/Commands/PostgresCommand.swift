import VisualQuery

/// `vq postgres`: prepares a database for a catalogue.
enum PostgresCommand {
  /// An action on a database.
  enum Action: String, CaseIterable, Sendable { case `init` }

  static let database = Option<String>.path(
    OptionText("index", "the database: postgres://db.example/shop", environment: "VQ_INDEX"),
    "URL", of: .files)

  static let shards = Option<[String]>.texts(
    OptionText(
      "shard", "keep candidates for engine mode in this database",
      detail: "postgres://HOST/DATABASE, or 'self' for that of --index. Once for each shard, in "
        + "their order. 'none' ends engine mode. Without it, nothing changes.", isRare: true),
    "URL", accepts: "postgres://HOST/DATABASE, self or none")

  static let command = CommandDescription(
    name: "postgres",
    summary: "prepare a PostgreSQL database for an index",
    examples: [
      "vq postgres init --index postgres:///shop",
      "vq postgres init --index postgres:///shop --shard self",
    ],
    operand: OperandDescription(
      placeholder: "ACTION", count: 1...1, summary: "init",
      completion: .words(Action.allCases.map(\.rawValue))),
    options: [database.description, shards.description],
    notes: [
      HelpSection(
        title: "Actions",
        text: """
            init      make the tables in the schema 'vq', or bring them to this
                      version, and the roles 'vq_reader' and 'vq_writer'
          The user becomes the owner of the tables. Grant vq_reader to the users of 'vq serve' \
          and 'vq match', and vq_writer to that of 'vq index'. Running it again is safe. \
          See docs/scale.md.
          """)
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex, .refusedLogin],
    isRare: true, run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let location = try PostgresLocation(arguments[database])
    let shards = try shards(of: arguments)
    let versions = try await CatalogueReplica.prepare(location)
    try console.output.writeLine(
      versions.before == versions.after
        ? "The tables have version \(versions.after) already."
        : "The tables have version \(versions.after).")
    if let shards {
      let vectors = try await CatalogueReplica.setShards(shards, of: location)
      try console.output.writeLine(
        shards.isEmpty
          ? "Engine mode has ended."
          : "Candidates for engine mode are in \(shards.count) \(shards.count == 1 ? "shard" : "shards")."
      )
      for (number, vectors) in vectors.enumerated() {
        let text =
          switch vectors {
          case .indexed(let version): "Vectors are indexed by pgvector \(version)."
          case .missing(let reason): "Vectors of images are not compared in engine mode: \(reason)."
          }
        try console.output.writeLine("Shard \(number): \(text)")
      }
    }
    return .success
  }

  /// Returns the shards, `nil` for those in the database itself, or `nil` if they are to stay as they are.
  private static func shards(of arguments: ParsedArguments) throws -> [PostgresLocation?]? {
    let texts = arguments[shards]
    if texts.isEmpty { return nil }
    if texts == ["none"] { return [] }
    guard texts.allSatisfy({ $0 == "self" || PostgresLocation.isLocation($0) }),
      Set(texts).count == texts.count
    else {
      throw CommandFailure(
        .usage,
        "--shard takes 'self' or a URL such as postgres://db.example/shop, each once; 'none' stands alone"
      )
    }
    return try texts.map { $0 == "self" ? nil : try PostgresLocation($0) }
  }
}
