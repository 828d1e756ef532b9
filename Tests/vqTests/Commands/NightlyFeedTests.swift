import Foundation
import TestSupport
import Testing

/// What a nightly run of `vq index` does with feeds that are not quite right.
@Suite struct NightlyFeedTests {
  private static func rows(_ ids: Range<Int>, _ rest: String = "") -> String {
    ids.map { #"{"type":"product","id":"p\#($0)","title":"T"\#(rest)}"# }.joined(separator: "\n")
  }

  /// Would break if a feed that was cut off at the end of a row emptied the shop, because nobody gave a limit.
  @Test func `more than half of the shop is not removed unless asked`() throws {
    let folder = try TemporaryDirectory()
    let index = ["--prune-missing", "--index", folder.path + "/i.vq"]
    func run(_ ids: Range<Int>, _ options: String...) throws -> RunningVQ {
      try RunningVQ(["index", try folder.write(Self.rows(ids), to: "f.jsonl")] + options + index)
    }
    #expect(try run(0..<10).status == 0)
    let cut = try run(0..<4)
    #expect(
      cut.status == 1
        && cut.errors.contains("the feed lacks 6 of 10 entities, and the limit is 50 %"))
    #expect(try run(0..<4, "--max-removed", "100").output.contains("6 removed"))
  }

  /// Would break if a feed without pictures, or a server that is down, made each night red.
  @Test func `images that are not fetched are not rejected`() throws {
    let folder = try TemporaryDirectory()
    let feed = try folder.write(
      Self.rows(0..<3, #","images":["https://i.example/1.jpg","https://i.example/2.jpg"]"#),
      to: "f.jsonl")
    let run = try RunningVQ(["index", feed, "--json", "--index", folder.path + "/i.vq"])
    #expect(run.status == 0 && run.output.contains(#""unfetchedImages":6"#))
    #expect(run.output.contains(#""refusedImages":0"#) && !run.errors.contains("rejected"))
    let strict = try RunningVQ(["index", feed, "--strict", "--index", folder.path + "/s.vq"])
    #expect(strict.status == 1)
    // One line for each entity, without its row, which needs no correction.
    let file = try String(contentsOfFile: folder.path + "/i.vq/rejected.jsonl", encoding: .utf8)
    #expect(file.split(separator: "\n").count == 3 && !file.contains("\"row\":{"))
  }

  /// Would break if the report did not name the field, or the option that reads it.
  @Test func `a field that looks like a price is named`() throws {
    let folder = try TemporaryDirectory()
    let feed = try folder.write("sku,name,vk_netto\n1,Mug,9.90\n", to: "f.csv")
    let run = try RunningVQ([
      "index", feed, "--currency", "EUR", "--json", "--index", folder.path + "/i.vq",
    ])
    #expect(
      run.status == 0 && run.errors.contains("'vk_netto' (1)")
        && run.errors.contains("--map price=vk_netto"))
    #expect(run.output.contains(#""findings":[{"#) && run.output.contains(#""field":"vk_netto""#))
    let mapped = try RunningVQ([
      "index", feed, "--currency", "EUR", "--map", "price=vk_netto", "--index",
      folder.path + "/i.vq",
    ])
    #expect(mapped.status == 0 && !mapped.errors.contains("hold amounts"))
  }
}
