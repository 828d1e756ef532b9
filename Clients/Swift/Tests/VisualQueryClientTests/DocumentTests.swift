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

  /// Would break if what is not sure were lost or taken for sure, or if an older service, which has no list, were not understood.
  @Test func `what a scene may show is apart from what is sure`() throws {
    let file = Self.repository.appendingPathComponent("Tests/vqTests/Golden/match.jsonl")
    let line = try #require(
      try String(contentsOf: file, encoding: .utf8).split(separator: "\n").first)
    var object = try #require(
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    func answer() throws -> MatchAnswer {
      try JSONDecoder().decode(
        MatchAnswer.self, from: JSONSerialization.data(withJSONObject: object))
    }
    let sure = try answer()
    #expect(!sure.values.isEmpty && sure.possible.isEmpty)
    (object["possible"], object["values"]) = (object["values"], [Any]())
    let unsure = try answer()
    #expect(unsure.values.isEmpty && unsure.possible == sure.values)
    let written = try JSONEncoder().encode(unsure)
    #expect(try JSONDecoder().decode(MatchAnswer.self, from: written) == unsure)
    #expect(sure.siblings.isEmpty)
    (object["sibling"], object["possible"]) = (object["possible"], nil)
    #expect(try answer().possible.isEmpty && answer().siblings == sure.values)
  }

  /// Would break if an app that acts alone could not ask without the list, or an older service were asked for it.
  @Test func `only sure answers are asked for by name`() throws {
    func json(_ question: MatchQuestion) throws -> String {
      String(decoding: try JSONEncoder().encode(question.fields(searchTime: nil)), as: UTF8.self)
    }
    #expect(try json(MatchQuestion(labels: ["mug"], answers: .sure)).contains(#""answers":"sure""#))
    #expect(try !json(MatchQuestion(labels: ["mug"])).contains("answers"))
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

  /// Would break if cards of a shop whose images are on the web loaded originals of megabytes in place of thumbnails.
  @Test func `a card is loaded from the service if that has the image`() throws {
    let address = try #require(URL(string: "https://shop.example"))
    let client = ShopClient(ServiceConfiguration(address: address))
    func entity(_ fields: String) throws -> Entity {
      let decoder = JSONDecoder()
      decoder.userInfo[ServiceAddress.key] = address
      let display = try decoder.decode(Display.self, from: Data(#"{"title":"T",\#(fields)}"#.utf8))
      return Entity(EntityID(.product, "a"), url: nil, display: display)
    }
    let own = "/v1/entities/product/a/thumbnail?size=large&image=0&v=1"
    let web = "https://cdn.shop.example/a.jpg"
    let small =
      "https://shop.example/v1/entities/product/a/thumbnail?size=small&image=0&v=1&background=dark"
    for (fields, expected, isOriginal) in [
      (#""image":"\#(own)""#, small, false),
      (#""image":"\#(web)","thumbnail":"\#(own)""#, small, false),
      (#""image":"\#(web)""#, web, true),
    ] {
      let entity = try entity(fields)
      let url = client.imageURL(of: entity, size: .small, background: .dark)
      #expect(url?.absoluteString == expected)
      #expect(client.hasOriginalOnly(entity) == isOriginal)
    }
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
