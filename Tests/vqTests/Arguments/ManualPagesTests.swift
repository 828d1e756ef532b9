import Foundation
import TestSupport
import Testing

@testable import vq

@Suite struct ManualPagesTests {
  static let pages = ManualPages(
    commands: VQ.commands, version: Version.current, date: Version.date
  ).pages
  static let mandoc = "/usr/bin/mandoc"

  private func page(_ name: String) throws -> String {
    try #require(Self.pages.first { $0.file == "vq-\(name).1" }).text
  }

  /// Would break if an option were added to a command whose page is written elsewhere.
  @Test(arguments: VQ.commands.map(\.name))
  func `a page names every option, operand, exit code and example of its command`(name: String)
    throws
  {
    let command = try #require(VQ.commands.first { $0.name == name })
    let text = try page(name).replacing(/\\(-|e|\(aq|\(ti|\(ha|\(ga|&)/) { escape in
      ["-": "-", "e": "\\", "(aq": "'", "(ti": "~", "(ha": "^", "(ga": "`"][escape.1] ?? ""
    }
    for option in command.options + CommonOptions.all {
      #expect(text.contains("\n.B \(option.usage)\n"), "\(option.usage)")
      #expect(text.contains("\n" + option.summary), "\(option.summary)")
      if let variable = option.environment { #expect(text.contains("\n.B \(variable)\n")) }
    }
    if let operand = command.operand { #expect(text.contains("\n.B \(operand.placeholder)\n")) }
    for code in command.exitCodes { #expect(text.contains(command.meaning(of: code))) }
    for example in command.examples { #expect(text.contains("\n" + example + "\n")) }
    for note in command.notes { #expect(text.contains(".SH " + note.title.uppercased())) }
  }

  @Test func `the page of vq names every command`() throws {
    let text = try #require(Self.pages.first { $0.file == "vq.1" }).text
    for command in VQ.commands {
      let name = command.name.replacing("-", with: "\\-")
      #expect(text.contains("\n.BR vq\\-\(name) (1)\n"))
    }
    #expect(text.contains("\"vq \(Version.current)\""))
  }

  /// Would break if a text of the table began with a dot or had a backslash, which are roff's.
  @Test func `no line is a request that is not meant`() {
    let requests = [".TH", ".SH", ".TP", ".PP", ".B", ".BR", ".nf", ".fi"]
    for page in Self.pages {
      for line in page.text.split(separator: "\n") where ".'".contains(line.first ?? " ") {
        let request = line.split(separator: " ")[0]
        #expect(requests.contains(String(request)), "\(page.file): \(line)")
      }
    }
    let tricky = CommandDescription(
      name: "x", summary: "print '.a\\b'", examples: [".dot", "'quote"], operand: nil, options: [],
      notes: [HelpSection(title: "Note", text: ".dot\n  .example")], exitCodes: [.success]
    ) { _, _ in .success }
    let text = ManualPages(commands: [tricky], version: "1", date: "2026-01-01").pages[1].text
    #expect(text.contains("vq\\-x \\- print \\(aq.a\\eb\\(aq"))
    #expect(text.contains("\n\\&.dot\n") && text.contains("\n\\(aqquote\n"))
    #expect(text.contains("\n  .example\n"))
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: mandoc)))
  func `mandoc finds no fault in any page`() throws {
    let folder = try TemporaryDirectory()
    let run = try RunningVQ(["help", "--man", folder.path])
    #expect(run.status == 0 && run.errors == "")
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: Self.mandoc)
    process.arguments =
      ["-T", "lint", "-W", "warning"] + Self.pages.map { folder.path + "/" + $0.file }
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(String(decoding: data, as: UTF8.self))")
  }

  @Test func `a folder that is not there is named`() throws {
    let run = try RunningVQ(["help", "--man", "/nonexistent/man1"])
    #expect(run.status == 1 && run.output == "")
    #expect(
      run.errors
        == "vq: cannot write '/nonexistent/man1/vq.1': No such file or directory\n")
  }
}
