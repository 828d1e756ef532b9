import PixelMatch
import Reading
import VisualQuery

/// `vq sign`: signs the images of a feed without an index.
enum SignCommand {
  static let imagesRoot = Option<String?>.path(
    OptionText(
      "images-root", "the folder that contains the images",
      detail: "Image paths are relative to it.", standard: "the working directory"),
    "DIR", of: .directories)
  static let allowOutside = Option<[String]?>.folders(
    OptionText(
      "allow-outside", "a further folder that may contain images",
      detail: "Absolute paths, '..' and symbolic links out of --images-root are rejected "
        + "unless they lead here.", isRare: true))
  static let allowScheme = Option<[String]>.list(
    OptionText("allow-scheme", "schemes accepted in links besides https", isRare: true))
  static let models = Option<String?>.path(
    OptionText(
      "models", "read the text and codes of images with the models of a folder",
      detail:
        "The lines then have them, and 'vq index --signed' stores them. As for 'vq index'; 'none' uses none.",
      environment: "VQ_MODELS"),
    "DIR", of: .directories)

  static let command = CommandDescription(
    name: "sign",
    summary: "analyze the images of a feed without an index",
    examples: [
      "vq sign part-0007.jsonl --images-root /srv/pictures > part-0007.signed",
      "vq sign part-0007.jsonl --models /srv/models > part-0007.signed",
      "vq index --signed part-*.signed --index shop.vq",
    ],
    operand: OperandDescription(
      placeholder: "FEED", count: 1...1,
      summary: "as for 'vq index'; '-' for standard input", completion: .files),
    options: [
      imagesRoot.description, allowOutside.description, allowScheme.description,
      models.description, IndexCommand.currency.description,
      IndexCommand.locale.description, IndexCommand.map.description,
      IndexCommand.imagesMap.description, IndexCommand.includeDrafts.description,
      IndexCommand.maxRows.description, IndexCommand.maxFeedBytes.description,
      IndexCommand.maxFeedRatio.description, IndexCommand.maxRowBytes.description,
      IndexCommand.maxRowVariants.description, IndexCommand.maxRowLevels.description,
      IndexCommand.encoding.description,
      IndexCommand.sheet.description,
      IndexCommand.threads.description,
    ],
    notes: [
      HelpSection(
        title: "Lines",
        text: """
          A filter for batch engines: GNU parallel, Spark's pipe, Ray, array jobs of a cluster. \
          One line for each entity, with the signatures of its images, and one for each rejected \
          row, image and field; in the order of the feed, and the same bytes for the same feed \
          and images. 'vq index --signed' reads the lines of all parts, in any order. Images on \
          servers are rejected; fetch them first, and name their folder with --images-map.
            {"schema":"vq.signed/1","signatureVersion":\(Signature.version),"entity":{…},
             "images":[{"position":0,"path":"images/mug-red.jpg","signature":"…",…}]}
          With --models, an image has its text and codes, too ('reading'), and the models \
          that read them ('readingModels'). On processors with other instructions, a letter may differ.
            {"schema":"vq.refused/1","kind":"image","line":12,"id":"mug-red",
             "field":"images[0]","reason":"…","row":{…}}
          """)
    ],
    exitCodes: [.success, .failure, .usage, .interrupted],
    isRare: true, run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let folder = arguments[models]
    let signer = FeedSigner(
      models: try folder.flatMap(TextModels.open),
      pool: WorkerPool(width: arguments[IndexCommand.threads]))
    do {
      _ = try await signer.run(
        path: arguments.operands[0],
        places: PicturePlaces(
          root: arguments[imagesRoot] ?? ".", outside: arguments[allowOutside] ?? []),
        options: try IndexCommand.feedOptions(
          of: arguments, for: arguments.operands[0], to: console),
        allowedSchemes: Set(arguments[allowScheme].map { $0.lowercased() })
      ) { try console.output.writeLine($0) }
    } catch let error as ReadingError {
      throw CommandFailure(.failure, "--models \(folder ?? ""): \(error.message)")
    }
    return .success
  }
}
