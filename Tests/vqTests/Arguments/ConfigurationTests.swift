import TestSupport
import Testing

@testable import vq

@Suite struct ConfigurationTests {
  private func parsed(
    _ line: [String], file: String, environment: [String: String] = [:]
  ) throws -> ParsedArguments {
    let parser = ArgumentParser(
      commands: VQ.commands, environment: environment,
      configuration: { () throws(UsageError) in
        try Configuration(path: "rc", text: file, commands: VQ.commands)
      })
    guard case .run(_, let arguments) = try parser.parse(line) else {
      throw UsageError(.noCommand, "the line asks for help", command: nil)
    }
    return arguments
  }

  /// Would break if the order of precedence that the help promises changed.
  @Test func `the command line comes before the environment, and that before the file`() throws {
    let file = """
      # Mine.
      index = file.vq

      limit = 2
      match.limit = 3
      match.json = yes
      match.explain = no
      color = never
      """
    let arguments = try parsed(["match", "a.jpg"], file: file)
    #expect(arguments[MatchCommand.index] == "file.vq")
    #expect(arguments[MatchCommand.limit] == 3)
    #expect(arguments[MatchCommand.json] && !arguments[MatchCommand.explain])
    #expect(arguments[CommonOptions.color] == .never)
    let variable = ["VQ_INDEX": "variable.vq"]
    let second = try parsed(["match", "a.jpg", "--limit", "4"], file: file, environment: variable)
    #expect(second[MatchCommand.index] == "variable.vq" && second[MatchCommand.limit] == 4)
    let third = try parsed(["match", "a.jpg", "--index", "x"], file: file, environment: variable)
    #expect(third[MatchCommand.index] == "x")
    #expect(try parsed(["why-not", "a.jpg", "--expect", "b"], file: file)[MatchCommand.limit] == 2)
  }

  /// Would break if a variable that the help promises did not count, or in another order.
  @Test func `every option has variables, for all commands and for one`() throws {
    func limit(_ environment: [String: String], _ line: [String] = []) throws -> Int? {
      try parsed(
        ["match", "a.jpg", "--index", "x"] + line, file: "match.limit = 9",
        environment: environment)[MatchCommand.limit]
    }
    #expect(try limit([:]) == 9 && limit(["VQ_LIMIT": ""]) == 9)
    #expect(try limit(["VQ_LIMIT": "2"]) == 2)
    #expect(try limit(["VQ_LIMIT": "2", "VQ_MATCH_LIMIT": "3"]) == 3)
    #expect(try limit(["VQ_WHY_NOT_LIMIT": "4"]) == 9)
    #expect(try limit(["VQ_MATCH_LIMIT": "3"], ["--limit", "5"]) == 5)
    let flags = try parsed(
      ["match", "a.jpg", "--index", "x"], file: "json = yes\nexplain = yes",
      environment: [
        "VQ_JSON": "no", "VQ_MATCH_GROUP": "yes", "VQ_COLOR": "never", "VQ_VERSION": "1.2",
      ])
    #expect(!flags[MatchCommand.json] && flags[MatchCommand.explain])
    #expect(flags[MatchCommand.group] == true)
    #expect(flags[CommonOptions.color] == .never)
  }

  @Test(arguments: [
    (["VQ_LIMIT": "many"], "VQ_LIMIT takes 1…100; found 'many'"),
    (
      ["VQ_MATCH_TYPE": "prodct"],
      "VQ_MATCH_TYPE takes product or store; found 'prodct'; did you mean 'product'?"
    ),
    (["VQ_JSON": "true"], "VQ_JSON takes yes or no; found 'true'"),
  ])
  func `a mistake names its variable`(environment: [String: String], says: String) {
    let error = #expect(throws: UsageError.self) {
      try parsed(["match", "a.jpg", "--index", "x"], file: "", environment: environment)
    }
    #expect(error?.message == says && error?.code == .unacceptableValue)
  }

  /// Kubernetes sets `VQ_PORT` for a service named "vq", which must not keep the server from starting.
  @Test func `the address of a service is not a port`() throws {
    func port(_ text: String) throws -> Int {
      try parsed(["serve", "--index", "x"], file: "", environment: ["VQ_PORT": text])[
        ServeCommand.port]
    }
    #expect(try port("tcp://10.0.0.1:8080") == port("") && port("81") == 81)
  }

  /// Would break if an option were named so that a variable meant two things.
  @Test func `a variable means one option`() {
    var meanings: [String: String] = ["VQ_CONFIG": "the file"]
    for command in VQ.commands {
      for option in command.options + CommonOptions.all {
        let names = EnvironmentDefaults.variables(of: option, for: command.name)
        for (name, meaning) in zip(names, ["\(command.name) \(option.name)", option.name]) {
          #expect(meanings[name, default: meaning] == meaning, "\(name)")
          meanings[name] = meaning
        }
      }
    }
  }

  @Test func `an option that may be repeated takes several lines`() throws {
    let arguments = try parsed(
      ["match", "a.jpg"], file: "index = a\nlabels = mug\nlabels = cup,red\n")
    #expect(arguments[MatchCommand.labels] == ["mug", "cup", "red"])
  }

  @Test(arguments: [
    ("limitt = 3", "'rc', line 1: unknown option 'limitt'; did you mean 'limit'?"),
    ("\nmatsch.limit = 3", "'rc', line 2: unknown command 'matsch'; did you mean 'match'?"),
    ("doctor.limit = 3", "'rc', line 1: unknown option 'limit' for 'vq doctor'"),
    ("limit", "'rc', line 1: expected OPTION = VALUE; found 'limit'"),
    ("limit = many", "'rc', line 1: limit takes 1…100; found 'many'"),
    ("json = true", "'rc', line 1: 'json' takes yes or no; found 'true'"),
    ("limit = 1\nlimit = 2", "'rc', line 2: 'limit' is given in line 1 already"),
    ("help = yes", "'rc', line 1: unknown option 'help'"),
  ])
  func `a mistake names its line`(file: String, says: String) {
    let error = #expect(throws: UsageError.self) {
      try parsed(["match", "a.jpg", "--index", "x"], file: file)
    }
    #expect(error?.message == says)
    #expect(error?.code == .invalidConfiguration || error?.code == .unacceptableValue)
  }

  @Test func `the file is that of VQ_CONFIG, else of the home`() throws {
    let folder = try TemporaryDirectory()
    _ = try folder.write("limit = 7", to: ".vqrc")
    let own = try folder.write("limit = 9", to: "own")
    func limit(_ environment: [String: String]) throws -> [String] {
      try Configuration.read(environment: environment, commands: VQ.commands).entries.map(\.text)
    }
    #expect(try limit(["HOME": folder.path]) == ["7"])
    #expect(try limit(["HOME": folder.path, "VQ_CONFIG": own]) == ["9"])
    #expect(try limit(["HOME": folder.path, "VQ_CONFIG": ""]) == [])
    #expect(try limit(["HOME": folder.path + "/none"]) == [] && limit([:]) == [])
    let error = #expect(throws: UsageError.self) { try limit(["VQ_CONFIG": folder.path + "/x"]) }
    #expect(error?.message.hasPrefix("cannot read the defaults in '\(folder.path)/x': ") == true)
  }

  /// Would break if a mistake in the file kept its author from reading how to write it.
  @Test func `help does not need the file`() throws {
    let folder = try TemporaryDirectory()
    _ = try folder.write("nonsense", to: ".vqrc")
    #expect(try RunningVQ(["match", "--help"], environment: ["HOME": folder.path]).status == 0)
    let run = try RunningVQ(["match", "a.jpg"], environment: ["HOME": folder.path])
    #expect(run.status == 2 && run.errors.contains("/.vqrc', line 1: expected OPTION = VALUE"))
  }
}
