#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import VisualQuery

/// `vq feeds`: lists, renames and removes the feeds of an index.
enum FeedsCommand {
  enum Action: String, CaseIterable, Sendable { case list, rename, remove }

  /// The name that stands for the entities without a feed.
  static let noFeed = "none"
  static let json = Option<Bool>.flag(OptionText("json", "the feeds as one JSON object"))

  static let command = CommandDescription(
    name: "feeds",
    summary: "list, rename or remove the feeds of an index",
    examples: [
      "vq feeds --index shop.vq",
      "vq feeds rename /srv/feeds/products.xml products --index shop.vq",
      "vq feeds remove products --index shop.vq",
    ],
    operand: OperandDescription(
      placeholder: "ACTION", count: 0...3,
      summary: "list, the default; rename NAME NEW; remove NAME",
      completion: .actions(Action.allCases.map(\.rawValue))),
    options: [MatchCommand.index.description, json.description, IndexLocation.cache.description],
    notes: [
      HelpSection(
        title: "Feeds",
        text: """
          An entity belongs to the feed that brought it; 'vq index --prune-missing' removes only what its own feed lacks. \
          A feed is called as --feed-name says, otherwise by its path or address, in which dates become '*'. \
          'remove' removes a feed with its entities; 'vq feeds remove none' removes the entities without a feed: those \
          that programs put, and those of an index from before feeds that no feed has named since. 'vq catalogue \
          rollback' does not undo it.
          """),
      HelpSection(
        title: "JSON form",
        text: """
          'currency', 'locale', 'encoding' and 'mapping' are options that further runs use again; 'lastRun' is the last one \
          on this machine.
            {"schema":"vq.feeds/1","generation":4,"feeds":[{"name":"products",
              "format":"Google Merchant feed","currencies":["EUR"],"mapping":[],
              "products":1203,"stores":0,"lastRun":{"time":"2026-11-28T03:12:00Z",
              "outcome":"done","generation":4,"isUndone":false,"coverage":[{
              "type":"product","fields":[{"field":"price","before":1203,
              "after":1203,"kept":0},…]}]}}],"withoutFeed":{"products":0,"stores":3}}
          """),
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex, .refusedLogin],
    isRare: true,
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let action: Action = arguments.operands.isEmpty ? .list : try arguments.action()
    let count = [Action.list: 0, .rename: 2, .remove: 1][action] ?? 0
    guard arguments.operands.isEmpty || arguments.operands.count == count + 1 else {
      throw arguments.missingOperand(
        action == .list
          ? "'vq feeds list' takes no NAME"
          : "'vq feeds \(action.rawValue)' requires \(count == 2 ? "a NAME and a new one" : "one NAME")"
      )
    }
    if action != .list { try arguments.refuse([json.description], with: "'vq feeds \(action)'") }
    let index = arguments[MatchCommand.index]
    let directory = try await IndexLocation.directory(of: index, arguments, console)
    // Opened first, so that a mistyped directory is not created.
    _ = try Catalogue(directory: directory)
    let upkeep = CatalogueUpkeep(directory: directory)
    let feeds = try await upkeep.feeds()
    let shown = DisplayText.escaped(index)
    switch action {
    case .list:
      let document = FeedsDocument(feeds)
      if arguments[json] {
        try console.output.writeJSON(document)
      } else {
        for line in document.lines { try console.output.writeLine(DisplayText.escaped(line)) }
      }
    case .rename:
      let feed = try feed(named: arguments.operands[1], in: feeds)
      let name = arguments.operands[2]
      guard FeedName.isValid(name) else { throw invalid(name) }
      if feeds.entries.contains(where: { $0.feed.name == name && $0.feed != feed }) {
        throw CommandFailure(.usage, "there is a feed '\(DisplayText.escaped(name))' already")
      }
      let generation = try await upkeep.rename(feed, to: name)
      try console.output.writeLine(
        "\(DisplayText.escaped(feed.name)) is called \(DisplayText.escaped(name)) now; \(shown) is at generation "
          + "\(generation).")
    case .remove:
      let name = arguments.operands[1]
      let feed = name == noFeed ? nil : try feed(named: name, in: feeds)
      let (count, generation) = try await upkeep.remove(feed)
      let what = feed.map { "the feed '\($0.name)'" } ?? "those without a feed"
      try console.output.writeLine(
        "\(DisplayText.count(count, "entity was", "entities were")) removed, \(DisplayText.escaped(what)); "
          + "\(shown) is at generation \(generation).")
    }
    return .success
  }

  /// Returns the feed that a name stands for: the whole name, a path or an address of it, or its end after a slash.
  private static func feed(
    named name: String, in feeds: CatalogueUpkeep.Feeds
  ) throws -> Feed {
    let all = feeds.entries.map(\.feed)
    let standard = FeedName.standard(of: name)
    if let feed = all.first(where: { $0.name == name }) ?? all.first(where: { $0.name == standard })
    {
      return feed
    }
    let ends = all.filter { $0.name.hasSuffix("/" + name) }
    if ends.count == 1 { return ends[0] }
    throw CommandFailure(
      .usage,
      ends.isEmpty
        ? "there is no feed '\(DisplayText.escaped(name))'"
        : "'\(DisplayText.escaped(name))' is the end of several names: "
          + ends.map { DisplayText.escaped($0.name) }.joined(separator: ", "),
      advice: ["'vq feeds' lists them"])
  }

  static func invalid(_ name: String) -> CommandFailure {
    CommandFailure(
      .usage,
      "'\(DisplayText.escaped(String(name.prefix(100))))' cannot be the name of a feed: at most \(FeedName.byteLimit) bytes of "
        + "text on one line, and not '\(noFeed)'")
  }
}

/// The JSON form of the feeds of an index, `vq.feeds/1`.
struct FeedsDocument: Encodable, Sendable {
  let schema = "vq.feeds/1"
  let generation: Int
  let feeds: [Entry]
  let withoutFeed: Counts

  /// Numbers of entities.
  struct Counts: Encodable, Sendable {
    let products: Int
    let stores: Int

    init(_ counts: [EntityType: Int]) {
      (products, stores) = (counts[.product] ?? 0, counts[.store] ?? 0)
    }

    /// The numbers for people.
    var text: String {
      [
        products > 0 || stores == 0 ? DisplayText.count(products, "product", "products") : nil,
        stores > 0 ? DisplayText.count(stores, "store", "stores") : nil,
      ].compactMap(\.self).joined(separator: ", ")
    }
  }

  /// A feed.
  struct Entry: Encodable, Sendable {
    let name: String
    let format: String
    let mapping: [String]
    let currency: String?
    let currencies: [String]
    let locale: String?
    let encoding: String?
    let products: Int
    let stores: Int
    let lastRun: Run?
  }

  /// The last run over a feed.
  struct Run: Encodable, Sendable {
    let time: String
    let outcome: RunRecord.Outcome?
    let generation: Int?
    let message: String?
    let isUndone: Bool
    let coverage: CoverageDocument

    init(_ run: RunRecord) {
      time = Date(timeIntervalSince1970: Double(run.time)).formatted(Date.ISO8601FormatStyle())
      (outcome, generation, isUndone) = (run.outcome, run.generation, run.isUndone)
      message = run.result?.reason
      coverage = CoverageDocument(run.result ?? RunRecord.Result())
    }

    /// The lines for people.
    var lines: [String] {
      let outcome = outcome?.rawValue ?? "has not ended: it is at work, or it was killed"
      let end = (isUndone ? "; rolled back" : "") + (message.map { ": \($0)" } ?? "")
      return ["last run \(time), \(outcome)\(end)"] + coverage.lines
    }
  }

  init(_ feeds: CatalogueUpkeep.Feeds) {
    generation = feeds.generation
    self.feeds = feeds.entries.map { entry in
      let counts = Counts(entry.counts)
      let reading = entry.feed.reading
      return Entry(
        name: entry.feed.name, format: reading.format, mapping: reading.mapping,
        currency: reading.currency, currencies: reading.currencies, locale: reading.locale,
        encoding: reading.encoding, products: counts.products, stores: counts.stores,
        lastRun: entry.lastRun.map(Run.init))
    }
    withoutFeed = Counts(feeds.withoutFeed)
  }

  /// The lines for people.
  var lines: [String] {
    var lines: [String] = []
    for feed in feeds {
      lines.append(feed.name)
      let counts = Counts([.product: feed.products, .store: feed.stores]).text
      let parts = [feed.format] + feed.currencies.prefix(5) + [counts]
      lines.append("    " + parts.filter { !$0.isEmpty }.joined(separator: ", "))
      let options =
        [feed.currency.map { "--currency \($0)" }, feed.locale.map { "--locale \($0)" }]
        + [feed.encoding.map { "--encoding \($0)" }]
        + [feed.mapping.isEmpty ? nil : "--map " + feed.mapping.joined(separator: ",")]
      let kept = options.compactMap(\.self)
      if !kept.isEmpty { lines.append("    read with " + kept.joined(separator: " ")) }
      let run = feed.lastRun?.lines ?? ["no run on this machine"]
      lines += run.map { "    \($0)" }
    }
    let none = withoutFeed.products + withoutFeed.stores
    if none > 0 || feeds.isEmpty { lines.append("no feed: \(withoutFeed.text)") }
    return lines
  }
}
