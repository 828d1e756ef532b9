import VisualQuery

/// `vq doctor`: finds entities that are hard to find or to show.
enum DoctorCommand {
  static let json = Option<Bool>.flag(OptionText("json", "one JSON object per line and finding"))

  static let command = CommandDescription(
    name: "doctor",
    summary: "find entities that are hard to match or to show",
    examples: ["vq doctor --index shop.vq", "vq doctor --json --index shop.vq | jq -r .id"],
    operand: nil,
    options: [
      MatchCommand.index.description, json.description, MatchCommand.report.description,
      IndexLocation.cache.description,
    ],
    notes: [
      HelpSection(
        title: "Findings",
        text: """
          Images that two entities share, that lack detail or are too small; entities without an \
          image or a link; missing image files; texts of more than three lines; links without \
          encryption; unknown currencies; stores without a location or with unknown products in \
          stock. A summary comes first, then each kind with examples and what to do; --json \
          lists all findings. The exit code is 1 if there \
          are findings, for CI.
          """),
      HelpSection(
        title: "JSON form",
        text: """
          One object per line.
            {"kind":"noPicture","id":"product:mug-red","detail":"…","cure":"…"}
          """),
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex, .refusedLogin, .interrupted],
    exitMeanings: [.failure: "findings, or another error"],
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let catalogue = try Catalogue(
      directory: try await IndexLocation.directory(
        of: arguments[MatchCommand.index], arguments, console))
    let file = try arguments[MatchCommand.report].map(ReportFile.init)
    let findings: [CatalogueDoctor.Finding]
    do {
      findings = try await Self.findings(in: catalogue, reportedTo: file)
    } catch {
      file?.discard()
      throw error
    }
    if arguments[json] {
      for finding in findings { try console.output.writeJSON(finding) }
    } else {
      let report = DoctorReport(findings, entityCount: catalogue.entityCount)
      for line in report.lines { try console.output.writeLine(DisplayText.escaped(line)) }
    }
    if findings.isEmpty && !arguments[json] {
      try console.output.writeLine(
        "\(DisplayText.count(catalogue.entityCount, "entity", "entities")) checked; no problems found."
      )
    }
    return findings.isEmpty ? .success : .failure
  }

  /// Finds what is wrong, and writes the report if one is asked for.
  @concurrent private static func findings(
    in catalogue: Catalogue, reportedTo file: ReportFile?
  ) async throws -> [CatalogueDoctor.Finding] {
    let findings = try await CatalogueDoctor(catalogue: catalogue).findings()
    if let file {
      let source = ReportSource(catalogue: catalogue, pool: WorkerPool())
      try file.write(try await DoctorPage.page(of: findings, source))
    }
    return findings
  }
}
