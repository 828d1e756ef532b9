import VisualQuery

/// The report of `vq match`: each image with what was found in it.
struct MatchPage {
  /// The most images that are shown with their matches.
  static let queryLimit = 100

  /// A query and its answer.
  struct Query: Sendable {
    let name: String
    /// The reduced image, or `nil` if there is none.
    let jpeg: [UInt8]?
    let response: MatchResponse?
    /// The reason why the image has no answer.
    let failure: String?
    /// The time of each step, if it was measured.
    var times: StepTimes?
  }

  private let source: ReportSource
  private var pictures = ReportPictures()
  private var sections: [HTML] = []
  /// The number of further images.
  private let omitted: Int

  /// Makes a page.
  ///
  /// - Parameter omitted: The number of images beyond the limit.
  init(source: ReportSource, omitted: Int) { (self.source, self.omitted) = (source, omitted) }

  /// Adds a query.
  mutating func add(_ query: Query) async throws {
    var parts: [HTML] = []
    if let failure = query.failure {
      parts.append(HTML("p", ["class": "problem"], [HTML(text: failure)]))
    }
    let picture = query.jpeg.flatMap { pictures.add($0, name: query.name) }
    if let response = query.response {
      // Without a match, the image is drawn beside each entity that it may show.
      if let picture, !response.matches.isEmpty || (response.possible + response.siblings).isEmpty {
        parts.append(overview(of: picture, response))
      }
      parts.append(HTML("p", [HTML(text: Self.summary(response))]))
      var cards: [HTML] = []
      for match in response.matches { cards.append(try await card(match, picture)) }
      if !cards.isEmpty { parts.append(HTML("ol", ["class": "cards"], cards)) }
      if !response.possible.isEmpty {
        parts.append(HTML("p", [HTML(text: UnsureText.title(response.possible.count) + ":")]))
        var cards: [HTML] = []
        for match in response.possible {
          cards.append(try await card(match, picture, mark: UnsureText.mark))
        }
        parts.append(HTML("ol", ["class": "cards"], cards))
      }
      if !response.siblings.isEmpty {
        parts.append(HTML("p", [HTML(text: SiblingText.heading + ":")]))
        var cards: [HTML] = []
        for match in response.siblings {
          cards.append(try await card(match, picture, mark: SiblingText.mark))
        }
        parts.append(HTML("ol", ["class": "cards"], cards))
      }
      if let similar = response.similar, !similar.isEmpty {
        parts.append(HTML("p", [HTML(text: SimilarText.heading + ":")]))
        var cards: [HTML] = []
        for match in similar { cards.append(try await card(match, nil, mark: SimilarText.mark)) }
        parts.append(HTML("ol", ["class": "cards"], cards))
      }
    }
    if let times = query.times { parts.append(ReportParts.times(times)) }
    sections.append(ReportParts.section(query.name, parts))
  }

  /// The page of all queries.
  var page: ReportPage {
    var notes: [HTML] = [
      "Index generation \(source.catalogue.generation), \(DisplayText.count(source.catalogue.entityCount, "entity", "entities"))."
    ]
    if omitted > 0 {
      notes.append(
        "\(DisplayText.count(omitted, "further image", "further images")) left out: a report shows up to \(Self.queryLimit)."
      )
    }
    return ReportPage(title: "vq match", notes: notes, pictures: pictures, body: sections)
  }

  private func overview(of picture: ReportPicture, _ response: MatchResponse) -> HTML {
    let outlines = response.matches.compactMap { match in
      match.alignment.map { ReportDrawing.Outline(number: match.rank, corners: $0.outline) }
    }
    return ReportDrawing.picture(
      picture, outlines,
      label: "\(picture.name), with the outlines of \(outlines.count) matches")
  }

  private static func summary(_ response: MatchResponse) -> String {
    let cutOff = DisplayText.confidence(response.minimumConfidence)
    guard response.isComplete else {
      return
        "The deadline passed when \(ReportNumber.percent(response.coverage)) of the work was done."
    }
    let count = response.matches.count
    if count > 0 {
      return DisplayText.count(count, "match", "matches") + " above confidence \(cutOff)."
    }
    return switch response.emptyReason {
    case .emptyCatalogue: "No match: the catalogue is empty."
    case .noImages: "No match: the catalogue has no images to compare with."
    case .filteredOut: "No match: the filters exclude every entity."
    case .noUsableSignal: "No match: the image is blank and no label is known."
    case .filterTimedOut, .deadlinePassed, .nothingAboveConfidence, nil:
      "No match above confidence \(cutOff)."
    }
  }

  private mutating func card(
    _ match: Match, _ query: ReportPicture?, mark: String? = nil
  ) async throws -> HTML {
    let jpeg = try await source.picture(of: match.value.id, at: match.matchedImagePosition ?? 0)
    return card(
      Card(
        number: mark ?? "\(match.rank)", display: match.display,
        url: match.handoff.url,
        confidence: match.confidence,
        remark: (match.stocks.map { "has \($0.value) in stock" } ?? match.tier.words.english)
          + (match.rule.map { ", moved by the rule '\($0)'" } ?? ""),
        isByStock: match.stocks != nil, alignment: match.alignment, evidence: match.evidence,
        words: match.words),
      jpeg, query)
  }

  private struct Card {
    let number: String
    let display: DisplayRepresentation
    let url: String?
    let confidence: Double
    let remark: String
    var isByStock = false
    let alignment: MatchAlignment?
    let evidence: [Evidence]
    let words: [ReadWord]
  }

  private mutating func card(_ card: Card, _ jpeg: [UInt8]?, _ query: ReportPicture?) -> HTML {
    let title = card.display.title
    var parts = [
      HTML("h3", [HTML("span", ["class": "rank"], [HTML(text: card.number)]), .name(title)])
    ]
    if let subtitle = card.display.subtitle {
      parts.append(HTML("p", ["class": "soft"], [.name(subtitle)]))
    }
    parts.append(
      HTML(
        "p",
        [
          HTML("strong", [HTML(text: DisplayText.confidence(card.confidence))]),
          HTML("span", ["class": "tag"], [HTML(text: card.remark)]),
        ]))
    if let image = pictures.add(jpeg, name: title) {
      // A store that is listed because it stocks a product is not in the image.
      if let query, !card.isByStock {
        parts.append(
          ReportDrawing.pair(
            query, image, card.alignment, words: card.words,
            label: "\(query.name) beside the image of \(title)"))
        parts.append(HTML("p", ["class": "soft"], [ReportDrawing.caption(card.alignment)]))
      } else {
        parts.append(ReportDrawing.thumbnail(image))
      }
    }
    if let url = card.url { parts.append(HTML("p", [.link(url)])) }
    parts += ReportParts.words(card.words)
    parts.append(ReportParts.evidence(card.evidence))
    return HTML("li", ["class": "card"], parts)
  }
}
