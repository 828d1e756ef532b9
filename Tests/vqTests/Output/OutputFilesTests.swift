import Foundation
import PixelMatch
import TestSupport
import Testing
@testable import vq

/// The files that `--report` and `--rejected` write.
@Suite struct OutputFilesTests {
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
}
