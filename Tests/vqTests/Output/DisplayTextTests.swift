import Testing

@testable import vq

@Suite struct DisplayTextTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("杯子", 4), ("ｶ", 1), ("カ", 2), ("한국", 4),
    ("\u{1112}\u{1161}\u{11AB}", 2), ("Ａ", 2), ("…", 1), ("€", 1), ("👍", 2), ("👍🏽", 2), ("👩‍👩‍👧", 2),
    ("🇩🇪", 2), ("❤️", 2), ("❤", 1), ("1️⃣", 2), ("\u{200D}", 0), ("नमस्ते", 4),
  ])
  func `width counts columns`(text: String, width: Int) {
    #expect(DisplayText.width(text) == width)
  }

  @Test(arguments: [
    ("Camp mug", "Camp mug"), ("\u{1B}[31m", #"\u{1B}[31m"#), ("a\nb\r\tc", #"a\nb\r\tc"#),
    ("\u{7F}\u{9B}", #"\u{7F}\u{9B}"#), ("\u{2028}\u{2029}", #"\u{2028}\u{2029}"#),
    ("\u{202E}\u{2066}\u{200F}\u{FEFF}", #"\u{202E}\u{2066}\u{200F}\u{FEFF}"#),
    ("👩‍👩‍👧 e\u{301}", "👩‍👩‍👧 e\u{301}"), ("a\u{200C}b", "a\u{200C}b"),
  ])
  func `what would move the cursor or hide is spelled out`(text: String, escaped: String) {
    #expect(DisplayText.escaped(text) == escaped)
  }

  @Test(arguments: [
    ("Camp mug", 8, "Camp mug"), ("Camp mug", 7, "Camp m…"), ("Camp mug", 1, "…"),
    ("Camp mug", 0, ""), ("杯子杯子", 7, "杯子杯…"), ("杯子杯子", 6, "杯子…"), ("👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"),
  ])
  func `the end gives way, never half a character`(text: String, limit: Int, cut: String) {
    #expect(DisplayText.truncated(text, to: limit) == cut)
  }

  @Test func `words are wrapped, and a long one stays whole`() {
    #expect(
      DisplayText.wrapped("at most  so many 杯子杯子 immeasurable things", to: 8)
        == ["at most", "so many", "杯子杯子", "immeasurable", "things"])
    #expect(DisplayText.wrapped("", to: 8) == [])
  }

  /// A confidence just below the cut-off must not read as the cut-off.
  @Test(arguments: [
    (0.846, "0.84"), (0.85, "0.85"), (0.29, "0.29"), (0.999, "0.99"), (1, "1.00"), (0.05, "0.05"),
  ])
  func `confidences are rounded down`(value: Double, text: String) {
    #expect(DisplayText.confidence(value) == text)
  }
}
