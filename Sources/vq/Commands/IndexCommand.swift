/// `vq index`: a catalogue becomes an index that can be searched.
enum IndexCommand {
  static let index = Option<String>.path(
    OptionText(
      "index", "the index to make or update",
      detail: "A directory; it is made if it does not exist.", environment: "VQ_INDEX"),
    "DIR", of: .directories)
  static let imagesRoot = Option<String?>.path(
    OptionText(
      "images-root", "where image paths begin",
      detail: "With a catalogue from standard input: the working directory.",
      standard: "beside the catalogue"),
    "DIR", of: .directories)
  static let threads = Option<Int?>.integer(
    OptionText("threads", "use so many threads", short: "j", standard: "one per core"),
    in: 1...256)
  static let rejected = Option<String?>.path(
    OptionText(
      "rejected", "write the refused rows to this file",
      detail: "JSON Lines: the row's number, the field, the reason."),
    "FILE", of: .files)
  static let json = Option<Bool>.flag(OptionText("json", "the summary as one JSON object"))
  static let quiet = Option<Bool>.flag(
    OptionText(
      "quiet", "no progress and no summary",
      detail: "Errors and refused rows are still reported.", short: "q"))

  static let command = CommandDescription(
    name: "index",
    summary: "make or update an index from a catalogue",
    examples: [
      "vq index catalogue.jsonl --index shop.vq",
      "vq index catalogue.csv --images-root photos --index shop.vq",
      "zcat catalogue.jsonl.gz | vq index - --index shop.vq",
    ],
    operand: OperandDescription(
      placeholder: "CATALOGUE", count: 1...1,
      summary: "JSON Lines or CSV, an entity a row; '-' for standard input", completion: .files),
    options: [
      index.description, imagesRoot.description, threads.description, rejected.description,
      json.description, quiet.description,
    ],
    notes: [
      HelpSection(
        title: "Catalogue",
        text: """
          An entity a line: 'type' (product or store), 'id' and 'title' are required. Unknown \
          fields are kept. A bad row or picture is reported and skipped; the others go on.
            {"type":"product","id":"mug-red","title":"Camp mug","labels":["mug"],
             "images":["images/mug-red.jpg"],"url":"https://shop.example/p/mug-red"}
          """)
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex, .interrupted],
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    throw CommandFailure(.failure, "'vq index' is not wired yet")
  }
}
