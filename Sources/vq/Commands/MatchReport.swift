import PixelMatch
import VisualQuery

/// Writes answers as JSON Lines, as CSV or as tables.
struct MatchReport {
  /// The form of answers.
  enum Form: Sendable, CaseIterable { case table, json, csv }

  let catalogue: Catalogue
  let options: MatchOptions
  let console: Console
  let form: Form
  /// True if the evidence of each match is shown.
  let isExplained: Bool
  /// True if each table begins with the name of its image.
  let isNamed: Bool

  /// Writes the lines before the first answer.
  func begin() throws {
    if form == .csv { try console.output.write(MatchTable.heading) }
  }

  /// Writes one answer and flushes it, since a reader may be waiting.
  func write(_ answer: PictureSearch.Answer) throws {
    switch answer.result {
    case .success(let response):
      if let damage = answer.damage {
        console.diagnostics.warning(
          "'\(answer.query)' is damaged and was searched with its intact part: \(damage.message)")
      }
      if let notice = notice(response, of: answer.query) { console.diagnostics.warning(notice) }
      if let profile = answer.profile, let reason = profile.reasonIgnored {
        console.diagnostics.warning(
          "the colors of '\(FileName.readable(answer.query))' are taken for sRGB: "
            + "\(profile.name): \(reason)")
      }
      switch form {
      case .json:
        try console.output.writeJSON(
          MatchDocument(
            response, query: FileName.readable(answer.query), elapsed: answer.elapsed,
            profile: answer.profile, damage: answer.damage, projection: answer.projection))
      case .csv: try console.output.write(MatchTable.rows(response, of: answer.query))
      case .table:
        try console.output.write(text(response, of: answer.query, hasPicture: answer.hasPicture))
      }
      if let times = answer.times { try write(times, of: answer.query) }
    case .failure(let error):
      console.diagnostics.error(error.sentence(about: answer.query))
      switch form {
      case .json:
        try console.output.writeJSON(
          PictureErrorDocument(
            schema: "vq.match/1", query: FileName.readable(answer.query), error))
      case .csv: try console.output.write(MatchTable.row(error, of: answer.query))
      case .table: break
      }
    }
    try console.output.flush()
  }

  /// Writes where the time of a query went: beneath its table, or on standard error if standard output is for programs.
  private func write(_ times: StepTimes, of query: String) throws {
    let isTable = form == .table
    var lines = isNamed && !isTable ? ["\(DisplayText.escaped(query)):"] : []
    lines += times.lines(width: console.width, usesColor: isTable && console.usesColor)
    if isNamed && isTable { lines.append("") }
    let text = lines.joined(separator: "\n") + "\n"
    if isTable { try console.output.write(text) } else { console.diagnostics.write(text) }
  }

  /// Returns whether only labels agree, and the cut-off for images was not applied for that reason.
  private func isByLabels(_ response: MatchResponse) -> Bool {
    !response.matches.isEmpty && response.matches.allSatisfy { $0.tier == .label }
      && options.minimumConfidence == nil
      && response.minimumConfidence < Calibration.defaultCutOff
  }

  private static func note(_ link: String, _ display: DisplayRepresentation) -> String {
    link + (display.image.map { "  " + $0 } ?? "")
  }

  private func text(
    _ response: MatchResponse, of query: String, hasPicture: Bool
  ) -> String {
    var lines = isNamed ? ["\(DisplayText.escaped(query)):"] : []
    lines += table(response).lines(on: console)
    if isExplained {
      for match in response.matches {
        lines += ["", "#\(match.rank) \(title(match))"] + terms(match)
      }
    }
    if !response.possible.isEmpty {
      if isExplained, !response.matches.isEmpty { lines.append("") }
      lines.append(UnsureText.heading(response.possible.count) + ":")
      lines += unsure(response.possible, mark: UnsureText.mark).lines(on: console)
      if isExplained {
        for match in response.possible { lines += ["", "? \(title(match))"] + terms(match) }
      }
    }
    if !response.siblings.isEmpty {
      lines.append(SiblingText.heading + ":")
      lines += unsure(response.siblings, mark: SiblingText.mark).lines(on: console)
      if isExplained {
        for match in response.siblings {
          lines += ["", "\(SiblingText.mark) \(title(match))"] + terms(match)
        }
      }
    }
    if let similar = response.similar, !similar.isEmpty {
      if isExplained, lines.count > (isNamed ? 1 : 0) { lines.append("") }
      lines.append(SimilarText.heading + ":")
      lines += unsure(similar, mark: SimilarText.mark).lines(on: console)
      if isExplained {
        for match in similar { lines += ["", "~ \(title(match))"] + terms(match) }
      }
    }
    if isExplained { lines.append("") }
    lines += feedback(response)
    lines.append(summary(response, hasPicture: hasPicture).text)
    if isByLabels(response) {
      let cutOff = DisplayText.confidence(Calibration.defaultCutOff)
      lines.append(
        "Only labels agree, which is weak evidence; the cut-off of \(cutOff) applies to images only."
      )
    }
    if isNamed { lines.append("") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Writes the matches of a list in which nothing is sure.
  private func unsure(_ matches: [Match], mark: String) -> AnswerTable {
    var table = AnswerTable()
    for match in matches {
      table.append(
        mark, match.confidence, tier: match.tier.rawValue,
        type: match.value.id.type.rawValue, name: Self.name(match.display),
        note: Self.note(match.handoff.url ?? match.value.id.description, match.display))
    }
    return table
  }

  private func table(_ response: MatchResponse) -> AnswerTable {
    var table = AnswerTable()
    for match in response.matches {
      table.append(
        "\(match.rank)", match.confidence, tier: match.tier.rawValue,
        type: match.value.id.type.rawValue, name: Self.name(match.display),
        note: match.handoff.url ?? match.value.id.description)
      for variant in match.variants {
        table.append(
          "", variant.confidence, tier: "", type: "", name: "  also: " + Self.name(variant.display),
          note: variant.handoff.url ?? variant.value.id.description)
      }
    }
    return table
  }

  /// Reports that the deadline passed, and how much was searched before it.
  private func notice(_ response: MatchResponse, of query: String) -> String? {
    guard let coverage = response.imageCoverage, let timeout = options.timeout else { return nil }
    let subject = isNamed ? "'\(query)': " : ""
    let passed = "\(subject)the deadline of \(Int(timeout / .milliseconds(1))) ms passed: "
    if response.emptyReason == .filterTimedOut { return passed + "no filter was applied" }
    if coverage.searched == coverage.total {
      return passed + "all images were searched, but the best were not compared in detail"
    }
    return passed + "\(coverage.searched) of \(coverage.total) images were searched"
  }

  /// Returns the lines about the effects of statements about the query.
  private func feedback(_ response: MatchResponse) -> [String] {
    guard isExplained, let effects = response.diagnostics.feedback else { return [] }
    func line(_ effect: FeedbackEffects.Effect, _ what: String) -> String {
      "\(DisplayText.escaped(effect.id.description)) \(what) (vq feedback list: statement \(effect.statement))"
    }
    return effects.pinned.map { line($0, "comes first: somebody said that the query means it") }
      + effects.suppressed.map {
        line($0, "is left out: somebody said that the query does not mean it")
      }
      + [""]
  }

  private func title(_ match: Match) -> String {
    DisplayText.escaped(match.value.id.description)
      + (match.matchedImage.map { " by \(DisplayText.escaped($0))" } ?? "")
  }

  private func terms(_ match: Match) -> [String] {
    var lines = EvidenceTable.lines(match.evidence, on: console)
    lines += EvidenceTable.lines(match.words)
    if let rule = match.rule {
      lines.append("moved by the rule '\(DisplayText.escaped(rule))' (vq rules)")
    }
    if let alignment = match.alignment {
      let box = alignment.region.map(EvidenceTable.decimal).joined(separator: ",")
      lines.append(
        "covers \(box) of the query" + (alignment.isMirrored ? ", mirrored" : ""))
    }
    return lines
  }

  private func summary(_ response: MatchResponse, hasPicture: Bool) -> AnswerSummary {
    AnswerSummary(
      matchCount: response.matches.count, cutOff: response.minimumConfidence,
      isComplete: response.isComplete, coverage: response.coverage,
      emptyReason: response.emptyReason, hasPicture: hasPicture,
      products: catalogue.entityCount(of: .product), stores: catalogue.entityCount(of: .store),
      isFiltered: !options.filters.values.allSatisfy(\.isEmpty))
  }

  /// The title with the subtitle, which distinguishes variants with the same title.
  private static func name(_ display: DisplayRepresentation) -> String {
    display.title + (display.subtitle.map { " (\($0))" } ?? "")
  }
}
