import TestSupport
import Testing

@testable import vq

@Suite struct TextTableTests {
  private func shop() -> TextTable {
    var table = TextTable(columns: [
      .init("#", .right), .init("CONFIDENCE", .right), .init("TIER"), .init("TYPE"),
      .init("TITLE", minimumWidth: 12),
    ])
    table.append(
      ["1", "0.97", "near", "product", "Camp mug"], note: "https://shop.example/p/mug-red")
    table.append(
      ["10", "0.71", "label", "store", "露营杯 (Northlight Harbour, Brick house on the quay)"],
      note: "https://shop.example/stores/harbour")
    return table
  }

  @Test func `columns stand side by side, the link below`() {
    #expect(
      shop().lines(width: 80) == [
        " #  CONFIDENCE  TIER   TYPE     TITLE",
        " 1        0.97  near   product  Camp mug",
        "    https://shop.example/p/mug-red",
        "10        0.71  label  store    露营杯 (Northlight Harbour, Brick house on the …",
        "    https://shop.example/stores/harbour",
      ])
  }

  @Test func `a narrow terminal takes from the column that can give`() {
    #expect(
      shop().lines(width: 50) == [
        " #  CONFIDENCE  TIER   TYPE     TITLE",
        " 1        0.97  near   product  Camp mug",
        "    https://shop.example/p/mug-red",
        "10        0.71  label  store    露营杯 (Northligh…",
        "    https://shop.example/stores/harbour",
      ])
  }

  @Test func `headings are bold where colour is used, and nothing else changes`() {
    let plain = shop().lines(width: 80)
    let colored = shop().lines(width: 80, usesColor: true)
    #expect(colored[0] == "\u{1B}[1m\(plain[0])\u{1B}[0m")
    #expect(colored.dropFirst() == plain.dropFirst())
  }

  @Test func `a title cannot move the cursor or end the line`() {
    var table = TextTable(columns: [.init("TITLE")])
    table.append(["\u{1B}[2Jmug\r\n\u{202E}x\u{85}"])
    #expect(table.lines(width: 80).last == #"\u{1B}[2Jmug\r\n\u{202E}x\u{85}"#)
  }

  @Test func `a table without rows is its headings`() {
    #expect(TextTable(columns: [.init("#"), .init("TITLE")]).lines(width: 80) == ["#  TITLE"])
  }

  @Test(arguments: [1, 20, 80])
  func `a link is never cut`(width: Int) {
    let link = "https://shop.example/" + String(repeating: "long/", count: 40) + "p?id=7"
    var table = TextTable(columns: [.init("TITLE")])
    table.append(["Mug"], note: link)
    #expect(table.lines(width: width).last?.hasSuffix(link) == true)
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `no line is wider than the terminal, whatever the cells`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let pieces = [
      "a", "Ω", "杯", "한", "क्ष", "👩‍👩‍👧", "🇩🇪", "👍🏽", "❤️", "e\u{301}", "\u{301}", "\u{200D}",
      "\u{1B}[2J", "\n", "\t", "\u{202E}", " ",
    ]
    func text(_ most: Int) -> String {
      (0..<Int.random(in: 0...most, using: &generator))
        .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
    }
    let columns = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
      TextTable.Column(
        text(6), Bool.random(using: &generator) ? .left : .right,
        minimumWidth: Bool.random(using: &generator)
          ? .max : Int.random(in: 0...20, using: &generator))
    }
    var table = TextTable(columns: columns)
    for _ in 0..<4 { table.append(columns.map { _ in text(40) }, note: nil) }
    let width = Int.random(in: 1...120, using: &generator)
    for line in table.lines(width: width) {
      #expect(DisplayText.width(line) <= width)
      #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
    }
  }
}
