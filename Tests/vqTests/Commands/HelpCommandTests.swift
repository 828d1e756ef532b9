import Foundation
import TestSupport
import Testing
@testable import vq

/// The help and the completions, as people see them.
@Suite struct HelpCommandTests {
  @Test(arguments: [""] + VQ.commands.map(\.name))
  func `help is as recorded, short and whole`(command: String) throws {
    let words = command.isEmpty ? [] : [command]
    let name = command.isEmpty ? "vq" : command
    let short = try RunningVQ(words + ["-h"])
    #expect(short.status == 0 && short.errors.isEmpty)
    let lines = short.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 25 && lines.allSatisfy { $0.count <= 80 })
    #expect(short.output.hasPrefix("Examples\n"))
    expectGolden(short.output, "help-\(name)-short.txt")
    let whole = try RunningVQ(words + ["--help"])
    #expect(whole.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    expectGolden(whole.output, "help-\(name).txt")
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `completions are as recorded`(shell: String) throws {
    expectGolden(try RunningVQ(["completions", shell]).output, "completions.\(shell)")
  }

  @Test func `every exit code is in the help`() throws {
    let help = try RunningVQ(["--help"]).output
    for code in ExitCode.allCases { #expect(help.contains("\n  \(code.rawValue) ")) }
  }
}
