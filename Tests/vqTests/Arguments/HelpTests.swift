import Testing

@testable import vq

@Suite struct HelpTests {
  static let help = Help(commands: VQ.commands)
  /// The commands, and `nil` for `vq` itself.
  static let names: [String?] = [nil] + VQ.commands.map(\.name)

  private func text(_ form: HelpForm, _ name: String?) -> String {
    Self.help.text(form, for: VQ.commands.first { $0.name == name })
  }

  @Test(arguments: names)
  func `the short help fits a screen and begins with examples`(name: String?) {
    let lines = text(.short, name).split(separator: "\n", omittingEmptySubsequences: false)
    // The help ends with a line break, so the last part is empty and not a line. One line of the screen is left for
    // the prompt.
    #expect(lines.count - 1 <= 23)
    #expect(lines.first == "Examples")
  }

  @Test(arguments: names, HelpForm.allCases)
  func `no line is wider than a terminal, and none ends in spaces`(name: String?, form: HelpForm) {
    for line in text(form, name).split(separator: "\n") {
      #expect(DisplayText.width(String(line)) <= 80, "\(line)")
      #expect(line.last != " ", "\(line)")
    }
  }

  @Test(arguments: VQ.commands.map(\.name))
  func `the complete help names every option and exit code`(name: String) throws {
    let command = try #require(VQ.commands.first { $0.name == name })
    let text = text(.complete, name)
    for option in command.options + CommonOptions.all { #expect(text.contains(option.usage)) }
    for code in command.exitCodes { #expect(text.contains(command.meaning(of: code))) }
  }

  @Test(arguments: VQ.commands.map(\.name))
  func `the examples are understood`(name: String) throws {
    let command = try #require(VQ.commands.first { $0.name == name })
    for example in command.examples {
      let words = example.split(separator: " ").map(String.init)
      let start = try #require(words.firstIndex { $0.hasSuffix("vq") }) + 1
      let end = words[start...].firstIndex { ["|", ">"].contains($0) } ?? words.endIndex
      let line = words[start..<end].map { $0.hasSuffix(")") ? String($0.dropLast()) : $0 }
      #expect(throws: Never.self, "\(example)") { try parsed(line) }
    }
  }

  @Test func `names and letters of options are unique within a command`() {
    for command in VQ.commands {
      let options = command.options + CommonOptions.all
      #expect(Set(options.map(\.name)).count == options.count)
      #expect(Set(options.compactMap(\.short)).count == options.compactMap(\.short).count)
    }
  }
}
