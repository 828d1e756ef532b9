import VisualQuery

/// The table of an answer, of this machine's or of a server.
struct AnswerTable {
  private static let columns = TextTable(columns: [
    .init("#", .right), .init("CONFIDENCE", .right), .init("TIER"), .init("TYPE"),
    .init("TITLE", minimumWidth: 12),
  ])

  private var table = Self.columns
  private var isEmpty = true

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - confidence: The confidence, or `nil` if the entity was not found itself.
  ///   - note: The text beneath the row, such as the link.
  mutating func append(
    _ rank: String, _ confidence: Double?, tier: String, type: String, name: String, note: String
  ) {
    isEmpty = false
    table.append(
      [rank, confidence.map(DisplayText.confidence) ?? "", tier, type, name], note: note)
  }

  /// The lines; none if there is no row.
  func lines(on console: Console) -> [String] {
    isEmpty
      ? []
      : table.lines(
        width: console.width, usesColor: console.usesColor, linksNotes: console.linksTexts)
  }
}

/// The sentence beneath an answer: the number of matches, or why there is none, and the share that was searched.
struct AnswerSummary {
  let matchCount: Int
  /// The cut-off that was applied, or 0 if there was none.
  let cutOff: Double
  let isComplete: Bool
  let coverage: Double
  let emptyReason: MatchResponse.EmptyReason?
  let hasPicture: Bool
  let products: Int
  let stores: Int
  /// True if a filter was applied.
  let isFiltered: Bool

  /// The sentence.
  var text: String {
    let cutOff =
      cutOff > 0 ? " above confidence \(DisplayText.confidence(cutOff))" : ""
    let found =
      matchCount == 0
      ? emptySentence : DisplayText.count(matchCount, "match", "matches") + cutOff + ";"
    if isComplete, isFiltered, matchCount > 0 {
      return "\(found) all that the filters accept were compared."
    }
    let products = DisplayText.count(products, "product", "products")
    let stores = DisplayText.count(stores, "store", "stores")
    if isComplete {
      return matchCount == 0 ? found : "\(found) all \(products) and \(stores) were compared."
    }
    let the = matchCount == 0 ? "The" : "the"
    return "\(found) \(the) deadline passed when \(Int(100 * coverage)) % of the work was done."
  }

  private var emptySentence: String {
    switch emptyReason {
    case .emptyCatalogue: "No match: the catalogue is empty."
    case .noImages: "No match: the catalogue has no images to compare with."
    case .filteredOut: "No match: the filters exclude every entity."
    case .filterTimedOut: "No match: the deadline passed before the filters were applied."
    case .deadlinePassed: "No match was found in time."
    case .noUsableSignal:
      hasPicture
        ? "No match: the image is blank and no label is known."
        : "No match: the catalogue has none of these labels."
    case .nothingAboveConfidence, nil:
      cutOff == 0
        ? "No match: no entity has any of the labels."
        : "No match above confidence \(DisplayText.confidence(cutOff))."
    }
  }
}
