import Foundation
import PixelMatch
import TestSupport
import Testing
@testable import vq

/// The messages of `vq index`, the rows that it rejects, and its list of them.
@Suite struct IndexCommandTests {
  @Test func `indexing says what went in`() throws {
    let (folder, run) = try IndexedShop.made.get()
    #expect(run.status == 0)
    // A machine under load takes longer than the five seconds after which progress is reported.
    #expect(run.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("vq: indexing ") })
    expectGolden(run.output.replacing(folder.path + "/", with: ""), "index.txt")
  }

  @Test func `a feed without entries makes no index`() throws {
    let folder = try TemporaryDirectory()
    let feed = try folder.write("id;title;image\n", to: "feed.csv")
    let run = try RunningVQ(["index", feed, "--index", folder.path + "/i"])
    #expect(run.status == 1 && run.output.hasSuffix("No index was made.\n"))
    #expect(run.errors.hasSuffix("vq: no entity was indexed: the feed has no entries\n"))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/i"))
  }

  @Test func `refused rows are reported, kept in a file, and no failure`() throws {
    let folder = try TemporaryDirectory()
    let catalogue = try folder.write(
      #"{"type":"product","id":"a","title":"A","images":["none.jpg","a.jpg"]}"# + "\n{oops\n",
      to: "c.jsonl")
    try FileManager.default.copyItem(
      atPath: SampleShop.image("oats.jpg"), toPath: folder.path + "/a.jpg")
    let run = try RunningVQ([
      "index", catalogue, "--index", folder.path + "/i.vq", "--rejected", folder.path + "/r.jsonl",
      "--json",
    ])
    #expect(run.status == 0)
    #expect(run.errors.contains("vq: line 1 (a): images[0] none.jpg: there is no such file"))
    #expect(run.errors.contains("vq: line 2: is not JSON"))
    #expect(run.output.contains(#""refused":2"#) && run.output.contains(#""entities":1"#))
    let file = String(
      decoding: try #require(FileManager.default.contents(atPath: folder.path + "/r.jsonl")),
      as: UTF8.self)
    #expect(
      file
        == #"{"field":"images[0]","id":"a","kind":"image","line":1,"reason":"none.jpg: there is no such file beneath '\#(folder.path)'","row":{"id":"a","images":["none.jpg","a.jpg"],"title":"A","type":"product"}}"#
        + "\n"
        + #"{"kind":"row","line":2,"reason":"is not JSON: expected a name in quotes at byte 1, found 'o'"}"#
        + "\n")
  }

  /// A run that merged segments removed the list of its own rejected rows while it wrote it, and ended with an error.
  @Test func `a run that merges segments keeps its list of rejected rows`() throws {
    let folder = try TemporaryDirectory()
    _ = try folder.write(SyntheticPicture.scene(width: 96, height: 96, seed: 1).jpeg(), to: "a.jpg")
    func run(_ label: String, _ rest: String) throws -> RunningVQ {
      let row =
        #"{"type":"product","id":"a","title":"A","labels":["\#(label)"],"images":["a.jpg"]}"#
      let feed = try folder.write(row + "\n" + rest, to: "c.jsonl")
      return try RunningVQ(["index", feed, "--index", folder.path + "/i.vq"])
    }
    #expect(try run("mug", "").status == 0)
    let second = try run("cup", #"{"type":"product","id":"x"}"#)
    #expect(second.status == 0, "\(second.errors)")
    #expect(FileManager.default.fileExists(atPath: folder.path + "/i.vq/rejected.jsonl"))
  }

  @Test func `refused rows wait in the index, and are fed back from there`() throws {
    let folder = try TemporaryDirectory()
    let catalogue = try folder.write(
      #"{"type":"product","id":"a","title":"A","images":["a.jpg"]}"# + "\n", to: "c.jsonl")
    let index = folder.path + "/i.vq"
    let file = index + "/rejected.jsonl"
    let first = try RunningVQ(["index", catalogue, "--index", index])
    // Nothing can be found by image.
    #expect(first.status == 1 && first.errors.contains("rejected images are in \(file)"))
    #expect(first.errors.contains("all images were rejected (1)"))
    let kept = try #require(FileManager.default.contents(atPath: file))
    // A run that reads no row leaves the file as it is, and so does a dry run.
    #expect(try RunningVQ(["index", folder.path + "/none", "--index", index]).status != 0)
    #expect(try RunningVQ(["index", catalogue, "--index", index, "--dry-run"]).status == 1)
    #expect(FileManager.default.contents(atPath: file) == kept)
    // The file is read by the run that makes it anew.
    let feed = ["index", file, "--images-root", folder.path, "--index", index, "--json"]
    #expect(try RunningVQ(feed).output.contains(#""refused":1"#))
    #expect(FileManager.default.contents(atPath: file) == kept)
    try FileManager.default.copyItem(
      atPath: SampleShop.image("oats.jpg"), toPath: folder.path + "/a.jpg")
    #expect(try RunningVQ(feed).output.contains(#""refused":0"#))
    #expect(!FileManager.default.fileExists(atPath: file))
    // A list elsewhere is that of the last run; that of an earlier one is not left in the index.
    try Data(kept).write(to: URL(filePath: file))
    let elsewhere = folder.path + "/elsewhere.jsonl"
    #expect(try RunningVQ(feed + ["--rejected", elsewhere]).status == 0)
    #expect(!FileManager.default.fileExists(atPath: file))
    // `--rejected` may name the file that is in the index anyway.
    let bad = try folder.write(#"{"type":"product","id":"x"}"#, to: "bad.jsonl")
    #expect(try RunningVQ(["index", bad, "--index", index, "--rejected", file]).status == 1)
    #expect(FileManager.default.fileExists(atPath: file))
  }

  /// Would break if a list of rows that have no report but their line were rejected, or lost.
  @Test func `a list of rows that cannot be read is passed over and kept`() throws {
    let folder = try TemporaryDirectory()
    let feed = try folder.write("id,title,price\na,A,1 EUR\nb,B\nc,C,1 EUR,x,y,z\n", to: "f.csv")
    let index = folder.path + "/i.vq"
    let list = index + "/rejected.jsonl"
    let first = try RunningVQ(["index", feed, "--index", index])
    #expect(
      first.status == 0
        && first.errors.contains(
          "2 rows: has … fields; the header has 3; for example line 3: has 2 fields\n")
    )
    let kept = try #require(FileManager.default.contents(atPath: list))
    let again = try RunningVQ(["index", list, "--index", index])
    #expect(again.status == 1 && again.errors.contains("left out: 2 rows that an earlier run"))
    #expect(!again.errors.contains("type is missing"))
    #expect(FileManager.default.contents(atPath: list) == kept)
  }

  @Test(arguments: [
    (["--fetch"], "--fetch requires --allow-host"),
    (["--allow-host", "a.example"], "requires --fetch"),
    (["--fetch", "--allow-host", "https://a.example/"], "--allow-host takes names such as"),
  ]) func `nothing is fetched by half an order`(options: [String], message: String) throws {
    let run = try RunningVQ(["index", "c.jsonl", "--index", "/none/i.vq"] + options)
    #expect(run.status == 2 && run.errors.contains(message))
  }

  /// Would break if the report named lines that the document does not have.
  @Test func `rows of a document are counted as entities`() throws {
    let folder = try TemporaryDirectory()
    let feed = try folder.write(
      "[\n\n{\"sku\":\"1\",\"name\":\"A\"},{\"sku\":\"2\"}]", to: "f.json")
    let run = try RunningVQ(["index", feed, "--index", folder.path + "/i"])
    #expect(run.errors.contains("entity 2 (2): title is missing"))
  }
}
