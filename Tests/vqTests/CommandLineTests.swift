import Foundation
import TestSupport
import Testing

@testable import vq

/// The behavior that only a whole process shows: its streams, its pipes and its signals.
@Suite struct CommandLineTests {
  @Test func `a mistake goes to standard error with a hint and ends with 2`() throws {
    let run = try RunningVQ(["match", "--lables", "mug"])
    #expect(run.status == 2)
    #expect(run.output == "")
    #expect(
      run.errors == """
        vq: unknown option '--lables' for 'vq match'; did you mean '--labels'?
            usage: vq match --index DIR [OPTION…] [IMAGE…]
            more:  vq match -h

        """)
  }

  @Test func `without a command the short help goes to standard error`() throws {
    let run = try RunningVQ([])
    #expect(run.status == 2)
    #expect(run.output == "")
    #expect(run.errors == Help(commands: VQ.commands).text(.short))
  }

  /// Would break if a report of a fault could not say what was run.
  @Test func `the version tells the commit, the formats that are written and those that are read`()
    throws
  {
    let run = try RunningVQ(["--version"])
    #expect(run.status == 0 && run.errors == "")
    #expect(run.output == Version.lines.joined(separator: "\n") + "\n")
    let lines = run.output.split(separator: "\n")
    #expect(lines.first == "vq \(Version.current)")
    for (line, fact) in zip(lines.dropFirst(), ["commit: ", "signatures: ", "index: ", "images: "])
    {
      #expect(line.hasPrefix(fact))
    }
    #expect(lines.last?.hasPrefix("images: JPEG, PNG") == true)
  }

  /// Would break if packages, which read the version from its source, were named after another one.
  @Test func `the version is a semantic one, and stands where the packages look for it`() throws {
    #expect(Version.current.wholeMatch(of: /\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?/) != nil)
    #expect(Version.date.wholeMatch(of: /20\d\d-\d\d-\d\d/) != nil)
    let script = SampleShop.folder.deletingLastPathComponent().path + "/Packaging/version"
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: script)
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(text == Version.current + "\n")
  }

  @Test func `a pipe gets colour only when it is forced`() throws {
    #expect(try !RunningVQ(["nonsense"]).errors.contains("\u{1B}"))
    let forced = try RunningVQ(["nonsense"], environment: ["CLICOLOR_FORCE": "1"])
    #expect(forced.errors.hasPrefix("\u{1B}[1;31mvq:\u{1B}[0m "))
  }

  @Test func `a reader that has gone is a quiet success`() throws {
    let output = Pipe()
    let (status, errors) = try run(["--help"], output: output.fileHandleForWriting) {
      try? output.fileHandleForReading.close()
    }
    #expect(status == 0)
    #expect(errors == "")
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func `a full disk is a failure that is told`() throws {
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let (status, errors) = try run(["--help"], output: full)
    #expect(status == 1)
    #expect(errors == "vq: cannot write the output: No space left on device\n")
  }

  /// Would break if another file got the number of a closed descriptor: output would be written into it.
  @Test(arguments: [
    ("match - <&-", 1, "vq: cannot read '-': standard input is closed\n"),
    ("index - --index x.vq <&-", 1, "vq: cannot read '-': standard input is closed\n"),
    (
      "--help >&-", 1,
      "vq: cannot write the output: standard output is closed: Bad file descriptor\n"
    ),
    ("--help >&- 2>&- <&-", 1, ""), ("--help 2>&-", 0, ""),
  ])
  func `closed descriptors are told and never reused`(
    line: String, status: Int32, errors: String
  ) throws {
    let folder = try TemporaryDirectory()
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c", "exec \"$0\" \(line)".replacing("match", with: "match --index none.vq"),
      RunningVQ.binary.path,
    ]
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = pipe
    try process.run()
    let text = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == status)
    #expect(String(decoding: text, as: UTF8.self) == errors)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  /// Nothing ever comes through standard input, so that the work cannot see that it is cancelled.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status")))
  func `one interrupt ends even what waits for standard input, with 130`() throws {
    let folder = try TemporaryDirectory()
    let input = Pipe()
    let process = Process()
    process.executableURL = RunningVQ.binary
    process.arguments = ["index", "-", "--index", folder.path + "/shop.vq", "--quiet"]
    process.standardInput = input
    process.standardError = FileHandle.nullDevice
    try process.run()
    // SIGTERM is taken over last.
    #expect(poll { isTakenOver(SIGTERM, by: process.processIdentifier) })
    process.interrupt()
    #expect(poll { !process.isRunning })
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == ExitCode.interrupted.rawValue)
    try input.fileHandleForWriting.close()
  }

  /// Looks again and again for ten seconds; gives whether it came true.
  private func poll(_ isTrue: () -> Bool) -> Bool {
    for _ in 0..<1000 {
      if isTrue() { return true }
      Thread.sleep(forTimeInterval: 0.01)
    }
    return false
  }

  /// Returns whether a process handles a signal, by the mask in `/proc`.
  private func isTakenOver(_ signal: Int32, by process: Int32) -> Bool {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
    let mask = line?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) }
    return (mask ?? 0) >> UInt64(signal - 1) & 1 == 1
  }

  /// Runs `vq` with its standard output elsewhere; gives its exit code and its messages.
  private func run(
    _ arguments: [String], output: FileHandle, beforehand: () -> Void = {}
  ) throws -> (status: Int32, errors: String) {
    let errors = Pipe()
    let process = Process()
    process.executableURL = RunningVQ.binary
    process.arguments = arguments
    process.environment = [:]
    process.standardOutput = output
    process.standardError = errors
    beforehand()
    try process.run()
    let text = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }
}
