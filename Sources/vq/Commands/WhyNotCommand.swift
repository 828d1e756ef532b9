import PixelMatch
import VisualQuery

/// `vq why-not`: shows which stage of a search loses an entity.
enum WhyNotCommand {
  static let expect = Option<String>.word(
    OptionText(
      "expect", "the id of the expected first match",
      detail: "As in the feed; 'store:harbour' if a product has the same id."), "ID")

  static let command = CommandDescription(
    name: "why-not",
    summary: "show which stage of a search loses an entity",
    examples: [
      "vq why-not photo.jpg --expect mug-red --index shop.vq",
      "vq why-not photo.jpg --expect mug-red --labels mug --index shop.vq",
    ],
    operand: OperandDescription(
      placeholder: "IMAGE", count: 1...1,
      summary: "a file such as JPEG, PNG or WebP; '-' for standard input", completion: .files),
    options: [
      MatchCommand.index.description, expect.description, MatchCommand.labels.description,
      MatchCommand.text.description,
      MatchCommand.region.description, MatchCommand.limit.description,
      MatchCommand.products.description, MatchCommand.stores.description,
      MatchCommand.minConfidence.description, MatchCommand.subject.description,
      MatchCommand.type.description, MatchCommand.conditions.description,
      MatchCommand.withLabel.description, MatchCommand.threads.description,
      TextModels.models.description, json.description,
      MatchCommand.report.description, PictureLimits.maxBytes.description,
      PictureLimits.maxPixels.description,
      PictureLimits.formats.description,
      IndexLocation.cache.description,
    ],
    notes: [
      HelpSection(
        title: "Stages",
        text: MissReason.allCases.map { "\($0.rawValue): \($0.meaning)" }.joined(separator: "\n")),
      HelpSection(
        title: "JSON form",
        text: """
          One object. 'stage' is null if the entity is the first match. 'stocks' is the product for \
          which a store is shown; 'confidence' is then that of its own images and labels.
            {"schema":"vq.whyNot/1","query":"photo.jpg","type":"product",
             "id":"mug-red","stage":"belowCutOff","rank":null,"stocks":null,
             "confidence":0.41,"minimumConfidence":0.85,"first":null,
             "evidence":[{"kind":"color","value":0.6,"weight":1.3},…]}
          With models, 'words' has the words that were read and whether they are those of the entity.
          """),
    ],
    exitCodes: [
      .success, .failure, .usage, .undecodablePicture, .unusableIndex, .refusedLogin, .interrupted,
    ],
    run: run)

  static let json = Option<Bool>.flag(OptionText("json", "the answer as one JSON object"))

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let catalogue = try await IndexLocation.catalogue(
      of: arguments[MatchCommand.index], arguments, console)
    var matcher = Matcher(
      catalogue: catalogue, pool: WorkerPool(width: arguments[MatchCommand.threads]))
    matcher.models = try TextModels.open(arguments, for: catalogue, on: console)
    let search = PictureSearch(
      matcher: matcher,
      question: try Question(arguments),
      decoder: ImageDecoder(
        limits: PictureLimits.limits(of: arguments), keepsDamaged: true,
        formats: arguments[PictureLimits.formats]))
    let picture = arguments.operands[0]
    let file = try arguments[MatchCommand.report].map(ReportFile.init)
    do {
      return try await run(search, picture, arguments, file, on: console)
    } catch {
      file?.discard()
      throw error
    }
  }

  @concurrent private static func run(
    _ search: PictureSearch, _ picture: String, _ arguments: ParsedArguments, _ file: ReportFile?,
    on console: Console
  ) async throws -> ExitCode {
    let id = EntityID(operand: arguments[expect])
    try await search.matcher.checkKnown([id], option: "--expect")
    guard search.options.types.contains(id.type) else {
      throw CommandFailure(
        .usage, "--type leaves out \(id.type.rawValue)s, and --expect names one")
    }
    switch try await search.content(of: picture) {
    case .failure(let failure):
      try failure.rethrowCancellation()
      console.diagnostics.error(failure.sentence(about: picture))
      file?.discard()
      return .undecodablePicture
    case .success(let content):
      let diagnosis = try await search.matcher.diagnosis(
        of: id, in: content, options: search.options)
      if arguments[json] {
        try console.output.writeJSON(WhyNotDocument(query: FileName.readable(picture), diagnosis))
      } else {
        try console.output.write(text(diagnosis, arguments, on: console))
      }
      try await file?.write(page(of: diagnosis, arguments, content, search.matcher))
      return .success
    }
  }

  private static func page(
    of diagnosis: Diagnosis, _ arguments: ParsedArguments, _ content: SemanticContent,
    _ matcher: Matcher
  ) async throws -> ReportPage {
    let card = MissCard(
      name: FileName.readable(arguments.operands[0]),
      remark: sentences(about: diagnosis, arguments).joined(separator: " "),
      jpeg: try content.searchedPixels.map(ReportSource.reduced), expected: diagnosis.id,
      diagnosis: diagnosis)
    var pictures = ReportPictures()
    let source = ReportSource(catalogue: matcher.catalogue, pool: matcher.pool)
    let html = try await card.html(source, &pictures, isWhole: true)
    return ReportPage(
      title: "vq why-not",
      notes: ["Index generation \(matcher.catalogue.generation)."], pictures: pictures,
      body: [HTML("ol", ["class": "cards"], [html])])
  }

  private static func text(
    _ diagnosis: Diagnosis, _ arguments: ParsedArguments, on console: Console
  ) -> String {
    var lines = sentences(about: diagnosis, arguments)
    if !diagnosis.evidence.isEmpty {
      lines += [""] + EvidenceTable.lines(diagnosis.evidence, on: console)
      lines += EvidenceTable.lines(diagnosis.sighting?.words ?? [])
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func sentences(
    about diagnosis: Diagnosis, _ arguments: ParsedArguments
  ) -> [String] {
    let name = DisplayText.escaped(diagnosis.id.description)
    var lines: [String] = []
    if let rank = diagnosis.rank, let product = diagnosis.stocks {
      let own = diagnosis.confidence.map { confidence in
        "; its own \(diagnosis.sighting?.imagePosition == nil ? "labels have" : "image has") a confidence of "
          + DisplayText.confidence(confidence)
      }
      lines.append(
        "\(name) is match \(rank), since it stocks \(DisplayText.escaped(product.description))"
          + "\(own ?? "").")
    } else if let reason = diagnosis.missReason {
      let meaning = reason == .filteredOut ? filterMeaning(arguments) : reason.meaning
      let state = diagnosis.rank.map { "is match \($0)" } ?? "was lost"
      lines.append("\(name) \(state): \(reason.rawValue), \(meaning).")
    } else {
      lines.append("\(name) is the first match.")
    }
    if let rule = diagnosis.rule {
      lines.append("The rule '\(DisplayText.escaped(rule))' did that.")
    }
    if diagnosis.stocks == nil, let confidence = diagnosis.confidence {
      lines.append(
        "Its confidence is \(DisplayText.confidence(confidence)); "
          + "the cut-off is \(DisplayText.confidence(diagnosis.minimumConfidence)).")
    }
    if let first = diagnosis.first, first != diagnosis.id {
      lines.append("The first match is \(DisplayText.escaped(first.description)).")
    }
    return lines
  }

  /// Returns which of the filters that were given exclude an entity.
  private static func filterMeaning(_ arguments: ParsedArguments) -> String {
    let given =
      (arguments[MatchCommand.conditions]?.isEmpty == false ? ["--where"] : [])
      + (arguments[MatchCommand.withLabel]?.isEmpty == false ? ["--with-label"] : [])
    return given.count == 1
      ? "the filter excludes it (\(given[0]))" : MissReason.filteredOut.meaning
  }
}

/// The JSON form of a diagnosis, `vq.whyNot/1`.
struct WhyNotDocument: Encodable, Sendable {
  let query: String
  let diagnosis: Diagnosis

  init(query: String, _ diagnosis: Diagnosis) {
    self.query = query
    self.diagnosis = diagnosis
  }

  private enum Key: String, CodingKey {
    case schema, query, type, id, stage, rank, stocks, confidence, minimumConfidence, first
    case evidence, words, rule
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode("vq.whyNot/1", forKey: .schema)
    try container.encode(query, forKey: .query)
    try container.encode(diagnosis.id.type, forKey: .type)
    try container.encode(diagnosis.id.value, forKey: .id)
    try container.encode(diagnosis.missReason, forKey: .stage)
    try container.encode(diagnosis.rank, forKey: .rank)
    try container.encode(diagnosis.stocks?.value, forKey: .stocks)
    try container.encode(diagnosis.confidence, forKey: .confidence)
    try container.encode(diagnosis.minimumConfidence, forKey: .minimumConfidence)
    try container.encode(diagnosis.first?.value, forKey: .first)
    try container.encode(diagnosis.evidence, forKey: .evidence)
    if let words = diagnosis.sighting?.words, !words.isEmpty {
      try container.encode(words, forKey: .words)
    }
    try container.encodeIfPresent(diagnosis.rule, forKey: .rule)
  }
}
