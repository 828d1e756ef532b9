import PixelMatch
import VisualQuery

/// Writes answers as JSON Lines or as tables.
struct MatchReport {
  let catalogue: Catalogue
  let options: MatchOptions
  let console: Console
  let isJSON: Bool
  /// Whether the evidence of each match is shown.
  let isExplained: Bool
  /// Whether each table begins with the name of its image.
  let isNamed: Bool

  /// Writes one answer and flushes it, since a reader may be waiting.
  func write(_ answer: PictureSearch.Answer) throws {
    switch answer.result {
    case .success(let response):
      if let damage = answer.damage {
        console.diagnostics.warning(
          "'\(answer.query)' is damaged and was searched with its intact part: \(damage.message)")
      }
      if let profile = answer.profile, let reason = profile.reasonIgnored {
        console.diagnostics.warning(
          "the colors of '\(answer.query)' are taken for sRGB: \(profile.name): \(reason)")
      }
      if isJSON {
        try console.output.writeJSON(
          MatchDocument(
            response, query: answer.query, elapsed: answer.elapsed, profile: answer.profile))
      } else {
        try console.output.write(text(response, of: answer.query))
      }
    case .failure(let error):
      console.diagnostics.error(error.sentence(about: answer.query))
      if isJSON {
        try console.output.writeJSON(
          PictureErrorDocument(schema: "vq.match/1", query: answer.query, error))
      }
    }
    try console.output.flush()
  }

  private func text(_ response: MatchResponse, of query: String) -> String {
    var lines = isNamed ? ["\(DisplayText.escaped(query)):"] : []
    if !response.matches.isEmpty {
      var table = TextTable(columns: [
        .init("#", .right), .init("CONFIDENCE", .right), .init("TIER"), .init("TYPE"),
        .init("TITLE", minimumWidth: 12),
      ])
      for match in response.matches {
        table.append(
          [
            "\(match.rank)", DisplayText.confidence(match.confidence), match.tier.rawValue,
            match.value.id.type.rawValue, Self.name(match.display),
          ], note: match.handoff.url ?? match.value.id.description)
      }
      lines += table.lines(width: console.width, usesColor: console.usesColor)
    }
    if isExplained {
      for match in response.matches {
        lines += ["", "#\(match.rank) \(title(match))"] + terms(match)
      }
      lines.append("")
    }
    lines.append(summary(response))
    if isNamed { lines.append("") }
    return lines.joined(separator: "\n") + "\n"
  }

  private func title(_ match: Match) -> String {
    DisplayText.escaped(match.value.id.description)
      + (match.matchedImage.map { " by \(DisplayText.escaped($0))" } ?? "")
  }

  private func terms(_ match: Match) -> [String] {
    var lines = EvidenceTable.lines(match.evidence, on: console)
    if let alignment = match.alignment {
      let box = alignment.region.map(EvidenceTable.decimal).joined(separator: ",")
      lines.append(
        "covers \(box) of the query" + (alignment.isMirrored ? ", mirrored" : ""))
    }
    return lines
  }

  /// A sentence with the number of matches, or the best candidate, and the share that was searched.
  private func summary(_ response: MatchResponse) -> String {
    let count = response.matches.count
    let cutOff =
      response.minimumConfidence > 0
      ? " above confidence \(DisplayText.confidence(response.minimumConfidence))" : ""
    let found =
      count == 0
      ? emptySentence(response)
      : DisplayText.count(count, "match", "matches") + cutOff + ";"
    let products = DisplayText.count(
      catalogue.entityCount(of: .product), "product", "products")
    let stores = DisplayText.count(catalogue.entityCount(of: .store), "store", "stores")
    if response.isComplete {
      return count == 0 ? found : "\(found) all \(products) and \(stores) were compared."
    }
    let share = Int(100 * response.coverage)
    let the = count == 0 ? "The" : "the"
    return "\(found) \(the) deadline passed when \(share) % of the work was done."
  }

  private func emptySentence(_ response: MatchResponse) -> String {
    let closest = response.nearMiss.map {
      " The closest was \(DisplayText.escaped($0.id.value)) at \(DisplayText.confidence($0.confidence))."
    }
    return switch response.emptyReason {
    case .emptyCatalogue: "No match: the catalogue is empty."
    case .filteredOut: "No match: the filters exclude every entity."
    case .filterTimedOut: "No match: the deadline passed before the filters were applied."
    case .deadlinePassed: "No match: the deadline passed before the image was decoded."
    case .noUsableSignal: "No match: the image is blank and no label is known."
    case .nothingAboveConfidence, nil:
      response.minimumConfidence == 0
        ? "No match: no entity has any of the labels."
        : "No match above confidence \(DisplayText.confidence(response.minimumConfidence))."
          + (closest ?? "")
    }
  }

  /// The title with the subtitle, which distinguishes variants with the same title.
  private static func name(_ display: DisplayRepresentation) -> String {
    display.title + (display.subtitle.map { " (\($0))" } ?? "")
  }
}
