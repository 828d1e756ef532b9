import Testing

@testable import vq

@Suite struct DiagnosticsTests {
  private func text(
    usesColor: Bool = false, canRedraw: Bool = false, _ say: (Diagnostics) -> Void
  ) -> String {
    let sink = StandardOutputTests.Sink()
    say(
      Diagnostics(usesColor: usesColor, canRedraw: canRedraw, columns: { 40 }, deliver: sink.take))
    return String(decoding: sink.deliveries.flatMap(\.self), as: UTF8.self)
  }

  @Test func `a message has a prefix, and its advice stands indented below`() {
    #expect(
      text { $0.error("cannot decode 'card.heic'", advice: ["heif-convert card.heic card.jpg"]) }
        == "vq: cannot decode 'card.heic'\n    heif-convert card.heic card.jpg\n")
  }

  @Test func `only the prefix is coloured, and only where colour is used`() {
    #expect(text(usesColor: true) { $0.error("x") } == "\u{1B}[1;31mvq:\u{1B}[0m x\n")
    #expect(text(usesColor: true) { $0.warning("x") } == "\u{1B}[1;33mvq:\u{1B}[0m x\n")
    #expect(text { $0.warning("x") } == "vq: x\n")
  }

  @Test func `a file name cannot reach the terminal`() {
    #expect(text { $0.error("'a\n\u{1B}[2J'") } == #"vq: 'a\n\u{1B}[2J'"# + "\n")
  }

  @Test func `a message goes above the line of progress`() {
    let found = text(canRedraw: true) {
      $0.showStatus("indexing 1")
      $0.showStatus("indexing 1")
      $0.warning("x")
      $0.showStatus(nil)
      $0.error("y")
    }
    #expect(
      found == "\r\u{1B}[Kindexing 1" + "\r\u{1B}[Kvq: x\nindexing 1" + "\r\u{1B}[K" + "vq: y\n")
  }

  @Test func `where no line can be redrawn none is drawn`() {
    #expect(text { $0.showStatus("indexing 1") } == "")
  }

  struct ColorCase: Sendable, CustomTestStringConvertible {
    let choice: ColorChoice
    let isTerminal: Bool
    let environment: [String: String]
    let usesColor: Bool
    var testDescription: String { "\(choice), terminal \(isTerminal), \(environment)" }

    init(
      _ choice: ColorChoice, terminal: Bool, _ environment: [String: String], _ uses: Bool
    ) {
      self.choice = choice
      isTerminal = terminal
      self.environment = environment
      usesColor = uses
    }
  }

  @Test(arguments: [
    ColorCase(.auto, terminal: true, [:], true),
    ColorCase(.auto, terminal: false, [:], false),
    ColorCase(.auto, terminal: true, ["NO_COLOR": "1"], false),
    ColorCase(.auto, terminal: true, ["NO_COLOR": ""], true),
    ColorCase(.auto, terminal: true, ["TERM": "dumb"], false),
    ColorCase(.auto, terminal: false, ["CLICOLOR_FORCE": "1"], true),
    ColorCase(.auto, terminal: false, ["CLICOLOR_FORCE": "0"], false),
    ColorCase(.auto, terminal: true, ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], false),
    ColorCase(.always, terminal: false, ["NO_COLOR": "1"], true),
    ColorCase(.never, terminal: true, ["CLICOLOR_FORCE": "1"], false),
  ])
  func `colour follows the option, then the environment, then the terminal`(given: ColorCase) {
    #expect(
      given.choice.usesColor(isTerminal: given.isTerminal, environment: given.environment)
        == given.usesColor)
  }
}
