import Foundation
import TestSupport
import Testing

/// What a nightly run of `vq index` does with feeds that are not quite right.
@Suite struct NightlyFeedTests {
  private static func rows(_ ids: Range<Int>, _ rest: String = "") -> String {
    ids.map { #"{"type":"product","id":"p\#($0)","title":"T"\#(rest)}"# }.joined(separator: "\n")
  }

  /// Would break if a feed that was cut off at the end of a row emptied the shop, because nobody gave a limit.
  @Test func `more than a tenth of the shop is not removed unless asked`() throws {
    let folder = try TemporaryDirectory()
    let index = ["--prune-missing", "--index", folder.path + "/i.vq"]
    func run(_ ids: Range<Int>, _ options: String...) throws -> RunningVQ {
      try RunningVQ(["index", try folder.write(Self.rows(ids), to: "f.jsonl")] + options + index)
    }
    #expect(try run(0..<10).status == 0)
    let cut = try run(0..<4)
    #expect(
      cut.status == 3
        && cut.errors.contains("the feed lacks 6 of 10 entities, and the limit is 10 %"))
    // The message says what allows it.
    #expect(cut.errors.contains("--max-removed 60"))
    #expect(try run(0..<4, "--max-removed", "59").status == 3)
    #expect(try run(0..<4, "--max-removed", "60").output.contains("6 removed"))
  }

  /// Would break if a night with a wrong feed passed for a good one, or if nobody were told how to let it through.
  @Test func `a feed that is another one than last time is refused`() throws {
    let folder = try TemporaryDirectory()
    let index = ["--prune-missing", "--index", folder.path + "/i.vq"]
    func run(_ text: String, _ options: String...) throws -> RunningVQ {
      try RunningVQ(["index", try folder.write(text, to: "feed")] + options + index)
    }
    #expect(try run(Self.rows(0..<20)).status == 0)
    let other = try run(Self.rows(20..<40))
    #expect(other.status == 3 && other.errors.contains("had 20 entities"))
    #expect(other.errors.contains("--max-removed 100") && other.errors.contains("--feed-name"))
    let table = try run("sku;name\np0;Mug\n")
    #expect(table.status == 3 && table.errors.contains("--accept-feed"))
    let listed = try RunningVQ(["feeds", "--index", folder.path + "/i.vq"])
    #expect(listed.output.contains("JSON Lines, 20 products"))
    #expect(listed.output.contains("refused: the feed "))
    #expect(try run(Self.rows(20..<40), "--max-removed", "100").output.contains("20 removed"))
  }

  @Test func `several feeds are indexed in one run`() throws {
    let folder = try TemporaryDirectory()
    let index = ["--index", folder.path + "/i.vq"]
    let products = try folder.write(Self.rows(0..<4), to: "products.jsonl")
    let stores = try folder.write(#"{"type":"store","id":"s","title":"S"}"#, to: "stores.jsonl")
    let none = folder.path + "/none.xml"
    let run = try RunningVQ(["index", products, stores, none] + index)
    #expect(run.status == 1 && run.output.contains("5 entities, 5 new"))
    #expect(run.errors.contains("1 of 3 feeds was not indexed") && run.errors.contains("none.xml"))
    #expect(try RunningVQ(["index", products, products] + index).status == 2)
    #expect(try RunningVQ(["index", products, stores, "--feed-name", "x"] + index).status == 2)
    #expect(try RunningVQ(["index", products, "--feed-name", "none"] + index).status == 2)
    let renamed = try RunningVQ(["feeds", "rename", "products.jsonl", "goods"] + index)
    #expect(renamed.status == 0 && renamed.output.contains("is called goods now"))
    #expect(try RunningVQ(["feeds", "rename", "goods", stores] + index).status == 2)
    #expect(try RunningVQ(["feeds", "remove", "nothing"] + index).status == 2)
    #expect(try RunningVQ(["feeds", "remove"] + index).status == 2)
    #expect(try RunningVQ(["feeds", "remove", "goods"] + index).output.contains("4 entities were"))
    let left = try RunningVQ(["feeds"] + index).output
    #expect(left.contains("stores.jsonl") && !left.contains("goods"))
  }

  /// Would break if a column with another name took something from the shop with exit code 0, or if nobody heard of it.
  @Test func `what a night would take is named, kept, and let through once`() throws {
    let folder = try TemporaryDirectory()
    let index = folder.path + "/i.vq"
    func run(_ field: String, _ options: String...) throws -> RunningVQ {
      let price = #""\#(field)":{"amount":"9.90","currency":"EUR"}"#
      let feed = try folder.write(Self.rows(0..<6, "," + price), to: "f.jsonl")
      return try RunningVQ(["index", feed, "--index", index] + options)
    }
    let first = try run("price")
    #expect(first.status == 0 && first.output.contains("price 6 of 6"))
    let page = folder.path + "/night.html"
    let kept = try run("cost", "--report", page)
    #expect(kept.status == 3 && kept.output.contains("price 6 of 6 (6 old)"))
    #expect(kept.errors.contains("lacks price of 6 of 6 products"))
    #expect(kept.errors.contains("--accept-loss price"))
    #expect(try String(contentsOfFile: page, encoding: .utf8).contains("Old values"))
    let status = try RunningVQ(["catalogue", "status", "--index", index])
    #expect(status.output.contains("kept 6 old prices"))
    let json = try run("cost", "--json", "--dry-run")
    #expect(json.status == 3 && json.output.contains(#""outcome":"refused""#))
    #expect(json.output.contains(#""field":"price","kept":"#))
    #expect(try run("cost", "--accept-loss", "prise").status == 2)
    let accepted = try run("cost", "--accept-loss", "price,image")
    #expect(accepted.status == 0 && accepted.output.contains("price 0 of 6 (6 before)"))
    #expect(try run("cost").status == 0)
    // A run that fails is told, too.
    let empty = try folder.write("", to: "f.jsonl")
    #expect(try RunningVQ(["index", empty, "--index", index]).status == 1)
    let failed = try RunningVQ(["catalogue", "status", "--json", "--index", index])
    #expect(failed.output.contains(#""outcome":"failed""#), "\(failed.output)")
  }

  /// Would break if the limits could not be changed, or if a half of them were forgotten by the other.
  @Test func `the limits of losses are settings`() throws {
    let folder = try TemporaryDirectory()
    let index = ["--index", folder.path + "/i.vq"]
    let feed = try folder.write(Self.rows(0..<6), to: "f.jsonl")
    #expect(try RunningVQ(["index", feed] + index).status == 0)
    #expect(try RunningVQ(["catalogue", "set", "--max-loss", "30"] + index).status == 0)
    #expect(try RunningVQ(["catalogue", "set", "--max-loss-week", "45.5"] + index).status == 0)
    let status = try RunningVQ(["catalogue", "status"] + index)
    #expect(status.output.contains("loss limit  30 % a run, 45.5 % in seven nights"))
    #expect(try RunningVQ(["catalogue", "set", "--max-loss", "101"] + index).status == 2)
    #expect(try RunningVQ(["catalogue", "status", "--max-loss", "5"] + index).status == 2)
  }

  /// Would break if a script could not tell a night without work from one with losses, or if one that does not ask were told.
  @Test func `exit codes tell apart what a run did`() throws {
    let folder = try TemporaryDirectory()
    let index = ["--prune-missing", "--index", folder.path + "/i.vq"]
    func run(_ rows: String, _ options: String...) throws -> RunningVQ {
      try RunningVQ(["index", try folder.write(rows, to: "f.jsonl"), "--json"] + options + index)
    }
    let code = "--detailed-exit-code"
    let first = try run(Self.rows(0..<10), code)
    #expect(first.status == 0 && first.output.contains(#""outcome":"done""#))
    let second = try run(Self.rows(0..<10), code)
    #expect(second.status == 7 && second.output.contains(#""outcome":"nothingToDo""#))
    #expect(try run(Self.rows(0..<10)).status == 0)
    let bad = Self.rows(0..<10) + "\n" + Self.rows(10..<11, #","price":"much""#)
    let losses = try run(bad, code)
    #expect(losses.status == 8 && losses.output.contains(#""outcome":"losses""#))
    #expect(try run(bad).status == 0)
    let refused = try run(Self.rows(0..<2), code)
    #expect(refused.status == 3 && refused.output.contains(#""outcome":"refused""#))
    #expect(try run(Self.rows(0..<2)).status == 3)
  }

  /// Would break if the report lacked what was removed, repeated known findings, or forgot since when an image cannot be used.
  @Test func `the report of a night tells what is new`() throws {
    let folder = try TemporaryDirectory()
    _ = try folder.copy(SampleShop.image("mug-red.jpg"), to: "mug.jpg")
    let report = folder.path + "/night.html"
    let index = ["--report", report, "--prune-missing", "--index", folder.path + "/i.vq"]
    func run(_ rows: [String], _ options: String...) throws -> (run: RunningVQ, page: String) {
      let feed = try folder.write(rows.joined(separator: "\n"), to: "f.jsonl")
      let run = try RunningVQ(["index", feed] + options + index)
      return (run, try String(contentsOfFile: report, encoding: .utf8))
    }
    func row(_ id: String, _ image: String) -> String {
      #"{"type":"product","id":"\#(id)","title":"Title of \#(id)","images":["\#(image)"]}"#
    }
    let rows = [row("a", "mug.jpg"), row("b", "gone.jpg"), row("c", "mug.jpg")]
    let first = try run(rows)
    #expect(first.run.status == 0 && first.page.contains("Added: 3"))
    #expect(first.page.contains("gone.jpg") && first.page.contains("Title of a"))
    #expect(first.page.contains("Findings of the doctor") && first.page.contains("noPicture"))
    // A day ago, as the notes tell.
    let notes = folder.path + "/i.vq/report.json"
    let text = try String(contentsOfFile: notes, encoding: .utf8)
    #expect(text.contains(#""b gone.jpg":"#))
    try text.replacing(/"b gone.jpg":"[0-9-]+"/, with: #""b gone.jpg":"2026-01-02""#)
      .write(toFile: notes, atomically: true, encoding: .utf8)
    let second = try run([rows[0], rows[1], row("d", "mug.jpg")])
    #expect(second.page.contains("Removed: 1") && second.page.contains("Title of c"))
    #expect(second.page.contains("data:image/jpeg") && second.page.contains("2026-01-02"))
    #expect(!second.page.contains("noPicture") && second.page.contains("product:d"))
    // A night that is refused, and one that fails, are told, too.
    let refused = try run([rows[0]], "--max-removed", "0")
    #expect(refused.run.status == 3 && refused.page.contains("nothing was removed"))
    let failed = try run(rows, "--images-root", folder.path + "/none")
    #expect(failed.run.status != 0 && failed.page.contains("The run failed: "))
    #expect(try run(rows, "--dry-run").run.status == 2)
  }

  /// Would break if a shop that is found by labels only were told each night that it has no images.
  @Test func `a shop without images is in order`() throws {
    let folder = try TemporaryDirectory()
    let index = ["--index", folder.path + "/i.vq"]
    let feed = try folder.write(
      Self.rows(0..<3, #","labels":["mug"],"url":"https://shop.example/p""#), to: "f.jsonl")
    #expect(try RunningVQ(["index", feed] + index).status == 0)
    #expect(try RunningVQ(["doctor"] + index).status == 0)
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
