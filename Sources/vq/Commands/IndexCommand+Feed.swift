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
      "map", "the columns of a table: id=SKU,title=Name,images=Photos",
      detail: "For tables whose columns are not recognized. Fields are "
        + FieldAssignment.targetNames.joined(separator: ", ") + ", and attributes.NAME.",
      isRare: true),
    value: ValueDescription(
      placeholder: "FIELD=COLUMN", accepts: "fields and columns such as id=SKU,title=Name",
      completion: .nothing),
    mayRepeat: true, initial: [],
    parse: { text -> [FieldAssignment]? in
      let pairs = text.split(separator: ",")
      let fields = pairs.compactMap { pair -> FieldAssignment? in
        let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
        return parts.count == 2 ? FieldAssignment(target: parts[0], column: parts[1]) : nil
      }
      return fields.isEmpty || fields.count < pairs.count ? nil : fields
    }, add: { $0 += $1 })
  static let mapFrom = Option<String?>.path(
    OptionText(
      "map-from", "print a --map for the columns of a table, and stop",
      detail: "A mapping to start from, with the columns that are recognized.", isRare: true,
      standsAlone: true), "FILE", of: .files)
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

  static func feedOptions(of arguments: ParsedArguments) -> FeedOptions {
    FeedOptions(
      currency: arguments[currency], locale: arguments[locale], fields: arguments[map],
      imagesMap: arguments[imagesMap], includesDrafts: arguments[includeDrafts],
      limits: FeedLimits(
        rowCount: arguments[maxRows], byteCount: arguments[maxFeedBytes],
        expansion: arguments[maxFeedRatio]))
  }

  /// Prints a mapping for the columns of a table.
  static func printMapping(of path: String, to console: Console) throws {
    let columns = try FeedColumns(path: path)
    try console.output.writeLine("--map '\(DisplayText.escaped(columns.mapping))'")
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
      "reading \(article(mapping.format)) \(mapping.format.rawValue): \(mapped.joined(separator: ", "))"
        + (unmapped.isEmpty ? "" : "; kept unchanged: \(shown)\(more)"))
  }

  private static func article(_ format: FeedFormat) -> String {
    [.xml, .html, .eBay].contains(format) ? "an" : "a"
  }

  /// Reports what a run learned about its feed: the encoding, what was left out, and the servers
  /// with images.
  static func report(_ result: Indexer.Progress, to console: Console) {
    if let encoding = result.encoding {
      let how = encoding.isGuessed ? "recognized by its bytes" : "as it declares"
      console.diagnostics.note("the feed is read as \(encoding.name), \(how)")
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
    if let reason = result.unprunedReason {
      let advice =
        result.isBeyondRemovalLimit
        ? "if the feed is complete, run the command again with a higher --max-removed"
        : "correct the row, or export the feed again if it was cut off"
      return CommandFailure(.failure, "nothing was removed: \(reason)", advice: [advice])
    }
    guard result.refusedImages > 0, result.signedImages + result.unchangedImages == 0 else {
      return nil
    }
    return CommandFailure(
      .failure,
      "no entity can be found by image: all images were rejected (\(result.refusedImages))")
  }
}
