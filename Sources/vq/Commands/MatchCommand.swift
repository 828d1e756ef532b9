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
      detail: "When it passes, the best answer so far is given, marked as incomplete."),
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
      threads.description, explain.description, json.description, tolerant.description,
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
          Where there is no match, 'emptyReason' says why. A picture that cannot be decoded has \
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
    guard !arguments.operands.isEmpty || !arguments[labels].isEmpty else {
      throw arguments.missingOperand("'vq match' needs an IMAGE, or --labels LIST, or both")
    }
    let catalogue = try Catalogue(directory: arguments[index])
    let pool = WorkerPool(width: arguments[threads])
    let search = PictureSearch(
      matcher: Matcher(catalogue: catalogue, pool: pool), options: options(of: arguments),
      labels: arguments[labels], region: arguments[region],
      decoder: ImageDecoder(
        limits: PictureLimits.limits(of: arguments), keepsTruncated: arguments[tolerant]))
    let report = MatchReport(
      catalogue: catalogue, options: search.options, console: console,
      isJSON: arguments[json], isExplained: arguments[explain],
      isNamed: arguments.operands.count > 1)
    if arguments.operands.isEmpty {
      try report.write(await search.answer(to: nil))
      return .success
    }
    var code = ExitCode.success
    try await inOrder(arguments.operands, width: pool.width, on: pool) { picture in
      try await search.answer(to: picture)
    } take: { answer in
      if case .failure = answer.result { code = .undecodablePicture }
      try report.write(answer)
    }
    return code
  }

  private static func options(of arguments: ParsedArguments) -> MatchOptions {
    var options = unhurried(arguments)
    options.timeout = arguments[deadline]
    return options
  }

  /// The same options without a deadline.
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
