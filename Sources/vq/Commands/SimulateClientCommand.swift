import PixelMatch
import VisualQuery

/// `vq simulate-client`: asks a `vq serve` what a phone would, and shows its answer.
enum SimulateClientCommand {
  static let server = Option<String>.word(
    OptionText(
      "server", "the address of 'vq serve': http://127.0.0.1:8080", environment: "VQ_SERVER"), "URL"
  )
  static let labels = Option<[String]>.list(
    OptionText(
      "labels", "English words for what the image shows: mug,cup",
      detail: "As Visual Intelligence gives them to an app."))
  static let crop = Option<PictureRegion?>.region(
    OptionText(
      "crop", "the part of the image that the person framed",
      detail:
        "Cut out before the upload. Fractions of its width and height if no number is above 1, else pixels."
    ))
  static let sides = Option<[Int]>.sides(
    OptionText(
      "sides", "the longer side of the upload, in pixels; several with commas",
      detail: "One question for each. The default is that of the client package for apps."),
    default: [1024])
  static let keyFile = Option<String?>.path(
    OptionText("key-file", "a file with a key of the server", detail: "Its first line counts."),
    "FILE", of: .files)
  static let language = Option<String?>.word(
    OptionText("language", "the language of titles", standard: "en", isRare: true), "TAG",
    accepts: "a language tag such as de-CH")
  static let timeout = Option<Int>.integer(
    OptionText("timeout", "time limit in ms for each answer"), "MS", in: 1...600_000,
    default: 5000)
  static let conversation = Option<Bool>.flag(
    OptionText(
      "conversation", "also ask what an app and the system ask after the tap",
      detail:
        "The images of the cards, the entity that is opened, 'More results' to the end, and the first page for "
        + "Spotlight's index. The image is uploaded once."))
  static let json = Option<Bool>.flag(OptionText("json", "the server's answers, one per line"))

  static let command = CommandDescription(
    name: "simulate-client",
    summary: "ask a server what a phone would, and show its answer",
    examples: [
      "vq simulate-client photo.jpg --server http://127.0.0.1:8080 --labels mug",
      "vq simulate-client photo.jpg --server http://127.0.0.1:8080 --conversation",
    ],
    operand: OperandDescription(
      placeholder: "IMAGE", count: 0...1,
      summary: "a file such as JPEG, PNG or WebP; '-' for standard input; none with only --labels",
      completion: .files),
    options: [
      server.description, labels.description, crop.description, sides.description,
      keyFile.description, language.description, timeout.description, conversation.description,
      json.description,
      PictureLimits.maxBytes.description,
      PictureLimits.maxPixels.description, PictureLimits.formats.description,
    ],
    notes: [
      HelpSection(
        title: "The question",
        text: """
          The image is scaled and sent as the package for apps (Clients/Swift) does: POST /v1/match with \
          'multipart/form-data', or JSON if there are only labels. The size of the catalogue and the \
          cut-off are from GET /v1/catalogue. --conversation loads the images of the cards: those of the server, and those \
          at public addresses.
          """),
      HelpSection(
        title: "JSON form",
        text: """
          The documents of POST /v1/match (vq.match/1) as they were received, in the order of --sides.
          """),
    ],
    exitCodes: [.success, .failure, .usage, .undecodablePicture, .interrupted],
    exitMeanings: [.success: ExitCode.success.meaning],
    isRare: true,
    run: run)

  /// One question with its answer.
  private struct Exchange: Sendable {
    let image: PhoneImage?
    let answer: ServedAnswer
    let document: [UInt8]
  }

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    guard !arguments.operands.isEmpty || !arguments[labels].isEmpty else {
      throw arguments.missingOperand(
        "'vq simulate-client' requires an IMAGE, --labels LIST, or both")
    }
    guard !(arguments[conversation] && arguments[json]) else {
      throw CommandFailure(
        .usage, "--conversation has no JSON form; leave out --json or --conversation")
    }
    let client = try client(arguments)
    // Waiting for the server blocks the thread.
    return try await withTaskExecutorPreference(WorkerPool(width: 1)) { @concurrent in
      do {
        return try await ask(client, arguments, on: console)
      } catch let failure as PhoneClient.Failure {
        throw CommandFailure(.failure, failure.message, advice: failure.advice)
      }
    }
  }

  @concurrent private static func ask(
    _ client: PhoneClient, _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let images = try images(arguments)
    let labels = sentLabels(arguments[labels], console)
    let size = try client.size()
    for image in images {
      try Task.checkCancellation()
      let (answer, document) = try client.match(image, labels: labels)
      let exchange = Exchange(image: image, answer: answer, document: document)
      if arguments[json] {
        // Replaces line breaks by spaces: in JSON they occur only between tokens, never within a
        // text.
        let line = document.map { [0x0A, 0x0D].contains($0) ? 0x20 : $0 }
        try console.output.writeLine(String(decoding: line, as: UTF8.self))
      } else {
        try console.output.write(text(exchange, size, isOne: images.count == 1, on: console))
        if arguments[conversation] {
          var conversation = PhoneConversation(
            client, answer, upload: image?.bytes.count, document: document)
          try conversation.play(after: answer)
          let lines = conversation.lines(on: console)
          try console.output.write("\n" + lines.joined(separator: "\n") + "\n")
        }
      }
      try console.output.flush()
    }
    return .success
  }

  private static func client(_ arguments: ParsedArguments) throws -> PhoneClient {
    let connection: ServiceConnection
    do {
      connection = try ServiceConnection(
        arguments[server], timeLimit: .milliseconds(arguments[timeout]))
    } catch let failure as ServiceConnection.Failure {
      throw CommandFailure(.usage, "--server: \(failure.message)")
    }
    let language = arguments[language] ?? "en"
    guard language.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw CommandFailure(
        .usage, "--language takes a language tag such as de-CH; found \(quoted(language))")
    }
    return PhoneClient(
      connection: connection, key: try arguments[keyFile].map(key), language: language)
  }

  /// Reads a key: the first line of a file, without blanks.
  private static func key(ofFile path: String) throws -> String {
    let bytes: [UInt8]
    do throws(DecodeError) {
      bytes = try ImageDecoder(limits: DecodeLimits(byteLimit: 4096)).contents(ofFile: path)
    } catch {
      throw CommandFailure(.failure, "cannot read the key in '\(path)': \(error.message)")
    }
    let line = bytes.prefix { $0 != 0x0A }.filter { $0 != 0x0D }
    guard !line.isEmpty, line.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw CommandFailure(
        .failure, "'\(path)' has no key in its first line",
        advice: ["make one: vq key keys.txt --name phone"])
    }
    return String(decoding: line, as: UTF8.self)
  }

  /// Returns the uploads, one for each side; one question without an image if there is none.
  private static func images(_ arguments: ParsedArguments) throws -> [PhoneImage?] {
    guard let operand = arguments.operands.first else { return [nil] }
    let sides = arguments[sides]
    let decoder = ImageDecoder(
      limits: PictureLimits.limits(of: arguments), formats: arguments[PictureLimits.formats])
    do {
      let bytes = try decoder.contents(ofOperand: operand)
      let pixels =
        if let region = arguments[crop] {
          try decoder.decode(bytes).cropped(to: region)
        } else {
          try decoder.decode(bytes, longerSide: sides.max() ?? 0)
        }
      return try sides.map { try PhoneImage(pixels, side: $0) }
    } catch let error as DecodeError {
      throw CommandFailure(
        .undecodablePicture, PictureFailure(error).sentence(about: FileName.readable(operand)))
    } catch let error as MatchError {
      throw CommandFailure(.usage, "--crop: \(error.message)")
    }
  }

  /// Returns as many labels as the client package sends.
  private static func sentLabels(_ labels: [String], _ console: Console) -> [String] {
    let limit = SemanticContent.labelLimit
    if labels.count > limit {
      console.diagnostics.warning(
        "\(labels.count - limit) labels are left out: a client sends at most \(limit)")
    }
    return Array(labels.prefix(limit))
  }

  private static func text(
    _ exchange: Exchange, _ size: ServedSize, isOne: Bool, on console: Console
  ) -> String {
    let answer = exchange.answer
    var lines = isOne ? [] : exchange.image.map { ["\($0.description):"] } ?? []
    var table = AnswerTable()
    for value in answer.values { table.append(value, rank: "\(value.rank)") }
    lines += table.lines(on: console)
    if !answer.listed.isEmpty {
      var table = AnswerTable()
      for value in answer.listed { table.append(value, rank: UnsureText.mark) }
      lines.append(UnsureText.heading(answer.listed.count) + ":")
      lines += table.lines(on: console)
    }
    let summary = AnswerSummary(
      matchCount: answer.values.count,
      cutOff: exchange.image == nil ? 0 : size.minimumConfidence, isComplete: answer.complete,
      coverage: min(1, max(0, answer.coverage)),
      emptyReason: answer.emptyReason.flatMap(MatchResponse.EmptyReason.init),
      hasPicture: exchange.image != nil, products: size.products, stores: size.stores,
      isFiltered: false)
    lines.append(summary.text)
    if !isOne { lines.append("") }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension AnswerTable {
  /// Adds an entity of a server's answer.
  fileprivate mutating func append(_ value: ServedAnswer.Value, rank: String) {
    append(
      rank, value.confidence, tier: value.tier, type: value.type, name: value.display.name,
      note: value.url ?? "\(value.type):\(value.id)")
  }
}

extension Option<[Int]> {
  /// Numbers of pixels with commas between them.
  fileprivate static func sides(_ text: OptionText, default standard: [Int]) -> Self {
    let range = 16...8192
    let value = ValueDescription(
      placeholder: "SIDES",
      accepts:
        "at most 8 numbers of \(range.lowerBound)…\(range.upperBound) pixels such as 1024,512",
      completion: .nothing)
    return Self(
      text, value: value, standard: standard.map(String.init).joined(separator: ","),
      initial: standard
    ) { text -> [Int]? in
      let words = text.split(separator: ",", omittingEmptySubsequences: false)
      let sides = words.compactMap { Int($0) }.filter(range.contains)
      return sides.count < words.count || sides.count > 8 ? nil : sides
    }
  }
}
