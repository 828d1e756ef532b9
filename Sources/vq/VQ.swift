#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import PixelMatch
import Reading
import VisualQuery

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The command `vq`: parses the command line, runs the command, and reports errors.
@main
struct VQ {
  /// All commands, in the order of the help.
  static let commands = [
    IndexCommand.command, MatchCommand.command, CatalogueCommand.command, DoctorCommand.command,
    FeedsCommand.command, DuplicatesCommand.command, LabelsCommand.command, RulesCommand.command,
    ReportCommand.command,
    EvalCommand.command, FitCommand.command,
    DiffCommand.command,
    WhyNotCommand.command, NeighborsCommand.command, FeedbackCommand.command, ServeCommand.command,
    AgentCommand.command,
    KeyCommand.command,
    HashCommand.command, SignCommand.command, PostgresCommand.command, CopyCommand.command,
    CodegenCommand.command,
    SimulateClientCommand.command, HelpCommand.command, CompletionsCommand.command,
  ]

  static func main() async {
    FileDescriptor.replaceClosedStandardDescriptors()
    Interrupt.ignoreClosedPipes()
    let arguments = FileName.arguments
    // A hidden command, by which a server starts the processes of libraries. For anybody else, it is unknown.
    if arguments.first == "worker", LibraryProcesses.work(Array(arguments.dropFirst())) { return }
    let environment = ProcessInfo.processInfo.environment
    let parsed = Result {
      try ArgumentParser(
        commands: commands, environment: environment,
        configuration: { () throws(UsageError) in
          try Configuration.read(environment: environment, commands: commands)
        }, indexesHere: { IndexLocation.indexes(in: ".") }
      ).parse(arguments)
    }
    var endsItself = false
    if case .success(.run(let command, _)) = parsed { endsItself = command.endsItself }
    let start = Date()
    let code = await Interrupt.cancelling(hasGracePeriod: !endsItself) { @concurrent in
      await run(parsed, environment: environment)
    }
    if case .success(.run(let command, _)) = parsed, command.name == IndexCommand.command.name,
      let warning = TraceOptions.send(run: "vq \(command.name)", from: start, code: code)
    {
      Console(environment: environment, color: .auto).diagnostics.warning(warning)
    }
    // Everything is written. `exit` would also tear down the libraries, such as OpenSSL, under threads
    // that still close their connections.
    _exit(code.rawValue)
  }

  /// Runs one command line on the standard descriptors.
  private static func run(
    _ parsed: Result<Invocation, any Error>, environment: [String: String]
  ) async -> ExitCode {
    var console = Console(environment: environment, color: .auto)
    do {
      var code = ExitCode.success
      switch try parsed.get() {
      case .help(let form, let command):
        try console.output.write(Help(commands: commands).text(form, for: command))
      case .version:
        for line in Version.lines { try console.output.writeLine(line) }
      case .run(let command, let parsed):
        console = Console(environment: environment, color: parsed[CommonOptions.color] ?? .auto)
        if parsed.operands.contains("-"), FileDescriptor.isInputClosed {
          throw CommandFailure(.failure, "cannot read '-': standard input is closed")
        }
        try OutputFiles.check(parsed)
        code = try await command.run(parsed, console)
      }
      try console.output.flush()
      return code
    } catch {
      return end(with: error, on: console)
    }
  }

  /// Writes the answers that were finished before an error, and reports the error.
  private static func end(with error: any Error, on console: Console) -> ExitCode {
    let code = exitCode(for: error)
    do {
      try console.output.flush()
    } catch {
      // A failed flush means that the reader is gone or the disk is full, which the error
      // below usually reports.
    }
    console.diagnostics.showStatus(nil)
    report(error, to: console.diagnostics)
    return code
  }

  /// Returns the exit code for an error.
  ///
  /// There is an exhaustive switch for every error type.
  static func exitCode(for error: any Error) -> ExitCode {
    switch error {
    case is UsageError: .usage
    case let failure as CommandFailure: failure.exitCode
    case let error as OutputError:
      switch error.code {
      case .closedPipe: .success
      case .refused: .failure
      }
    case is DecodeError: .undecodablePicture
    case let error as MatchError:
      switch error.code {
      case .regionOutside, .invalidFilter, .invalidToken, .expiredToken: .usage
      }
    case let error as CatalogueError:
      switch error.code {
      case .missing, .notACatalogue, .otherSchemaVersion, .otherSignatureVersion, .locked,
        .truncated, .corrupt, .notPermitted, .unreachable:
        .unusableIndex
      case .loginRefused: .refusedLogin
      case .invalidLocation: .usage
      case .diskFull, .exhausted, .unreadableInput, .refusedRow, .timedOut, .io: .failure
      }
    case is FeedError: .failure
    case is FeedRefusal: .refused
    case is CancellationError: .interrupted
    default: .failure
    }
  }

  /// Reports an error.
  ///
  /// A closed pipe is not reported.
  static func report(_ error: any Error, to diagnostics: Diagnostics) {
    switch error {
    case let error as UsageError: report(error, to: diagnostics)
    case let failure as CommandFailure:
      diagnostics.error(failure.message, advice: failure.advice)
    case let error as OutputError:
      switch error.code {
      case .closedPipe: break
      case .refused: diagnostics.error(error.message)
      }
    case let error as DecodeError: diagnostics.error(error.message)
    case let error as MatchError: diagnostics.error(error.message)
    case let error as CatalogueError: diagnostics.error(error.message)
    case let error as FeedError: diagnostics.error(error.message)
    case let error as FeedRefusal: diagnostics.error(error.message, advice: [error.advice])
    case is CancellationError: diagnostics.error("interrupted")
    default: diagnostics.error("\(error)")
    }
  }

  private static func report(_ error: UsageError, to diagnostics: Diagnostics) {
    let help = Help(commands: commands)
    if error.code == .noCommand {
      diagnostics.write(help.text(.short))
      return
    }
    let command = commands.first { $0.name == error.command }
    let more = command.map { "vq \($0.name) -h" } ?? "vq -h"
    diagnostics.error(
      error.message, advice: ["usage: " + Help.usage(of: command), "more:  " + more])
  }
}
