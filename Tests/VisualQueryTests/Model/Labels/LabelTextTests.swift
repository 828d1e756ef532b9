import Foundation
import Testing

@testable import ShopModel
import VisualQuery

@Suite struct LabelTextTests {
  /// Would break if a label that was typed with composed letters did not find one with marks of their own, as file names and some
  /// keyboards have them.
  @Test(arguments: [
    "йогурт", "Ёлка", "їжак", "ψάρι", "ΐ", "ᾳ", "が", "パン", "ブーツ", "한국어", "값", "가", "café",
    "Ägypten", "Việt", "שָׁלוֹם", "杯子", "mug",
  ])
  func `equivalent texts have one form`(text: String) {
    let forms = [
      text.decomposedStringWithCanonicalMapping, text.precomposedStringWithCanonicalMapping,
    ]
    .map { Array(LabelText.folded($0).utf8) }
    #expect(forms[0] == forms[1])
    #expect(Array(LabelText.folded(text).utf8) == forms[0])
  }

  @Test func `letters that a mark makes another one stay apart`() {
    for (one, other) in [("й", "и"), ("が", "か"), ("パ", "ハ"), ("ё", "е")] {
      #expect(LabelText.folded(one) != LabelText.folded(other))
    }
  }

  @Test(arguments: [
    ("Mug", "mug"), ("MUGS", "mug"), ("boxes", "box"), ("Berries", "berry"), ("glass", "glass"),
    ("glasses", "glass"), ("bus", "bus"), ("tennis", "tennis"), ("watches", "watch"),
    ("tomatoes", "tomato"), ("shoes", "shoe"), ("snowshoes", "snowshoe"), ("gas", "gas"),
    ("cookies", "cooky"), ("cookie", "cooky"), ("pies", "pie"), ("Crème brûlée", "creme brulee"),
    ("cre\u{300}me", "creme"), ("Straße", "strasse"), ("ế", "e"),
    ("  desk_lamp--Lights ", "desk lamp light"),
    ("Grey colours", "gray color"), ("jewellery", "jewelry"), ("Yoghurts", "yogurt"),
    ("tyres", "tire"),
    ("杯子", "杯子"), ("", ""), ("—!", ""), ("T-shirts", "t shirt"),
  ])
  func `a label has one form`(label: String, form: String) {
    #expect(LabelText.normalized(label) == form)
    #expect(LabelText.normalized(form) == form)
  }

  @Test func `a label is found whole and by its last words`() {
    #expect(
      LabelText.heads(of: "camp coffee mug") == ["camp coffee mug", "coffee mug", "mug"])
    #expect(LabelText.heads(of: "") == [])
    let words = (0..<20).map { "w\($0)" }
    let heads = LabelText.heads(of: words.joined(separator: " "))
    #expect(heads.count == LabelText.headLimit)
    #expect(heads.first == words.joined(separator: " ") && heads.last == "w19")
    #expect(heads[1] == words.suffix(7).joined(separator: " "))
  }

  /// Would break if the space of a label grew with the square of its words: 15 KB of one label once made
  /// an index of 214 MB.
  @Test func `the forms of a label take space in proportion to it`() {
    let label = (0..<5000).map { "w\($0)" }.joined(separator: " ")
    let byteCount = LabelText.indexed([label]).keys.reduce(0) { $0 + $1.utf8.count }
    #expect(byteCount <= 2 * label.utf8.count)
    // The labels that a row may have.
    let row = (0..<LabelText.countLimit).map {
      String("\($0) " + label).prefix(LabelText.byteLimit)
    }
    let forms = LabelText.indexed(row.map(String.init))
    #expect(forms.count <= LabelText.countLimit * LabelText.headLimit)
  }
}
