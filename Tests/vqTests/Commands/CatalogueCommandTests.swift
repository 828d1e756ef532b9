import Foundation
import TestSupport
import Testing

@testable import vq

/// `vq catalogue`, `vq doctor` and the options of a nightly `vq index`, as a shop types them.
@Suite struct CatalogueCommandTests {
  /// A shop without pictures, so that it is made at once.
  private struct Shop {
    let folder: TemporaryDirectory
    var index: String { folder.path + "/i.vq" }

    init(_ ids: [String]) throws {
      folder = try TemporaryDirectory()
      #expect(try run(ids, "-q").status == 0)
    }

    /// Writes a feed, and returns its path.
    func write(_ ids: [String]) throws -> String {
      let rows = ids.map {
        #"{"type":"product","id":"\#($0)","title":"\#($0)","url":"https://a.example"}"#
      }
      return try folder.write(rows.joined(separator: "\n"), to: "c.jsonl")
    }

    func run(_ ids: [String], _ options: String...) throws -> RunningVQ {
      try RunningVQ(["index", try write(ids), "--index", index] + options)
    }

    func catalogue(_ arguments: String...) throws -> RunningVQ {
      try RunningVQ(["catalogue"] + arguments + ["--index", index])
    }
  }

  @Test func `a night's run, looked over and undone`() throws {
    let shop = try Shop(["a", "b"])
    let dry = try shop.run(["b", "c"], "--prune-missing", "--dry-run")
    #expect(dry.output.contains("\n2 entities, 1 new, 0 changed, 1 removed;"))
    #expect(dry.output.contains("Nothing was written.\n"))
    let night = try shop.run(["b", "c"], "--prune-missing", "--json")
    #expect(night.output.contains(#""added":1"#) && night.output.contains(#""removed":1"#))
    #expect(try shop.catalogue("verify").output == "OK: no errors found\n")
    let before = try shop.catalogue("export").output
    #expect(before.split(separator: "\n").count == 3 && !before.contains(#""id":"a""#))
    #expect(try shop.catalogue("rollback").status == 0)
    #expect(try shop.catalogue("export").output.contains(#""id":"a""#))
    #expect(try shop.catalogue("rollback").status == 0)
    #expect(try shop.catalogue("export").output == before)
    let file = try shop.folder.write(before, to: "e.jsonl")
    let copy = ["--index", shop.folder.path + "/copy.vq"]
    #expect(try RunningVQ(["catalogue", "import", file] + copy).status == 0)
    #expect(try RunningVQ(["catalogue", "export"] + copy).output == before)
    let status = try shop.catalogue("status", "--json").output
    #expect(status.contains(#""products":2"#) && status.contains(#""previousGeneration""#))
    #expect(try shop.catalogue("compact").status == 0)
    let mistyped = try shop.catalogue("remove", "--id", "product:b,product:zz")
    #expect(mistyped.status == 2 && mistyped.errors.contains("there is no product 'zz'"))
    let removed = try shop.catalogue("remove", "--id", "product:b")
    #expect(removed.output == "1 entity removed.\n")
  }

  /// Would break if a feed that was cut off, at the end of a line, emptied the shop.
  @Test(arguments: [false, true]) func `a feed that lacks more than the limit removes nothing`(
    isSigned: Bool
  ) throws {
    let shop = try Shop(["a", "b", "c", "d"])
    func run(_ ids: [String], _ limit: String) throws -> RunningVQ {
      let feed = try shop.write(ids)
      let options = [
        "--prune-missing", "--max-removed", limit, "--feed-name", feed, "--index", shop.index,
      ]
      guard isSigned else { return try RunningVQ(["index", feed] + options) }
      let lines = try RunningVQ(["sign", feed, "--images-root", shop.folder.path]).output
      return try RunningVQ(["index", "--signed", try shop.folder.write(lines, to: "s")] + options)
    }
    // Two of four: 'e' is new.
    let cut = try run(["a", "b", "e"], "49.9")
    #expect(cut.status == 3 && cut.output.hasPrefix("3 entities, 1 new, 0 changed; "))
    #expect(
      cut.errors.contains(
        "nothing was removed: the feed lacks 2 of 4 entities, and the limit is 49.9 %"))
    #expect(try shop.catalogue("status", "--json").output.contains(#""products":5"#))
    let whole = try run(["a", "b", "e"], "50")
    #expect(whole.status == 0 && whole.output.contains("2 removed"))
    #expect(try run(["a", "b", "e"], "0").status == 0)
    #expect(try run(["a", "b"], "0").status == 3)
    #expect(try shop.run(["a"], "--max-removed", "1").status == 2)
  }

  /// Would break if the settings of signed rows were stored before the run: a rollback left them, and so did a run that failed.
  @Test func `settings that come with signed rows are undone with them`() throws {
    let shop = try Shop(["a"])
    let before = try shop.catalogue("export").output
    let feed = try shop.folder.write(
      #"{"type":"product","id":"b","title":"B"}"#, to: "b.jsonl")
    let signed = try RunningVQ(["sign", feed, "--images-root", shop.folder.path]).output
    func index(_ text: String) throws -> RunningVQ {
      try RunningVQ([
        "index", "--signed", try shop.folder.write(text, to: "b.signed"), "--public", "cost",
        "--images-root", shop.folder.path, "--index", shop.index,
      ])
    }
    #expect(try index("nonsense\n" + signed).status == 1)
    let empty = try index("")
    #expect(empty.status == 1 && empty.errors.contains("no entity was indexed"))
    #expect(try shop.catalogue("export").output == before)
    #expect(try index(signed).status == 0)
    let after = try shop.catalogue("export").output
    #expect(after.contains("cost") && after.contains(#""id":"b""#))
    #expect(try shop.catalogue("rollback").status == 0)
    #expect(try shop.catalogue("export").output == before)
  }

  /// An index that is in order was reported as unusable, with the advice to make it anew.
  /// `vq catalogue verify` advises a rollback for a lost file.
  @Test func `a run whose file is lost can be undone`() throws {
    let folder = try TemporaryDirectory()
    let index = folder.path + "/i.vq"
    for (id, image) in [("oats", "oats.jpg"), ("kettle", "kettle.jpg")] {
      _ = try folder.copy(SampleShop.image(image), to: image)
      let row = #"{"type":"product","id":"\#(id)","title":"T","images":["\#(image)"]}"#
      let run = try RunningVQ(["index", folder.write(row, to: "c.jsonl"), "--index", index, "-q"])
      #expect(run.status == 0)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: index)
    #expect(names.contains("product-1.segment") && names.contains("product-2.segment"))
    try FileManager.default.removeItem(atPath: index + "/product-2.segment")
    #expect(try RunningVQ(["catalogue", "verify", "--index", index]).status == 5)
    // The feedback can still be read.
    #expect(try RunningVQ(["feedback", "list", "--index", index]).output == "No statements.\n")
    let undone = try RunningVQ(["catalogue", "rollback", "--index", index])
    #expect(undone.status == 0, "\(undone.errors)")
    #expect(
      undone.output.contains(
        "was rolled back to generation 1 (1 product, 0 stores); it is now at generation 3"),
      "\(undone.output)")
    #expect(try RunningVQ(["catalogue", "verify", "--index", index]).status == 0)
    let compacted = try RunningVQ(["catalogue", "compact", "--index", index])
    #expect(
      compacted.output.contains("has nothing to compact; it is still at generation"),
      "\(compacted.output)")
    let match = try RunningVQ(["match", folder.path + "/oats.jpg", "--index", index])
    #expect(match.output.contains("oats"))
    // The lost generation cannot be brought back.
    let redone = try RunningVQ(["catalogue", "rollback", "--index", index])
    #expect(redone.status != 0 && redone.errors.contains("product-2.segment"), "\(redone.errors)")
    let absent = try RunningVQ(["catalogue", "rollback", "--index", folder.path + "/none.vq"])
    #expect(absent.status == 5 && !FileManager.default.fileExists(atPath: folder.path + "/none.vq"))
  }

  @Test func `a first run cannot be undone, and the index is still in order`() throws {
    let shop = try Shop(["a"])
    let run = try shop.catalogue("rollback")
    #expect(run.status == 1 && run.errors.contains("no saved generation"))
    #expect(!run.errors.contains("vq index"))
  }

  /// `--json` with compact, or `--id` with verify, did nothing.
  @Test(arguments: [
    (["compact", "--json"], "--json"), (["verify", "--id", "product:a"], "--id"),
    (["remove", "--id", "product:a", "--public", "none"], "--public"),
    (["status", "--pictures"], "--pictures"), (["export", "--images-root", "/"], "--images-root"),
  ])
  func `an option of another action is refused`(words: [String], option: String) throws {
    let run = try RunningVQ(["catalogue"] + words + ["--index", Shop(["a"]).index])
    #expect(run.status == 2)
    #expect(run.errors.contains("\(option) has no effect with 'vq catalogue \(words[0])'"))
  }

  @Test func `fields of the shop's own are shown once they are public`() throws {
    let folder = try TemporaryDirectory()
    let row = #"""
      {"type":"product","id":"a","title":"A","labels":["mug"],"care":"CARE","cost":"COST"}
      """#
    let file = try folder.write(row, to: "c.jsonl")
    let index = ["--index", folder.path + "/i.vq"]
    func match(_ options: String...) throws -> String {
      try RunningVQ(["match", "--labels", "mug", "--json"] + options + index).output
    }
    #expect(try RunningVQ(["index", file, "-q"] + index).status == 0)
    #expect(try !match().contains("CARE") && !match().contains("COST"))
    #expect(try match("--all-fields").contains("CARE") && match("--all-fields").contains("COST"))
    #expect(try RunningVQ(["index", file, "-q", "--public", "care,fit"] + index).status == 0)
    #expect(try match().contains("CARE") && !match().contains("COST"))
    let status = try RunningVQ(["catalogue", "status"] + index).output
    #expect(status.contains("public      the standard fields, care, fit\n"))
    let set = try RunningVQ(["catalogue", "set", "--public", "cost"] + index)
    #expect(set.status == 0 && set.output.contains("has new public fields"))
    #expect(try !match().contains("CARE") && match().contains("COST"))
    #expect(try RunningVQ(["catalogue", "set", "--public", "none"] + index).status == 0)
    #expect(try !match().contains("CARE") && !match().contains("COST"))
    let nothing = try RunningVQ(["catalogue", "set"] + index)
    #expect(nothing.status == 2 && nothing.errors.contains("--public FIELD"))
  }

  @Test func `what is wrong with an index ends with 5, and what is to mend with 1`() throws {
    let shop = try Shop(["a"])
    let doctor = try RunningVQ(["doctor", "--json", "--index", shop.index])
    #expect(doctor.status == 1 && doctor.output.contains(#""kind":"noPicture""#))
    let connection = shop.index + "/catalogue.sqlite"
    let handle = try #require(FileHandle(forUpdatingAtPath: connection))
    // Every page but the first, from its middle on.
    for page in 1..<(try handle.seekToEnd() / 16_384) {
      try handle.seek(toOffset: page * 16_384 + 8192)
      try handle.write(contentsOf: Data(repeating: 0xA5, count: 8192))
    }
    try handle.close()
    let verified = try shop.catalogue("verify")
    #expect(verified.status == 5, "\(verified.output)\(verified.errors)")
  }

  @Test(arguments: [
    ["catalogue", "tidy"], ["catalogue", "status", "file"], ["catalogue", "import"],
    ["catalogue", "remove"], ["catalogue", "remove", "--id", "mug"], ["catalogue", "set"],
    ["index", "c.jsonl", "--thumbnails", "15"], ["index", "c.jsonl", "--thumbnails", "1025"],
    ["index", "c.jsonl", "--thumbnails", "16,17,18,19,20"],
    ["index", "c.jsonl", "--thumbnails", "160,"], ["index", "c.jsonl", "--allow-outside", ""],
  ]) func `a mistyped action is a mistake of usage`(arguments: [String]) throws {
    let shop = try Shop(["a"])
    let run = try RunningVQ(arguments + ["--index", shop.index])
    #expect(run.status == 2 && run.output == "" && run.errors.hasPrefix("vq: "))
  }

  @Test func `a directory that is none is not made`() throws {
    let folder = try TemporaryDirectory()
    for action in ["status", "verify", "compact", "rollback", "export"] {
      let run = try RunningVQ(["catalogue", action, "--index", folder.path + "/none.vq"])
      #expect(run.status == 5)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/none.vq"))
  }

  @Test func `an index is told where its pictures are, and says which are missing`() throws {
    let folder = try TemporaryDirectory()
    let index = ["--index", folder.path + "/i.vq"]
    _ = try folder.copy(SampleShop.image("oats.jpg"), to: "oats.jpg")
    let row = #"{"type":"product","id":"oats","title":"Oats","images":["oats.jpg"]}"#
    let file = try folder.write(row, to: "c.jsonl")
    let first = try RunningVQ(["index", file, "--thumbnails", "32,160"] + index)
    #expect(first.status == 0 && first.output.contains("2 thumbnails stored"))
    #expect(try RunningVQ(["catalogue", "verify", "--pictures"] + index).status == 0)
    let moved = try TemporaryDirectory()
    _ = try moved.copy(folder.path + "/oats.jpg", to: "oats.jpg")
    try FileManager.default.removeItem(atPath: folder.path + "/oats.jpg")
    let missing = try RunningVQ(["catalogue", "verify"] + index)
    #expect(missing.status == 0 && missing.output == "OK: no errors found\n")
    #expect(missing.errors.contains("1 of 1 image cannot be opened: product:oats 'oats.jpg'"))
    let strict = try RunningVQ(["catalogue", "verify", "--pictures", "--json"] + index)
    #expect(strict.status == 5 && strict.output.contains(#""count":1"#))
    let set = try RunningVQ(["catalogue", "set", "--images-root", moved.path] + index)
    #expect(set.status == 0 && set.errors == "" && set.output.contains("generation 2"))
    #expect(try RunningVQ(["catalogue", "verify", "--pictures"] + index).status == 0)
    let again = try RunningVQ(["catalogue", "set", "--images-root", moved.path] + index)
    let same = "has these settings already; it is still at generation 2.\n"
    #expect(again.output == "\(folder.path)/i.vq \(same)")
    let bridge = try folder.write("label,labels\nporridge,oats\n", to: "b.csv")
    let replaced = try RunningVQ(["labels", "--bridge", bridge] + index)
    #expect(replaced.output.contains("was replaced; generation 3."))
    let kept = try RunningVQ(["labels", "--bridge", bridge] + index)
    #expect(kept.output.contains("has this bridge already; it is still at generation 3."))
    let status = try RunningVQ(["catalogue", "status"] + index)
    #expect(status.output.contains("images in   \(moved.path)\n"))
    #expect(status.output.contains("thumbnails  32, 160 pixels\n"))
  }

  @Test func `a path out of the root is refused with what to do, and accepted where it is allowed`()
    throws
  {
    let folder = try TemporaryDirectory()
    let picture = SampleShop.image("oats.jpg")
    let row = #"{"type":"product","id":"oats","title":"Oats","images":["\#(picture)"]}"#
    let command = [
      "index", try folder.write(row, to: "c.jsonl"), "--index", folder.path + "/i.vq",
    ]
    let refused = try RunningVQ(command)
    #expect(refused.errors.contains("absolute path") && refused.errors.contains("--allow-outside"))
    let allowed = try RunningVQ(command + ["--allow-outside", SampleShop.folder.path])
    #expect(allowed.output.contains("1 image analyzed"), "\(allowed.errors)")
    // The permission is stored, until `none` withdraws it.
    #expect(try RunningVQ(command).output.contains("1 unchanged"))
    #expect(try RunningVQ(command + ["--allow-outside", "none"]).errors.contains("absolute path"))
  }

  @Test func `a strict run ends with 1 and names the row`() throws {
    let shop = try Shop(["a"])
    let file = try shop.folder.write("{oops\n", to: "bad.jsonl")
    let run = try RunningVQ(["index", file, "--index", shop.index, "--strict"])
    #expect(run.status == 1 && run.errors.contains("line 1"))
    #expect(try shop.catalogue("export").output.contains(#""id":"a""#))
  }

  /// Would break if a nightly run that can remove nothing passed for one that had nothing to remove.
  @Test func `a row without an id that keeps all entities is a failure`() throws {
    let shop = try Shop(["a", "b"])
    let feed = try shop.write(["a"])
    let text = try String(contentsOfFile: feed, encoding: .utf8)
    try (text + "\n{\"type\":\"product\"").write(toFile: feed, atomically: true, encoding: .utf8)
    let run = try RunningVQ(["index", feed, "--prune-missing", "--index", shop.index])
    #expect(run.status == 3)
    #expect(run.errors.contains("vq: nothing was removed: a rejected row has no readable id\n"))
    #expect(try shop.catalogue("status", "--json").output.contains(#""products":2"#))
  }
}
