import Dispatch
import HTTPServer
import PixelMatch
import Synchronization
import VisualQuery

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// `vq serve`: the matcher behind HTTP.
enum ServeCommand {
  static let host = Option<String?>.word(
    OptionText(
      "host", "listen at this IP address", detail: "0.0.0.0 or :: for all of the machine.",
      standard: "127.0.0.1"), "ADDRESS", accepts: "an IP address")
  static let port = Option<Int>.integer(
    OptionText("port", "listen at this port; 0: any that is free"), in: 0...65_535, default: 8080)
  static let socket = Option<String?>.path(
    OptionText("socket", "listen at a Unix socket instead"), "FILE", of: .files)
  static let keys = Option<String?>.path(
    OptionText(
      "keys", "let in only who has a key of this file",
      detail: "'vq key' makes keys. Without it anybody may ask, and nobody change anything."),
    "FILE", of: .files)
  static let deadline = Option<Int>.integer(
    OptionText("deadline", "ms for a match where a client does not say"), "MS",
    in: 1...3_600_000, default: 300)
  static let maxDeadline = Option<Int>.integer(
    OptionText("max-deadline", "ms for a match whatever a client says"), "MS", in: 1...3_600_000,
    default: 2000)
  static let queue = Option<Int>.integer(
    OptionText(
      "queue", "let at most so many requests wait",
      detail: "Requests that could not be answered in time are refused before that."),
    in: 0...10_000, default: 64)
  static let connections = Option<Int>.integer(
    OptionText("connections", "serve so many connections at once", isRare: true),
    in: 1...100_000, default: 512)
  static let perAddress = Option<Int?>.integer(
    OptionText(
      "per-address", "serve so many connections of one address at once",
      detail: """
        Addresses of this machine, such as a proxy's, have no limit of their own; an IPv6 network of 64 \
        bits counts as one address.
        """,
      standard: "a quarter of --connections", isRare: true),
    in: 1...100_000)
  static let maxBytes = Option<Int>.integer(
    OptionText(
      "max-bytes", "refuse larger bodies", standard: "10000000, 10 MB", isRare: true),
    in: 1...1_000_000_000, default: 10_000_000)
  static let decodeMemory = Option<Int?>.integer(
    OptionText(
      "decode-memory", "MB for decoding pictures, on all threads",
      detail: "Each thread gets an equal part.", standard: "64 a thread, 256 at least",
      isRare: true), in: 1...1_000_000)
  static let rate = Option<Double?>.number(
    OptionText(
      "rate", "requests a second of one key, or else address",
      detail: "Twice as many are let through at once.", standard: "unlimited"), "N",
    in: 0.01...100_000)
  static let origins = Option<[String]>.list(
    OptionText(
      "allow-origin", "let pages of these origins ask (CORS)",
      detail: "Such as https://shop.example; none unless given.", isRare: true), "ORIGIN")
  static let appIDs = Option<[String]>.list(
    OptionText(
      "app-id", "apps that open the shop's links: TEAM.bundle",
      detail: "For /.well-known/apple-app-site-association.", isRare: true), "ID")
  static let grace = Option<Double?>.number(
    OptionText(
      "grace", "seconds to finish in when told to stop", standard: "10", isRare: true), "S",
    in: 0...600)
  static let quiet = Option<Bool>.flag(
    OptionText("quiet", "log no requests that went well", isRare: true))

  static let command = CommandDescription(
    name: "serve",
    summary: "answer over HTTP what pictures show",
    examples: [
      "vq serve --index shop.vq",
      "vq serve --index shop.vq --keys keys.txt --host 0.0.0.0",
      "vq serve --index shop.vq --socket /run/vq.sock",
    ],
    operand: nil,
    options: [
      MatchCommand.index.description, host.description, port.description, socket.description,
      keys.description, deadline.description, maxDeadline.description, queue.description,
      rate.description, MatchCommand.threads.description, connections.description,
      perAddress.description, maxBytes.description, PictureLimits.maxPixels.description,
      decodeMemory.description,
      origins.description,
      appIDs.description, grace.description, quiet.description,
    ],
    notes: [
      HelpSection(
        title: "Paths",
        text: """
          / is a page to try it, /openapi.json says what there is. Standard output gets the address, \
          standard error the log: a JSON object a line, without pictures, labels and addresses. \
          A new generation of the index is taken at once; SIGHUP reads the keys again.
            curl --data-binary @mug.jpg -H 'Content-Type: image/jpeg' \\
              'localhost:8080/v1/match?labels=mug'
          """)
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex],
    endsItself: true,
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let pool = WorkerPool(width: arguments[MatchCommand.threads])
    // A connection for each thread, so that no request waits for another one's.
    let current = try CurrentCatalogue(
      directory: arguments[MatchCommand.index], readers: pool.width + 1)
    let metrics = Metrics()
    let log = ServerLog(
      skipsSuccess: arguments[quiet], dropped: { metrics.countDroppedLogLine() })
    let catalogue = try ServedCatalogue(
      current, onError: { log.write("catalogue", $0.message, level: "error") })
    let service = ShopService(
      catalogue: catalogue, pool: pool, settings: settings(of: arguments, threads: pool.width),
      keys: try arguments[keys].map { try APIKeys(file: $0) }, metrics: metrics, log: log)
    let listener = try listener(of: arguments)
    let mailbox = try mailbox()
    let configuration = configuration(of: arguments, width: pool.width)
    try console.output.writeLine(address(of: listener, arguments))
    try console.output.flush()
    let hangUps = onHangUp { reload(service, keys: arguments[keys]) }
    let outcome = await withTaskCancellationHandler {
      await serve(listener, service, mailbox, configuration)
    } onCancel: {
      service.isDraining.withLock { $0 = true }
      mailbox.post(.stop)
    }
    hangUps.cancel()
    service.countUnmatchedLabels()
    log.finish()
    if let path = arguments[socket] { unsafe unlink(path) }
    try outcome.get()
    return .success
  }

  /// The time between two looks for a new generation while nobody asks for the catalogue.
  private static let refreshInterval = Duration.seconds(1)

  /// Serves on a thread of its own. Another one looks for new generations, for the answers of the event loop, and every
  /// few seconds the labels that the catalogue lacks are counted.
  private static func serve(
    _ listener: Socket, _ service: ShopService, _ mailbox: Mailbox,
    _ configuration: ServerConfiguration
  ) async -> Result<Void, any Error> {
    let serving = WorkerPool(width: 1)
    let watching = WorkerPool(width: 1)
    return await withTaskGroup(of: Result<Void, any Error>?.self) { group in
      group.addTask(executorPreference: serving) {
        run(listener, service, mailbox, configuration)
      }
      group.addTask(executorPreference: service.pool) {
        while (try? await Task.sleep(for: .seconds(5))) != nil { service.countUnmatchedLabels() }
        return nil
      }
      // Not on the service's pool, all of whose threads may be at work when a probe asks for the state.
      group.addTask(executorPreference: watching) {
        while (try? await Task.sleep(for: refreshInterval)) != nil {
          _ = try? service.catalogue.newest()
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
        listeners: [listener], service: service, mailbox: mailbox, pool: service.pool,
        configuration: configuration)
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
    settings.deadlines = DeadlineLimits(
      standard: .milliseconds(min(arguments[deadline], arguments[maxDeadline])),
      maximum: .milliseconds(arguments[maxDeadline]))
    settings.rate = arguments[rate]
    settings.appIDs = arguments[appIDs]
    return settings
  }

  /// The bytes that decoding may take on each thread; `asked` is in MB, for all threads together.
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
      throw CommandFailure(.failure, "cannot listen at \(name): \(error.message)")
    }
  }

  private static func mailbox() throws -> Mailbox {
    do throws(SocketError) {
      return try Mailbox()
    } catch {
      throw CommandFailure(.failure, error.message)
    }
  }

  /// Where a browser or a client finds the server.
  private static func address(of listener: Socket, _ arguments: ParsedArguments) -> String {
    if let path = arguments[socket] { return "unix:\(path)" }
    let host = arguments[host] ?? "127.0.0.1"
    return "http://\(host.contains(":") ? "[\(host)]" : host):\(listener.port)/"
  }

  /// Reads the keys again; where that fails, the ones there are stay.
  private static func reload(_ service: ShopService, keys path: String?) {
    do {
      if let path { service.replace(keys: try APIKeys(file: path)) }
      let catalogue = try service.catalogue.newest()
      service.log.write("reloaded", "generation \(catalogue.generation)")
    } catch let failure as CommandFailure {
      service.log.write("reload", failure.message, level: "error")
    } catch {
      service.log.write("reload", "\(error)", level: "error")
    }
  }

  private static func onHangUp(
    _ body: @escaping @Sendable () -> Void
  ) -> any DispatchSourceSignal {
    _ = signal(SIGHUP, SIG_IGN)
    let source = DispatchSource.makeSignalSource(
      signal: SIGHUP, queue: DispatchQueue(label: "vq.reload"))
    source.setEventHandler { @Sendable in body() }
    source.activate()
    return source
  }
}
