#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import PixelMatch
import VisualQuery

/// `vq report`: what people searched, and what they opened.
enum ReportCommand {
  static let days = Option<Int?>.integer(
    OptionText("days", "only the last days", standard: "all that are kept"),
    in: 1...SearchNumbers.dayLimit)
  static let json = Option<Bool>.flag(OptionText("json", "the report as one JSON object"))
  static let others = Option<[String]>.texts(
    OptionText(
      "with", "add the numbers of this index, such as the copy of another server",
      detail: "Labels and regions are listed by the sum.", isRare: true),
    "DIR", accepts: "a directory with numbers.sqlite")

  static let export = Option<String?>.path(
    OptionText(
      "export", "write all sums as JSON Lines, for a backup",
      detail: "'-' is standard output. Which events were counted is not in it.", isRare: true),
    "FILE", of: .files)
  static let restored = Option<String?>.path(
    OptionText(
      "import", "add the sums of an export to the index",
      detail:
        "Of a sum that is there, the larger count stays, so that a file may be imported twice. '-' is standard input.",
      isRare: true),
    "FILE", of: .files)

  static let command = CommandDescription(
    name: "report",
    summary: "what people searched and opened",
    examples: [
      "vq report --index shop.vq", "vq report --days 7 --report week.html --index shop.vq",
      "vq report --export numbers.jsonl --index shop.vq",
    ],
    operand: nil,
    options: [
      MatchCommand.index.description, days.description, json.description, others.description,
      MatchCommand.report.description, export.description, restored.description,
      IndexLocation.cache.description,
    ],
    notes: [
      HelpSection(
        title: "Numbers",
        text: """
          'vq serve --numbers' counts searches by day, key, language, rule, model and side of an experiment, and the events \
          that apps send to /v1/events; see docs/numbers.md. Nothing personal is kept. Labels and regions that find nothing are \
          listed from \(SearchNumbers.leastSearches) searches on. Languages and models that the shop does not have count as \
          '\(CountedNames.other)'. Numbers are not a part of the contents of an index: runs, rollbacks and exports of the catalogue \
          leave them as they are; --export and --import copy them.
          """),
      HelpSection(
        title: "JSON form",
        text: """
          One object. 'low' and 'high' bound the 95 % interval of the difference between two sides.
            {"schema":"vq.report/1","from":"2026-11-01","until":"2026-11-27",
             "total":{"searches":900,"sure":600,"list":100,"empty":200,"shown":0,
               "opened":300,"added":20,"ordered":5},
             "byDay":[{"name":"2026-11-01","sums":{…}},…],"byKey":[…],
             "byLanguage":[…],
             "byRule":[…],"byModel":[…],"byArm":[…],
             "ranks":[{"rank":1,"opened":250,…},…],
             "emptyLabels":[{"label":"goblet","searches":12}],
             "emptyRegions":[{"region":"top left, small","searches":10}],
             "difference":{"openedPerSearch":0.02,"low":-0.01,"high":0.05},
             "excess":{"days":["2026-11-02"],"merged":9,"events":0,"labels":40,
              "sides":0}}
          """),
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex, .refusedLogin],
    isRare: true,
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let directory = try await IndexLocation.directory(
      of: arguments[MatchCommand.index], arguments, console)
    // Opened first, so that a mistyped directory gets no numbers.
    _ = try Catalogue(directory: directory)
    if PostgresLocation.isLocation(arguments[MatchCommand.index]) {
      console.diagnostics.note(
        "these are the numbers of the copy '\(directory)'; each server keeps its own (--with)")
    }
    if arguments[export] != nil || arguments[restored] != nil {
      try copy(of: directory, arguments, console)
      return .success
    }
    let added = try arguments[others].map { other in
      guard FileManager.default.fileExists(atPath: other + "/numbers.sqlite") else {
        throw CommandFailure(
          .failure, "--with: '\(DisplayText.escaped(other))' has no numbers (numbers.sqlite)")
      }
      return try SearchNumbers(reading: other)
    }
    let report = try SearchNumbers(reading: directory)
      .report(since: arguments[days].map(ReportDays.first), with: added)
    if let path = arguments[MatchCommand.report] {
      try ReportFile(path: path).write(SearchPage.page(of: report))
    }
    if arguments[json] {
      try console.output.writeJSON(report)
    } else {
      for line in SearchText.lines(of: report, on: console) {
        try console.output.writeLine(line)
      }
    }
    return .success
  }

  /// Writes an export, or reads one.
  private static func copy(
    of directory: String, _ arguments: ParsedArguments, _ console: Console
  ) throws {
    let other = [
      days.description, json.description, others.description, MatchCommand.report.description,
    ]
    let name = arguments[export] == nil ? "--import" : "--export"
    try arguments.refuse(
      other + (arguments[export] == nil ? [] : [restored.description]), with: name)
    if let file = arguments[restored] { return try importing(file, into: directory, console) }
    guard let file = arguments[export] else { return }
    let numbers = try SearchNumbers(reading: directory)
    if file == "-" {
      return try numbers.forEachExportedLine { try console.output.writeLine($0) }
    }
    let output = try ReportFile(path: file)
    var (text, count) = ("", -1)
    do {
      try numbers.forEachExportedLine {
        text += $0 + "\n"
        count += 1
      }
    } catch {
      output.discard()
      throw error
    }
    try output.write(text)
    try console.output.writeLine(
      "\(DisplayText.count(count, "sum", "sums")) written to \(DisplayText.escaped(file)).")
  }

  /// The most bytes of an export that is read.
  private static let importLimit = 500_000_000

  private static func importing(
    _ file: String, into directory: String, _ console: Console
  ) throws {
    let bytes: [UInt8]
    do throws(DecodeError) {
      bytes = try ImageDecoder(limits: DecodeLimits(byteLimit: importLimit))
        .contents(ofFile: file == "-" ? "/dev/stdin" : file)
    } catch {
      throw CommandFailure(.failure, "cannot read '\(file)': \(error.message)")
    }
    let imported: SearchNumbers.Imported
    do {
      imported = try SearchNumbers(directory: directory).importing(bytes)
    } catch let error as SearchNumbers.ImportError {
      throw CommandFailure(
        .failure, "'\(DisplayText.escaped(file))', line \(error.line): \(error.reason)",
        advice: ["nothing was imported"])
    }
    let (sums, days) = (imported.sums, imported.days.count)
    try console.output.writeLine(
      "\(DisplayText.count(sums, "sum", "sums")) of \(DisplayText.count(days, "day", "days")) imported into \(DisplayText.escaped(directory))."
    )
  }
}

/// The report of searches for people.
enum SearchText {
  static func lines(of report: SearchReport, on console: Console) -> [String] {
    guard let from = report.from, let until = report.until else {
      return ["No searches were counted; 'vq serve --numbers' does that."]
    }
    let total = report.total
    var lines = [
      "\(DisplayText.count(total.searches, "search", "searches")) from \(from) to \(until): "
        + "\(share(total.sure, total)) with a sure answer, \(share(total.list, total)) with a list, "
        + "\(share(total.empty, total)) empty.",
      "\(total.shown) shown, \(total.opened) opened, \(total.added) added, \(total.ordered) ordered.",
    ]
    let groups = [
      ("DAY", report.byDay), ("KEY", report.byKey), ("LANGUAGE", report.byLanguage),
      ("RULE", report.byRule), ("MODEL", report.byModel), ("SIDE", report.byArm),
    ]
    for (heading, rows) in groups where rows.count > 1 || rows.first?.name.isEmpty == false {
      lines.append("")
      var table = TextTable(columns: [
        .init(heading, minimumWidth: 8), .init("SEARCHES", .right), .init("SURE", .right),
        .init("LIST", .right), .init("EMPTY", .right), .init("OPENED", .right),
      ])
      for row in rows {
        table.append(
          [row.name.isEmpty ? "-" : row.name, "\(row.sums.searches)"] + shares(row.sums)
            + ["\(row.sums.opened)"])
      }
      lines += table.lines(width: console.width, usesColor: console.usesColor)
    }
    if let difference = report.difference {
      lines.append(
        "B opens \(signed(difference.openedPerSearch)) more per search than A; 95 % interval "
          + "\(signed(difference.low)) to \(signed(difference.high)).")
    }
    if !report.ranks.isEmpty {
      lines.append("")
      var table = TextTable(columns: [
        .init("RANK", .right), .init("SHOWN", .right), .init("OPENED", .right),
        .init("ADDED", .right), .init("ORDERED", .right),
      ])
      for rank in report.ranks {
        table.append([
          rank.rank == 0 ? UnsureText.mark : "\(rank.rank)", "\(rank.shown)", "\(rank.opened)",
          "\(rank.added)", "\(rank.ordered)",
        ])
      }
      lines += table.lines(width: console.width, usesColor: console.usesColor)
    }
    let empty = [
      ("LABEL", report.emptyLabels.map { ($0.label, $0.searches) }),
      ("REGION", report.emptyRegions.map { ($0.region, $0.searches) }),
    ]
    for (heading, rows) in empty where !rows.isEmpty {
      lines.append("")
      var table = TextTable(columns: [.init("EMPTY", .right), .init(heading, minimumWidth: 8)])
      for (name, searches) in rows.prefix(50) { table.append(["\(searches)", name]) }
      lines += table.lines(width: console.width, usesColor: console.usesColor)
    }
    let excess = ExcessText.sentences(about: report)
    return lines + (excess.isEmpty ? [] : [""]) + excess
  }

  private static func share(_ count: Int, _ sums: SearchReport.Sums) -> String {
    sums.searches == 0 ? "-" : ReportNumber.percent(Double(count) / Double(sums.searches))
  }

  private static func shares(_ sums: SearchReport.Sums) -> [String] {
    [share(sums.sure, sums), share(sums.list, sums), share(sums.empty, sums)]
  }

  private static func signed(_ value: Double) -> String {
    (value >= 0 ? "+" : "") + EvidenceTable.decimal(value)
  }
}
