import TestSupport
import Testing
@testable import vq

@Suite struct OutputTests {
  /// A hostile or merely international title must neither move the cursor nor break the table.
  @Test(arguments: 0..<100 as Range<UInt64>)
  func `no line of a table is wider than the terminal`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let pieces = ["a", "Ω", "杯", "👩‍👩‍👧", "e\u{301}", "\u{1B}[2J", "\n", "\t", "\u{202E}", " "]
    func text(_ most: Int) -> String {
      (0..<Int.random(in: 0...most, using: &generator))
        .map { _ in pieces.randomElement(using: &generator)! }.joined()
    }
    var table = TextTable(columns: [
      .init("#", .right), .init("TIER"), .init("TITLE", minimumWidth: 12),
    ])
    for row in 0..<5 { table.append(["\(row)", text(4), text(80)], note: text(120)) }
    let width = Int.random(in: 20...120, using: &generator)
    for line in table.lines(width: width) {
      #expect(DisplayText.width(line) <= width)
      #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
    }
  }

  @Test(arguments: [("abc", 3), ("杯子", 4), ("e\u{301}", 1), ("👍🏽", 2), ("", 0)])
  func `width counts columns, not characters`(text: String, width: Int) {
    #expect(DisplayText.width(text) == width)
  }

  @Test func `progress shows share, rate and time left once it can`() {
    let early = Progress(done: 3, total: 100, refused: 0, elapsed: .milliseconds(100))
    #expect(early.rendered("indexing", width: 80) == "indexing 3/100  3 %")
    let later = Progress(done: 50, total: 200, refused: 2, elapsed: .seconds(10))
    #expect(
      later.rendered("indexing", width: 80) == "indexing 50/200  25 %  5.0/s  30 s left  2 refused")
    for width in 1...80 {
      #expect(DisplayText.width(later.rendered("indexing", width: width)) <= width)
    }
  }

  @Test func `JSON lines are sorted, and hold no line break`() throws {
    let line = try JSONLines.line(["b": "x\ny", "a": "https://shop.example/"])
    #expect(line == #"{"a":"https://shop.example/","b":"x\ny"}"#)
  }
}
