import Testing
import VisualQuery

@testable import vq

/// Returns the arguments that `vq` would hand to the command.
func parsed(
  _ line: [String], environment: [String: String] = [:]
) throws -> ParsedArguments {
  let parser = ArgumentParser(commands: VQ.commands, environment: environment)
  guard case .run(_, let arguments) = try parser.parse(line) else {
    throw UsageError(.noCommand, "the line asks for help or the version", command: nil)
  }
  return arguments
}

@Suite struct ArgumentParserTests {
  struct Spelling: Sendable, CustomTestStringConvertible {
    let words: [String]
    let limit: Int?
    let threads: Int?
    let operands: [String]
    var testDescription: String { words.joined(separator: " ") }

    init(_ line: String, limit: Int? = nil, threads: Int? = nil, operands: [String] = ["a.jpg"]) {
      words = line.split(separator: " ").map(String.init)
      self.limit = limit
      self.threads = threads
      self.operands = operands
    }
  }

  @Test(arguments: [
    Spelling("a.jpg"),
    Spelling("a.jpg --limit 3", limit: 3),
    Spelling("--limit=3 a.jpg", limit: 3),
    Spelling("a.jpg -j 4", threads: 4),
    Spelling("-j4 a.jpg", threads: 4),
    Spelling("a.jpg --threads=256 --limit 100", limit: 100, threads: 256),
    Spelling("a.jpg --limit 1 b.jpg", limit: 1, operands: ["a.jpg", "b.jpg"]),
    Spelling("-- a.jpg --limit 3", operands: ["a.jpg", "--limit", "3"]),
    Spelling("a.jpg -- -", operands: ["a.jpg", "-"]),
    Spelling("- --limit 3", limit: 3, operands: ["-"]),
    Spelling("a.jpg --json --json"),
  ])
  func `understands the GNU spellings`(line: Spelling) throws {
    let arguments = try parsed(["match", "--index", "shop.vq"] + line.words)
    #expect(arguments[MatchCommand.limit] == line.limit)
    #expect(arguments[MatchCommand.threads] == line.threads)
    #expect(arguments.operands == line.operands)
  }

  @Test func `gives the documented defaults`() throws {
    let arguments = try parsed(["match", "--index", "shop.vq", "a.jpg"])
    #expect(arguments[MatchCommand.index] == "shop.vq")
    #expect(try Question(arguments) == Question())
    let options = try Question(arguments).options(timeout: nil)
    #expect(options.limit == 8 && options.typeLimits == [.product: 5, .store: 3])
    #expect(options.pageLimit == 12)
    #expect(arguments[MatchCommand.threads] == nil)
    #expect(arguments[MatchCommand.json] == false)
    #expect(arguments[PictureLimits.maxBytes] == 32_000_000)
    #expect(arguments[PictureLimits.maxPixels] == 100_000_000)
    #expect(arguments[CommonOptions.color] == nil)
  }

  @Test func `gives every option its typed value`() throws {
    let arguments = try parsed([
      "--color", "never", "match", "a.jpg", "--index=i", "--labels", "mug", "--products", "0",
      "--stores", "100", "--min-confidence", "0.25", "--deadline", "1500", "--type", "store",
      "--json", "--tolerant", "--max-bytes", "1", "--max-pixels", "1000000000",
    ])
    #expect(arguments[MatchCommand.products] == 0)
    #expect(arguments[MatchCommand.stores] == 100)
    #expect(arguments[MatchCommand.minConfidence] == 0.25)
    #expect(arguments[MatchCommand.deadline] == .milliseconds(1500))
    #expect(arguments[MatchCommand.type] == .store)
    #expect(arguments[MatchCommand.json])
    #expect(arguments[MatchCommand.tolerant] == true)
    #expect(arguments[PictureLimits.maxBytes] == 1)
    #expect(arguments[PictureLimits.maxPixels] == 1_000_000_000)
    #expect(arguments[CommonOptions.color] == .never)
  }

  @Test func `a deadline of 0 is none`() throws {
    let arguments = try parsed(["match", "--index=i", "--deadline=0", "a.jpg"])
    #expect(arguments[MatchCommand.deadline] == nil)
  }

  @Test func `lists are trimmed, lose empty parts, and add up`() throws {
    let arguments = try parsed([
      "match", "--index=i", "--labels", " mug, tea cup ,,", "--labels=lamp", "--labels", ",",
    ])
    #expect(arguments[MatchCommand.labels] == ["mug", "tea cup", "lamp"])
  }

  @Test func `short flags may be bundled with a value at the end`() throws {
    let arguments = try parsed(["index", "--index=i", "-qj2", "shop.jsonl"])
    #expect(arguments[IndexCommand.quiet])
    #expect(arguments[IndexCommand.threads] == 2)
    #expect(arguments.operands == ["shop.jsonl"])
  }

  @Test func `the environment stands in for an option that is not given`() throws {
    let environment = ["VQ_INDEX": "there.vq"]
    #expect(try parsed(["match", "a"], environment: environment)[MatchCommand.index] == "there.vq")
    let given = try parsed(["match", "--index", "here.vq", "a"], environment: environment)
    #expect(given[MatchCommand.index] == "here.vq")
    #expect(throws: UsageError.self) { try parsed(["match", "a"], environment: ["VQ_INDEX": ""]) }
  }

  @Test(arguments: [
    (["-h"], HelpForm.short, nil), (["--help"], .complete, nil),
    (["match", "-h"], .short, "match"), (["match", "--help"], .complete, "match"),
    (["index", "-qh"], .short, "index"),
    (["hash", "a.jpg", "--help", "--nonsense"], .complete, "hash"),
  ])
  func `a call for help wins over what is missing`(
    line: [String], form: HelpForm, command: String?
  ) throws {
    let parser = ArgumentParser(commands: VQ.commands, environment: [:])
    guard case .help(let foundForm, let found) = try parser.parse(line) else {
      Issue.record("no help")
      return
    }
    #expect(foundForm == form)
    #expect(found?.name == command)
  }

  @Test(arguments: [["--version"], ["match", "--version"]])
  func `the version is known before and after the command`(line: [String]) throws {
    let parser = ArgumentParser(commands: VQ.commands, environment: [:])
    guard case .version = try parser.parse(line) else {
      Issue.record("no version")
      return
    }
  }

  @Test func `help after the end of options is an operand`() throws {
    #expect(try parsed(["hash", "--", "-h", "--help"]).operands == ["-h", "--help"])
  }
}
