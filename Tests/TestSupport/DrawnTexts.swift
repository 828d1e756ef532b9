extension SeededGenerator {
  /// Draws a text with characters that JSON escapes, that are composed, and that take one to four bytes.
  public mutating func drawnText(upTo length: Int = 12) -> String {
    let parts = [
      "a", "Z", "0", "/", "\"", "\\", "\n", "\r", "\t", "\u{8}", "\u{C}", "\u{0}", "\u{1}",
      "\u{1F}", "\u{7F}", "é", "e\u{301}", "ß", "€", "漢", "👩‍👩‍👧", "🇩🇪", "\u{2028}", "\u{FEFF}",
      "\u{FFFD}", "\u{10FFFF}", " ", "<", "&", "{", "[", ":", ",",
    ]
    return (0..<Int.random(in: 0...length, using: &self))
      .map { _ in parts.randomElement(using: &self) ?? "" }.joined()
  }
}
