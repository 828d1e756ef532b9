#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import PixelMatch
import VisualQuery

/// `vq match`: the products and stores that a picture shows.
enum MatchCommand {
  static let index = Option<String>.path(
    OptionText(
      "index", "the index to search",
      detail: "The directory that 'vq index' made.", environment: "VQ_INDEX"),
    "DIR", of: .directories)
  static let labels = Option<[String]>.list(
    OptionText(
      "labels", "words for what is seen: mug,cup",
      detail: "Hints, not filters: right ones help, unknown ones change nothing."))
  static let limit = Option<Int>.integer(
    OptionText("limit", "at most so many matches in all"), in: 1...100, default: 8)
  static let products = Option<Int>.integer(
    OptionText("products", "at most so many products"), in: 0...100, default: 5)
  static let stores = Option<Int>.integer(
    OptionText("stores", "at most so many stores"), in: 0...100, default: 3)
  static let minConfidence = Option<Double?>.number(
    OptionText(
      "min-confidence", "leave out less likely matches",
      detail: "The default is calibrated so that pictures of other things give nothing.",
      standard: "calibrated"), "P", in: 0...1)
  static let deadline = Option<Duration?>.milliseconds(
    OptionText(
      "deadline", "search for at most so many ms; 0: no deadline",
      detail: """
        Reading and decoding the picture counts. When it passes, the best answer so far is given, \
        marked as incomplete.
        """),
    upTo: 3_600_000, default: 300)
  static let type = Option<EntityType?>.choice(
    OptionText("type", "only products, or only stores", standard: "both"), "TYPE")
  static let threads = Option<Int?>.integer(
    OptionText("threads", "use so many threads", short: "j", standard: "one per core"),
    in: 1...256)
  static let region = Option<PictureRegion?>.region(
    OptionText(
      "region", "look at this part of the picture only",
      detail: "Shares of its width and height where no number is above 1, else pixels."))
  static let conditions = Option<[EntityComparator]>.comparators(
    OptionText(
      "where", "only what has such a property: price<20",
      detail: "Operators: = != < <= > >= ~ (has in it) ^= (begins) $= (ends). All must hold."))
  static let withLabel = Option<[String]>.list(
    OptionText("with-label", "only what has one of these labels", isRare: true))
  static let near = Option<GeoPoint?>.place(
    OptionText("near", "of like stores the nearer ones first", isRare: true))
  static let at = Option<Date?>.instant(
    OptionText(
      "at", "tell whether stores are open then", detail: "In JSON: 'openNow'.", isRare: true))
  static let locale = Option<String?>.word(
    OptionText("locale", "show texts in this language", isRare: true), "TAG",
    accepts: "a language tag such as de")
  static let signature = Option<String?>.word(
    OptionText(
      "signature", "search with a picture's signature", detail: "As 'vq hash --query' prints it.",
      isRare: true), "TEXT")
  static let continuation = Option<String?>.word(
    OptionText(
      "continue", "the next page of an earlier search",
      detail: "The 'continuation' of its JSON form. Needs no picture; the filters stay.",
      isRare: true), "TOKEN")
  static let explain = Option<Bool>.flag(
    OptionText(
      "explain", "show what each match's confidence is made of",
      detail: "The terms add up to the log-odds of the confidence. --json always has them."))
  static let json = Option<Bool>.flag(
    OptionText("json", "one JSON object a line and picture"))
  static let tolerant = Option<Bool>.flag(
    OptionText(
      "tolerant", "search with what is there of a truncated picture",
      detail: "Without it, a truncated picture is refused with exit code 4.", isRare: true))

  static let command = CommandDescription(
    name: "match",
    summary: "find the products and stores that a picture shows",
    examples: [
      "vq match mug.jpg --index shop.vq",
      "vq match mug.jpg --labels mug,cup --index shop.vq",
      "vq match --json --index shop.vq *.jpg | jq -r '.values[0].url'",
    ],
    operand: OperandDescription(
      placeholder: "IMAGE", count: 0...Int.max,
      summary: "a JPEG or PNG picture; '-' for standard input; none with --labels alone",
      completion: .files),
    options: [
      index.description, labels.description, region.description, limit.description,
      products.description,
      stores.description, minConfidence.description, deadline.description, type.description,
      conditions.description, threads.description, explain.description, json.description,
      tolerant.description, withLabel.description, near.description, at.description,
      locale.description, signature.description, continuation.description,
      PictureLimits.maxBytes.description, PictureLimits.maxPixels.description,
    ],
    notes: [
      HelpSection(
        title: "JSON form",
        text: """
          One object a line and picture, in the order given. Keys that a later version adds may \
          be ignored; those that are here stay.
            {"schema":"vq.match/1","query":"mug.jpg","complete":true,"coverage":1,
             "elapsedMs":12.3,"generation":4,
             "values":[{"rank":1,"type":"product","id":"mug-red","confidence":0.97,
               "tier":"near","url":"https://…","display":{…},"product":{…},
               "evidence":[{"kind":"color","value":0.93,"weight":3.2},…]},…]}
          Where there is no match, 'emptyReason' says why; 'hasMore' whether more lie behind the           limits, which --continue shows; 'unmatchedLabels' the labels that nothing knows. A store may have \
          'stocks', the matched product that it has, 'distanceMeters' and 'openNow'. A picture that cannot be decoded has \
          'query' and 'error' only.
          """)
    ],
    exitCodes: [
      .success, .failure, .usage, .undecodablePicture, .unusableIndex, .interrupted,
    ],
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let isAsked =
      !arguments.operands.isEmpty || !arguments[labels].isEmpty || arguments[signature] != nil
      || arguments[continuation] != nil
    guard isAsked else {
      throw arguments.missingOperand("'vq match' needs an IMAGE, or --labels LIST, or both")
    }
    let catalogue = try Catalogue(directory: arguments[index])
    let pool = WorkerPool(width: arguments[threads])
    let search = PictureSearch(
      matcher: Matcher(catalogue: catalogue, pool: pool), options: options(of: arguments),
      labels: arguments[labels], region: arguments[region],
      signature: try arguments[signature].map(decodedSignature),
      continuation: arguments[continuation],
      decoder: ImageDecoder(
        limits: PictureLimits.limits(of: arguments), keepsTruncated: arguments[tolerant],
        keepsDamaged: true))
    let report = MatchReport(
      catalogue: catalogue, options: search.options, console: console,
      isJSON: arguments[json], isExplained: arguments[explain],
      isNamed: arguments.operands.count > 1)
    if arguments.operands.isEmpty {
      let answer = try await search.answer(to: nil)
      try report.write(answer)
      count(answer.unmatchedLabels, in: arguments[index])
      return .success
    }
    var code = ExitCode.success
    var unmatched: [String] = []
    try await forEachInOrder(arguments.operands, on: pool) { picture in
      try await search.answer(to: picture)
    } take: { answer in
      if case .failure = answer.result { code = .undecodablePicture }
      unmatched += answer.unmatchedLabels
      try report.write(answer)
    }
    count(unmatched, in: arguments[index])
    return code
  }

  /// An index that may only be read is searched all the same.
  private static func count(_ labels: [String], in directory: String) {
    if !labels.isEmpty { try? UnmatchedLabels(directory: directory).count(labels) }
  }

  private static func decodedSignature(_ text: String) throws -> QuerySignature {
    do throws(SignatureError) {
      return try QuerySignature(compactText: text)
    } catch {
      throw CommandFailure(.usage, "--signature: \(error.message)")
    }
  }

  private static func options(of arguments: ParsedArguments) -> MatchOptions {
    var options = unhurried(arguments)
    options.timeout = arguments[deadline]
    let filter = EntityFilter(labels: arguments[withLabel], comparators: arguments[conditions])
    for type in EntityType.allCases { options.filters[type] = filter }
    (options.near, options.date) = (arguments[near], arguments[at])
    options.locale = arguments[locale]
    return options
  }

  /// The options that other commands have, too; without a deadline.
  static func unhurried(_ arguments: ParsedArguments) -> MatchOptions {
    MatchOptions(
      limit: arguments[limit],
      typeLimits: [.product: arguments[products], .store: arguments[stores]],
      types: arguments[type].map { [$0] } ?? Set(EntityType.allCases),
      minimumConfidence: arguments[minConfidence], timeout: nil)
  }
}

/// The limits on a picture that several commands take.
enum PictureLimits {
  static let maxBytes = Option<Int>.integer(
    OptionText(
      "max-bytes", "refuse larger files", standard: "32000000, 32 MB", isRare: true),
    in: 1...1_000_000_000, default: 32_000_000)
  static let maxPixels = Option<Int>.integer(
    OptionText(
      "max-pixels", "refuse larger pictures", standard: "100000000, 100 megapixels",
      isRare: true),
    in: 1...1_000_000_000, default: 100_000_000)

  static func limits(of arguments: ParsedArguments) -> DecodeLimits {
    DecodeLimits(byteLimit: arguments[maxBytes], pixelLimit: arguments[maxPixels])
  }
}
