import VisualQuery

/// The terms behind a confidence, for people.
enum EvidenceTable {
  /// A line a term: what it is, what was measured, and what that adds to the log-odds.
  static func lines(_ evidence: [Evidence], on console: Console) -> [String] {
    var table = TextTable(columns: [
      .init("TERM"), .init("MEASURED", .right), .init("ADDS", .right), .init("MEANING"),
    ])
    for term in evidence {
      table.append([
        term.kind.rawValue, decimal(term.value),
        (term.weight >= 0 ? "+" : "") + decimal(term.weight), meaning(term.kind),
      ])
    }
    let sum = evidence.reduce(0) { $0 + $1.weight }
    table.append(["log-odds", "", (sum >= 0 ? "+" : "") + decimal(sum), "the sum of all terms"])
    return table.lines(width: console.width, usesColor: console.usesColor)
  }

  /// Two places.
  static func decimal(_ value: Double) -> String {
    let hundredths = Int((abs(value) * 100).rounded())
    let digits = "\(hundredths % 100)"
    let sign = value < 0 && hundredths > 0 ? "-" : ""
    return sign + "\(hundredths / 100)." + (digits.count == 1 ? "0" : "") + digits
  }

  private static func meaning(_ kind: Evidence.Kind) -> String {
    switch kind {
    case .prior: "before anything is looked at"
    case .hash: "likeness of the whole picture's hash"
    case .color: "likeness of the colors"
    case .texture: "likeness of the textures"
    case .votes: "corners that look alike"
    case .inliers: "corners that one transform aligns"
    case .agreement: "share of the visible corners that are aligned"
    case .alignedColor: "likeness of the colors at aligned places"
    case .labels: "what the labels that agree say, in bits"
    case .stock: "how surely it stocks what is meant"
    case .lead: "how far ahead of the next best"
    }
  }
}
