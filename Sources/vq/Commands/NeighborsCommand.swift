import PixelMatch
import VisualQuery

/// `vq neighbors`: lists the entities that look most like one of the index.
enum NeighborsCommand {
  static let limit = Option<Int>.integer(
    OptionText("limit", "maximum number of neighbors"), in: 1...Matcher.neighborLimit, default: 12)
  static let json = Option<Bool>.flag(OptionText("json", "the answer as one JSON object"))

  static let command = CommandDescription(
    name: "neighbors",
    summary: "list the entities that look most like one of the index",
    examples: [
      "vq neighbors lamp-teal --index shop.vq",
      "vq neighbors store:harbour --limit 3 --json --index shop.vq",
      "vq neighbors lamp-teal --where 'price<50' --index shop.vq",
    ],
    operand: OperandDescription(
      placeholder: "ID", count: 1...1,
      summary: "the id of an entity, as in the feed; 'store:harbour' for a store",
      completion: .nothing),
    options: [
      MatchCommand.index.description, limit.description, MatchCommand.conditions.description,
      MatchCommand.withLabel.description, MatchCommand.threads.description, json.description,
      IndexLocation.cache.description,
    ],
    notes: [
      HelpSection(
        title: "Order",
        text: """
          If the first image of the entity has a vector, those come first whose images have one of the same \
          model, in the order of the cosines. Vectors are computed by 'vq index --models' and 'vq catalogue \
          embed', or come with the feed. After them, or without vectors, come those that a search with its \
          first image finds. If the file of the image cannot be read, the signature that the index has of it is \
          searched with, which finds less; a message says so.
          """),
      HelpSection(
        title: "JSON form",
        text: """
          One object. 'cosine' is null for a neighbor that the search has found. 'sharesDetails' tells \
          whether details of the two images agree, as those of one thing in two colors do. \
          'signatureSearched' is true if the file of the image could not be read, and absent otherwise.
            {"schema":"vq.neighbors/1","type":"product","id":"lamp-teal",
             "generation":4,"neighbors":[
               {"type":"product","id":"lamp-red","title":"Desk lamp","cosine":0.93,
                "sharesDetails":true},…]}
          """),
    ],
    exitCodes: [
      .success, .failure, .usage, .undecodablePicture, .unusableIndex, .refusedLogin, .interrupted,
    ],
    isRare: true,
    run: run)

  private struct Document: Encodable {
    struct Neighbor: Encodable {
      let type: EntityType
      let id: String
      let title: String
      let cosine: Double?
      let sharesDetails: Bool

      private enum CodingKeys: CodingKey { case type, id, title, cosine, sharesDetails }

      /// Encodes every key.
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        try container.encode(id, forKey: .id)
        try container.encode(title, forKey: .title)
        try container.encode(cosine, forKey: .cosine)
        try container.encode(sharesDetails, forKey: .sharesDetails)
      }
    }

    let schema = "vq.neighbors/1"
    let type: EntityType
    let id: String
    let generation: Int
    let neighbors: [Neighbor]
    /// Absent if the file of the image was searched with.
    let signatureSearched: Bool?

    private enum CodingKeys: CodingKey {
      case schema, type, id, generation, neighbors, signatureSearched
    }
  }

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let catalogue = try await IndexLocation.catalogue(
      of: arguments[MatchCommand.index], arguments, console)
    let matcher = Matcher(
      catalogue: catalogue, pool: WorkerPool(width: arguments[MatchCommand.threads]))
    let id = EntityID(operand: arguments.operands[0])
    try await matcher.checkKnown([id], option: "ID")
    let (limit, filter) = (arguments[limit], try Question(arguments).filter)
    let nearest = try await matcher.nearestEntities(to: id, limit: limit, filter: filter)
    var picture: [UInt8]?
    var reason = ""
    var advice: [String] = []
    do {
      picture = try await EntityThumbnails(catalogue: catalogue, pool: matcher.pool)
        .jpeg(of: id, size: .extraLarge)
    } catch let error as DecodeError {
      reason = ": " + error.message
      if error.code == .unreadable {
        let index = DisplayText.escaped(arguments[MatchCommand.index])
        advice = [
          "if the images are in another folder: vq catalogue set --images-root DIR --index \(index)"
        ]
      }
    }
    let found = try await matcher.neighbors(
      of: id, nearest, picture: picture, limit: limit, filter: filter)
    guard let found else {
      throw CommandFailure(
        .failure, "'\(id.value)' has no image that could be looked at" + reason, advice: advice)
    }
    if found.isBySignature {
      console.diagnostics.warning(
        "the image of '\(id.value)' cannot be read, so what the index has of it was searched with, which finds less"
          + reason, advice: advice)
    }
    let neighbors = found.neighbors
    if arguments[json] {
      try console.output.writeJSON(
        Document(
          type: id.type, id: id.value, generation: catalogue.generation,
          neighbors: neighbors.map {
            Document.Neighbor(
              type: $0.value.id.type, id: $0.value.id.value,
              title: $0.value.displayRepresentation.title,
              cosine: $0.cosine, sharesDetails: $0.sharesDetails)
          }, signatureSearched: found.isBySignature ? true : nil))
      return .success
    }
    guard !neighbors.isEmpty else {
      try console.output.writeLine("Nothing else of the index looks like it.")
      return .success
    }
    var table = TextTable(columns: [
      .init("COSINE", .right), .init("DETAILS"), .init("ID", minimumWidth: 12),
      .init("TITLE", minimumWidth: 12),
    ])
    for neighbor in neighbors {
      table.append([
        neighbor.cosine.map { DisplayText.confidence(max(0, $0)) } ?? "",
        neighbor.sharesDetails ? "shared" : "",
        neighbor.value.id.value, neighbor.value.displayRepresentation.title,
      ])
    }
    for line in table.lines(width: console.width) { try console.output.writeLine(line) }
    return .success
  }
}
