import VisualQuery

/// `vq duplicates`: lists entities whose images are the same, or nearly.
enum DuplicatesCommand {
  static let same = Option<Bool>.flag(
    OptionText("same", "only images that differ by no more than compression"))
  static let json = Option<Bool>.flag(OptionText("json", "one JSON object per line and cluster"))

  static let command = CommandDescription(
    name: "duplicates",
    summary: "list entities whose images are the same, or nearly",
    examples: [
      "vq duplicates --index shop.vq",
      "vq duplicates --same --json --index shop.vq | jq -r '.entities[].id'",
    ],
    operand: nil,
    options: [
      MatchCommand.index.description, same.description, json.description,
      MatchCommand.threads.description, IndexLocation.cache.description,
    ],
    notes: [
      HelpSection(
        title: "Clusters",
        text: """
          Each entity of a cluster has an image like that of another one of it. 'near' images differ a \
          little: they were compressed, scaled, retouched or marked. Other colors of a product, crops and \
          images that lack detail are not listed. Only images with parts of their hashes in common are \
          compared, so that a large catalogue takes seconds.
          """),
      HelpSection(
        title: "JSON form",
        text: """
          One object per line, the largest cluster first.
            {"schema":"vq.duplicates/1","likeness":"same","entities":[
              {"id":"product:mug-red","title":"Camp mug","image":"images/mug.jpg"},…]}
          """),
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex, .refusedLogin, .interrupted],
    isRare: true,
    run: run)

  private struct Document: Encodable {
    let schema = "vq.duplicates/1"
    let likeness: DuplicateFinder.Likeness
    let entities: [DuplicateFinder.Member]

    private enum CodingKeys: CodingKey { case schema, likeness, entities }
  }

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let catalogue = try Catalogue(
      directory: try await IndexLocation.directory(
        of: arguments[MatchCommand.index], arguments, console))
    let finder = DuplicateFinder(
      catalogue: catalogue, pool: WorkerPool(width: arguments[MatchCommand.threads]))
    let clusters = try await finder.clusters(arguments[same] ? .same : .near)
    if arguments[json] {
      for cluster in clusters {
        try console.output.writeJSON(
          Document(likeness: cluster.likeness, entities: cluster.entities))
      }
      return .success
    }
    for cluster in clusters {
      let images = cluster.likeness == .same ? "the same image" : "nearly the same image"
      try console.output.writeLine("\(cluster.entities.count) entities with \(images)")
      for entity in cluster.entities {
        let image = entity.image.map { "  " + $0 } ?? ""
        try console.output.writeLine(
          DisplayText.escaped("    \(entity.id)  \(entity.title)\(image)"))
      }
    }
    let count = clusters.reduce(0) { $0 + $1.entities.count }
    try console.output.writeLine(
      "\(DisplayText.count(clusters.count, "cluster", "clusters")) with "
        + "\(DisplayText.count(count, "entity", "entities")) of \(catalogue.entityCount); "
        + "\(DisplayText.count(catalogue.imageCount, "image", "images")) compared.")
    return .success
  }
}
