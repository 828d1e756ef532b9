import VisualQuery

/// A table of the evidence behind a confidence.
enum EvidenceTable {
  /// One line per term: its name, the measured value, and its contribution to the log-odds.
  static func lines(_ evidence: [Evidence], on console: Console) -> [String] {
    var table = TextTable(columns: [
      .init("TERM"), .init("MEASURED", .right), .init("ADDS", .right), .init("MEANING"),
    ])
    for term in evidence {
      table.append([
        term.kind.rawValue, decimal(term.value),
        (term.weight >= 0 ? "+" : "") + decimal(term.weight), term.kind.meaning,
      ])
    }
    let sum = evidence.reduce(0) { $0 + $1.weight }
    table.append(["log-odds", "", (sum >= 0 ? "+" : "") + decimal(sum), "the sum of all terms"])
    return table.lines(width: console.width, usesColor: console.usesColor)
  }

  /// Returns the lines about the words that were read: those that the entity has, and those that only others have.
  static func lines(_ words: [ReadWord]) -> [String] {
    func line(_ words: [ReadWord], _ start: String) -> [String] {
      words.isEmpty
        ? [] : [start + words.map { DisplayText.escaped($0.text) }.joined(separator: ", ")]
    }
    return line(words.filter(\.agrees), "read, and its own: ")
      + line(words.filter { !$0.agrees }, "read, but only others': ")
  }

  /// A number with two decimals.
  static func decimal(_ value: Double) -> String {
    let hundredths = Int((abs(value) * 100).rounded())
    let digits = "\(hundredths % 100)"
    let sign = value < 0 && hundredths > 0 ? "-" : ""
    return sign + "\(hundredths / 100)." + (digits.count == 1 ? "0" : "") + digits
  }
}
