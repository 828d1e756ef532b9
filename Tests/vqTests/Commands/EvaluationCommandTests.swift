import Foundation
import TestSupport
import Testing
@testable import vq

/// The figures of `vq eval`, and the stage that `vq why-not` names.
@Suite struct EvaluationCommandTests {
  @Test func `the right answers of an evaluation must be in the index`() throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write(#"{"image":"x.jpg","truth":["mug-rde"]}"#, to: "q.jsonl")
    let run = try RunningVQ(["eval", file, "--index", IndexedShop.path()])
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(run.errors.contains("no entity 'mug-rde' of 'truth'; did you mean 'mug-red'?"))
  }

  @Test func `an evaluation is a page of figures, or one JSON object`() throws {
    let queries = SampleShop.folder.path + "/queries/queries.jsonl"
    let run = try RunningVQ(["eval", queries, "--index", IndexedShop.path(), "--quiet"])
    #expect(run.status == 0 && run.errors.isEmpty)
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    expectGolden(run.output, "eval.txt")
    let json = try RunningVQ([
      "eval", queries, "--index", IndexedShop.path(), "--quiet", "--json", "--without-labels",
    ])
    expectGolden(json.output, "eval.json")
  }

  /// Would break if an undefined figure were printed as the worst one.
  @Test func `without a correct entity, recall is undefined`() throws {
    let folder = try TemporaryDirectory()
    let photo = SampleShop.query("q04-tote.jpg")
    let queries = try folder.write(#"{"image":"\#(photo)","truth":[]}"#, to: "q.jsonl")
    let page = folder.path + "/r.html"
    let asked = ["eval", queries, "--index", try IndexedShop.path(), "--quiet"]
    let text = try RunningVQ(asked + ["--report", page]).output
    #expect(text.hasPrefix("0 queries with a correct entity, 1 without\n"))
    for name in ["recall@1", "recall@5", "mean reciprocal rank", "wrong above the cut-off"] {
      let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
      #expect(line?.hasSuffix(" –") == true, "\(line ?? "")")
    }
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(html.contains("<dt>recall@1</dt><dd>–</dd>"))
    let json = try RunningVQ(asked + ["--json"]).output
    for key in [
      "recallAt1", "recallAt5", "meanReciprocalRank", "shownRight", "shownWrong",
      "recallAt1PercentFalse", "listsRight", "listsMeanLength", "shownOrListed",
    ] {
      #expect(json.contains("\"\(key)\":null"), "\(key)")
    }
    #expect(
      json.contains(#""lists":0"#) && json.contains(#""queries":0"#)
        && json.contains(#""negatives":1"#))
  }

  @Test func `an evaluation of nothing, or a calibration of little, says so`() throws {
    let folder = try TemporaryDirectory()
    let empty = try folder.write("\n", to: "empty.jsonl")
    let none = try RunningVQ(["eval", empty, "--index", IndexedShop.path()])
    #expect(none.status == 1 && none.errors.contains("contains no queries"))
    let few = SampleShop.folder.path + "/queries/queries.jsonl"
    let calibration = try RunningVQ([
      "eval", few, "--index", IndexedShop.path(), "--calibrate", "--quiet",
    ])
    #expect(calibration.status == 1 && calibration.output.isEmpty)
    #expect(calibration.errors.contains("a calibration requires 50 queries"))
    let outside = try RunningVQ([
      "match", SampleShop.query("q01-mug.jpg"), "--region", "5000,0,10,10", "--index",
      IndexedShop.path(),
    ])
    #expect(outside.status == 4)
    #expect(outside.errors.contains("the region lies outside the image of 1000 × 750 pixels"))
  }

  @Test func `the stage that lost an entity is named, or none`() throws {
    let photo = SampleShop.query("q04-tote.jpg")
    let arguments = ["why-not", photo, "--index", try IndexedShop.path(), "--expect"]
    expectGolden(try RunningVQ(arguments + ["tote-navy"]).output, "why-not.txt")
    let mistyped = try RunningVQ(arguments + ["tote-nvy", "--json"])
    #expect(mistyped.status == 2 && mistyped.output.isEmpty)
    #expect(mistyped.errors.contains("no product 'tote-nvy'; did you mean 'product:tote-navy'?"))
    let otherType = try RunningVQ(arguments + ["harbour"])
    #expect(otherType.errors.contains("did you mean 'store:harbour'?"))
    let filtered = try RunningVQ(arguments + ["tote-navy", "--where", "price<1", "--json"])
    #expect(filtered.output.contains(#""stage":"filteredOut""#), "\(filtered.errors)")
    let kept = try RunningVQ(arguments + ["tote-navy", "--where", "price>1", "--json"])
    #expect(kept.output.contains(#""stage":""#) && !kept.output.contains("filteredOut"))
    let labelled = try RunningVQ(arguments + ["tote-navy", "--with-label", "mug", "--json"])
    #expect(labelled.output.contains(#""stage":"filteredOut""#), "\(labelled.errors)")
    let store = try RunningVQ(arguments + ["store:harbour", "--json"])
    #expect(store.output.contains(#""type":"store""#))
  }

  /// Would break if each run named one of the answers that the index no longer has.
  @Test func `all right answers that are missing are named at once`() throws {
    let folder = try TemporaryDirectory()
    let gone = (1...7).map { "gone-\($0)" }
    let lines = (["mug-rde", "mug-red"] + gone + ["gone-1"]).map {
      #"{"query":"of \#($0)","image":"x.jpg","truth":["\#($0)"]}"#
    }
    let file = try folder.write(lines.joined(separator: "\n"), to: "q.jsonl")
    let run = try RunningVQ(["eval", file, "--index", IndexedShop.path()])
    #expect(run.status == 1)
    #expect(
      run.errors.contains(
        "query 'of mug-rde': the index has no entity 'mug-rde' of 'truth'; did you mean 'mug-red'?")
    )
    #expect(run.errors.contains("it also lacks 'gone-1' of query 'of gone-1', 'gone-2'"))
    #expect(run.errors.contains("'gone-5' of query 'of gone-5' and 2 more\n"))
  }
}
