import Foundation
import Testing

@testable import vq

@Suite struct CompletionsTests {
  static let completions = Completions(commands: VQ.commands)
  static let hasBash = FileManager.default.isExecutableFile(atPath: "/bin/bash")

  @Test(.enabled(if: hasBash))
  func `bash accepts the completions`() throws {
    #expect(try bash(["-n", "-c", Self.completions.script(for: .bash)]) == "")
  }

  struct Line: Sendable, CustomTestStringConvertible {
    let words: [String]
    let offered: String
    var testDescription: String { words.joined(separator: " ") }
  }

  @Test(
    .enabled(if: hasBash),
    arguments: [
      Line(words: ["vq", "ma"], offered: "match"),
      Line(words: ["vq", "match", "--l"], offered: "--labels --limit --locale"),
      Line(words: ["vq", "match", "--type", ""], offered: "product store"),
      Line(words: ["vq", "match", "--limit", ""], offered: ""),
      Line(words: ["vq", "--color", "n"], offered: "never"),
      Line(words: ["vq", "completions", ""], offered: "bash zsh fish"),
      Line(words: ["vq", "help", "h"], offered: "hash help"),
      Line(words: ["vq", "catalogue", "ro"], offered: "rollback"),
      Line(words: ["vq", "feedback", "ac"], offered: "accept"),
      Line(words: ["vq", "codegen", ""], offered: "app-intents"),
    ])
  func `bash offers what the parser accepts`(line: Line) throws {
    let script =
      Self.completions.script(for: .bash)
        + """
        compopt() { :; }
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _vq; echo "${COMPREPLY[*]}"
        """
    #expect(try bash(["-c", script, "bash"] + line.words) == line.offered + "\n")
  }

  /// Returns what bash writes, messages included.
  private func bash(_ arguments: [String]) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}
