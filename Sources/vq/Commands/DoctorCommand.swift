import VisualQuery

/// `vq doctor`: what makes a shop's own entities hard to find or to show.
enum DoctorCommand {
  static let json = Option<Bool>.flag(OptionText("json", "one JSON object a line and finding"))

  static let command = CommandDescription(
    name: "doctor",
    summary: "find what makes entities hard to match or to show",
    examples: ["vq doctor --index shop.vq", "vq doctor --json --index shop.vq | jq -r .id"],
    operand: nil,
    options: [MatchCommand.index.description, json.description],
    notes: [
      HelpSection(
        title: "Findings",
        text: """
          Pictures that are the same for two entities, too plain or too small; entities without \
          a picture or a link; pictures whose files are not beneath the images root; texts of more than three lines; links without encryption; \
          currencies that are none; stores without a place, or that stock what is not there. Each \
          with the entity and what to do. Exit code 1 where there is one, for CI.
          """),
      HelpSection(
        title: "JSON form",
        text: """
          One object a line.
            {"kind":"noPicture","id":"product:mug-red","detail":"…","cure":"…"}
          """),
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex, .interrupted],
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let catalogue = try Catalogue(directory: arguments[MatchCommand.index])
    let findings = try await CatalogueDoctor(catalogue: catalogue).findings()
    for finding in findings {
      if arguments[json] {
        try console.output.writeJSON(finding)
      } else {
        try console.output.writeLine(
          DisplayText.escaped("\(finding.id) \(finding.detail)") + "\n    \(finding.cure)")
      }
    }
    if findings.isEmpty && !arguments[json] {
      try console.output.writeLine(
        "\(DisplayText.count(catalogue.entityCount, "entity", "entities")) looked over; nothing to mend."
      )
    }
    return findings.isEmpty ? .success : .failure
  }
}
