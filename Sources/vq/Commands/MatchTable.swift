import PixelMatch
import VisualQuery

/// Answers as CSV (RFC 4180, with line feeds): one row for each match, and one for an image without a match.
/// Entities that an image may show though they are not sure have rows without a rank, with the reason `possible`, those that show the same
/// thing in another color with the reason `sibling`, and those of the same kind with the reason `similar`.
///
/// Cells that a spreadsheet would take for a formula begin with an apostrophe.
enum MatchTable {
  private static let columns = [
    "query", "rank", "type", "id", "title", "subtitle", "confidence", "tier", "url", "reason",
  ]

  /// The line with the names of the columns.
  static var heading: String { line(columns) }

  /// Returns the rows of an answer: the matches or, without a match, one row with the reason; then what is possible, siblings, and what is similar.
  static func rows(_ response: MatchResponse, of query: String) -> String {
    let query = FileName.readable(query)
    func row(_ match: Match, rank: String, reason: String) -> String {
      line([
        query, rank, match.value.id.type.rawValue, match.value.id.value,
        match.display.title, match.display.subtitle ?? "",
        DisplayText.confidence(match.confidence), match.tier.rawValue, match.handoff.url ?? "",
        reason,
      ])
    }
    var rows = response.matches.map { row($0, rank: "\($0.rank)", reason: "") }
    if rows.isEmpty {
      let reason = response.emptyReason?.rawValue ?? ""
      rows.append(line([query] + Array(repeating: "", count: columns.count - 2) + [reason]))
    }
    rows += response.possible.map { row($0, rank: "", reason: "possible") }
    rows += response.siblings.map { row($0, rank: "", reason: "sibling") }
    rows += (response.similar ?? []).map { row($0, rank: "", reason: "similar") }
    return rows.joined()
  }

  /// Returns the row of an image that could not be searched, with the code of the error.
  static func row(_ failure: PictureFailure, of query: String) -> String {
    line(
      [FileName.readable(query)] + Array(repeating: "", count: columns.count - 2) + [failure.code])
  }

  /// Returns a line. A field with a comma, a quote or the end of a line is quoted.
  private static func line(_ fields: [String]) -> String {
    fields.map(inert).map { field in
      field.unicodeScalars.contains { [",", "\"", "\n", "\r"].contains($0) }
        ? "\"" + field.replacing("\"", with: "\"\"") + "\"" : field
    }.joined(separator: ",") + "\n"
  }

  /// The first characters of what spreadsheets take for a formula, also as wide characters.
  private static let formulaStarts: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
  ]

  /// Returns a text in which an apostrophe is before each formula.
  ///
  /// A formula begins at the start of the cell, maybe behind blanks. A spreadsheet that expects semicolons or tabs between
  /// cells also begins a cell behind those, and behind the end of a line, whatever is quoted.
  private static func inert(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var isStart = true
    for (index, scalar) in text.unicodeScalars.enumerated() {
      let isBreak = [";", "\t", "\n", "\r"].contains(scalar)
      if isStart && formulaStarts.contains(scalar) || index == 0 && isBreak && scalar != ";" {
        result.append("'")
      }
      result.append(scalar)
      isStart = isBreak || isStart && (scalar == "\"" || scalar.properties.isWhitespace)
    }
    return String(result)
  }
}
