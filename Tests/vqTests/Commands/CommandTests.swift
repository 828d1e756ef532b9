import Foundation
import PixelMatch
import TestSupport
import Testing
@testable import vq

/// `vq` run as a process of its own, on the sample shop: its answers and its failures.
@Suite struct CommandTests {
  @Test func `a match is a table that fits 80 columns`() throws {
    let run = try RunningVQ([
      "match", SampleShop.query("q06-oats.jpg"), "--labels", "box", "--index", IndexedShop.path(),
      "--deadline", "0", "--min-confidence", "0", "--limit", "3",
    ])
    #expect(run.status == 0 && run.errors.isEmpty)
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    expectGolden(run.output, "match.txt")
  }

  @Test func `several pictures are answered in their order, each under its name`() throws {
    let run = try RunningVQ([
      "match", SampleShop.image("kettle.jpg"), SampleShop.query("q10-plant.jpg"),
      SampleShop.image("candle.png"), "--index", IndexedShop.path(), "--deadline", "0",
    ])
    #expect(run.status == 0)
    expectGolden(run.output, "match-several.txt")
  }

  /// Would break if pictures that compete for the threads lost their answers to a deadline that
  /// nobody asked for.
  @Test func `a command line has no deadline unless it names one`() throws {
    let pictures = ["mug-blue.jpg", "kettle.jpg", "oats.jpg", "board.jpg", "candle.png"]
    let run = try RunningVQ(
      ["match", "--json", "--limit", "1", "--index", IndexedShop.path()]
        + pictures.map(SampleShop.image))
    #expect(run.status == 0 && run.errors.isEmpty)
    for id in ["mug-blue", "kettle", "oats", "board", "candle"] {
      #expect(run.output.contains(#""id":"\#(id)""#), "\(id)")
    }
    #expect(!run.output.contains(#""complete":false"#))
  }

  @Test func `a deadline that passes is told, and the labels answer`() throws {
    let asked = ["match", "--labels", "mug", "--index", try IndexedShop.path()]
    let labels = try RunningVQ(asked + ["--json"]).output
    let files = [SampleShop.image("kettle.jpg"), SampleShop.query("q06-oats.jpg")]
    let run = try RunningVQ(asked + ["--json", "--deadline", "1"] + files)
    #expect(run.status == 0)
    let errors = run.errors.split(separator: "\n")
    #expect(errors.count == 2)
    for (error, file) in zip(errors, files) {
      #expect(error.hasPrefix("vq: '\(file)': the deadline of 1 ms passed: "))
      #expect(error.contains(" of 34 images were searched"))
    }
    func ids(_ text: some StringProtocol) -> [String] {
      String(text).matches(of: /"id":"[^"]+"/).map { String($0.0) }
    }
    #expect(!ids(labels).isEmpty)
    for line in run.output.split(separator: "\n") { #expect(ids(line) == ids(labels)) }
    #expect(run.output.contains(#""complete":false"#))
  }

  @Test func `the demo runs the command that it prints`() throws {
    let folder = try TemporaryDirectory()
    for part in ["Samples", ".ci", "docs/deploy"] {
      try FileManager.default.createDirectory(
        atPath: folder.path + "/" + part, withIntermediateDirectories: true)
    }
    let script = try folder.copy(SampleShop.folder.path + "/demo.sh", to: "Samples/demo.sh")
    let recorder = "#!/bin/sh\n[ \"$1\" = index ] || echo \"ran vq $*\"\n"
    for (name, text) in [
      (".ci/install", "#!/bin/sh\n"), ("docs/deploy/build.sh", "#!/bin/sh\necho \"$PWD/vq\"\n"),
      ("vq", recorder),
    ] {
      let file = try folder.write(text, to: name)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = [script]
    process.environment = ["PATH": "/usr/bin:/bin"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let lines = text.split(separator: "\n")
    try #require(lines.count == 2, "\(lines)")
    #expect(lines[0].hasPrefix("$ vq match Samples/queries/"))
    #expect(lines[0].dropFirst(2) == lines[1].dropFirst(4))
  }

  @Test(arguments: [
    ("prise<20", "no entity has a property 'prise'; did you mean 'price'?"),
    ("price<abc", "'price' is a number; found 'abc'"),
  ])
  func `a mistyped condition is an error`(condition: String, says: String) throws {
    let run = try RunningVQ([
      "match", "--labels", "mug", "--where", condition, "--index", IndexedShop.path(),
    ])
    #expect(run.status == 2 && run.output.isEmpty && run.errors == "vq: \(says)\n")
  }

  @Test func `an answer by labels speaks of labels`() throws {
    let none = try RunningVQ(["match", "--labels", "zzz", "--index", IndexedShop.path()])
    #expect(none.output == "No match: the catalogue has none of these labels.\n")
    let some = try RunningVQ(["match", "--labels", "mug", "--index", IndexedShop.path()])
    #expect(some.output.contains("Only labels agree") && some.output.contains("0.85"))
    let chosen = try RunningVQ([
      "match", "--labels", "mug", "--min-confidence", "0.1", "--index", IndexedShop.path(),
    ])
    #expect(!chosen.output.contains("Only labels agree"))
  }

  /// Would break if the setting did not reach the search, the evaluation or a second search of a continuation.
  @Test func `what the image may show decides how sure a match is`() throws {
    func best(_ arguments: [String]) throws -> (confidence: Double, token: String) {
      let run = try RunningVQ(["match", "--json", "--min-confidence", "0"] + arguments)
      let answer = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
      let values = try #require(answer?["values"] as? [[String: Any]])
      return (
        try #require(values.first?["confidence"] as? Double),
        try #require(answer?["continuation"] as? String)
      )
    }
    let index = ["--index", try IndexedShop.path()]
    let photo = SampleShop.query("q02-lamp.jpg")
    let anything = try best([photo, "--limit", "1"] + index)
    let own = try best([photo, "--limit", "1", "--subject", "catalogued"] + index)
    #expect(anything.confidence < 0.85 && own.confidence > anything.confidence + 0.05)
    let next = try best(["--refresh", "--continue", anything.token] + index)
    #expect(try best(["--refresh", "--continue", own.token] + index).confidence > next.confidence)
    let folder = try TemporaryDirectory()
    let queries = try folder.write(
      #"{"image":"\#(photo)","truth":["lamp-teal"]}"#, to: "q.jsonl")
    func isShown(_ subject: String) throws -> Bool {
      let run = try RunningVQ(["eval", queries, "--subject", subject, "--json"] + index)
      return run.output.contains(#""shownRight":1,"#)
    }
    #expect(try !isShown("anything"))
    #expect(try isShown("catalogued") == (own.confidence >= 0.85))
  }

  /// Would break if a list were not told from what is sure, in whatever form.
  @Test func `what is not sure is listed apart`() throws {
    let asked = [
      "match", SampleShop.query("q06-oats.jpg"), "--min-confidence", "1", "--deadline", "0",
      "--index", try IndexedShop.path(),
    ]
    let text = try RunningVQ(asked).output
    #expect(text.contains(/^not sure, (but probably this|one of these):\n#/))
    #expect(text.contains(/\n\?  +0\.\d\d  .*Honey oats/))
    #expect(text.contains("https://shop.example/p/oats  images/oats.jpg"))
    #expect(text.hasSuffix("No match above confidence 1.\n") || text.contains("No match above"))
    let json = try RunningVQ(asked + ["--json"]).output
    let value = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    let possible = try #require(value?["possible"] as? [[String: Any]])
    for key in ["rank", "type", "id", "confidence", "tier", "url", "display", "evidence"] {
      #expect(possible.first?[key] != nil, "\(key)")
    }
    #expect(value?["nearMiss"] is NSNull && (value?["values"] as? [Any])?.isEmpty == true)
    let rows = try RunningVQ(asked + ["--csv"]).output.split(separator: "\n")
    #expect(rows.count == 2 + possible.count)
    #expect(rows[1].hasSuffix(",,,,,,,,nothingAboveConfidence"))
    #expect(rows[2].contains(",,product,oats,") && rows[2].hasSuffix(",possible"))
    let sure = try RunningVQ(asked + ["--answers", "sure"]).output
    #expect(sure.hasPrefix("No match above"))
    let document = try RunningVQ(asked + ["--answers", "sure", "--json"]).output
    #expect(!document.contains(#""possible""#))
    let token = try #require(value?["continuation"] as? String)
    let next = try RunningVQ(["match", "--continue", token] + asked.suffix(2))
    #expect(next.output.hasPrefix("not sure, ") && next.output.contains("Honey oats"))
  }

  @Test func `a file whose name is not UTF-8 is opened`() throws {
    let folder = try TemporaryDirectory()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    // A process of Foundation takes arguments in UTF-8 only.
    process.arguments = [
      "-c",
      #"mkdir "$(printf 'f\374r')" && cp "$1" "$(printf 'f\374r/tee\344.jpg')" &&"#
        + #" "$2" index "$(printf 'f\374r')" --index folder.vq -q &&"#
        + #" "$2" catalogue verify --pictures --index folder.vq &&"#
        + #" cp "$1" "$(printf 'caf\351.jpg')" && "$2" match --json "$(printf 'caf\351.jpg')""#
        + #" "$(printf 'th\351.jpg')" --index "$3" 2>&1"#,
      "sh", SampleShop.image("oats.jpg"), RunningVQ.binary.path, try IndexedShop.path(),
    ]
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(text.contains(#""id":"oats""#) && text.contains("\"query\":\"caf\u{FFFD}.jpg\""))
    #expect(!text.contains("\u{10FEE9}"))
    #expect(text.hasPrefix("OK: no errors found\n"))
    #expect(text.contains(#"cannot decode 'th\xE9.jpg': cannot open it: No such file"#), "\(text)")
  }

  @Test(.enabled(if: getuid() != 0, "nothing is kept from root"))
  func `what may not be read is told from what is absent`() throws {
    let folder = try TemporaryDirectory()
    let index = folder.path + "/i.vq"
    let row = try folder.write(#"{"type":"product","id":"a","title":"A"}"#, to: "c.jsonl")
    #expect(try RunningVQ(["index", row, "--index", index, "-q"]).status == 0)
    let files = FileManager.default
    for locked in [index + "/catalogue.sqlite", index] {
      try files.setAttributes([.posixPermissions: 0], ofItemAtPath: locked)
      let run = try RunningVQ(["match", "--labels", "a", "--index", index])
      #expect(run.status == 5 && run.errors.contains("Permission denied"), "\(run.errors)")
      try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: locked)
    }
    let photos = folder.path + "/photos"
    try files.createDirectory(
      atPath: photos, withIntermediateDirectories: true, attributes: [.posixPermissions: 0])
    let feed = try RunningVQ(["index", photos, "--index", index])
    #expect(feed.errors.contains("Permission denied"), "\(feed.errors)")
  }

  /// The test may run as root, from whom nothing is kept: a link to itself cannot be followed by
  /// anybody.
  @Test func `what cannot be looked at is not called absent`() throws {
    let folder = try TemporaryDirectory()
    let loop = folder.path + "/loop"
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    let index = try RunningVQ(["match", "--labels", "mug", "--index", loop])
    #expect(index.errors.hasPrefix("vq: cannot open '\(loop)': "))
    let keys = try RunningVQ(["serve", "--index", IndexedShop.path(), "--keys", loop])
    #expect(
      keys.status == 2 && keys.errors.contains("cannot read the keys in '\(loop)': cannot open"))
    let root = try RunningVQ(
      [
        "index", folder.write("", to: "c.jsonl"), "--images-root", loop, "--index",
        folder.path + "/i",
      ])
    #expect(root.errors.hasPrefix("vq: cannot open '\(loop)': "))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/i"))
    let absent = try RunningVQ(["match", "--labels", "mug", "--index", folder.path + "/none"])
    #expect(absent.errors.contains("there is no index at"))
  }

  @Test func `JSON is one line a picture, of stable keys`() throws {
    let run = try RunningVQ([
      "match", "--json", SampleShop.image("mug-blue.jpg"), SampleShop.query("q10-plant.jpg"),
      "--labels", "mug", "--limit", "1", "--index", IndexedShop.path(), "--deadline", "0",
    ])
    #expect(run.status == 0)
    expectGolden(run.output, "match.jsonl")
  }

  @Test func `a picture comes from standard input, and the index from the environment`() throws {
    let bytes = [UInt8](
      try #require(FileManager.default.contents(atPath: SampleShop.image("board.jpg"))))
    let run = try RunningVQ(
      ["match", "-", "--deadline", "0"], input: bytes, environment: ["VQ_INDEX": IndexedShop.path()]
    )
    #expect(run.status == 0)
    #expect(run.output.contains("Oak board"))
  }

  @Test func `a damaged picture that browsers show is searched with, and the damage told`() throws {
    let folder = try TemporaryDirectory()
    var bytes = [UInt8](
      try #require(FileManager.default.contents(atPath: SampleShop.image("candle.png"))))
    bytes = PNGFile.withWrongChecksum(bytes)
    let file = try folder.write(bytes, to: "damaged.png")
    let run = try RunningVQ(["match", file, "--index", IndexedShop.path(), "--deadline", "0"])
    #expect(run.status == 0)
    #expect(run.output.contains("Pine candle"))
    #expect(
      run.errors.hasPrefix("vq: '\(file)' is damaged and was searched with its intact part: PNG "))
    #expect(try RunningVQ(["hash", file]).status == 4)
  }

  @Test func `labels need no picture`() throws {
    let run = try RunningVQ(["match", "--labels", "Mugs", "--index", IndexedShop.path()])
    #expect(run.status == 0)
    expectGolden(run.output, "match-labels.txt")
  }

  /// A person pages through a label's products, then tells what a word means.
  @Test func `pages, filters, languages and labels work together`() throws {
    let folder = try TemporaryDirectory()
    let index = folder.path + "/shop.vq"
    #expect(try RunningVQ(["index", SampleShop.catalogue, "--index", index, "-q"]).status == 0)
    let asked = ["match", "--index", index, "--json", "--type", "product", "--limit", "3"]
    let first = try RunningVQ(asked + ["--labels", "mugs,goblet", "--locale", "de-AT"])
    #expect(first.output.contains(#""unmatchedLabels":["goblet"]"#))
    #expect(first.output.contains(#""title":"Campingbecher""#))
    #expect(first.output.contains(#""hasMore":true"#))
    let token = try #require(first.output.firstMatch(of: /"continuation":"([^"]+)"/)).1
    let second = try RunningVQ(asked + ["--continue", String(token)])
    #expect(second.output.contains(#""hasMore":false"#))
    #expect(second.output.contains(#""id":"mug-red""#) && second.output.contains(#""rank":4"#))
    #expect(try RunningVQ(asked + ["--continue", token + "A"]).status == 2)
    #expect(try RunningVQ(["match", "--labels", "mug", "--refresh", "--index", index]).status == 2)
    // The filters of the first search are kept, and one that differs is not ignored in silence.
    #expect(second.errors.contains("--type has no effect with --continue"))
    for other in [[SampleShop.query("q01-mug.jpg")], ["--labels", "mug"], ["--signature", "x"]] {
      let run = try RunningVQ(asked + ["--continue", String(token)] + other)
      #expect(run.status == 2 && run.errors.contains("has no effect with --continue"))
    }
    // In a newer generation, the token still gives the next page of the old list, and `--refresh` finds what is new.
    let new = #"{"type":"product","id":"mug-new","title":"New","labels":["mug"]}"#
    let feed = try folder.write(new, to: "new.jsonl")
    #expect(try RunningVQ(["index", feed, "--index", index, "-q"]).status == 0)
    let third = try RunningVQ(asked + ["--continue", String(token)])
    #expect(third.output.contains(#""id":"mug-red""#) && !third.output.contains("mug-new"))
    let fresh = try RunningVQ(asked + ["--refresh", "--continue", String(token)])
    #expect(fresh.output.contains(#""id":"mug-new""#))
    let filtered = try RunningVQ(
      [
        "match", "--index", index, "--labels", "mug", "--where", "availability!=inStock", "--json",
        "--type", "product",
      ])
    #expect(filtered.output.contains("mug-green") && !filtered.output.contains("mug-red"))

    #expect(
      try RunningVQ(["labels", "--unmatched", "--index", index]).output.contains("2  goblet"))
    let bridge = try folder.write("label,labels\ngoblet,mug\n", to: "bridge.csv")
    #expect(try RunningVQ(["labels", "--bridge", bridge, "--index", index]).status == 0)
    #expect(try RunningVQ(["labels", "--unmatched", "--index", index]).output == "No labels.\n")
    let labels = try RunningVQ(["labels", "--index", index, "--json"]).output
    #expect(labels.hasPrefix(#"{"entities":7,"label":"drinkware"}"# + "\n"))
    let bridged = try RunningVQ(["match", "--labels", "Goblets", "--index", index])
    #expect(bridged.output.contains("Camp mug"))
  }

  /// Would break if the file were not read, or a model that the index does not know were ignored without a word.
  @Test func `an embedding comes from a file, and a wrong one is named`() throws {
    let folder = try TemporaryDirectory()
    let image = SampleShop.image("kettle.jpg")
    func match(_ text: String, _ more: [String] = []) throws -> RunningVQ {
      let file = try folder.write(text, to: "e.json")
      return try RunningVQ(
        ["match", image, "--embedding", file, "--index", IndexedShop.path(), "--json"] + more)
    }
    let run = try match(#"{"model":"m","vector":"ADwAPA=="}"#)
    #expect(run.status == 0 && run.output.contains(#""embeddingCompared":false"#))
    #expect(run.errors.contains("too few images of the index have one of its model"))
    let wrong = try match(#"{"model":"m","vector":"?"}"#)
    #expect(wrong.status == 2 && wrong.errors.contains("has a 'vector' that must be base64"))
    #expect(try match("nonsense").status == 2)
    #expect(try match(#"{"model":"m","vector":"ADwAPA"}"#, [image]).status == 2)
    let file = folder.path + "/e.json"
    let labels = try RunningVQ([
      "match", "--labels", "mug", "--embedding", file, "--index", IndexedShop.path(),
    ])
    #expect(labels.status == 2)
    let missing = try RunningVQ([
      "match", image, "--embedding", folder.path + "/none", "--index", IndexedShop.path(),
    ])
    #expect(missing.status == 2 && missing.errors.contains("cannot be read"))
  }

  @Test func `a signature stands in for a picture`() throws {
    let image = SampleShop.image("oats.jpg")
    let signature = try RunningVQ(["hash", "--query", image]).output.dropLast()
    let run = try RunningVQ(
      ["match", "--signature", String(signature), "--index", IndexedShop.path(), "--deadline", "0"])
    #expect(run.output.contains("Honey oats"))
    // With its keypoints, it gives the sure answers of the image.
    let photo = SampleShop.query("q08-lantern.jpg")
    let whole = try RunningVQ(["hash", "--keypoints", photo]).output.dropLast()
    let options = try [
      "--index", IndexedShop.path(), "--deadline", "0", "--explain", "--labels", "lantern",
    ]
    let signed = try RunningVQ(["match", "--signature", String(whole)] + options)
    #expect(try signed.output == RunningVQ(["match", photo] + options).output)
    let broken = try RunningVQ(["match", "--signature", "x", "--index", IndexedShop.path()])
    #expect(broken.status == 2 && broken.errors.contains("a signature ends after 0 bytes"))
  }

  @Test func `hashes are printed with their quality, or as JSON`() throws {
    let images = [SampleShop.image("mug-red.jpg"), SampleShop.image("candle.png")]
    expectGolden(try RunningVQ(["hash"] + images).output, "hash.txt")
    expectGolden(try RunningVQ(["hash", "--json"] + images).output, "hash.jsonl")
  }

  struct Failure: CustomTestStringConvertible, Sendable {
    let arguments: [String]
    let status: Int32
    let says: String
    var testDescription: String { arguments.joined(separator: " ") }

    init(_ arguments: [String], _ status: Int32, _ says: String) {
      self.arguments = arguments
      self.status = status
      self.says = says
    }
  }

  @Test(arguments: [
    Failure([], 2, "Usage: vq COMMAND"),
    Failure(["matc"], 2, "did you mean 'match'?"),
    Failure(["match", "--lables", "x", "--index", "i"], 2, "did you mean '--labels'?"),
    Failure(["match", "x.jpg"], 2, "requires --index DIR, or VQ_INDEX"),
    Failure(["match", "--index", "/none"], 2, "requires an IMAGE, --labels"),
    Failure(["match", "x.jpg", "--index", "/none", "--limit", "0"], 2, "1…100"),
    Failure(["match", "x.jpg", "--index", "/none", "--min-confidence", "2"], 2, "0…1"),
    Failure(["match", "x.jpg", "--index", "/none", "--region", "0,0,1"], 2, "left, top, width"),
    Failure(["match", "x.jpg", "--index", "/none", "--where", "price"], 2, "such as price<20"),
    Failure(["match", "x.jpg", "--index", "/none", "--near", "91,0"], 2, "degrees such as"),
    Failure(["match", "x.jpg", "--index", "/none", "--at", "noon"], 2, "2026-05-04T10:30:00Z"),
    Failure(
      ["index", "x", "--index", "/none", "--link", "product=javascript:{id}"], 2, "never accepted"),
    Failure(["labels", "--index", "/none"], 5, "there is no index at '/none'"),
    Failure(["why-not", "x.jpg", "--index", "/none"], 2, "requires --expect ID"),
    Failure(["eval", "/no/such.jsonl", "--index", "/none"], 1, "cannot read '/no/such.jsonl'"),
    Failure(["eval", "a", "b", "c", "--index", "i", "--index", "k"], 2, "one --index for all"),
    Failure(["hash"], 2, "requires"),
    Failure(
      ["hash", "/no/such.jpg"], 4, "cannot decode '/no/such.jpg': cannot open it: No such file"),
    Failure(["hash", "/"], 4, "it is a directory"),
    Failure(["hash", #filePath], 4, "text is not supported; send JPEG, PNG"),
    Failure(["match", "x.jpg", "--index", "/none"], 5, "there is no index at '/none'"),
    Failure(["match", "x.jpg", "--index", "/usr"], 5, "'/usr' is not a vq index"),
    Failure(
      ["index", "/no/such.jsonl", "--index", "/tmp/vq-never"], 1, "cannot open '/no/such.jsonl'"),
  ])
  func `a failure has its exit code and says what, where and why`(failure: Failure) throws {
    let run = try RunningVQ(failure.arguments)
    #expect(run.status == failure.status)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains(failure.says), "\(run.errors)")
  }

  @Test func `one bad picture does not keep the others from their answers`() throws {
    let run = try RunningVQ([
      "match", "--json", "/no/such.jpg", SampleShop.image("oats.jpg"), "--index",
      IndexedShop.path(),
      "--deadline", "0",
    ])
    #expect(run.status == 4)
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.contains(#""error":{"code":"unreadable""#) == true)
    #expect(lines.last?.contains(#""id":"oats""#) == true)
    #expect(run.errors.contains("vq: cannot decode '/no/such.jpg'"))
  }

  @Test func `an explained match shows every term`() throws {
    let run = try RunningVQ([
      "match", SampleShop.query("q08-lantern.jpg"), "--labels", "lantern", "--index",
      IndexedShop.path(),
      "--deadline", "0", "--explain", "--limit", "1",
    ])
    #expect(run.status == 0)
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    expectGolden(run.output, "match-explain.txt")
  }
}
