import PixelMatch
import Reading
import VisualQuery

/// `vq match`: finds the products and stores that an image shows.
enum MatchCommand {
  static let index = Option<String>.path(
    OptionText(
      "index", "the index to search",
      detail: "A directory made by 'vq index', or postgres://HOST/DATABASE.",
      standard: "the only *.vq here", environment: "VQ_INDEX", findsIndexHere: true),
    "DIR", of: .directories)
  static let labels = Option.field(
    Question.labels, "LIST", "words for what the image shows: mug,cup",
    detail: "Hints, not filters: correct labels help, unknown ones are ignored.")
  static let text = Option.field(
    Question.text, "TEXT", "what is meant instead of what the image shows: in green",
    detail: """
      Words beside the image, read against the values of the index: among the variants of what the image shows, those come \
      first that have the words, such as another color or size. If --models has a model that encodes words, their direction is \
      added to that of the image, and words without an image find images: --text "green mug".
      """)
  static let limit = Option.field(
    Question.limit, "N", "maximum number of matches",
    detail: """
      If neither this nor --products is given, a page of several things, or an image in \
      which three are sure, has up to \(MatchOptions.defaultPageLimit).
      """)
  static let products = Option.field(Question.products, "N", "maximum number of products")
  static let stores = Option.field(
    Question.stores, "N", "maximum number of stores", isRare: true)
  static let minConfidence = Option.field(
    Question.minimumConfidence, "P", "omit less likely matches",
    detail: "The default is calibrated so that images of unrelated things match nothing.",
    standard: "calibrated")
  static let subject = Option.field(
    Question.subject, "SUBJECT", "what the image may show",
    detail: """
      anything: often nothing of the index, and labels may be wrong. catalogued: a thing of the \
      index, and labels are right, as in a shop's own photos; the same likeness then has a higher \
      confidence.
      """, isRare: true)
  static let answers = Option.field(
    Question.answers, "ANSWERS", "all, or only what is sure",
    detail: """
      all: if nothing is sure, a list of what the image may show, from which a person chooses. sure: without that \
      list, for programs; the search then ends as soon as nothing can change what is sure.
      """, isRare: true)
  static let similar = Option.field(
    Question.similar, nil, "also list things of the same kind",
    detail: """
      With --models, or with vectors in the index and --embedding. Without it, they are listed if nothing is sure and \
      --models has a model that encodes images.
      """, isRare: true)
  static let deadline = Option.field(
    Question.deadline, "MS", "time limit in ms for each image; 0: no limit",
    detail: """
      Includes reading and decoding. Images are then searched one after another, and each \
      limit starts with its image. When it passes, the best answer so far is returned, \
      marked as incomplete.
      """, standard: "no limit", isRare: true)
  static let type = Option.field(
    Question.type, "TYPE", "only products, or only stores", standard: "both")
  static let threads = Option<Int?>.integer(
    OptionText("threads", "number of threads", short: "j", standard: "one per core"),
    in: 1...256)
  static let region = Option.field(
    Question.region, "X,Y,W,H", "search with this part of the image only",
    detail: "Fractions of its width and height if no number is above 1, else pixels.")
  static let conditions = Option.field(
    Question.conditions, "CONDITION", "only entities with such a property: price<20",
    detail: "Operators: = != < <= > >= ~ (contains) ^= (begins) $= (ends). All must hold. "
      + "~ ^= $= ignore case and accents, = and != do not, except for labels: "
      + "'labels=mug' also accepts 'Camp mugs', as 'vq labels' counts them.")
  static let withLabel = Option.field(
    Question.wantedLabels, "LIST", "only entities with one of these labels", isRare: true)
  static let near = Option.field(
    Question.near, "LAT,LON", "sort equally good stores by distance", isRare: true)
  static let at = Option.field(
    Question.date, "TIME", "report whether stores are open at this time",
    detail: "In JSON: 'openNow'.", isRare: true)
  static let locale = Option.field(
    Question.locale, "TAG", "show texts in this language", isRare: true)
  static let appPage = Option.field(
    Question.appPage, "NAME", "the page of the app that asks, for the rules of that page",
    isRare: true)
  static let signature = Option.field(
    Question.signature, "TEXT", "search with an image's signature",
    detail: "As printed by 'vq hash --query'.", isRare: true)
  static let embedding = Option<String?>.path(
    OptionText(
      "embedding", "also compare the image's embedding, made by a model",
      detail: """
        A file with {"model":"…","vector":"…"}, base64 of half-precision numbers; it counts if enough \
        images of the index have one of that model. For one IMAGE or --signature.
        """, isRare: true),
    "FILE", of: .files)
  static let continuation = Option.field(
    Question.continuation, "TOKEN", "show the next page of an earlier search",
    detail: "The 'continuation' of its JSON form. Needs no image; the filters stay.", isRare: true)
  static let refresh = Option.field(
    Question.refreshes, nil, "with --continue: search again, for what is new",
    detail: "Without it, the pages are those of the first search, without removed entities.",
    isRare: true)
  static let group = Option.field(
    Question.grouped, nil, "one match for each group of variants, the others beneath",
    detail:
      "Variants are products of one 'group', such as the colors of a shirt. Limits count groups.",
    isRare: true)
  static let explain = Option<Bool>.flag(
    OptionText(
      "explain", "show how each confidence was computed",
      detail: "The terms add up to the log-odds of the confidence. --json always includes them."))
  static let profile = Option<Bool>.flag(
    OptionText(
      "profile", "show where the time of each image went, by steps",
      detail: """
        Images are then searched one after another. Beneath each table; with --json or --csv on standard error; with --report \
        also a bar in the page. With --deadline, BLOCK MS is the longest processor time in which a step did not look at the clock.
        """, isRare: true))
  static let json = Option<Bool>.flag(
    OptionText("json", "one JSON object per line and image"))
  static let report = Option<String?>.path(
    OptionText(
      "report", "also write an HTML page with the images",
      detail: "One file with all images, for a browser; it needs no server and no network."),
    "FILE", of: .files)
  static let csv = Option<Bool>.flag(
    OptionText(
      "csv", "one line per match, with a heading",
      detail: "An image without a match has a line with the reason.", isRare: true))
  static let open = Option<Bool>.flag(
    OptionText(
      "open", "open the link of the best match",
      detail: "With the program in BROWSER, or that of the desktop. For one query.", isRare: true)
  )
  static let allFields = Option<Bool>.flag(
    OptionText(
      "all-fields", "with --json: also fields that are not public",
      detail: "The JSON form is that of 'vq serve': the standard fields, those of 'vq index "
        + "--public', and image URLs. With this option it has all fields of the catalogue, stock "
        + "lists and image paths.", isRare: true))
  static let isolate = Isolation.option(
    within: "the command", costs: "ends only the look at that image", standard: .off)
  static let tolerant = Option.field(
    Question.tolerant, nil, "search with the part of a truncated image that is there",
    detail: "Without it, a truncated image is rejected with exit code 4.", isRare: true)

  static let command = CommandDescription(
    name: "match",
    summary: "find the products and stores that an image shows",
    examples: [
      "vq match mug.jpg --index shop.vq",
      "vq match mug.jpg --labels mug,cup --index shop.vq",
      "vq match --json --index shop.vq *.jpg | jq -r '.values[0].url'",
    ],
    operand: OperandDescription(
      placeholder: "IMAGE", count: 0...Int.max,
      summary:
        "a file such as JPEG, PNG or WebP, or a folder of such files; '-' for standard input; "
        + "none with only --labels or --text",
      completion: .files),
    options: [
      index.description, labels.description, text.description, region.description,
      limit.description,
      products.description,
      stores.description, minConfidence.description, deadline.description, type.description,
      conditions.description, group.description, threads.description, explain.description,
      json.description, report.description, csv.description, open.description, profile.description,
      allFields.description,
      tolerant.description, isolate.description, subject.description, answers.description,
      similar.description,
      withLabel.description,
      near.description,
      at.description,
      locale.description, appPage.description, RulesCommand.trial.description,
      signature.description, embedding.description,
      continuation.description, refresh.description, TextModels.models.description,
      IndexLocation.cache.description,
      IndexLocation.atLeast.description,
      PictureLimits.maxBytes.description, PictureLimits.maxPixels.description,
      PictureLimits.formats.description,
    ],
    notes: [
      HelpSection(
        title: "JSON form",
        text: """
          One object per line and image, in the order given. Later versions may add keys, which \
          can be ignored; they remove none.
            {"schema":"vq.match/1","query":"mug.jpg","complete":true,"coverage":1,
             "elapsedMs":12.3,"generation":4,
             "values":[{"rank":1,"type":"product","id":"mug-red","confidence":0.97,
               "tier":"near","url":"https://…","display":{…},"product":{…},
               "evidence":[{"kind":"color","value":0.93,"weight":3.2},…]},…]}
          If there is no match, 'emptyReason' gives the reason. 'possible' has the same form as 'values': what the image \
          may show though it is not sure, with shares of one probability as 'confidence'; --answers sure leaves it \
          out. So has 'sibling', if nothing is sure or possible: the same thing in other colors, with the \
          probability of that as 'confidence'. So has 'similar': things of the same kind, with the probability of that as 'confidence'; it is there with \
          --similar, and if nothing is sure and --models has a model that encodes images. 'nearMiss' is always null. 'hasMore' tells whether there are \
          further matches, which --continue shows. 'unmatchedLabels' lists the labels that are \
          unknown, and 'unmatchedWords' those of --text. 'rule' names the rule of the shop that moved a match. A store may have 'stocks', the matched product that it sells, \
          'distanceMeters' and 'openNow'. With --group, 'variants' lists the other variants of its group, \
          with 'confidence' if they match, too. 'profile' names the color space of an image that is not \
          sRGB, and tells whether it was converted. For an image that cannot be decoded there are only \
          'query' and 'error'.
          """)
    ],
    exitCodes: [
      .success, .failure, .usage, .undecodablePicture, .unusableIndex, .refusedLogin, .interrupted,
    ],
    exitMeanings: [.success: ExitCode.success.meaning],
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    try checkContinuation(arguments, console)
    var question = try Question(arguments)
    let isAsked =
      !arguments.operands.isEmpty || question.labels?.isEmpty == false
      || question.signature != nil || question.continuation != nil
    // Words alone need a model that encodes them.
    guard isAsked || question.text != nil && arguments[TextModels.models] != nil else {
      throw arguments.missingOperand(
        "'vq match' requires an IMAGE, --labels LIST, or both"
          + (question.text == nil
            ? ""
            : "; --text alone requires --models DIR with \(TextEncoder.modelName), which encodes words")
      )
    }
    guard question.refreshes == nil || question.continuation != nil else {
      throw CommandFailure(.usage, "--refresh requires --continue TOKEN")
    }
    guard !arguments[json] || !arguments[csv] else {
      throw CommandFailure(.usage, "--json and --csv are two forms; choose one")
    }
    if !arguments[json], let name = arguments.given(of: [allFields.description]).first {
      console.diagnostics.warning("\(name) has no effect without --json")
    }
    let images = try ImageOperands.files(arguments.operands, console)
    guard !arguments[open] || images.count <= 1 else {
      throw CommandFailure(.usage, "--open takes one IMAGE; found \(images.count)")
    }
    guard
      arguments[embedding] == nil || images.count == 1
        || images.isEmpty && question.signature != nil && question.continuation == nil
    else {
      throw CommandFailure(
        .usage, "--embedding requires one IMAGE, or --signature; found \(images.count) images")
    }
    question.embedding = try arguments[embedding].map(EmbeddingFile.embedding)
    let catalogue = try await IndexLocation.catalogue(
      of: arguments[index], arguments, console, atLeast: arguments[IndexLocation.atLeast])
    let pool = WorkerPool(width: arguments[threads])
    let isolation = (arguments[isolate] ?? .off).begin(
      within: "the command", PictureLimits.limits(of: arguments), threads: pool.width, console)
    var matcher = Matcher(catalogue: catalogue, pool: pool)
    matcher.models = try TextModels.open(arguments, for: catalogue, on: console)
    Isolation.begin(
      isolation, of: matcher.models, within: "the command", threads: pool.width, console)
    guard isAsked || matcher.searchesByWords else {
      throw CommandFailure(
        .usage,
        matcher.models?.words == nil
          ? "--text alone requires a model that encodes words: --models has no \(TextEncoder.modelName)"
          : "--text alone requires vectors of the images of the index by the model of --models",
        advice: matcher.models?.words == nil
          ? [] : ["encode them with: vq catalogue embed --models DIR"])
    }
    FitCommand.warnOfOther(catalogue, console)
    matcher.rules = try RulesCommand.rules(toTry: arguments, in: catalogue, on: console)
    matcher.ruleDate = question.date
    let search = PictureSearch(
      matcher: matcher, question: question,
      pageLimit: arguments.given(of: [limit.description]).isEmpty ? nil : question.limit,
      decoder: ImageDecoder(
        limits: PictureLimits.limits(of: arguments), keepsTruncated: question.isTolerant ?? false,
        keepsDamaged: true, formats: arguments[PictureLimits.formats]),
      lookup: arguments[json] && !arguments[allFields]
        ? EntityLookup(catalogue: catalogue, pool: pool) : nil,
      isReported: arguments[report] != nil,
      isExplained: arguments[explain] || arguments[report] != nil,
      isProfiled: arguments[profile])
    let file = try arguments[report].map(ReportFile.init)
    do {
      return try await run(
        search, images, arguments, file, in: catalogue.directory, on: console)
    } catch {
      file?.discard()
      throw error
    }
  }

  /// Rejects other content next to a continuation, and says which filters have no effect.
  private static func checkContinuation(_ arguments: ParsedArguments, _ console: Console) throws {
    guard arguments[continuation] != nil else { return }
    guard arguments.operands.isEmpty else {
      throw CommandFailure(
        .usage, "an IMAGE has no effect with --continue, whose search has its own; leave it out")
    }
    try arguments.refuse(options(of: .content), with: "--continue")
    for name in arguments.given(of: options(of: .filter)) {
      console.diagnostics.warning(
        "\(name) has no effect with --continue: the filters of the first search stay")
    }
  }

  /// Returns the options that are fields with a role in a question, in the order of the help.
  private static func options(of role: Question.Role) -> [OptionDescription] {
    let names = Question.fields([role], in: .argument).compactMap(\.option)
    return command.options.filter { names.contains($0.name) }
  }

  @concurrent private static func run(
    _ search: PictureSearch, _ images: [String], _ arguments: ParsedArguments, _ file: ReportFile?,
    in directory: String, on console: Console
  ) async throws -> ExitCode {
    let (catalogue, pool) = (search.matcher.catalogue, search.matcher.pool)
    let report = MatchReport(
      catalogue: catalogue, options: search.options, console: console,
      form: arguments[json] ? .json : arguments[csv] ? .csv : .table,
      isExplained: arguments[explain], isNamed: images.count > 1)
    try report.begin()
    var answers: [PictureSearch.Answer] = []
    var omitted = 0
    var code = ExitCode.success
    var unmatched: [String] = []
    var last: MatchResponse?
    func take(_ answer: PictureSearch.Answer) throws {
      last = try? answer.result.get()
      if case .failure = answer.result { code = .undecodablePicture }
      for (number, error) in (last?.diagnostics.missingShards ?? [:]).sorted(by: { $0.key < $1.key }
      ) {
        console.diagnostics.warning("shard \(number) was not searched: \(error.message)")
      }
      for (number, rows) in (last?.diagnostics.damagedRows ?? [:]).sorted(by: { $0.key < $1.key }) {
        console.diagnostics.warning(rows.text(shard: number))
      }
      if let words = last?.unmatchedWords, !words.isEmpty {
        console.diagnostics.warning(
          "nothing like it has '\(words.joined(separator: " "))' (--text)")
      }
      if last?.diagnostics.isEmbeddingCompared == false {
        console.diagnostics.warning(
          last?.diagnostics.lacksVectorIndex == true
            ? "vectors were not compared: a shard has no index of them (vq postgres init --shard says why)"
            : "--embedding was not compared: too few images of the index have one of its model and length"
        )
      }
      unmatched += answer.unmatchedLabels
      try report.write(answer)
      if file == nil { return }
      if answers.count < MatchPage.queryLimit { answers.append(answer) } else { omitted += 1 }
    }
    if images.isEmpty {
      try take(try await search.answer(to: nil))
    } else {
      // With a deadline, images are searched one at a time, because concurrent searches would
      // use up each other's time.
      let atOnce = search.options.timeout == nil && !search.isProfiled ? nil : 1
      try await forEachInOrder(images, on: pool, atOnce: atOnce) { picture in
        try await search.answer(to: picture)
      } take: {
        try take($0)
      }
    }
    count(unmatched, in: directory)
    if let file {
      var page = MatchPage(source: ReportSource(catalogue: catalogue, pool: pool), omitted: omitted)
      for answer in answers { try await page.add(answer.reported) }
      try file.write(page.page)
    }
    if arguments[open], let last { try openBest(of: last, console) }
    return code
  }

  private static func openBest(of response: MatchResponse, _ console: Console) throws {
    guard let best = response.matches.first else {
      return console.diagnostics.note("no match to open")
    }
    guard let link = best.handoff.url else {
      throw CommandFailure(.failure, "'\(best.value.id)' has no link to open")
    }
    try console.output.flush()
    try LinkOpener.open(link, environment: console.environment)
  }

  /// Labels are not counted in an index that is not writable.
  private static func count(_ labels: [String], in directory: String) {
    if !labels.isEmpty { try? UnmatchedLabels(directory: directory).count(labels) }
  }
}

/// The limits on images that several commands accept.
enum PictureLimits {
  static let maxBytes = Option<Int>.integer(
    OptionText(
      "max-bytes", "reject larger files", standard: "32000000, 32 MB", isRare: true),
    in: 1...1_000_000_000, default: 32_000_000)
  static let maxPixels = Option<Int>.integer(
    OptionText(
      "max-pixels", "reject larger images", standard: "100000000, 100 megapixels",
      isRare: true),
    in: 1...1_000_000_000, default: 100_000_000)

  static let formats = Option<Set<ImageFormat>>.formats(
    OptionText(
      "formats", "formats of images that are accepted: jpeg,png,webp",
      detail: "WebP requires the package libwebp7, AVIF and HEIC libheif1, and GIF libgif7. "
        + "'vq --version' lists those that are installed.",
      isRare: true), default: ImageFormat.all)

  static func limits(of arguments: ParsedArguments) -> DecodeLimits {
    DecodeLimits(byteLimit: arguments[maxBytes], pixelLimit: arguments[maxPixels])
  }
}
