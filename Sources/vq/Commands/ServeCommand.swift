import Dispatch
import HTTPServer
import PixelMatch
import Reading
import Synchronization
import VisualQuery

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// `vq serve`: answers queries over HTTP.
enum ServeCommand {
  static let host = Option<String?>.word(
    OptionText(
      "host", "listen on this IP address", detail: "0.0.0.0 or :: for all interfaces.",
      standard: "127.0.0.1"), "ADDRESS", accepts: "an IP address")
  static let port = Option<Int>.integer(
    OptionText("port", "listen on this port; 0: any free port"), in: 0...65_535, default: 8080)
  static let socket = Option<String?>.path(
    OptionText("socket", "listen on a Unix socket instead"), "FILE", of: .files)
  static let keys = Option<String?>.path(
    OptionText(
      "keys", "accept only clients with a key in this file",
      detail:
        "'vq key' makes keys. Without this option everybody may search and nobody may make changes."
    ),
    "FILE", of: .files)
  static let deadline = Option<Int>.integer(
    OptionText(
      "deadline", "time limit of a match in ms if the client gives none",
      detail: "At most --max-deadline."), "MS",
    in: 1...3_600_000, default: Int(Milliseconds.value(MatchOptions.defaultTimeout)))
  static let maxDeadline = Option<Int>.integer(
    OptionText("max-deadline", "maximum time limit of a match in ms"), "MS", in: 1...3_600_000,
    default: 2000)
  static let changeDeadline = Option<Int>.integer(
    OptionText(
      "change-deadline", "maximum time of a change in ms",
      detail: "With the analysis of its images.",
      isRare: true), "MS", in: 1...3_600_000, default: 10_000)
  static let queue = Option<Int>.integer(
    OptionText(
      "queue", "maximum number of waiting requests",
      detail: "Requests that cannot be answered in time are rejected earlier."),
    in: 0...10_000, default: 64)
  static let connections = Option<Int>.integer(
    OptionText("connections", "maximum number of connections", isRare: true),
    in: 1...100_000, default: 512)
  static let perAddress = Option<Int?>.integer(
    OptionText(
      "per-address", "maximum number of connections from one address",
      detail: """
        Addresses of this machine, such as a proxy's, are not limited; an IPv6 network of 64 \
        bits counts as one address.
        """,
      standard: "a quarter of --connections", isRare: true),
    in: 1...100_000)
  static let maxBytes = Option<Int>.integer(
    OptionText(
      "max-bytes", "reject larger bodies", standard: "10000000, 10 MB", isRare: true),
    in: 1...1_000_000_000, default: 10_000_000)
  static let decodeMemory = Option<Int?>.integer(
    OptionText(
      "decode-memory", "MB of memory for decoding images",
      detail: "Divided equally among the threads.", standard: "64 per thread, at least 256",
      isRare: true), in: 1...1_000_000)
  static let formats = Option<Set<ImageFormat>>.formats(
    OptionText(
      "formats", "formats of images that are accepted, or all",
      detail: "Besides these, there are avif, heic and gif, whose decoders are larger. WebP "
        + "requires the package libwebp7, AVIF and HEIC libheif1, and GIF libgif7.",
      isRare: true), default: ImageFormat.common)
  static let isolate = Isolation.option(
    within: "the server", costs: "costs one answer", standard: .on)
  static let rate = Option<Double?>.number(
    OptionText(
      "rate", "requests per second for each key, or address",
      detail: "Twice as many are accepted in a burst.", standard: "unlimited"), "N",
    in: 0.01...100_000)
  static let cpuRate = Option<Double?>.number(
    OptionText(
      "cpu-rate", "seconds of a thread per second for each key, or address",
      detail:
        "The time of two seconds is accepted in a burst. Clients have equal shares without this option, too.",
      standard: "unlimited", isRare: true), "N",
    in: 0.001...1000)
  static let trustedProxies = Option<[String]>.list(
    OptionText(
      "trusted-proxy", "proxies that name their clients in X-Forwarded-For",
      detail: "Addresses, networks such as 10.0.0.0/8, or local: a Unix socket or this machine.",
      isRare: true),
    "ADDRESS", accepts: "IP addresses or networks between commas, or local",
    isElement: { $0 == "local" || IPNetwork($0) != nil })
  static let origins = Option<[String]>.list(
    OptionText(
      "allow-origin", "accept requests from these origins (CORS)", detail: "By default none.",
      isRare: true),
    "ORIGIN", accepts: "origins between commas such as https://shop.example",
    isElement: isOrigin)
  static let hosts = Option<[String]>.list(
    OptionText(
      "allow-host", "without --keys: also accept requests to these hosts",
      detail:
        "On a loopback address, a server without keys answers only requests to localhost, 127.0.0.1 and [::1], so "
        + "that no web page can read it under a name of its own. A proxy on this machine may pass on other names.",
      isRare: true),
    "HOST", accepts: "names of hosts between commas such as shop.example", isElement: isHost)
  static let appIDs = Option<[String]>.list(
    OptionText(
      "app-id", "apps that may open the shop's links: TEAMID.bundle.id",
      detail: "For /.well-known/apple-app-site-association.", isRare: true),
    "ID", accepts: "ids between commas such as ABCDE12345.com.example.shop", isElement: isAppID)
  static let shopName = Option<String?>.word(
    OptionText(
      "name", "the name of the shop, for apps (/v1/settings)", isRare: true), "NAME",
    accepts: "a name")
  static let grace = Option<Double?>.number(
    OptionText(
      "grace", "seconds for running requests at shutdown", standard: "10", isRare: true), "S",
    in: 0...600)
  static let quiet = Option<Bool>.flag(
    OptionText("quiet", "do not log successful requests", isRare: true))

  /// Returns whether a browser may send a text as an origin: a scheme and a host, perhaps with a port.
  private static func isOrigin(_ text: String) -> Bool {
    guard let end = text.firstRange(of: "://") else { return text == "null" }
    let host = text[end.upperBound...]
    return end.lowerBound > text.startIndex && !host.isEmpty && text == text.lowercased()
      && !host.contains { "/?#@".contains($0) || $0.isWhitespace }
  }

  /// Returns whether a text is the name of a host, without a scheme and a port.
  private static func isHost(_ text: String) -> Bool {
    text.wholeMatch(of: /[A-Za-z0-9_.\-]+/) != nil
  }

  /// Returns whether a text is the id of an app: the ten characters of the team, and the id of the bundle.
  private static func isAppID(_ text: String) -> Bool {
    text.wholeMatch(of: /[A-Z0-9]{10}\.[A-Za-z0-9.\-]+/) != nil
  }

  static let numbers = Option<Bool>.flag(
    OptionText(
      "numbers", "count searches and what was opened, for 'vq report'",
      detail:
        "By day, in numbers.sqlite in the index, without anything personal; see docs/numbers.md.",
      isRare: true))
  static let tryRules = Option<String?>.path(
    OptionText(
      "try-rules", "use the rules of this file for half of the callers; requires --numbers",
      detail: "JSON, see 'vq help rules'. The hash of 'caller' in a question decides.", isRare: true
    ),
    "FILE", of: .files)

  static let command = CommandDescription(
    name: "serve",
    summary: "answer queries over HTTP",
    examples: [
      "vq serve --index shop.vq",
      "vq serve --index shop.vq --keys keys.txt --host 0.0.0.0",
      "vq serve --index shop.vq --socket /run/vq.sock",
    ],
    operand: nil,
    options: [
      MatchCommand.index.description, IndexLocation.cache.description,
      IndexLocation.atLeast.description, TextModels.models.description, host.description,
      port.description, socket.description,
      keys.description, deadline.description, maxDeadline.description, changeDeadline.description,
      queue.description,
      rate.description, cpuRate.description, trustedProxies.description,
      MatchCommand.threads.description, connections.description, perAddress.description,
      maxBytes.description, PictureLimits.maxPixels.description,
      decodeMemory.description, formats.description, isolate.description,
      origins.description, hosts.description,
      appIDs.description, shopName.description, numbers.description, tryRules.description,
      TraceOptions.collector.description, TraceOptions.share.description,
      grace.description, quiet.description,
    ],
    notes: [
      HelpSection(
        title: "Paths",
        text: """
          / is a page to search and correct with, /openapi.json describes the API. The address is written to standard \
          output and the log to standard error: one JSON object per line, without images, labels \
          and addresses. A new generation of the index is used at once; SIGHUP reloads the keys.
            curl --data-binary @mug.jpg -H 'Content-Type: image/jpeg' \\
              'localhost:8080/v1/match?labels=mug'
          """)
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex, .refusedLogin],
    endsItself: true,
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    // Ignores SIGHUP until the server handles it: by default, a reload during a long start
    // would end the process.
    _ = signal(SIGHUP, SIG_IGN)
    let pool = WorkerPool(width: arguments[MatchCommand.threads])
    let changePool = WorkerPool(width: pool.width)
    let replica = try IndexLocation.replica(of: arguments[MatchCommand.index], arguments)
    if replica == nil { IndexLocation.warnOfUnused(arguments, console) }
    if let replica {
      try await IndexLocation.follow(replica, console, atLeast: arguments[IndexLocation.atLeast])
    }
    // One connection for each thread, so that no request waits for another one's.
    let readers = pool.width + 1
    let current =
      try replica.map { try $0.currentCatalogue(readers: readers) }
      ?? CurrentCatalogue(directory: arguments[MatchCommand.index], readers: readers)
    let metrics = Metrics()
    let log = ServerLog(
      skipsSuccess: arguments[quiet], dropped: { metrics.countDroppedLogLine() })
    let catalogue = try ServedCatalogue(
      current, onError: { log.write("catalogue", $0.message, level: "error") })
    let keys = try arguments[Self.keys].map { try APIKeys(file: $0) }
    if let path = arguments[Self.keys], keys?.keys.isEmpty == true {
      console.diagnostics.warning(
        "'\(path)' has no key: every request that needs one will be rejected",
        advice: ["vq key \(path) --name NAME"])
    }
    if let path = arguments[Self.keys] {
      for ending in keys?.endings() ?? [] {
        console.diagnostics.warning("'\(path)': \(ending)", advice: ["vq key \(path) --name NAME"])
      }
    }
    var settings = settings(of: arguments, threads: pool.width)
    settings.isolation = (arguments[isolate] ?? .on).begin(
      within: "the server", settings.decodeLimits, threads: pool.width, console)
    settings.models = try TextModels.open(arguments, for: try catalogue.newest(), on: console)
    Isolation.begin(
      settings.isolation, of: settings.models, within: "the server", threads: pool.width, console)
    FitCommand.warnOfOther(try catalogue.newest(), console)
    settings.keepsNumbers = arguments[numbers]
    settings.trialRules = try arguments[tryRules].map { path in
      guard arguments[numbers] else {
        throw CommandFailure(.usage, "--try-rules requires --numbers, which tell the sides apart")
      }
      return try RulesCommand.rules(toTry: path, in: try catalogue.newest(), on: console)
    }
    if arguments[numbers] { _ = try SearchNumbers(directory: catalogue.directory) }
    let shop = ShopContext(
      catalogue: catalogue, pool: pool, changePool: changePool, settings: settings,
      replica: replica, keys: keys, metrics: metrics, log: log,
      tracer: try TraceOptions.tracer(arguments, log: log))
    let service = ShopService(shop)
    if let enough = DescriptorLimit.raise(forClients: arguments[connections]) {
      console.diagnostics.warning(
        "the system lets this process open too few files for \(arguments[connections]) connections",
        advice: [
          enough > 0
            ? "use --connections \(enough), or raise the limit (LimitNOFILE, ulimit -n)"
            : "raise the limit (LimitNOFILE, ulimit -n)"
        ])
    }
    let listener = try listener(of: arguments)
    let mailbox = try mailbox()
    let configuration = configuration(of: arguments, width: pool.width)
    // If standard output was closed when the program started, nobody waits for the address.
    if !FileDescriptor.isOutputClosed {
      try console.output.writeLine(address(of: listener, arguments))
      try console.output.flush()
    }
    let hangUps = onHangUp { reload(service, keys: arguments[Self.keys]) }
    let outcome = await withTaskCancellationHandler {
      await serve(listener, service, mailbox, configuration)
    } onCancel: {
      service.shop.isDraining.withLock { $0 = true }
      mailbox.post(.stop)
    }
    hangUps.cancel()
    service.shop.countUnmatchedLabels()
    service.shop.countSearches()
    listener.stopListening()
    await service.shop.tracer?.finish()
    await log.finish()
    try outcome.get()
    return .success
  }

  /// The time between two looks for a new generation while nobody asks for the catalogue.
  private static let refreshInterval = Duration.seconds(1)

  /// Serves on a thread of its own. Another one looks for new generations, for the answers of the
  /// event loop, a third one reads their segments for damage, and every few seconds the labels that the catalogue lacks are counted.
  private static func serve(
    _ listener: Socket, _ service: ShopService, _ mailbox: Mailbox,
    _ configuration: ServerConfiguration
  ) async -> Result<Void, any Error> {
    let serving = WorkerPool(width: 1)
    let watching = WorkerPool(width: 1)
    let checking = WorkerPool(width: 1)
    return await withTaskGroup(of: Result<Void, any Error>?.self) { group in
      group.addTask(executorPreference: serving) {
        run(listener, service, mailbox, configuration)
      }
      group.addTask(executorPreference: service.shop.pool) {
        while (try? await Task.sleep(for: .seconds(5))) != nil {
          service.shop.countUnmatchedLabels()
          service.shop.countSearches()
        }
        return nil
      }
      if let replica = service.shop.replica {
        group.addTask {
          await replica.run { error in
            service.shop.log.write(
              "replica", error?.message ?? "following PostgreSQL",
              level: error == nil ? "info" : "error")
          }
          return nil
        }
      }
      group.addTask(executorPreference: checking) {
        await SegmentWatch(catalogue: service.shop.catalogue).run()
        return nil
      }
      // Runs on a pool of its own: all threads of the service may be busy when a probe asks
      // for the state.
      group.addTask(executorPreference: watching) {
        var restarts = RestartLog()
        while (try? await Task.sleep(for: refreshInterval)) != nil {
          restarts.write(to: service.shop.log)
          _ = try? service.shop.catalogue.newest()
          service.shop.catalogue.releaseLog()
          service.shop.runs.refresh()
        }
        return nil
      }
      var outcome: Result<Void, any Error> = .success(())
      for await ended in group {
        guard let ended else { continue }
        outcome = ended
        group.cancelAll()
      }
      return outcome
    }
  }

  private static func run(
    _ listener: Socket, _ service: ShopService, _ mailbox: Mailbox,
    _ configuration: ServerConfiguration
  ) -> Result<Void, any Error> {
    do throws(SocketError) {
      let server = try Server(
        listeners: [listener], service: service, mailbox: mailbox, pool: service.shop.pool,
        changePool: service.shop.changePool, configuration: configuration)
      server.run()
      return .success(())
    } catch {
      return .failure(CommandFailure(.failure, error.message))
    }
  }

  private static func settings(
    of arguments: ParsedArguments, threads: Int
  ) -> ShopService.Settings {
    var settings = ShopService.Settings()
    settings.requestLimits.bodyBytes = arguments[maxBytes]
    settings.decodeLimits = DecodeLimits(
      byteLimit: arguments[maxBytes], pixelLimit: arguments[PictureLimits.maxPixels],
      memoryLimit: memoryLimit(asked: arguments[decodeMemory], threads: threads))
    settings.formats = arguments[formats]
    settings.deadlines = DeadlineLimits(
      standard: .milliseconds(min(arguments[deadline], arguments[maxDeadline])),
      maximum: .milliseconds(arguments[maxDeadline]))
    settings.changeBudget = .milliseconds(arguments[changeDeadline])
    settings.rate = arguments[rate]
    settings.sources.origins = Set(arguments[origins])
    if arguments[socket] == nil, RequestSources.isLoopback(arguments[host] ?? "127.0.0.1") {
      settings.sources.hosts = Set(arguments[hosts].map { $0.lowercased() })
    }
    settings.computingRate = arguments[cpuRate]
    settings.appIDs = arguments[appIDs]
    settings.shopName = arguments[shopName]
    return settings
  }

  /// Returns the bytes of memory for decoding on each thread; `asked` is in MB, for all threads
  /// together.
  static func memoryLimit(asked: Int?, threads: Int) -> Int {
    (asked ?? max(256, 64 * threads)) * 1_000_000 / threads
  }

  private static func configuration(
    of arguments: ParsedArguments, width: Int
  ) -> ServerConfiguration {
    var configuration = ServerConfiguration()
    configuration.limits.bodyBytes = arguments[maxBytes]
    configuration.connectionLimit = arguments[connections]
    configuration.connectionLimitPerClient =
      arguments[perAddress] ?? max(1, arguments[connections] / 4)
    configuration.queueLimit = arguments[queue]
    configuration.width = width
    configuration.graceTime = .seconds(arguments[grace] ?? 10)
    configuration.allowedOrigins = Set(arguments[origins])
    configuration.trustedProxies.trustsLocal = arguments[trustedProxies].contains("local")
    configuration.trustedProxies.networks = arguments[trustedProxies].compactMap { IPNetwork($0) }
    return configuration
  }

  private static func listener(of arguments: ParsedArguments) throws -> Socket {
    let address: Socket.Address =
      arguments[socket].map { .path($0) }
      ?? .host(arguments[host] ?? "127.0.0.1", port: UInt16(arguments[port]))
    do throws(SocketError) {
      return try Socket.listening(at: address)
    } catch {
      let name = arguments[socket] ?? "\(arguments[host] ?? "127.0.0.1"):\(arguments[port])"
      throw CommandFailure(.failure, "cannot listen on \(name): \(error.message)")
    }
  }

  private static func mailbox() throws -> Mailbox {
    do throws(SocketError) {
      return try Mailbox()
    } catch {
      throw CommandFailure(.failure, error.message)
    }
  }

  /// Returns the address of the server for clients.
  private static func address(of listener: Socket, _ arguments: ParsedArguments) -> String {
    if let path = arguments[socket] { return "unix:\(path)" }
    let host = arguments[host] ?? "127.0.0.1"
    return "http://\(host.contains(":") ? "[\(host)]" : host):\(listener.port)/"
  }

  /// Reloads the keys; if that fails, the current ones stay.
  private static func reload(_ service: ShopService, keys path: String?) {
    do {
      if let path { try service.shop.reloadKeys(from: path) }
      for ending in service.shop.keys?.endings() ?? [] {
        service.shop.log.write("reload", ending, level: "warning")
      }
      let catalogue = try service.shop.catalogue.newest()
      service.shop.log.write("reloaded", "generation \(catalogue.generation)")
    } catch let failure as CommandFailure {
      service.shop.log.write("reload", failure.message, level: "error")
    } catch {
      service.shop.log.write("reload", "\(error)", level: "error")
    }
  }

  private static func onHangUp(
    _ body: @escaping @Sendable () -> Void
  ) -> any DispatchSourceSignal {
    let source = DispatchSource.makeSignalSource(
      signal: SIGHUP, queue: DispatchQueue(label: "vq.reload"))
    source.setEventHandler { @Sendable in body() }
    source.activate()
    return source
  }
}
