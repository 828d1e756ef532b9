import Testing
@testable import vq

@Suite struct ArgumentParserTests {
  private func parse(
    _ line: String, environment: [String: String] = [:]
  ) throws(UsageError) -> ParsedArguments? {
    let parser = ArgumentParser(commands: VQ.commands, environment: environment)
    let words = line.split(separator: " ").map(String.init)
    if case .run(_, let arguments) = try parser.parse(words) { return arguments }
    return nil
  }

  @Test(arguments: [
    "match a.jpg --index i --limit 3 --labels mug,cup",
    "match --index=i --limit=3 --labels=mug,cup a.jpg",
    "match --labels mug --labels ,cup, --limit 3 --index i -- a.jpg",
  ])
  func `options come in every GNU form`(line: String) throws {
    let arguments = try #require(try parse(line))
    #expect(arguments.operands == ["a.jpg"])
    #expect(arguments[MatchCommand.index] == "i")
    #expect(arguments[MatchCommand.limit] == 3)
    #expect(arguments[MatchCommand.labels] == ["mug", "cup"])
    #expect(arguments[MatchCommand.json] == false)
  }

  @Test(arguments: ["index c -j 4 --index i", "index c -j4 --index i", "index -qj4 c --index i"])
  func `short options take their value beside or behind, and bundle`(line: String) throws {
    #expect(try parse(line)?[IndexCommand.threads] == 4)
  }

  @Test func `defaults hold where nothing is said`() throws {
    let arguments = try #require(try parse("match - --index i"))
    #expect(arguments.operands == ["-"])
    #expect(arguments[MatchCommand.limit] == 8)
    #expect(arguments[MatchCommand.products] == 5 && arguments[MatchCommand.stores] == 3)
    #expect(arguments[MatchCommand.deadline] == .milliseconds(300))
    #expect(arguments[MatchCommand.minConfidence] == nil)
    #expect(arguments[PictureLimits.maxBytes] == 32_000_000)
    #expect(try parse("match a --index i --deadline 0")?[MatchCommand.deadline] == .some(nil))
  }

  @Test func `the environment stands in for a missing option, not for a given one`() throws {
    let environment = ["VQ_INDEX": "there"]
    #expect(try parse("match a", environment: environment)?[MatchCommand.index] == "there")
    #expect(try parse("match a --index i", environment: environment)?[MatchCommand.index] == "i")
  }

  @Test(arguments: [
    ("", UsageError.Code.noCommand), ("matc a", .unknownCommand),
    ("match a --index i --lable x", .unknownOption), ("match a --index", .missingValue),
    ("match a --index i --json=yes", .unexpectedValue),
    ("match a --index i --limit many", .unacceptableValue),
    ("match a --index i --limit 101", .unacceptableValue),
    ("match a --index i --type shop", .unacceptableValue),
    ("match a --index i --index j", .repeatedOption), ("match a", .missingOption),
    ("index --index i", .missingOperand), ("index a b --index i", .unexpectedOperand),
  ])
  func `what is wrong has a code`(line: String, code: UsageError.Code) {
    let error = #expect(throws: UsageError.self) { try parse(line) }
    #expect(error?.code == code)
  }

  @Test(arguments: [
    ("lables", "labels"), ("lable", "labels"), ("limt", "limit"), ("jsno", "json"),
    ("indx", "index"), ("zzzzzz", nil),
  ])
  func `the nearest word is suggested, and none that is far`(word: String, nearest: String?) {
    let words = ["labels", "limit", "json", "index", "min-confidence"]
    #expect(Suggestion.nearest(to: word, among: words) == nearest)
  }

  @Test(arguments: [
    ("", "", 0), ("a", "", 1), ("ab", "ba", 1), ("kitten", "sitting", 3), ("match", "macth", 1),
  ])
  func `the distance counts changes and swaps`(a: String, b: String, distance: Int) {
    #expect(Suggestion.editDistance(a, b) == distance)
    #expect(Suggestion.editDistance(b, a) == distance)
  }
}
