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
