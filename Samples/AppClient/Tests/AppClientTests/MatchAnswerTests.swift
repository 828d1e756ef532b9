import Foundation
import Testing
@testable import AppClient

/// Would break if the client's types and the documents of `vq match --json` drifted apart.
@Suite struct MatchAnswerTests {
  @Test func `the client reads what the command prints`() throws {
    let golden = repository.appendingPathComponent("Tests/vqTests/Golden/match.jsonl")
    let lines = try String(contentsOf: golden, encoding: .utf8).split(separator: "\n")
    let answer = try JSONDecoder().decode(MatchAnswer.self, from: Data(lines[0].utf8))
    #expect(!answer.values.isEmpty)
    #expect(answer.values.allSatisfy { $0.url != nil && !$0.display.title.isEmpty })
    #expect(answer.continuation != nil)
  }
}
