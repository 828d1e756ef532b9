import Foundation
import TestSupport
import Testing

@testable import vq

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Features that spare typing: the only index, folders of images, tables for spreadsheets, links.
@Suite struct ComfortTests {
  private func folder() throws -> String { try IndexedShop.made.get().folder.path }

  @Test func `the only index of the folder is used, and two are not guessed between`() throws {
    let found = try RunningVQ(["doctor", "--json"], directory: folder())
    #expect(found.errors == "")
    let empty = try TemporaryDirectory()
    for name in ["a.vq", "b.vq"] {
      try FileManager.default.createDirectory(
        atPath: empty.path + "/" + name, withIntermediateDirectories: true)
    }
    let none = try RunningVQ(["doctor"], directory: empty.path)
    #expect(none.status == 2 && none.errors.contains("'vq doctor' requires --index DIR, or VQ_I"))
    #expect(!none.errors.contains("found"))
    for name in ["a.vq", "b.vq"] { _ = try empty.write("", to: name + "/catalogue.sqlite") }
    let two = try RunningVQ(["doctor"], directory: empty.path)
    #expect(two.status == 2 && two.errors.contains("; found 'a.vq', 'b.vq' here"))
  }

  @Test func `a folder stands for its images, and the other files are counted`() throws {
    let images = try TemporaryDirectory()
    _ = try images.copy(SampleShop.image("mug-red.jpg"), to: "b.jpg")
    _ = try images.copy(SampleShop.image("kettle.jpg"), to: "a.jpg")
    _ = try images.write("x", to: "notes.txt")
    let run = try RunningVQ(
      ["match", "--csv", images.path, "--products", "1", "--stores", "0", "--limit", "1"],
      directory: folder())
    #expect(run.status == 0)
    #expect(run.errors == "vq: left out in '\(images.path)': 1 .txt file\n")
    let rows = run.output.split(separator: "\n")
    #expect(rows.count == 3)
    #expect(rows[0] == "query,rank,type,id,title,subtitle,confidence,tier,url,reason")
    #expect(rows[1].hasPrefix("\(images.path)/a.jpg,1,product,kettle,"))
    #expect(
      rows[2].hasPrefix("\(images.path)/b.jpg,1,product,mug-red,Camp mug,\"Enamel, 350 ml, red\","))
    #expect(rows[2].hasSuffix(",exact,https://shop.example/p/mug-red,"))
    let empty = try TemporaryDirectory()
    let none = try RunningVQ(["match", empty.path], directory: folder())
    #expect(
      none.status == 1 && none.errors == "vq: the folder '\(empty.path)' contains no images\n")
  }

  /// Would break if the figures of a profile mixed with what a program reads, or if a step were missing.
  @Test func `a profile tells where the time went`() throws {
    let image = SampleShop.query("q01-mug.jpg")
    let asked = ["match", image, "--index", try IndexedShop.path()]
    let plain = try RunningVQ(asked)
    let table = try RunningVQ(asked + ["--profile"])
    #expect(table.status == 0 && table.errors.isEmpty && table.output.hasPrefix(plain.output))
    let lines = table.output.dropFirst(plain.output.count).split(separator: "\n")
    #expect(lines.first?.hasPrefix("STEP") == true)
    for step in [
      "decoding", "signature", "hashes", "votes", "geometry", "ranking", "lookup", "other",
    ] {
      #expect(
        lines.contains { $0.contains(try! Regex("^\(step) +[0-9]+\\.[0-9][0-9] +[0-9]+ %")) },
        "\(step)")
    }
    let shares = lines.dropFirst().compactMap { line in
      line.firstMatch(of: /([0-9]+) %/).flatMap { Int($0.1) }
    }
    #expect((90...110).contains(shares.reduce(0, +)))
    let folder = try TemporaryDirectory()
    let json = try RunningVQ(
      asked + ["--profile", "--json", "--report", folder.path + "/r.html"])
    #expect(json.output.hasPrefix("{") && json.output.split(separator: "\n").count == 1)
    #expect(json.errors.hasPrefix("STEP") && json.errors.contains("\ngeometry "))
    let page = try String(contentsOfFile: folder.path + "/r.html", encoding: .utf8)
    #expect(page.contains("class=\"steps\"") && page.contains("<title>geometry: "))
    #expect(page.components(separatedBy: "class=\"step").count > 10)
  }

  /// Would break if a folder with a pipe waited for ever for its writer.
  @Test(.timeLimit(.minutes(30))) func `pipes, sockets and devices in a folder are left out`()
    throws
  {
    let images = try TemporaryDirectory()
    _ = try images.copy(SampleShop.image("kettle.jpg"), to: "a.jpg")
    #expect(unsafe mkfifo(images.path + "/b.jpg", 0o600) == 0)
    #expect(unsafe mkfifo(images.path + "/c", 0o600) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: images.path + "/d.png", withDestinationPath: "/dev/zero")
    let left = "left out in '\(images.path)': 3 special files (pipe, socket or device)"
    let run = try RunningVQ(["match", "--csv", images.path], directory: folder())
    #expect(run.status == 0 && run.errors == "vq: \(left)\n")
    #expect(run.output.contains("/a.jpg,1,product,kettle,"))
    let index = try RunningVQ(["index", images.path, "--index", images.path + "/i.vq"])
    #expect(index.status == 0 && index.errors.contains("3 special files"))
    #expect(index.output.hasPrefix("1 entity, 1 new"))
  }

  /// Would break if whoever opens the table ran what the author of a feed wrote.
  @Test func `no cell of CSV is a formula`() throws {
    let folder = try TemporaryDirectory()
    let cells: [(title: String, shown: String)] = [
      ("=HYPERLINK(1)", "'=HYPERLINK(1)"), ("+1", "'+1"), ("-2+3|x", "'-2+3|x"),
      ("@SUM(1)", "'@SUM(1)"), ("  =1", "  '=1"), ("\u{FF1D}1", "'\u{FF1D}1"),
      // A spreadsheet of another language has semicolons between cells.
      ("a;=1", "a;'=1"), ("a;  @b", "a;  '@b"), ("plain - a=b +1", "plain - a=b +1"),
    ]
    let rows = cells.enumerated().map { index, cell in
      #"{"type":"product","id":"=\#(index)","title":"\#(cell.title)","labels":["thing"],"images":[]}"#
    }
    let feed = try folder.write(rows.joined(separator: "\n"), to: "feed.jsonl")
    let index = ["--index", folder.path + "/i.vq"]
    #expect(try RunningVQ(["index", feed] + index).status == 0)
    let run = try RunningVQ(
      ["match", "--labels", "thing", "--csv", "--limit", "20", "--products", "20"] + index)
    let lines = run.output.split(separator: "\n").dropFirst()
    #expect(lines.count == cells.count)
    for (line, (index, cell)) in zip(lines, cells.enumerated()) {
      #expect(line.hasPrefix("thing,\(index + 1),product,'=\(index),\(cell.shown),"), "\(line)")
    }
  }

  /// Would break if an address were only called a file that does not exist.
  @Test(arguments: ["https://shop.example/a.jpg", "file:///a.jpg", "data:image/png;base64,AA"])
  func `an address in place of a file is told as such`(address: String) throws {
    let match = try RunningVQ(["match", address], directory: folder())
    #expect(match.status == 4 && match.errors.contains("is an address, but only files are read"))
    let hash = try RunningVQ(["hash", address])
    #expect(hash.status == 4 && hash.errors.contains("is an address, but only files are read"))
    let bridge = try RunningVQ(["labels", "--bridge", address], directory: folder())
    #expect(bridge.errors.contains("is an address, but only files are read"))
  }

  /// Would break if whoever has such a file did not learn how to name it.
  @Test(arguments: ["-dash.jpg", "-hat.jpg", "-jacket.jpg", "--long.png", "-q"])
  func `the name of a file that begins with a dash is told apart from options`(name: String) throws
  {
    let images = try TemporaryDirectory()
    _ = try images.copy(SampleShop.image("kettle.jpg"), to: name)
    let index = ["--index", try folder() + "/shop.vq"]
    let run = try RunningVQ(["match", name] + index, directory: images.path)
    #expect(run.status == 2 && run.errors.contains("'./\(name)', or put '--' before it"))
    let named = try RunningVQ(["match", "./" + name] + index, directory: images.path)
    #expect(named.status == 0)
    #expect(try RunningVQ(["match"] + index + ["--", name], directory: images.path).status == 0)
  }

  @Test func `CSV has a line for an image without a match, and for a broken one`() throws {
    let images = try TemporaryDirectory()
    let broken = try images.write("nothing", to: "broken.jpg")
    let run = try RunningVQ(
      ["match", "--csv", SampleShop.query("q10-plant.jpg"), broken], directory: folder())
    #expect(run.status == 4)
    let rows = run.output.split(separator: "\n")
    #expect(rows.count == 3)
    #expect(rows[1].hasSuffix("q10-plant.jpg,,,,,,,,,nothingAboveConfidence"))
    #expect(rows[2].hasSuffix("broken.jpg,,,,,,,,,unsupportedFormat"))
    let both = try RunningVQ(["match", "--csv", "--json", broken], directory: folder())
    #expect(both.status == 2 && both.errors.contains("--json and --csv are two forms"))
  }

  @Test func `the link of the best match is opened`() throws {
    let asked = ["match", SampleShop.image("kettle.jpg"), "--open", "--json"]
    let run = try RunningVQ(asked, environment: ["BROWSER": "echo"], directory: folder())
    #expect(run.status == 0 && run.output.hasSuffix("}\nhttps://shop.example/p/kettle\n"))
    let none = try RunningVQ(asked, environment: ["BROWSER": "no-such-thing"], directory: folder())
    #expect(none.status == 1 && none.errors.hasPrefix("vq: cannot run 'no-such-thing': No such"))
    let failing = try RunningVQ(asked, environment: ["BROWSER": "false"], directory: folder())
    #expect(failing.status == 1 && failing.errors.contains("'false' could not open https://"))
    let several = try RunningVQ(asked + [SampleShop.image("mug-red.jpg")], directory: folder())
    #expect(several.status == 2 && several.errors == "vq: --open takes one IMAGE; found 2\n")
  }

  /// Would break if a link were cut, or if a note could end the sequence.
  @Test func `links can be clicked where the terminal can`() {
    let link = "https://shop.example/p/mug"
    let sequence = "\u{1B}]8;;\(link)\u{1B}\\\(link)\u{1B}]8;;\u{1B}\\"
    #expect(ANSI.linked(link) == sequence)
    #expect(ANSI.linked(link + "  a.jpg") == sequence + "  a.jpg")
    for text in ["product:mug", "myshop://p/mug", "https://shop.example/é", ""] {
      #expect(ANSI.linked(text) == text)
    }
    func links(_ environment: [String: String], color: Bool = true) -> Bool {
      Console(
        output: StandardOutput { _ in },
        diagnostics: Diagnostics(usesColor: false, canRedraw: false),
        environment: environment, usesColor: color
      ).linksTexts
    }
    #expect(links(["TERM": "xterm-256color"]) && links(["VTE_VERSION": "7200"]))
    #expect(
      !links(["TERM": "linux"]) && !links(["VTE_VERSION": "4800"]) && !links([:], color: false))
  }

  @Test func `neighbors are listed by their vectors`() throws {
    let folder = try TemporaryDirectory()
    let things = [("a", "mug-red", "ADwAAA"), ("b", "oats", "ADwANA"), ("c", "mug-blue", "AAAAPA")]
    for (_, image, _) in things {
      _ = try folder.copy(SampleShop.image("\(image).jpg"), to: "\(image).jpg")
    }
    let rows = things.map { id, image, vector in
      """
      {"type":"product","id":"\(id)","title":"T \(id)","images":["\(image).jpg"],\
      "embeddings":{"model":"m","vectors":["\(vector)"]}}
      """
    }
    _ = try folder.write(rows.joined(separator: "\n"), to: "feed.jsonl")
    let directory = folder.path
    #expect(
      try RunningVQ(["index", "feed.jsonl", "--index", "s.vq"], directory: directory).status == 0)
    let text = try RunningVQ(["neighbors", "a"], directory: directory)
    #expect(
      text.output == """
        COSINE  DETAILS  ID  TITLE
          0.96           b   T b
          0.00  shared   c   T c

        """)
    let json = try RunningVQ(
      ["neighbors", "a", "--limit", "1", "--where", "id!=b", "--json"], directory: directory)
    #expect(
      json.output
        == #"{"generation":1,"id":"a","neighbors":[{"cosine":0,"id":"c","sharesDetails":true,"title":"T c","type":"product"}],"schema":"vq.neighbors/1","type":"product"}"#
        + "\n")
    let none = try RunningVQ(["neighbors", "x"], directory: directory)
    #expect(none.status == 2 && none.errors.contains("ID: there is no product 'x'"))
  }

  /// Would break if an image that is elsewhere were told without its name and without what to do, or ended the command, though the index has its
  /// signature.
  @Test(arguments: ["pictures", "pictures/red.jpg"])
  func `neighbors are listed without the image files`(missing: String) throws {
    let folder = try TemporaryDirectory()
    let directory = folder.path
    try FileManager.default.createDirectory(
      atPath: directory + "/pictures", withIntermediateDirectories: false)
    for (id, image) in [("red", "mug-red"), ("blue", "mug-blue"), ("oats", "oats")] {
      _ = try folder.copy(SampleShop.image("\(image).jpg"), to: "pictures/\(id).jpg")
    }
    let rows = ["red", "blue", "oats"].map {
      #"{"type":"product","id":"\#($0)","title":"T \#($0)","images":["\#($0).jpg"]}"#
    }
    let bare = #"{"type":"product","id":"bare","title":"T"}"#
    _ = try folder.write((rows + [bare]).joined(separator: "\n"), to: "feed.jsonl")
    let run = try RunningVQ(
      ["index", "feed.jsonl", "--images-root", "pictures", "--index", "s.vq"], directory: directory)
    #expect(run.status == 0)
    let before = try RunningVQ(["neighbors", "red"], directory: directory)
    #expect(before.errors == "" && before.output.contains("shared"))
    try FileManager.default.moveItem(
      atPath: directory + "/" + missing, toPath: directory + "/elsewhere")
    let after = try RunningVQ(["neighbors", "red"], directory: directory)
    #expect(after.status == 0 && after.output == before.output)
    #expect(
      after.errors.contains("'red.jpg'") && after.errors.contains("catalogue set --images-root"))
    let json = try RunningVQ(["neighbors", "red", "--json"], directory: directory)
    #expect(json.output.contains(#""signatureSearched":true"#))
    let none = try RunningVQ(["neighbors", "bare"], directory: directory)
    #expect(none.status == 1 && none.errors.contains("'bare' has no image"))
  }

  @Test func `duplicates are listed with their images`() throws {
    let folder = try TemporaryDirectory()
    for name in ["one.jpg", "two.jpg"] {
      _ = try folder.copy(SampleShop.image("mug-red.jpg"), to: name)
    }
    _ = try RunningVQ(["index", folder.path, "--index", folder.path + "/shop.vq"])
    let text = try RunningVQ(["duplicates"], directory: folder.path)
    #expect(
      text.output == """
        2 entities with the same image
            product:one  one  one.jpg
            product:two  two  two.jpg
        1 cluster with 2 entities of 2; 2 images compared.

        """)
    let json = try RunningVQ(["duplicates", "--same", "--json"], directory: folder.path)
    #expect(json.output.hasPrefix(#"{"entities":[{"id":"product:one","image":"one.jpg","#))
    #expect(json.output.hasSuffix(#","likeness":"same","schema":"vq.duplicates/1"}"# + "\n"))
  }

  @Test func `two generations are compared query by query`() throws {
    let folder = try TemporaryDirectory()
    for (name, image) in [("mug.jpg", "mug-red.jpg"), ("kettle.jpg", "kettle.jpg")] {
      _ = try folder.copy(SampleShop.image(image), to: name)
    }
    func row(_ id: String) -> String {
      #"{"type":"product","id":"\#(id)","title":"T","images":["\#(id).jpg"]}"#
    }
    let queries = try folder.write(
      ["mug", "kettle"].map { #"{"query":"\#($0)","image":"\#($0).jpg","truth":["\#($0)"]}"# }
        .joined(separator: "\n"), to: "queries.jsonl")
    let index = ["--index", folder.path + "/shop.vq"]
    let feed = try folder.write(row("mug"), to: "feed.jsonl")
    _ = try RunningVQ(["index", feed] + index)
    let first = try RunningVQ(["diff", queries] + index)
    #expect(first.status == 1 && first.errors.contains("has no saved generation"))
    let absent = try RunningVQ(["diff", queries, "--before", folder.path + "/none.vq"] + index)
    #expect(absent.status == 5)
    _ = try folder.write(row("kettle"), to: "feed.jsonl")
    // All other ids are those of another feed, unless this is asked for.
    _ = try RunningVQ(["index", feed, "--prune-missing", "--max-removed", "100"] + index)
    let run = try RunningVQ(["diff", queries] + index)
    #expect(run.status == 1, "a lost match is a failure, for CI: \(run.errors)")
    let lines = run.output.split(separator: "\n")
    try #require(lines.count == 5)
    #expect(lines[1].hasPrefix("lost    mug     mug 0.9") && lines[1].hasSuffix("none"))
    #expect(lines[2].hasPrefix("gained  kettle  none") && lines[2].contains("kettle 0.9"))
    #expect(lines[3].hasPrefix("2 queries, generation ") && lines[3].contains("1 gained, 1 lost"))
    #expect(lines[4] == "Right first match: 1 before, 1 after, of 2.")
    let json = try RunningVQ(
      ["diff", queries, "--json", "--before", folder.path + "/shop.vq"] + index)
    #expect(json.status == 0)
    #expect(json.output.split(separator: "\n").allSatisfy { $0.contains(#""change":"same""#) })
  }
}
