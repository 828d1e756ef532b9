import Foundation
import Testing
@testable import AppClient

/// The client's code is checked by being compiled; this holds its reading of answers against what
/// `vq match --json` prints.
@Suite struct MatchAnswerTests {
  @Test func `the client reads what the command prints`() throws {
    let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("vqTests/Golden/match.jsonl")
    let lines = try String(contentsOf: golden, encoding: .utf8).split(separator: "\n")
    let answer = try JSONDecoder().decode(MatchAnswer.self, from: Data(lines[0].utf8))
    #expect(!answer.values.isEmpty)
    #expect(answer.values.allSatisfy { $0.url != nil && !$0.display.title.isEmpty })
    #expect(answer.continuation != nil)
  }
}
