import Testing
import VisualQuery

@testable import vq

@Suite struct UsageErrorTests {
  struct Mistake: Sendable, CustomTestStringConvertible {
    let words: [String]
    let code: UsageError.Code
    let message: String
    var testDescription: String { (["vq"] + words).joined(separator: " ") }

    init(_ line: String, _ code: UsageError.Code, _ message: String) {
      words = line.split(separator: " ").map(String.init)
      self.code = code
      self.message = message
    }
  }

  static let mistakes = [
    Mistake("", .noCommand, "no command given"),
    Mistake("mtach a", .unknownCommand, "unknown command 'mtach'; did you mean 'match'?"),
    Mistake("frobnicate", .unknownCommand, "unknown command 'frobnicate'"),
    Mistake("--limt match", .unknownOption, "unknown option '--limt' before the command"),
    Mistake(
      "match --lables mug", .unknownOption,
      "unknown option '--lables' for 'vq match'; did you mean '--labels'?"),
    Mistake(
      "match --lables=mug", .unknownOption,
      "unknown option '--lables' for 'vq match'; did you mean '--labels'?"),
    Mistake(
      "match --lab mug", .unknownOption,
      "unknown option '--lab' for 'vq match'; did you mean '--labels'?"),
    Mistake(
      "match -json a", .unknownOption,
      "unknown option '-json' for 'vq match'; did you mean '--json'?"),
    Mistake("match -x a", .unknownOption, "unknown option '-x' for 'vq match'"),
    Mistake("hash --frobnicate", .unknownOption, "unknown option '--frobnicate' for 'vq hash'"),
    Mistake("match --limit 0", .unacceptableValue, "--limit takes 1…100; found 0"),
    Mistake("match --limit 101", .unacceptableValue, "--limit takes 1…100; found 101"),
    Mistake("match --limit -1", .unacceptableValue, "--limit takes 1…100; found -1"),
    Mistake("match --limit many", .unacceptableValue, "--limit takes 1…100; found 'many'"),
    Mistake("match --limit 2.5", .unacceptableValue, "--limit takes 1…100; found 2.5"),
    Mistake("match --limit=", .unacceptableValue, "--limit takes 1…100; found nothing"),
    Mistake(
      "match --limit 99999999999999999999", .unacceptableValue,
      "--limit takes 1…100; found 99999999999999999999"),
    Mistake("match --limit", .missingValue, "--limit takes 1…100; found nothing after it"),
    Mistake(
      "match --limit --json", .missingValue,
      "--limit takes 1…100; found the option '--json' instead"),
    Mistake("match -j0 a", .unacceptableValue, "--threads takes 1…256; found 0"),
    Mistake("match -jq a", .unacceptableValue, "--threads takes 1…256; found 'q'"),
    Mistake("match -j", .missingValue, "--threads takes 1…256; found nothing after it"),
    Mistake(
      "match --min-confidence 1.01", .unacceptableValue, "--min-confidence takes 0…1; found 1.01"),
    Mistake(
      "match --min-confidence nan", .unacceptableValue, "--min-confidence takes 0…1; found nan"),
    Mistake(
      "match --deadline 2s", .unacceptableValue, "--deadline takes 0…3600000 ms; found '2s'"),
    Mistake(
      "match --type prodct", .unacceptableValue,
      "--type takes product or store; found 'prodct'; did you mean 'product'?"),
    Mistake(
      "match --color sometimes", .unacceptableValue,
      "--color takes auto, always or never; found 'sometimes'"),
    Mistake("match --index=", .unacceptableValue, "--index takes a directory; found nothing"),
    Mistake("match --json=1 a", .unexpectedValue, "--json takes no value; found 1"),
    Mistake(
      "match --limit 3 --limit 4", .repeatedOption,
      "--limit can be given only once; found 3, then 4"),
    Mistake(
      "--color never match --color auto", .repeatedOption,
      "--color can be given only once; found 'never', then 'auto'"),
    Mistake(
      "match a.jpg", .missingOption,
      "'vq match' requires --index DIR, or VQ_INDEX in the environment"),
    Mistake(
      "index --index i", .missingOperand,
      "'vq index' requires FEED…: JSON, CSV, XML, Excel, an address or a folder; '-' for standard input; or several"
    ),
    Mistake(
      "sign a b", .unexpectedOperand, "'vq sign' takes one FEED; found also 'b'"),
    Mistake(
      "hash - -", .unexpectedOperand, "'vq hash' can read standard input only once; found '-' twice"
    ),
    Mistake(
      "completions tcsh", .unacceptableOperand,
      "'vq completions' takes bash, zsh or fish; found 'tcsh'"),
    Mistake(
      "postgres start --index postgres:///shop", .unacceptableOperand,
      "'vq postgres' takes init; found 'start'"),
    Mistake(
      "help mach", .unacceptableOperand,
      "'vq help' takes index, match, catalogue, doctor, feeds, duplicates, labels, rules, report, eval, fit, diff, why-not, neighbors, feedback, serve, mcp, key, hash, sign, postgres, copy, codegen, simulate-client, help or completions; found 'mach'; did you mean 'match'?"
    ),
  ]

  /// Would break if a mistyped action were called a missing one.
  @Test(arguments: [
    ("catalogue statu", "; did you mean 'status'?"),
    ("catalogue ststus", "; did you mean 'status'?"),
    ("feedback lst", "; did you mean 'list'?"), ("catalogue xyzzy", "; found 'xyzzy'"),
  ])
  func `a mistyped action is told with the nearest one`(line: String, end: String) throws {
    let run = try RunningVQ(line.split(separator: " ").map(String.init) + ["--index", "none"])
    let first = run.errors.prefix { $0 != "\n" }
    #expect(run.status == 2 && first.hasSuffix(end), "\(run.errors)")
  }

  @Test(arguments: mistakes)
  func `a mistake is named with what would be accepted`(mistake: Mistake) throws {
    let parser = ArgumentParser(commands: VQ.commands, environment: [:])
    let error = try #require(throws: UsageError.self) { try parser.parse(mistake.words) }
    #expect(error.code == mistake.code)
    #expect(error.message == mistake.message)
    #expect(VQ.exitCode(for: error) == .usage)
  }

  /// `ConfigurationTests` has the mistakes in files.
  @Test func `every code is provoked`() {
    let codes = Set(Self.mistakes.map(\.code)).union([.invalidConfiguration])
    #expect(codes == Set(UsageError.Code.allCases))
  }

  @Test func `a match without picture and labels is refused, labels alone are not`() async throws {
    let console = Console(
      output: StandardOutput { _ in }, diagnostics: Diagnostics(usesColor: false, canRedraw: false))
    let error = try await #require(throws: UsageError.self) {
      try await MatchCommand.run(parsed(["match", "--index=i", "--labels", ","]), on: console)
    }
    #expect(error.message == "'vq match' requires an IMAGE, --labels LIST, or both")
  }

  /// Would break if it were only said that a text is expected, although one was given.
  @Test(arguments: [
    ("a\tb", "U+0009 as character 2"), ("é\u{7F}", "U+007F as character 2"),
    ("green\r\nred", "U+000D as character 6"), ("\u{1}", "U+0001 as character 1"),
  ])
  func `a control character in a text is named`(text: String, place: String) throws {
    let arguments = try parsed(["match", "--index=i", "--text", text, "a.jpg"])
    let error = try #require(throws: CommandFailure.self) { try Question(arguments) }
    #expect(error.message.hasPrefix("--text has the control character \(place); "))
  }

  @Test func `a hostile word cannot reach the terminal`() throws {
    let error = try #require(throws: UsageError.self) { try parsed(["\u{1B}[2J\n"]) }
    #expect(error.message == #"unknown command '\u{1B}[2J\n'"#)
  }
}
