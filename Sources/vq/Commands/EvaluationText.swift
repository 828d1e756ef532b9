import VisualQuery

/// The figures of an evaluation as text.
struct EvaluationText {
  let report: EvaluationReport
  let console: Console

  /// All figures.
  var text: String {
    var parts = [figures]
    if report.byEdit.count > 1 { parts.append(byEdit) }
    parts.append(reliability)
    if !report.worst.isEmpty { parts.append(worst) }
    return parts.joined(separator: "\n")
  }

  /// The main figures, one per line.
  var figures: String {
    var lines = [
      "\(report.recall?.queries ?? 0) queries with a correct entity, \(report.negatives) without",
      "",
      figure("recall@1", report.recall?.at1), figure("recall@5", report.recall?.at5),
      figure("mean reciprocal rank", report.meanReciprocalRank),
      figure(
        "correct above the cut-off of \(DisplayText.confidence(report.cutOff))", report.shownRight),
      figure("wrong above the cut-off", report.shownWrong),
    ]
    if let empty = report.negativesEmpty {
      lines.append(figure("no match if none is correct", empty))
    }
    if let recall = report.recallAt1PercentFalse {
      lines.append(figure("recall@1 at 1 % false positives", recall))
    }
    if let recall = report.recallAt01PercentFalse {
      lines.append(figure("recall@1 at 0.1 % false positives", recall))
    }
    let lists = report.lists
    lines.append(figure("correct above the cut-off or listed", lists.shownOrListed))
    if let right = lists.right {
      lines.append(figure("lists with the correct one, of \(lists.given)", right))
      lines.append(figure("mean length of these lists", lists.meanLength))
    }
    if let given = lists.givenIfNoneIsRight {
      lines.append(figure("lists if none is correct", given))
    }
    lines.append(figure("expected calibration error", report.calibrationError))
    return lines.joined(separator: "\n") + "\n"
  }

  private var byEdit: String {
    var table = TextTable(columns: [
      .init("EDIT", minimumWidth: 8), .init("QUERIES", .right), .init("RECALL@1", .right),
      .init("RECALL@5", .right),
    ])
    for (edit, recall) in report.byEdit {
      table.append([edit, "\(recall.queries)", Self.share(recall.at1), Self.share(recall.at5)])
    }
    return lines(of: table)
  }

  private var reliability: String {
    var table = TextTable(columns: [
      .init("CONFIDENCE"), .init("ANSWERS", .right), .init("MEAN", .right),
      .init("CORRECT", .right),
    ])
    for bin in report.reliability {
      table.append([
        "\(bin.from)–\(rounded(bin.from + 0.1))", "\(bin.answers)", Self.share(bin.confidence),
        Self.share(bin.right),
      ])
    }
    return lines(of: table)
  }

  private var worst: String {
    var table = TextTable(columns: [
      .init("WORST MISSES", minimumWidth: 12), .init("LOST AT"), .init("EXPECTED", minimumWidth: 8),
      .init("FOUND", minimumWidth: 8), .init("CONFIDENCE", .right),
    ])
    for miss in report.worst {
      table.append([
        miss.query, miss.missReason.rawValue, miss.truth.joined(separator: " "), miss.first ?? "",
        miss.confidence.map(DisplayText.confidence) ?? "",
      ])
    }
    return lines(of: table)
  }

  private func lines(of table: TextTable) -> String {
    table.lines(width: console.width, usesColor: console.usesColor).joined(separator: "\n") + "\n"
  }

  private func figure(_ name: String, _ value: Double?) -> String {
    name + String(repeating: " ", count: max(1, 40 - name.count)) + Self.share(value)
  }

  private func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }

  /// A number with three decimals, or a dash if it is undefined.
  static func share(_ value: Double?) -> String {
    guard let value else { return "–" }
    let thousandths = "\(Int((value * 1000).rounded()))"
    let digits = String(repeating: "0", count: max(0, 4 - thousandths.count)) + thousandths
    return digits.dropLast(3) + "." + digits.suffix(3)
  }
}
