import Foundation
import PixelMatch
import TestSupport
import Testing
@testable import vq

/// The files that `--report`, `--rejected` and `--index` write: no file of the user is replaced.
@Suite struct OutputFilesTests {
  private static let foreign = [
    "p1.jpg": "an image of the user", "page.html": "<!doctype html>\n<html><title>My shop</title>",
    "in.csv": "id,title,price\na,A,1 EUR\n",
    "own.jsonl": #"{"type":"product","id":"a","title":"A"}"#,
    "r.html.tmp": "a draft", "empty.jpg": "",
  ]

  /// A folder with the user's files.
  private static func files() throws -> TemporaryDirectory {
    let folder = try TemporaryDirectory()
    for (name, text) in foreign { _ = try folder.write(text, to: name) }
    let path = folder.path + "/"
    try FileManager.default.createSymbolicLink(
      atPath: path + "symlink", withDestinationPath: "empty.jpg")
    try FileManager.default.linkItem(atPath: path + "empty.jpg", toPath: path + "hardlink")
    return folder
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let message: String
    var testDescription: String { arguments.joined(separator: " ") }

    init(_ line: String, _ message: String) {
      arguments = line.split(separator: " ").map(String.init)
      self.message = message
    }
  }

  static let mistakes = [
    Mistake(
      "match --report p1.jpg empty.jpg", "--report would replace 'p1.jpg', which is not a report"),
    Mistake("match --report page.html empty.jpg", "which is not a report that vq wrote"),
    Mistake("match --report r.html empty.jpg", "--report would replace 'r.html.tmp', which is not"),
    Mistake("match --report empty.jpg empty.jpg", "'empty.jpg', which this command reads"),
    Mistake("match --report ./empty.jpg empty.jpg", "'./empty.jpg', which this command reads"),
    Mistake("match --report symlink empty.jpg", "'symlink', which this command reads"),
    Mistake("match --report hardlink empty.jpg", "'hardlink', which this command reads"),
    Mistake("eval --report own.jsonl own.jsonl", "--report would replace 'own.jsonl'"),
    Mistake("why-not --expect a --report p1.jpg empty.jpg", "--report would replace 'p1.jpg'"),
    Mistake("doctor --report in.csv", "--report would replace 'in.csv'"),
    Mistake("report --report in.csv", "--report would replace 'in.csv'"),
    Mistake(
      "index in.csv --rejected in.csv", "--rejected would replace 'in.csv', which this command"),
    Mistake("index in.csv --rejected own.jsonl", "which is not a list of rejected rows that vq"),
    Mistake("index in.csv --report own.jsonl", "--report would replace 'own.jsonl'"),
    Mistake("index in.csv --bridge empty.jpg --rejected empty.jpg", "which this command reads"),
    Mistake("index --signed empty.jpg --rejected empty.jpg", "which this command reads"),
    Mistake(
      "index in.csv --report new --rejected ./new", "--report and --rejected would both write"),
  ]

  /// Would break if `--report *.jpg` replaced the first image by a page, or a mistyped name the feed by a list.
  @Test(arguments: mistakes)
  func `a file of the user is not replaced`(mistake: Mistake) throws {
    let folder = try Self.files()
    let index = mistake.arguments[0] == "index" ? "new.vq" : try IndexedShop.path()
    let run = try RunningVQ(mistake.arguments + ["--index", index], directory: folder.path)
    #expect(run.status == 2 && run.output.isEmpty)
    #expect(run.errors.contains(mistake.message), "\(run.errors)")
    for (name, text) in Self.foreign {
      #expect(try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8) == text)
    }
    let names = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
    #expect(names == Set(Self.foreign.keys).union(["symlink", "hardlink"]))
  }

  /// Would break if the report of the next night were refused, or a file that `mktemp` made.
  @Test func `what vq wrote and empty files are replaced`() throws {
    let folder = try TemporaryDirectory()
    let photo = SampleShop.image("oats.jpg")
    for file in ["new.html", "new.html", "empty.html"] {
      if file == "empty.html" { _ = try folder.write("", to: file) }
      let run = try RunningVQ(
        ["match", photo, "--index", try IndexedShop.path(), "--report", file],
        directory: folder.path)
      #expect(run.status == 0, "\(run.errors)")
      let page = try String(contentsOfFile: folder.path + "/" + file, encoding: .utf8)
      #expect(page.contains("<title>vq match</title>"))
    }
    let feed = try folder.write(
      #"{"type":"product","id":"a","title":"A","price":"x"}"# + "\n{oops\n", to: "f.jsonl")
    for _ in 0..<2 {
      let run = try RunningVQ(
        ["index", feed, "--index", "i.vq", "--rejected", "r.jsonl", "--report", "new.html"],
        directory: folder.path)
      #expect(run.status == 0, "\(run.errors)")
    }
    // A corrected list is one, however another program writes it.
    let list = try String(contentsOfFile: folder.path + "/r.jsonl", encoding: .utf8)
    _ = try folder.write(list.replacing("\":", with: "\": "), to: "r.jsonl")
    let run = try RunningVQ(
      ["index", feed, "--index", "i.vq", "--rejected", "r.jsonl"], directory: folder.path)
    #expect(run.status == 0, "\(run.errors)")
  }

  /// Would break if a device were refused or replaced, or if the page took the place of earlier output.
  @Test func `devices and standard streams may be written to`() throws {
    let match = [
      "match", SampleShop.image("oats.jpg"), "--index", try IndexedShop.path(), "--report",
    ]
    #expect(try RunningVQ(match + ["/dev/null"]).status == 0)
    for stream in ["/dev/stdout", "/dev/fd/1"] {
      let run = try RunningVQ(match + [stream])
      #expect(run.status == 0 && run.output.contains("<title>vq match</title>"), "\(run.errors)")
    }
    let folder = try TemporaryDirectory()
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = [
      "-c", #"out=$1; shift; (echo first; "$@" /dev/fd/1) > "$out""#, "sh", folder.path + "/out",
      RunningVQ.binary.path,
    ]
    shell.arguments? += match
    try shell.run()
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 0)
    let output = try String(contentsOfFile: folder.path + "/out", encoding: .utf8)
    #expect(output.hasPrefix("first\n") && output.contains("<title>vq match</title>"))
  }

  /// Would break if nobody knew which of several files has no room.
  @Test func `a full disk is told with the name of the file`() throws {
    let match = ["match", SampleShop.image("oats.jpg"), "--index", try IndexedShop.path()]
    let report = try RunningVQ(match + ["--report", "/dev/full"])
    #expect(report.status == 1)
    #expect(report.errors == "vq: cannot write '/dev/full': No space left on device\n")
    let folder = try TemporaryDirectory()
    let feed = try folder.write(
      #"{"type":"product","id":"a","title":"A"}"# + "\n{oops\n", to: "f.jsonl")
    let index = try RunningVQ([
      "index", feed, "--index", folder.path + "/i.vq", "--rejected", "/dev/full",
    ])
    #expect(index.status == 1)
    #expect(index.errors.contains("cannot write '/dev/full': No space left on device\n"))
  }

  // MARK: The directory of an index

  /// Would break if a mistyped directory got an index among its files.
  @Test(arguments: [["index.html"], ["rejected.jsonl"], ["images/a.jpg"], ["incoming/a.jpg"]])
  func `a directory with other files gets no index`(names: [String]) throws {
    let folder = try TemporaryDirectory()
    let feed = try folder.write(
      #"{"type":"product","id":"a","title":"A"}"# + "\n{\n", to: "f.jsonl")
    for name in names {
      let path = folder.path + "/web/" + name
      try FileManager.default.createDirectory(
        atPath: String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]),
        withIntermediateDirectories: true)
      try "own".write(toFile: path, atomically: true, encoding: .utf8)
    }
    let exported = try RunningVQ(["catalogue", "export", "--index", try IndexedShop.path()])
    let export = try folder.write(exported.output, to: "export.jsonl")
    for command in [
      ["index", feed], ["index", feed, "--dry-run"], ["index", "--signed", feed],
      ["catalogue", "import", export],
    ] {
      let run = try RunningVQ(command + ["--index", folder.path + "/web"])
      #expect(run.status == 2 && run.output.isEmpty, "\(command)")
      let first = names[0].prefix { $0 != "/" }
      #expect(
        run.errors
          == "vq: '\(folder.path)/web' has other files, such as '\(first)', and no index; an index requires a directory of its own\n"
      )
    }
    let found = try FileManager.default.subpathsOfDirectory(atPath: folder.path + "/web")
    #expect(found.filter { !names.joined().hasPrefix($0) } == [])
    for name in names {
      #expect(try String(contentsOfFile: folder.path + "/web/" + name, encoding: .utf8) == "own")
    }
  }

  /// Would break if a run that rejected everything, or was interrupted, kept the next one from its directory.
  @Test func `a directory with what vq and the system leave gets an index`() throws {
    let folder = try TemporaryDirectory()
    let bad = try folder.write(#"{"type":"product","id":"a"}"#, to: "bad.jsonl")
    let good = try folder.write(#"{"type":"product","id":"a","title":"A"}"#, to: "good.jsonl")
    let index = folder.path + "/i"
    try FileManager.default.createDirectory(
      atPath: index + "/lost+found", withIntermediateDirectories: true)
    try "".write(toFile: index + "/.keep", atomically: true, encoding: .utf8)
    #expect(try RunningVQ(["index", bad, "--index", index]).status == 1)
    #expect(FileManager.default.fileExists(atPath: index + "/rejected.jsonl"))
    #expect(!FileManager.default.fileExists(atPath: index + "/catalogue.sqlite"))
    let run = try RunningVQ(["index", good, "--index", index + "/"])
    #expect(run.status == 0, "\(run.errors)")
    // Other files beside an index are its owner's affair.
    try "note".write(toFile: index + "/README", atomically: true, encoding: .utf8)
    #expect(try RunningVQ(["index", good, "--index", index]).status == 0)
    let started = folder.path + "/started"
    try FileManager.default.createDirectory(atPath: started, withIntermediateDirectories: true)
    for name in ["writer.lock", "product-1.segment.tmp"] {
      try "".write(toFile: started + "/" + name, atomically: true, encoding: .utf8)
    }
    #expect(try RunningVQ(["index", good, "--index", started]).status == 0)
  }
}
