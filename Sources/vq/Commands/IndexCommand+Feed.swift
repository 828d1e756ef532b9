import VisualQuery

/// The options by which a feed is read.
extension IndexCommand {
  static let currency = Option<String?>(
    OptionText(
      "currency", "the currency of prices without one: EUR",
      detail:
        "Exports of Shopify, WooCommerce and Magento have none. Without it, such prices are left out.",
      isRare: true),
    value: ValueDescription(
      placeholder: "CODE", accepts: "three letters such as EUR", completion: .nothing)
  ) { text -> String? in
    let code = text.uppercased()
    return code.utf8.count == 3 && code.utf8.allSatisfy { (0x41...0x5A).contains($0) } ? code : nil
  }
  static let locale = Option<String?>(
    OptionText(
      "locale", "the notation of numbers: de for 1.299,00",
      detail:
        "By default it is recognized by the prices of the feed. A price such as 1.299 that stays open is left out.",
      standard: "recognized", isRare: true),
    value: ValueDescription(
      placeholder: "LOCALE", accepts: "a language such as en, de or de-CH", completion: .nothing)
  ) { PriceNotation.isKnown($0) ? $0 : nil }
  static let map = Option<[FieldAssignment]>(
    OptionText(
      "map", "the fields of a feed: id=SKU,title=Name,images=Photos",
      detail:
        "For feeds whose fields are not recognized: columns of a table, paths in XML such as imgs/main/@url, or in "
        + "JSON such as price/value. 'record=//offer' names the records, '{brand} {model}' is a template, and '\"EUR\"' a "
        + "fixed text. Also read from FEED.map.toml or FEED.map.json beside the feed. Stored with the feed; "
        + "'none' removes it. Fields are "
        + FieldAssignment.targetNames.joined(separator: ", ") + ", and attributes.NAME.",
      isRare: true),
    value: ValueDescription(
      placeholder: "FIELD=SOURCE", accepts: "fields and their sources such as id=SKU,title=Name",
      completion: .nothing),
    mayRepeat: true, initial: [], parse: FieldAssignment.list, add: { $0 += $1 })
  static let mapFrom = Option<String?>.path(
    OptionText(
      "map-from", "print a --map for the fields of a feed, and stop",
      detail:
        "A mapping to start from, with the fields that are recognized by their names or their values.",
      isRare: true,
      standsAlone: true), "FILE", of: .files)
  static let encoding = Option<String?>(
    OptionText(
      "encoding", "the encoding of the feed's text: windows-1251",
      detail:
        "By default it is the one that the feed declares, otherwise UTF-8, or recognized by its letters.",
      standard: "recognized", isRare: true),
    value: ValueDescription(
      placeholder: "NAME", accepts: "an encoding such as utf-8, windows-1250, gbk or shift_jis",
      completion: .nothing)
  ) { FeedEncoding.isKnown($0) ? $0 : nil }
  static let sheet = Option<String?>(
    OptionText(
      "sheet", "the sheet of a workbook (.xlsx, .ods), by its name or number",
      standard: "the first visible one", isRare: true),
    value: ValueDescription(
      placeholder: "NAME", accepts: "the name of a sheet, or its number from 1",
      completion: .nothing)
  ) { $0.isEmpty ? nil : $0 }
  static let includeDrafts = Option<Bool>.flag(
    OptionText(
      "include-drafts", "index drafts, archived and unpublished products, too",
      detail: "By default they are left out and counted.", isRare: true))
  static let imagesMap = Option<[ImageMapping]>(
    OptionText(
      "images-map", "local copies of images: 'https://cdn.example/*=photos/'",
      detail:
        "An image at an address that fits is read from the folder instead, with the same path.",
      isRare: true),
    value: ValueDescription(
      placeholder: "URL=DIR",
      accepts: "an address with one * and a folder: 'https://cdn.example/*=photos/'",
      completion: .nothing),
    mayRepeat: true, initial: [], parse: { ImageMapping($0) }, add: { $0.append($1) })
  static let allowPrivateAddress = Option<[AddressRange]>(
    OptionText(
      "allow-private-address", "addresses of an internal image server: 10.1.2.0/24",
      detail: "Otherwise images are fetched from public addresses only.", isRare: true),
    value: ValueDescription(
      placeholder: "CIDR", accepts: "an address or a range such as 10.1.2.0/24",
      completion: .nothing),
    mayRepeat: true, initial: [], parse: { AddressRange($0) }, add: { $0.append($1) })

  static let maxRows = Option<Int>.integer(
    OptionText("max-rows", "the most rows of a feed", isRare: true), in: 1...1_000_000_000,
    default: FeedLimits().rowCount)
  static let maxFeedBytes = Option<Int>.integer(
    OptionText(
      "max-feed-bytes", "the most bytes of a feed, after decompression",
      standard: "20000000000, 20 GB", isRare: true), in: 1...1_000_000_000_000_000,
    default: FeedLimits().byteCount)
  static let maxFeedRatio = Option<Int>.integer(
    OptionText(
      "max-feed-ratio", "the most bytes that a compressed byte of a feed may become",
      detail: "On average, from 4 MB on: few bytes can become gigabytes of rows.", isRare: true),
    in: 1...1_000_000, default: FeedLimits().expansion)
  static let maxRowBytes = Option<Int>.integer(
    OptionText(
      "max-row-bytes", "the most bytes of the entities that one row becomes",
      detail:
        "A few bytes can repeat a text for each variant or cell. What is beyond is left out and reported.",
      standard: "64000000, 64 MB", isRare: true), in: 1_000_000...1_000_000_000_000,
    default: FeedLimits().rowByteCount)
  static let maxRowVariants = Option<Int>.integer(
    OptionText("max-row-variants", "the most variants of one product", isRare: true),
    in: 1...1_000_000, default: FeedLimits().variantCount)
  static let maxRowLevels = Option<Int>.integer(
    OptionText("max-row-levels", "the most levels of elements within an item of XML", isRare: true),
    in: 1...10_000, default: FeedLimits().levelCount)

  static func feedOptions(
    of arguments: ParsedArguments, for feed: String, to console: Console
  ) throws -> FeedOptions {
    let forgetsMapping = arguments[map].first == FieldAssignment.none
    var fields = forgetsMapping ? [] : arguments[map]
    if fields.isEmpty, !forgetsMapping, let path = MappingFile.path(beside: feed) {
      fields = try MappingFile.assignments(path: path)
      console.diagnostics.note("reading the mapping '\(DisplayText.escaped(path))'")
    }
    var options = FeedOptions(
      currency: arguments[currency], locale: arguments[locale], fields: fields,
      includesDrafts: arguments[includeDrafts], encoding: arguments[encoding],
      sheet: arguments[sheet])
    options.imagesMap = arguments[imagesMap]
    options.limits = FeedLimits(
      rowCount: arguments[maxRows], byteCount: arguments[maxFeedBytes],
      expansion: arguments[maxFeedRatio], rowByteCount: arguments[maxRowBytes],
      variantCount: arguments[maxRowVariants], levelCount: arguments[maxRowLevels])
    options.forgetsMapping = forgetsMapping
    return options
  }

  /// Prints a mapping for the fields of a feed.
  static func printMapping(
    of path: String, _ arguments: ParsedArguments, to console: Console
  ) throws {
    let columns = try FeedColumns(
      path: path, encoding: arguments[encoding], sheet: arguments[sheet])
    try console.output.writeLine("--map '\(DisplayText.escaped(columns.mapping))'")
    console.diagnostics.note(
      "to index with it: vq index '\(DisplayText.escaped(path))' --map '…' --index shop.vq")
    let used = Set(columns.assignments.map(\.column))
    let others = columns.names.filter { !used.contains($0) && !$0.isEmpty }
    if !others.isEmpty {
      console.diagnostics.note("kept unchanged: \(others.joined(separator: ", "))")
    }
  }

  /// Reports the recognized format of a foreign feed.
  static func report(_ mapping: FeedMapping, to console: Console) {
    if [.jsonLines, .csv].contains(mapping.format) { return }
    var seen: Set<String> = []
    let mapped = mapping.fields.compactMap { field in
      field.target.map { "\(field.name) → \($0)" }
    }.filter { seen.insert($0).inserted }
    let unmapped = mapping.fields.filter { $0.target == nil && !$0.name.isEmpty }.map(\.name)
    let shown = unmapped.prefix(12).joined(separator: ", ")
    let more = unmapped.count > 12 ? " and \(unmapped.count - 12) more" : ""
    console.diagnostics.note(
      "reading \(article(mapping.name)) \(mapping.name): \(mapped.joined(separator: ", "))"
        + (unmapped.isEmpty ? "" : "; kept unchanged: \(shown)\(more)"))
  }

  private static func article(_ name: String) -> String {
    // Chooses the article by sound, as in "an XML feed" and "an HTML page".
    "AEIOXHe".contains(name.first ?? "a") && !name.hasPrefix("He") ? "an" : "a"
  }

  /// Reports what a run learned about its feed: the encoding, what was left out, and the servers
  /// with images.
  static func report(_ result: Indexer.Progress, to console: Console) {
    if let encoding = result.encoding {
      if encoding.isGuessed {
        console.diagnostics.warning(
          "the feed is read as \(encoding.name), recognized by its bytes",
          advice: ["if its texts are wrong, name another one with --encoding NAME"])
      } else {
        console.diagnostics.note("the feed is read as \(encoding.name), as it declares")
      }
    }
    report(result.findings, to: console)
    if result.filesByMeaning > 0 {
      console.diagnostics.note(
        DisplayText.count(result.filesByMeaning, "file was", "files were")
          + " found whose names differ in case, marks or encoding from those in the feed")
    }
    for (reason, count) in result.leftOut.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      console.diagnostics.note("left out: \(ImageFolder.counted(count, reason))")
    }
    let misspelt = result.misspeltFields.sorted {
      ($1.value, $0.key.name) < ($0.value, $1.key.name)
    }
    for (field, count) in misspelt.prefix(10) {
      console.diagnostics.warning(
        "\(DisplayText.count(count, "entity has", "entities have")) the field "
          + "'\(DisplayText.escaped(field.name))', which is kept but means nothing to vq; "
          + "did you mean '\(field.meant)'?")
    }
    let hosts = result.unfetchedHosts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    if hosts.isEmpty { return }
    let list = hosts.prefix(5).map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
    let names = hosts.prefix(20).map(\.key).joined(separator: ",")
    console.diagnostics.warning(
      "images are on \(list)\(hosts.count > 5 ? " and \(hosts.count - 5) more" : "")",
      advice: ["to fetch them, add to the command: --fetch --allow-host \(names)"])
  }

  /// Reports what of the feed did not become a part of its entities.
  private static func report(_ findings: [FeedFinding: Int], to console: Console) {
    for kind in FeedFinding.Kind.allCases {
      let fields = findings.filter { $0.key.kind == kind }
        .sorted { ($1.value, $0.key.field) < ($0.value, $1.key.field) }
      guard let first = fields.first else { continue }
      let list = fields.prefix(5).map { "'\(DisplayText.escaped($0.key.field))' (\($0.value))" }
        .joined(separator: ", ")
      let more = fields.count > 5 ? " and \(fields.count - 5) more" : ""
      let count = DisplayText.count(first.value, "entity has", "entities have")
      func warn(_ what: String, _ holds: String) {
        let name =
          first.key.field.contains(where: { " '".contains($0) })
          ? "\"\(first.key.field)\"" : first.key.field
        console.diagnostics.warning(
          "\(count) no \(what), but these fields hold \(holds): \(list)\(more)",
          advice: [
            "to read one, add to the command: --map \(kind.rawValue)=\(DisplayText.escaped(name))"
          ])
      }
      switch kind {
      case .price: warn("price", "amounts")
      case .images: warn("image", "addresses of images")
      case .availability: warn("availability", "words or numbers for one")
      case .url: warn("link", "addresses")
      case .salePrice:
        console.diagnostics.note(
          "\(count) a reduced price that holds between dates only; it is kept and not used as the price"
        )
      case .dates:
        console.diagnostics.note(
          "days of sale are kept unchanged and do not hide products: \(list)\(more)")
      case .language:
        console.diagnostics.note("texts in other languages are kept unchanged: \(list)\(more)")
      case .repeated:
        console.diagnostics.note(
          "\(DisplayText.count(fields.reduce(0) { $0 + $1.value }, "entity repeats", "entities repeat")) "
            + "long texts of their products, which makes the index much larger than the feed: \(list)\(more)"
        )
      case .idFromLink:
        console.diagnostics.note("\(count) no id in the feed; their links are their ids")
      case .idFromTitle:
        console.diagnostics.note("\(count) no id in the feed; their ids are made of their titles")
      case .appLink:
        let schemes = fields.prefix(5).map { DisplayText.escaped($0.key.field) }
        console.diagnostics.note(
          "\(count) a link into an app with the scheme '\(schemes[0])', which is kept and not used; "
            + "to make such links theirs, add to the command: --allow-scheme \(schemes.joined(separator: ","))"
        )
      }
    }
  }

  /// Returns the limit of `--max-removed`.
  static func removalLimit(of arguments: ParsedArguments) throws -> Double? {
    guard let limit = arguments[maxRemoved] else { return nil }
    guard arguments[pruneMissing] else {
      throw CommandFailure(
        .usage, "--max-removed requires --prune-missing: nothing is removed without it")
    }
    return limit
  }

  /// Warns of fields in the link templates and of public fields in settings that no entity has.
  static func warnOfAbsentFields(
    of settings: ShopSettings, in directory: String, on console: Console
  ) throws {
    guard settings.links?.templates.isEmpty == false || settings.publicFields?.isEmpty == false
    else { return }
    for field in try Catalogue(directory: directory).absentFields(of: settings) {
      let option = field.type == nil ? "--public" : "--link"
      let nearest = field.nearest.map { "; did you mean '\(DisplayText.escaped($0))'?" } ?? ""
      console.diagnostics.warning(
        "\(option): no \(field.type?.rawValue ?? "entity") has the field '\(field.name)'\(nearest)")
    }
  }

  /// Returns the exit code of a run that is no failure.
  static func exitCode(_ outcome: IndexDocument.Outcome, isDetailed: Bool) -> ExitCode {
    if outcome == .unfinished { return .unfinished }
    guard isDetailed else { return .success }
    return switch outcome {
    case .done: .success
    case .nothingToDo: .nothingToDo
    case .losses: .losses
    case .refused: .refused
    case .unfinished: .unfinished
    }
  }

  /// Returns the failure of a run that indexed nothing or did not remove the missing entities, or `nil`.
  static func failure(of result: Indexer.Progress) -> CommandFailure? {
    if result.entities == 0 {
      let reason =
        if result.refusedRows > 0 {
          "all rows were rejected (\(result.refusedRows))"
        } else if !result.leftOut.isEmpty {
          "everything was left out"
        } else {
          "the feed has no entries"
        }
      return CommandFailure(.failure, "no entity was indexed: \(reason)")
    }
    if let failure = failure(of: result.feeds), failure.exitCode == .failure { return failure }
    if result.isRefused { return refusal(of: result) }
    guard result.isFruitless else { return failure(of: result.feeds) }
    return CommandFailure(
      .failure,
      "no entity can be found by image: all images were rejected (\(result.refusedImages))")
  }

  /// Returns the failure of a run that would have taken too much from the index.
  private static func refusal(of result: Indexer.Progress) -> CommandFailure {
    var (messages, advice): ([String], [String]) = ([], [])
    for feed in result.feeds {
      guard let reason = feed.keptReason else { continue }
      messages.append("old values of '\(DisplayText.escaped(feed.name))' stay: \(reason)")
    }
    if !result.keptLosses.isEmpty {
      let names = CoverageField.allCases.filter { field in
        result.keptLosses.contains { $0.field == field }
      }.map(\.rawValue).joined(separator: ",")
      advice.append("if the feed is right, add to the command: --accept-loss \(names)")
    }
    if let reason = result.unprunedReason {
      messages.append("nothing was removed: \(reason)")
      advice.append(
        result.isBeyondRemovalLimit
          ? "if the feed is complete, add to the command: --max-removed \(result.neededRemovalLimit ?? 100)"
          : "correct the row, or export the feed again if it was cut off")
    }
    return CommandFailure(.refused, messages.joined(separator: "; "), advice: advice)
  }
}
