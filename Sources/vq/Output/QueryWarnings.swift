import VisualQuery

/// Warnings of lines in a file of queries.
enum QueryWarnings {
  /// Returns one sentence for each reason: `line 2 and 3 further lines: …`.
  static func sentences(_ warnings: [EvaluationError]) -> [String] {
    Dictionary(grouping: warnings, by: \.message).sorted {
      ($0.value[0].line, $0.key) < ($1.value[0].line, $1.key)
    }.map { message, lines in
      let others = DisplayText.count(lines.count - 1, "further line", "further lines")
      return "line \(lines[0].line)\(lines.count > 1 ? " and \(others)" : ""): \(message)"
    }
  }
}
