@testable import ShopSearch
import Reading
import TestSupport
import Testing

@testable import ShopStore
import VisualQuery

@Suite struct PieceIndexTests {
  /// An index of one title for each key, from 1 on.
  private static func index(_ titles: [String]) -> PieceIndex {
    PieceIndex(
      titles.enumerated().flatMap { key, title in
        PieceIndex.words(of: title).map {
          PieceIndex.Word(key: UInt32(key + 1), text: $0, weight: 1)
        }
      })
  }

  /// A line, `height` of the image high.
  private static func line(
    _ text: String, height: Double = 0, certainty: Double = 1
  ) -> TextLine {
    let corners = [(0, 0), (1, 0), (1, height), (0, height)].map { ReadPoint(x: $0.0, y: $0.1) }
    return TextLine(text: text, certainty: certainty, corners: height > 0 ? corners : [])
  }

  private static let juices = index([
    "Bravo apple juice", "Bravo orange juice", "Rye bread", "Oat milk 500 g", "Oat milk 1 kg",
    "Shade 02 lipstick", "Shade 05 lipstick", "牛乳", "שוקולד מריר",
  ])

  @Test(arguments: [
    ("Crème brûlée!", ["creme", "brulee"]), ("a I'm", []), ("02 5 1kg", ["02", "1kg"]),
    ("牛乳 水", ["牛乳"]), ("x\u{0}yz\u{7}", []), ("", []),
  ])
  func `words have letters or digits only`(text: String, words: [String]) {
    #expect(PieceIndex.words(of: text) == words)
  }

  @Test(arguments: [
    ("BRAVO APPLE", 1), ("orange", 2), ("rye bread", 3), ("oat milk 500", 4), ("milk 1kg", 5),
    ("lipstick 02", 6), ("lipstick 05", 7), ("牛乳", 8), ("מריר", 9),
  ])
  func `an entity with the words of a text comes first`(text: String, key: UInt32) throws {
    let agreements = try #require(Self.juices.agreements(of: [Self.line(text)]))
    // "1 kg" of a title has no word of two characters: both sizes agree alike.
    #expect(agreements.best(9).first == key || text == "milk 1kg")
    #expect(agreements.agreement(with: key) > 0)
  }

  // Would break if whole words were compared.
  @Test func `a misread letter costs little`() throws {
    let right = try #require(Self.juices.agreements(of: [Self.line("orange")]))
    let wrong = try #require(Self.juices.agreements(of: [Self.line("0range")]))
    #expect(wrong.best(1) == [2])
    #expect(wrong.agreement(with: 2) > 0.5 * right.agreement(with: 2))
  }

  @Test func `of siblings, the one without the word is contradicted`() throws {
    let agreements = try #require(
      Self.juices.agreements(of: [
        Self.line("Bravo", height: 0.1), Self.line("orange", height: 0.2),
      ]))
    #expect(agreements.contradiction(with: 1) > 0.4)
    #expect(agreements.contradiction(with: 2) < 0.01)
    #expect(agreements.contradiction(with: 99) > agreements.contradiction(with: 1))
  }

  // Would break if the words of an app in a screenshot counted against the thing that it shows.
  @Test func `words elsewhere do not contradict`() throws {
    func line(_ text: String, y: Double) -> TextLine {
      let corners = [(0.2, y), (0.8, y), (0.8, y + 0.1), (0.2, y + 0.1)]
      return TextLine(
        text: text, certainty: 1, corners: corners.map { ReadPoint(x: $0.0, y: $0.1) })
    }
    let part = PictureRegion(x: 0.1, y: 0.3, width: 0.8, height: 0.4)
    let agreements = try #require(
      Self.juices.agreements(of: [line("apple", y: 0.4), line("bread", y: 0.9)]))
    #expect(agreements.contradiction(with: 1) > 0.3)
    #expect(agreements.contradiction(with: 1, within: part) < 0.01)
    #expect(agreements.contradiction(with: 3, within: part) > 0.3)
    #expect(agreements.contradiction(with: 99, within: part) > 0.3)
    let unplaced = try #require(
      Self.juices.agreements(of: [line("apple", y: 0.4), Self.line("bread")]))
    #expect(unplaced.contradiction(with: 1, within: part) > 0.3)
  }

  @Test func `large and certain letters weigh more`() throws {
    let large = try #require(
      Self.juices.agreements(of: [
        Self.line("apple", height: 0.3), Self.line("orange", height: 0.03),
      ]))
    #expect(large.best(1) == [1])
    let certain = try #require(
      Self.juices.agreements(of: [
        Self.line("apple", height: 0.1, certainty: 0.5), Self.line("orange", height: 0.1),
      ]))
    #expect(certain.best(1) == [2])
  }

  @Test(arguments: ["", "xq", "zzyzx qqwv", "\u{202E}\u{0}"])
  func `text that no entity has says nothing`(text: String) {
    #expect(Self.juices.agreements(of: [Self.line(text)]) == nil)
  }

  @Test func `an empty catalogue knows no words`() {
    #expect(PieceIndex([]).agreements(of: [Self.line("apple")]) == nil)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `any texts are compared`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let index = Self.index((0..<20).map { _ in generator.drawnText(upTo: 40) })
    let lines = (0..<50).map { _ in
      TextLine(
        text: generator.drawnText(upTo: 200), certainty: .random(in: -1...2, using: &generator),
        corners: [])
    }
    guard let agreements = index.agreements(of: lines) else { return }
    for key in UInt32(0)...21 {
      #expect(agreements.agreement(with: key).isFinite && agreements.agreement(with: key) >= 0)
      #expect((0...1).contains(agreements.contradiction(with: key)))
    }
  }

  @Test func `ten thousand lines are compared`() throws {
    let lines = (0..<10_000).map { Self.line("line \($0) of an image that is all text") }
    let agreements = try #require(Self.juices.agreements(of: lines + [Self.line("orange")]))
    #expect(agreements.agreement(with: 2) > 0)
  }
}

extension PieceIndex {
  fileprivate func agreements(of lines: [TextLine]) -> TextAgreements? {
    agreements(of: lines, shouldStop: { false })
  }
}
