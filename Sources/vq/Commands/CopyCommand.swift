import VisualQuery

/// `vq copy`: copies an index into PostgreSQL, or out of it.
enum CopyCommand {
  static let json = Option<Bool>.flag(OptionText("json", "the summary as one JSON object"))

  static let command = CommandDescription(
    name: "copy",
    summary: "copy an index into PostgreSQL, or out of it",
    examples: [
      "vq copy shop.vq postgres://db.example/shop",
      "vq copy postgres://db.example/shop shop.vq",
    ],
    operand: OperandDescription(
      placeholder: "FROM TO", count: 2...2,
      summary: "a directory, and the URL of a database, or the other way around",
      completion: .directories),
    options: [json.description],
    notes: [
      HelpSection(
        title: "Contents",
        text: """
          The target must not have an index yet; a database needs its tables ('vq postgres init'). \
          Everything is copied in one transaction: entities, signatures, settings, the \
          generation, and the secret of tokens, so that the clients' tokens stay valid. Then both \
          sides are read again and their digests are compared.
          """),
      HelpSection(
        title: "JSON form",
        text: """
            {"schema":"vq.copy/1","generation":4,"products":26,"stores":6,"images":34,
             "digest":"5d7f…"}
          """),
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex, .refusedLogin, .interrupted],
    isRare: true, run: run)

  struct Document: Encodable {
    let schema = "vq.copy/1"
    let generation: Int
    let products: Int
    let stores: Int
    let images: Int
    let digest: String
  }

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let (from, to) = (arguments.operands[0], arguments.operands[1])
    let copied: CatalogueReplica.Copied
    switch (PostgresLocation.isLocation(from), PostgresLocation.isLocation(to)) {
    case (false, true):
      copied = try await CatalogueReplica.copy(directory: from, to: PostgresLocation(to))
    case (true, false): copied = try await CatalogueReplica.copy(PostgresLocation(from), to: to)
    case (true, true), (false, false):
      throw arguments.missingOperand(
        "'vq copy' copies between a directory and PostgreSQL (postgres://…)")
    }
    if arguments[json] {
      try console.output.writeJSON(
        Document(
          generation: copied.generation, products: copied.products, stores: copied.stores,
          images: copied.images, digest: copied.digest))
    } else {
      try console.output.writeLine(
        """
        \(DisplayText.count(copied.products, "product", "products")), \
        \(DisplayText.count(copied.stores, "store", "stores")) and \
        \(DisplayText.count(copied.images, "image", "images")) copied; \
        \(DisplayText.escaped(to)) is at generation \(copied.generation), \
        digest \(copied.digest.prefix(16)).
        """)
    }
    return .success
  }
}
