import Foundation
import Testing

@testable import VisualQueryClient

/// Would break if the client's types and the documents of `vq match --json` drifted apart.
@Suite struct DocumentTests {
  private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../..").standardizedFileURL

  @Test(arguments: ["match"])
  func `the client reads what the command prints, and writes it again`(golden: String) throws {
    let file = Self.repository.appendingPathComponent("Tests/vqTests/Golden/\(golden).jsonl")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    #expect(!lines.isEmpty)
    for line in lines {
      let answer = try JSONDecoder().decode(MatchAnswer.self, from: Data(line.utf8))
      #expect(answer.schema == "vq.match/1")
      #expect(answer.values.allSatisfy { $0.url != nil && !$0.display.title.isEmpty })
      let written = try JSONEncoder().encode(answer)
      #expect(try JSONDecoder().decode(MatchAnswer.self, from: written) == answer)
    }
  }

  /// Would break if a truncated image could not be searched, or if an older service, which does not know the field,
  /// were asked for it by every question.
  @Test func `a truncated image is accepted only if the app says so`() throws {
    func json(_ question: MatchQuestion) throws -> String {
      String(decoding: try JSONEncoder().encode(question.fields(searchTime: nil)), as: UTF8.self)
    }
    #expect(
      try json(MatchQuestion(labels: ["mug"], acceptsTruncated: true)).contains(#""tolerant":true"#)
    )
    #expect(try !json(MatchQuestion(labels: ["mug"])).contains("tolerant"))
    let damage = try JSONDecoder().decode(
      MatchAnswer.ImageDamage.self,
      from: Data(#"{"code":"truncated","detail":"526 of 560 rows are there"}"#.utf8))
    #expect(damage.code == "truncated")
  }

  @Test func `paths of the service become absolute, also below a path of a proxy`() throws {
    let json = Data(#"{"title":"T","image":"/v1/entities/product/a/thumbnail?v=1"}"#.utf8)
    for (address, expected) in [
      ("https://shop.example/", "https://shop.example/v1/entities/product/a/thumbnail?v=1"),
      ("https://shop.example/vq", "https://shop.example/vq/v1/entities/product/a/thumbnail?v=1"),
    ] {
      let decoder = JSONDecoder()
      decoder.userInfo[ServiceAddress.key] = URL(string: address)
      #expect(try decoder.decode(Display.self, from: json).image?.absoluteString == expected)
    }
  }
}
