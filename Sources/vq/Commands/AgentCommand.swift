import HTTPServer
import PixelMatch
import VisualQuery

/// `vq mcp`: the tools of `POST /mcp` for an agent that runs here, on standard input and output.
enum AgentCommand {
  static let command = CommandDescription(
    name: "mcp",
    summary: "answer an agent on this machine (Model Context Protocol)",
    examples: ["vq mcp --index shop.vq"],
    operand: nil,
    options: [
      MatchCommand.index.description, IndexLocation.cache.description,
      TextModels.models.description, MatchCommand.threads.description,
    ],
    notes: [
      HelpSection(
        title: "Protocol",
        text: """
          A message of JSON-RPC a line on standard input, an answer a line on standard output, as of the transport 'stdio' \
          of the protocol. The tools are match, search, get, stores and similar; 'vq serve' has the same at /mcp. The program \
          ends with the input.
          """)
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex, .refusedLogin],
    endsItself: true, isRare: true, run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let pool = WorkerPool(width: arguments[MatchCommand.threads])
    let directory = try await IndexLocation.directory(
      of: arguments[MatchCommand.index], arguments, console)
    let log = ServerLog()
    let catalogue = try ServedCatalogue(
      CurrentCatalogue(directory: directory, readers: pool.width + 1),
      onError: { log.write("catalogue", $0.message, level: "error") })
    var settings = ShopService.Settings()
    // One agent asks at a time, and waits: an answer that is cut short would be worth less to it.
    settings.deadlines = DeadlineLimits(standard: .seconds(10), maximum: .seconds(60))
    settings.models = try TextModels.open(arguments, for: try catalogue.newest(), on: console)
    let shop = ShopContext(
      catalogue: catalogue, pool: pool, changePool: pool, settings: settings, replica: nil,
      keys: nil, metrics: Metrics(), log: log)
    let handlers = AgentHandlers(shop)
    while let line = readLine() {
      if line.allSatisfy(\.isWhitespace) { continue }
      _ = try? catalogue.newest()
      let message = Array(line.utf8)
      if let answer = try await handlers.answer(to: message, HTTPRequest(local: message)) {
        try console.output.writeLine(String(decoding: answer, as: UTF8.self))
        try console.output.flush()
      }
    }
    return .success
  }
}
