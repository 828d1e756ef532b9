/// `vq hash`: the PDQ hash of pictures, as other people's hash banks hold it.
enum HashCommand {
  static let json = Option<Bool>.flag(OptionText("json", "one JSON object a line and picture"))

  static let command = CommandDescription(
    name: "hash",
    summary: "print the PDQ hash of pictures",
    examples: [
      "vq hash mug.jpg",
      "vq hash --json *.jpg",
    ],
    operand: OperandDescription(
      placeholder: "IMAGE", count: 1...Int.max,
      summary: "a JPEG or PNG picture; '-' for standard input", completion: .files),
    options: [
      json.description, PictureLimits.maxBytes.description, PictureLimits.maxPixels.description,
    ],
    notes: [
      HelpSection(
        title: "JSON form",
        text: """
          One object a line and picture, in the order given.
            {"schema":"vq.hash/1","image":"mug.jpg","pdq":"64 hex digits","quality":100,
             "variants":{"rotate90":"64 hex digits",…}}
          """)
    ],
    exitCodes: [.success, .failure, .usage, .undecodablePicture, .interrupted],
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    throw CommandFailure(.failure, "'vq hash' is not wired yet")
  }
}
