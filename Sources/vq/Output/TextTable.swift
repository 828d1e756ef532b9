/// A table with columns that are fitted to the width of a terminal.
///
/// Every text is escaped, so that a malicious title can neither move the cursor nor end a line. A
/// row may have a note, such as its link, which is written on a line of its own without being cut:
/// a cut link cannot be opened, and a link rarely fits beside a title in 80 columns.
struct TextTable: Sendable {
  /// The layout of a column.
  struct Column: Sendable {
    /// The side to which the text is aligned.
    enum Alignment: Sendable, CaseIterable { case left, right }

    /// The heading.
    let title: String
    /// The side to which the text is aligned.
    let alignment: Alignment
    /// The width below which other columns are narrowed first.
    let minimumWidth: Int

    /// Makes a column; one without a minimum keeps its width while others can be narrowed.
    init(_ title: String, _ alignment: Alignment = .left, minimumWidth: Int = .max) {
      self.title = DisplayText.escaped(title)
      self.alignment = alignment
      self.minimumWidth = minimumWidth
    }
  }

  /// The columns, from left to right.
  let columns: [Column]
  private var rows: [(cells: [String], note: String?)] = []

  init(columns: [Column]) { self.columns = columns }

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - cells: One text for each column.
  ///   - note: The text on a separate line below the row.
  mutating func append(_ cells: [String], note: String? = nil) {
    precondition(cells.count == columns.count, "a row has one cell for each column")
    rows.append((cells.map(DisplayText.escaped), note.map(DisplayText.escaped)))
  }

  /// Returns the lines of the table, none but notes wider than `width`, none with spaces at its end.
  ///
  /// - Parameters:
  ///   - usesColor: True if the headings are bold.
  ///   - linksNotes: True if web addresses in notes can be clicked.
  ///   Narrows the widest column that is above its minimum; then the widest of all.
  func lines(width: Int, usesColor: Bool = false, linksNotes: Bool = false) -> [String] {
    let widths = fittedWidths(to: width)
    let heading = line(columns.map(\.title), widths: widths, limit: width)
    var lines = [usesColor ? ANSI.bold(heading) : heading]
    let indentation = min(4, max(0, width - 1))
    for row in rows {
      lines.append(line(row.cells, widths: widths, limit: width))
      if let note = row.note, !note.isEmpty {
        lines.append(
          String(repeating: " ", count: indentation) + (linksNotes ? ANSI.linked(note) : note))
      }
    }
    return lines
  }

  private func line(_ cells: [String], widths: [Int], limit: Int) -> String {
    let fitted = cells.indices.map { index in
      let text = DisplayText.truncated(cells[index], to: widths[index])
      let space = String(repeating: " ", count: widths[index] - DisplayText.width(text))
      return columns[index].alignment == .left ? text + space : space + text
    }
    let joined = fitted.joined(separator: "  ")
    let end = joined.lastIndex { $0 != " " }
    return DisplayText.truncated(end.map { String(joined[...$0]) } ?? "", to: limit)
  }

  /// Narrows to the next widest column in one step, so that a title of a megabyte costs no more.
  private func fittedWidths(to limit: Int) -> [Int] {
    var widths = columns.indices.map { index in
      rows.reduce(DisplayText.width(columns[index].title)) {
        max($0, DisplayText.width($1.cells[index]))
      }
    }
    let gaps = 2 * (columns.count - 1)
    for minimum in [{ (index: Int) in columns[index].minimumWidth }, { _ in 1 }] {
      while widths.reduce(gaps, +) > limit,
        let widest = widths.indices.filter({ widths[$0] > minimum($0) })
          .max(by: { widths[$0] < widths[$1] })
      {
        let others = widths.indices.filter { $0 != widest && widths[$0] > minimum($0) }
          .map { widths[$0] }.max()
        let excess = widths.reduce(gaps, +) - limit
        // Narrows the widest column, at most to the width of the next one, until the table
        // fits.
        let step = max(1, widths[widest] - max(others ?? 0, minimum(widest)))
        widths[widest] -= min(step, excess)
      }
    }
    return widths
  }
}

/// Moves to the beginning of the line and clears it.
enum ANSI {
  /// Goes to the beginning of the line and clears it.
  static let eraseLine = "\r\u{1B}[K"

  /// Returns a text whose first word can be clicked if it is a web address: an OSC 8 sequence
  /// (<https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda>).
  ///
  /// - Parameter text: An escaped text, in which no sequence can end.
  static func linked(_ text: String) -> String {
    let word = text.prefix { $0 != " " }
    guard word.hasPrefix("https://") || word.hasPrefix("http://"),
      word.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return text }
    return "\u{1B}]8;;\(word)\u{1B}\\\(word)\u{1B}]8;;\u{1B}\\" + text.dropFirst(word.count)
  }

  static func bold(_ text: String) -> String { "\u{1B}[1m\(text)\u{1B}[0m" }
  static func red(_ text: String) -> String { "\u{1B}[1;31m\(text)\u{1B}[0m" }
  static func yellow(_ text: String) -> String { "\u{1B}[1;33m\(text)\u{1B}[0m" }
}
