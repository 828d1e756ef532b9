@testable import ShopSearch
@testable import ShopStore
import Foundation
import HTTPServer
import PixelMatch
import TestSupport
import Testing

import VisualQuery
@testable import vq

/// `docs/schemas/vq.match-1.schema.json`, which users download, against what `vq match --json` prints.
@Suite struct MatchSchemaTests {
  private static let root = SampleShop.folder.deletingLastPathComponent()
  private static let file = root.appendingPathComponent("docs/schemas/vq.match-1.schema.json")

  /// The sample shop with a product that has the fields which none of it has.
  private func shop(in folder: TemporaryDirectory) async throws -> String {
    let rows = try String(contentsOfFile: SampleShop.catalogue, encoding: .utf8)
    let more = #"""
      {"type":"product","id":"coffee-bag","title":"Coffee","labels":["box"],"images":["images/coffee-tin.jpg"],"group":"coffee","attributes":{"size":"1 kg"},"material":"paper","description":"Roasted slowly."}
      {"type":"product","id":"coffee-sack","title":"Coffee","labels":["box"],"group":"coffee","localized":{"de":{"title":"Kaffee","subtitle":"Sack","synonyms":["Bohnen"]}}}
      {"type":"store","id":"kiosk","title":"Kiosk","subtitle":"At the quay","labels":["mug"],"synonyms":["booth"],"featured":true,"material":"wood","localized":{"de":{"title":"Bude"}}}
      """#
    let feed = try folder.write(rows + more + "\n", to: "feed.jsonl")
    let index = folder.path + "/shop.vq"
    let run = try RunningVQ([
      "index", feed, "--images-root", SampleShop.folder.path + "/shop", "--public",
      "material,description", "--thumbnails", "160", "--index", index,
    ])
    try #require(run.status == 0, "\(run.errors)")
    let image = try ImageDecoder().contents(ofFile: SampleShop.image("lantern.jpg"))
    let lamp = Product(id: "lamp-2", title: "Lamp", labels: ["mug"])
    _ = try await Indexer(directory: index).update(with: [
      .put(.product(lamp), images: [.encoded(image, address: "https://cdn.shop.example/lamp.jpg")])
    ])
    return index
  }

  /// A page of a shop with six images of the sample shop.
  private func page(in folder: TemporaryDirectory) throws -> String {
    let (side, gap) = (240, 40)
    let (width, height) = (3 * side + 4 * gap, 2 * side + 3 * gap)
    var pixels = [UInt8](repeating: 255, count: 3 * width * height)
    let names = [
      "mug-blue.jpg", "kettle.jpg", "oats.jpg", "board.jpg", "candle.png", "mug-red.jpg",
    ]
    for (number, name) in names.enumerated() {
      let bytes = try ImageDecoder().contents(ofFile: SampleShop.image(name))
      let image = try ImageDecoder().decode(bytes, longerSide: side).reduced(toLongerSide: side)
      let left = gap + number % 3 * (side + gap) + (side - image.width) / 2
      let top = gap + number / 3 * (side + gap) + (side - image.height) / 2
      image.forEachRGBARow { row, y in
        for x in 0..<image.width {
          for channel in 0..<3 {
            pixels[3 * ((top + y) * width + left + x) + channel] = row[4 * x + channel]
          }
        }
      }
    }
    return try folder.write(
      PNGFile.rgb(width: width, height: height, pixels: pixels, isInterlaced: false),
      to: "page.png")
  }

  private func conformance(_ name: String) -> String {
    Self.root.path + "/Tests/PixelMatchTests/Conformance/pictures/" + name
  }

  /// An image with a color profile that cannot be used.
  private func brokenProfile(in folder: TemporaryDirectory) throws -> String {
    let file = PNGFile.rgb(
      width: 64, height: 64, pixels: [UInt8](repeating: 90, count: 3 * 64 * 64),
      isInterlaced: false)
    return try folder.write(
      PNGFile.inserting([PNGFile.profileChunk([1, 2, 3])], into: file), to: "profile.png")
  }

  /// Answers of the server with what only a request over HTTP can ask for: facets, codes, and what people said.
  private func servedAnswers() async throws -> [String] {
    let writer = APIKeys.made(role: .write, name: "shop")
    let shop = try await ServedShop(keys: try APIKeys(lines: writer.line, file: "keys.txt"))
    func ask(_ body: String, to path: String = "match") async throws -> String {
      let fields = ["Authorization: Bearer \(writer.key)", "Content-Type: application/json"]
      let response = try await shop.ask("POST /v1/\(path)", fields, Array(body.utf8))
      #expect(response.status < 300, "\(body)")
      return String(decoding: response.body, as: UTF8.self)
    }
    let picture = try ImageDecoder().decode(
      ImageDecoder().contents(ofFile: SampleShop.query("q03-bottle.jpg")), longerSide: 256)
    let signature = QuerySignature(picture).compactText
    let question =
      #"{"labels":["mug"],"minConfidence":0,"codes":["12345670"],"facets":["price","labels"],"signature":"\#(signature)","embedding":{"model":"m","vector":"ADwAPA"}}"#
    let image = [UInt8](try Data(contentsOf: URL(filePath: SampleShop.image("mug-red.jpg"))))
    func match() async throws -> String {
      let fields = ["Authorization: Bearer \(writer.key)", "Content-Type: image/jpeg"]
      let response = try await shop.ask("POST /v1/match", fields, image)
      return String(decoding: response.body, as: UTF8.self)
    }
    let answer = try JSONSerialization.jsonObject(with: Data(try await match().utf8))
    let token = try #require((answer as? [String: Any])?["continuation"] as? String)
    let said =
      #"{"query":"\#(token)","chosen":"product:mug-blue","rejected":["product:mug-red"]}"#
    _ = try await ask(said, to: "feedback")
    // Words of titles, of products and of stores.
    let texts =
      #"{"texts":[{"text":"CAMP MUG","box":[0.1,0.2,0.5,0.1]},"Northlight Harbour"],"minConfidence":0,"limit":100}"#
    return [try await ask(question), try await match(), try await ask(texts)]
  }

  /// An answer of engine mode in which a shard is missing, and another has a damaged row.
  private func answerWithoutShard(of index: String) async throws -> String {
    let matcher = Matcher(catalogue: try Catalogue(directory: index))
    var answer = try await matcher.values(for: SemanticContent(labels: ["mug"]))
    answer.diagnostics.missingShards = [1: CatalogueError(code: .unreachable, message: "down")]
    answer.diagnostics.damagedRows = [0: DamagedRows("a list is damaged")]
    let document = MatchDocument(answer, query: "q", elapsed: .zero, projection: nil)
    return String(decoding: try JSONEncoder().encode(document), as: UTF8.self)
  }

  /// Would break if an answer had a property that the schema does not declare, or the schema one that no answer ever
  /// has, so that a client could rely on neither.
  @Test func `every property of answers is declared, and every declared one occurs`() async throws {
    let folder = try TemporaryDirectory()
    let index = try await shop(in: folder)
    let photo = SampleShop.query("q06-oats.jpg")
    let broken = try folder.write("not an image", to: "broken.jpg")
    let whole = try ImageDecoder().contents(ofFile: SampleShop.image("oats.jpg"))
    let part = try folder.write(Array(whole.dropLast(1000)), to: "part.jpg")
    var questions: [[String]] = [
      [photo, SampleShop.query("q10-plant.jpg"), broken, "--labels", "box,unknown-label"],
      [part, "--tolerant"], [photo, "--similar"], [photo, "--text", "in green"],
      [photo, "--all-fields", "--min-confidence", "0", "--limit", "100", "--stores", "100"],
      [photo, "--labels", "box", "--min-confidence", "0", "--limit", "100", "--stores", "100"]
        + ["--group", "--near", "53.5,10", "--at", "2026-11-23T10:00:00Z", "--locale", "de"],
      ["--labels", "mug,cup", "--min-confidence", "0", "--products", "100", "--limit", "100"],
      [try page(in: folder), "--min-confidence", "0"],
      // Nothing is sure, so that outlines are looked at again.
      [SampleShop.query("q01-mug.jpg"), "--min-confidence", "0"],
      [conformance("profile-p3.jpg"), try brokenProfile(in: folder)],
      [
        SampleShop.query("q09-harbour.jpg"), SampleShop.image("store-harbour.jpg"),
        "--min-confidence",
        "0",
      ],
    ]
    let rules = try folder.write(
      #"{"rules":[{"name":"r","do":"pin","entities":["product:oats","store:pavilion"]}]}"#,
      to: "rules.json")
    questions.append(["--labels", "mug,box", "--limit", "100", "--rules", rules])
    // The filter excludes the red mug itself, so that only its other colors can be found.
    questions.append([SampleShop.image("mug-red.jpg"), "--where", "id!=mug-red"])
    var schema = try JSONSchema(contentsOf: Self.file)
    for question in questions {
      let run = try RunningVQ(["match", "--json", "--index", index] + question)
      #expect(run.status == 0 || run.status == 4, "\(run.errors)")
      let lines = run.output.split(separator: "\n").map(String.init)
      #expect(!lines.isEmpty)
      for line in lines { #expect(try schema.faults(ofLine: line) == [], "\(question)") }
    }
    for answer in try await servedAnswers() + [try await answerWithoutShard(of: index)] {
      #expect(try schema.faults(ofLine: answer) == [])
    }
    #expect(schema.declared.subtracting(schema.seen).sorted() == [])
  }

  @Test func `a property that is not declared is a fault`() throws {
    var schema = try JSONSchema(contentsOf: Self.file)
    let line = #"{"schema":"vq.match/1","query":"x","error":{"code":"a","message":"b","more":1}}"#
    #expect(try schema.faults(ofLine: line).contains { $0.contains("'more' is not declared") })
    #expect(try !schema.faults(ofLine: #"{"schema":"vq.match/2"}"#).isEmpty)
  }
}
