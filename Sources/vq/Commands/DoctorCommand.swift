import VisualQuery

/// `vq doctor`: finds entities that are hard to find or to show.
enum DoctorCommand {
  static let json = Option<Bool>.flag(OptionText("json", "one JSON object per line and finding"))

  static let checkLinks = Option<Bool>.flag(
    OptionText(
      "check-links", "ask servers whether links lead anywhere; requires --allow-host",
      detail:
        "One request at a time with pauses, 10 s each, and no further ones to a host that does not respond three times."
    ))
  static let allowHost = Option<[HostPattern]>.hosts(
    OptionText(
      "allow-host", "hosts that are asked about links",
      detail: "*.shop.example stands for all subdomains."))
  static let maxLinks = Option<Int>.integer(
    OptionText(
      "max-links", "the most links that are checked",
      detail: "If there are more, those that are checked are spread over all.", isRare: true),
    in: 1...LinkChecker.limits.largest, default: LinkChecker.limits.standard)

  static let command = CommandDescription(
    name: "doctor",
    summary: "find entities that are hard to match or to show",
    examples: ["vq doctor --index shop.vq", "vq doctor --json --index shop.vq | jq -r .id"],
    operand: nil,
    options: [
      MatchCommand.index.description, json.description, MatchCommand.report.description,
      checkLinks.description, allowHost.description, maxLinks.description,
      IndexCommand.allowPrivateAddress.description, IndexCommand.caFile.description,
      IndexLocation.cache.description,
    ],
    notes: [
      HelpSection(
        title: "Findings",
        text: """
          Images that two entities share, that no variant of a group is told by, or that many products have; images with the same \
          marks at the same place, such as a watermark, made of several images, or with only text; variants that \
          look like no other one of their group, and groups with one design; images that \
          lack detail, or are below 300 pixels or too small; entities without an \
          image or a link; missing image files; titles without words; texts of more than three lines; links without \
          encryption or, with --check-links, that lead nowhere; unknown currencies; stores without a location or with unknown products in \
          stock. A summary comes first, then each kind with examples and what to do; --json \
          lists all findings. The exit code is 1 if there \
          are findings, for CI. The files of \(CatalogueDoctor.standardPictureLimit) images are looked at, spread over all; \
          of the others, only the signatures are.
          """),
      HelpSection(
        title: "JSON form",
        text: """
          One object per line.
            {"kind":"noPicture","id":"product:mug-red","detail":"…","cure":"…"}
          Findings about one image have its position in 'image'; those about two entities have the other one in 'twin'.
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
    let checker = try linkChecker(of: arguments, catalogue)
    let file = try arguments[MatchCommand.report].map(ReportFile.init)
    let findings: [CatalogueDoctor.Finding]
    do {
      findings = try await Self.findings(
        in: catalogue, links: try await broken(checker, on: console), reportedTo: file,
        on: console)
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
    if !arguments[json], let null = catalogue.null {
      try console.output.writeLine("own images: \(OwnImagesText(null).text)")
    }
    if findings.isEmpty && !arguments[json] {
      try console.output.writeLine(
        "\(DisplayText.count(catalogue.entityCount, "entity", "entities")) checked; no problems found."
      )
    }
    return findings.isEmpty ? .success : .failure
  }

  private static func linkChecker(
    of arguments: ParsedArguments, _ catalogue: Catalogue
  ) throws -> LinkChecker? {
    let hosts = arguments[allowHost]
    guard arguments[checkLinks] == !hosts.isEmpty else {
      throw CommandFailure(
        .usage,
        hosts.isEmpty
          ? "--check-links requires --allow-host HOST: the hosts that are asked"
          : "--allow-host requires --check-links: no link is checked without it")
    }
    if hosts.isEmpty { return nil }
    var policy = FetchPolicy(hosts, byteLimit: 2_000_000, timeLimit: .seconds(10))
    policy.privateAddresses = arguments[IndexCommand.allowPrivateAddress]
    policy.authorityFile = arguments[IndexCommand.caFile]
    return LinkChecker(catalogue: catalogue, policy: policy, limit: arguments[maxLinks])
  }

  /// Returns the broken links, and reports how many were checked.
  private static func broken(
    _ checker: LinkChecker?, on console: Console
  ) async throws -> [CatalogueDoctor.Finding] {
    guard let checker else { return [] }
    let line = ProgressLine("checking links", on: console.diagnostics)
    let result = try await checker.check { line.update(done: $0, total: $1, refused: 0) }
    line.finish()
    let unknown =
      result.unknown > 0
      ? "; \(result.unknown) could not be checked, since their hosts are not allowed or did not tell"
      : ""
    let omitted = result.omitted > 0 ? "; \(result.omitted) left out (--max-links)" : ""
    console.diagnostics.note(
      "\(DisplayText.count(result.checked, "link", "links")) checked, \(result.findings.count) lead nowhere\(unknown)\(omitted)"
    )
    return result.findings
  }

  /// Finds what is wrong, and writes the report if one is asked for.
  @concurrent private static func findings(
    in catalogue: Catalogue, links: [CatalogueDoctor.Finding], reportedTo file: ReportFile?,
    on console: Console
  ) async throws -> [CatalogueDoctor.Finding] {
    let findings = (try await CatalogueDoctor(catalogue: catalogue).findings() + links).sorted {
      ($0.id, $0.kind.rawValue, $0.detail) < ($1.id, $1.kind.rawValue, $1.detail)
    }
    if catalogue.imageCount > CatalogueDoctor.standardPictureLimit {
      console.diagnostics.note(
        "\(CatalogueDoctor.standardPictureLimit) of \(catalogue.imageCount) images were looked at for text and collages"
      )
    }
    if let file {
      let source = ReportSource(catalogue: catalogue, pool: WorkerPool())
      try file.write(try await DoctorPage.page(of: findings, source))
    }
    return findings
  }
}
