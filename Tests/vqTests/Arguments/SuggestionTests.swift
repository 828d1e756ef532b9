import TestSupport
import Testing
import VisualQuery

@testable import vq

@Suite struct SuggestionTests {
  struct Pair: Sendable, CustomTestStringConvertible {
    let first: String
    let second: String
    let distance: Int
    var testDescription: String { "\(first) → \(second)" }
  }

  @Test(arguments: [
    Pair(first: "", second: "", distance: 0),
    Pair(first: "", second: "mug", distance: 3),
    Pair(first: "mug", second: "mug", distance: 0),
    Pair(first: "mug", second: "mugs", distance: 1),
    Pair(first: "mug", second: "ug", distance: 1),
    Pair(first: "mug", second: "mag", distance: 1),
    Pair(first: "labels", second: "lables", distance: 1),
    Pair(first: "kitten", second: "sitting", distance: 3),
    // Restricted: the swapped pair is not changed again. The unrestricted distance is 2.
    Pair(first: "ca", second: "abc", distance: 3),
  ])
  func `counts insertions, removals, replacements and swaps`(pair: Pair) {
    #expect(Suggestion.editDistance(pair.first, pair.second) == pair.distance)
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `is symmetric, and at most one mistake apart after one mistake`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    func letter() -> Character { "abc".randomElement(using: &generator) ?? "a" }
    let word = String((0..<Int.random(in: 1...8, using: &generator)).map { _ in letter() })
    var changed = Array(word)
    let place = Int.random(in: changed.indices, using: &generator)
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: changed[place] = letter()
    case 1: changed.insert(letter(), at: place)
    default: changed.remove(at: place)
    }
    let distance = Suggestion.editDistance(word, String(changed))
    #expect(distance <= 1)
    #expect(distance == Suggestion.editDistance(String(changed), word))
    #expect((distance == 0) == (word == String(changed)))
  }

  @Test(arguments: [
    ("mtach", "match"), ("hsh", "hash"), ("comp", "completions"), ("idnex", "index"),
  ])
  func `finds the word that was meant`(word: String, meant: String) {
    let words = ["index", "match", "hash", "help", "completions"]
    #expect(Suggestion.nearest(to: word, among: words) == meant)
  }

  @Test(arguments: [("lable", "labels"), ("limt", "limit"), ("jsno", "json"), ("zzzzzz", nil)])
  func `finds the option that was meant`(word: String, meant: String?) {
    let words = ["labels", "limit", "json", "index", "min-confidence"]
    #expect(Suggestion.nearest(to: word, among: words) == meant)
  }

  /// The distance takes the product of both lengths: nobody mistypes a word of a quarter megabyte.
  @Test func `nothing is suggested for a word that nobody mistypes`() {
    let word = "labels" + String(repeating: "a", count: 60)
    #expect(Suggestion.nearest(to: word, among: [word + "b"]) == nil)
    #expect(Suggestion.nearest(to: String(word.dropLast(3)), among: [word]) == word)
  }

  @Test(arguments: ["", "x", "serve", "catalogue"])
  func `is silent where nothing is near`(word: String) {
    let words = ["index", "match", "hash", "help", "completions"]
    #expect(Suggestion.nearest(to: word, among: words) == nil)
  }
}
