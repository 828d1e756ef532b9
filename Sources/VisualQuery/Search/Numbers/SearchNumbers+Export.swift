#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The export of numbers as JSON Lines, and its import.
extension SearchNumbers {
  /// The form of an export, which its first line has.
  package static let exportForm = "vq.numbers/1"

  /// The first line of an export.
  package static var exportStart: String { #"{"schema":"\#(exportForm)"}"# }

  /// A line of an export.
  fileprivate struct Line: Codable {
    enum Kind: String, Codable {
      case search, action, label, region, excess
    }

    var of: Kind
    var day: String
    var count: Int
    var key: String?
    var language: String?
    var side: String?
    var model: String?
    /// The names of rules, one on a line.
    var rules: String?
    /// The outcome of a search, the action, the label, the place of a region, or what was too much of the day.
    var name: String
    var rank: Int?
  }

  private enum Column: Int, SQLiteColumns { case day, key, name, count }

  /// Calls `body` with the lines of an export: its form, then all sums by day. Which events were counted is not a part of it.
  ///
  /// - Throws: ``CatalogueError``; the errors of `body`.
  package func forEachExportedLine(_ body: (String) throws -> Void) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    func write(_ line: Line) throws {
      try body(String(decoding: try encoder.encode(line), as: UTF8.self))
    }
    try body(Self.exportStart)
    for kind in [Row.Kind.search, .action] {
      let rows = try connection.rows(
        "SELECT \(kind.columns) FROM \(kind.table) ORDER BY day, key", isScan: true
      ) { Row(kind, $0) }
      for row in rows { try write(Line(row)) }
    }
    for (kind, table, columns) in [
      (Line.Kind.label, "labels", "day, '', label, count"),
      (.region, "regions", "day, '', region, count"), (.excess, "excess", "day, key, kind, count"),
    ] where try hasTable(table) {
      let lines = try connection.rows(
        "SELECT \(columns) FROM \(table) ORDER BY 1, 2, 3", isScan: true
      ) { row in
        Line(
          of: kind, day: row.text(Column.day), count: row.integer(Column.count),
          key: kind == .excess ? row.text(Column.key) : nil, name: row.text(Column.name))
      }
      for line in lines { try write(line) }
    }
  }

  func hasTable(_ name: String) throws(CatalogueError) -> Bool {
    try connection.first("SELECT 1 FROM sqlite_schema WHERE name = ?", [.text(name)]) { _ in true }
      ?? false
  }

  /// The reason why a line of an import is not one of an export.
  package struct ImportError: Error, Sendable, Hashable {
    /// The number of the line, from 1.
    package let line: Int
    /// The rest of the sentence that the line begins.
    package let reason: String
  }

  /// The outcome of an import.
  package struct Imported: Sendable, Hashable {
    /// The number of sums in the file.
    package fileprivate(set) var sums = 0
    /// The days of these sums.
    package fileprivate(set) var days: Set<String> = []
  }

  /// Adds the sums of an export, all or none. Of a sum that is here already, the larger count stays, so that a file that is imported twice changes
  /// nothing, and a backup does not undo what was counted since. Days beyond ``dayLimit`` are removed.
  ///
  /// - Throws: ``ImportError``; ``CatalogueError``.
  package func importing(_ bytes: [UInt8]) throws -> Imported {
    let lines = try Self.lines(of: bytes)
    return try write { connection throws(CatalogueError) in
      var imported = Imported()
      for line in lines {
        imported.sums += 1
        imported.days.insert(line.day)
        if let row = line.row {
          try Self.add(row, isLargest: true, in: connection)
          continue
        }
        let place: [SQLiteValue] =
          [.text(line.day)] + (line.of == .excess ? [.text(line.key ?? "")] : [])
        let table =
          switch line.of {
          case .label: "labels"
          case .region: "regions"
          default: "excess"
          }
        let marks = line.of == .excess ? "?, ?, ?, ?" : "?, ?, ?"
        try connection.statement(
          """
          INSERT INTO \(table) VALUES(\(marks))
          ON CONFLICT DO UPDATE SET count = max(count, excluded.count)
          """
        ).bind(place + [.text(line.name), .integer(line.count)]).run()
      }
      // Nothing is added up, or a second import would add the same sums once more.
      try Self.keepLimits(of: [], in: connection)
      return imported
    }
  }

  /// Reads and checks all lines before any is added.
  private static func lines(of bytes: [UInt8]) throws(ImportError) -> [Line] {
    var lines: [Line] = []
    var hasForm = false
    let decoder = JSONDecoder()
    for (index, text) in bytes.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
    ).enumerated() {
      // Another program may end lines in its own way.
      let text = text.last == UInt8(ascii: "\r") ? text.dropLast() : text
      if text.isEmpty { continue }
      func failure(_ reason: String) -> ImportError { ImportError(line: index + 1, reason: reason) }
      if !hasForm {
        guard case .object(let object)? = try? JSONValue(json: Array(text)),
          object["schema"] == .string(exportForm)
        else { throw failure("it is not '\(exportForm)', the first line of 'vq report --export'") }
        hasForm = true
        continue
      }
      guard let line = try? decoder.decode(Line.self, from: Data(text)) else {
        throw failure("it is not a sum of 'vq report --export'")
      }
      if let reason = line.mistake { throw failure(reason) }
      lines.append(line)
    }
    guard hasForm else { throw ImportError(line: 1, reason: "the file is empty") }
    return lines
  }
}

extension SearchNumbers.Line {
  /// The largest count, which no sum of a day reaches.
  private static let countLimit = 1_000_000_000_000

  init(_ row: SearchNumbers.Row) {
    self.init(
      of: row.kind == .search ? .search : .action, day: row.place.day, count: row.count,
      key: row.place.key, language: row.place.language, side: row.place.arm,
      model: row.place.model, rules: row.rule, name: row.outcome,
      rank: row.kind == .action ? row.rank : nil)
  }

  /// The sum of searches or actions, or `nil` for another line.
  fileprivate var row: SearchNumbers.Row? {
    guard of == .search || of == .action else { return nil }
    return SearchNumbers.Row(
      of == .search ? .search : .action,
      CountedAnswer(
        number: 0, day: day, key: key ?? "", language: language ?? "", arm: side ?? "",
        model: model ?? ""),
      rule: rules ?? "", outcome: name, rank: rank ?? 0, count: count)
  }

  /// The reason why no export has such a line, or `nil` if one may have it.
  fileprivate var mistake: String? {
    let parts = day.split(separator: "-", omittingEmptySubsequences: false)
    guard day.utf8.count == 10, parts.map(\.utf8.count) == [4, 2, 2],
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { return "'day' is not a day such as 2026-11-27" }
    guard (1...Self.countLimit).contains(count) else {
      return "'count' is not a number of searches"
    }
    let isKnown =
      switch of {
      case .search: SearchNumbers.Outcome(rawValue: name) != nil
      case .action: SearchNumbers.Action(rawValue: name) != nil && (0...255).contains(rank ?? -1)
      case .excess: SearchNumbers.Excess(rawValue: name) != nil
      case .label, .region: !name.isEmpty
      }
    guard isKnown else { return "'name' or 'rank' is not one of \(of.rawValue)" }
    guard ["", "A", "B"].contains(side ?? "") else { return "'side' is not A or B" }
    let texts = [key, language, model, rules, name].compactMap(\.self)
    return texts.allSatisfy { $0.utf8.count <= 16_384 } ? nil : "a name is too long"
  }
}
