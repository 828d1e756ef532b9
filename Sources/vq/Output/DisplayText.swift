/// Text as a terminal shows it: how wide it is, where it may be cut, and what it must not contain.
enum DisplayText {
  /// A number of things, such as `1 match` and `0 matches`.
  static func count(_ number: Int, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }

  /// A confidence to two places, rounded down, so that neither 1.00 nor the cut-off is claimed for
  /// less.
  static func confidence(_ value: Double) -> String {
    // What 0.29 * 100 lacks to 29 is no less than that.
    let hundredths = Int(value * 100 + 1e-9)
    let digits = "\(hundredths % 100)"
    return "\(hundredths / 100)." + (digits.count == 1 ? "0" : "") + digits
  }

  /// Returns a text in which nothing moves the cursor, changes colours or reorders its neighbours.
  ///
  /// Control characters, line separators and the invisible marks of direction are spelled out, such
  /// as `\u{1B}`. What joins or shapes letters and emoji stays.
  static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isHostile) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isHostile(scalar) {
        result += spelled(scalar)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Returns how many columns an escaped text takes.
  static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  /// Returns how many columns one character takes: 0, 1 or 2 for nearly all.
  ///
  /// A picture made of several scalars (flag, skin tone, family) counts as one picture. Other
  /// characters take the sum of their parts, which is what terminals do with Indic conjuncts.
  static func width(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if scalars.count > 1, first.properties.isEmoji,
      first.properties.isEmojiPresentation || scalars.contains("\u{FE0F}")
        || scalars.contains("\u{20E3}") || scalars.contains("\u{200D}")
        || scalars.contains(where: \.properties.isEmojiModifier)
    {
      return 2
    }
    return scalars.reduce(0) { $0 + width($1) }
  }

  /// Returns a text of at most so many columns, the end replaced with `…` if need be.
  static func truncated(_ text: String, to limit: Int) -> String {
    guard width(text) > limit else { return text }
    guard limit > 0 else { return "" }
    return beginning(of: text, columns: limit - 1) + "…"
  }

  /// Returns a text of at most so many columns, its middle replaced with `…` if need be: for links
  /// and paths, whose end tells them apart.
  static func truncatedInTheMiddle(_ text: String, to limit: Int) -> String {
    guard width(text) > limit else { return text }
    guard limit > 2 else { return truncated(text, to: limit) }
    let end = (limit - 1) / 2
    let reversedEnd = beginning(of: String(text.reversed()), columns: end)
    return beginning(of: text, columns: limit - 1 - end) + "…" + String(reversedEnd.reversed())
  }

  /// Returns the lines of a text whose words fit into so many columns; a longer word stays whole.
  static func wrapped(_ text: String, to limit: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, width(line) + 1 + width(String(word)) > limit {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return line.isEmpty ? lines : lines + [line]
  }

  /// Returns a text followed by spaces up to so many columns.
  static func padded(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - width(text)))
  }

  private static func beginning(of text: String, columns: Int) -> String {
    var used = 0
    return String(
      text.prefix { character in
        used += width(character)
        return used <= columns
      })
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    if scalar.isASCII { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // The vowels and final consonants of Hangul stand inside the square of the first consonant.
    if 0x1160...0x11FF ~= scalar.value || 0xD7B0...0xD7FF ~= scalar.value { return 0 }
    if scalar.properties.isEmojiPresentation { return 2 }
    return wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  /// The scalars of East Asian width W or F, unassigned gaps included, emoji left out.
  ///
  /// Source: Unicode 14, EastAsianWidth.txt, <https://www.unicode.org/reports/tr11/>.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
    0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF,
    0x20000...0x3FFFD,
  ]

  private static func isHostile(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format:
      // Joiners shape letters and emoji, tags spell the flags of regions.
      !(scalar == "\u{200C}" || scalar == "\u{200D}" || 0xE0020...0xE007F ~= scalar.value)
    default: false
    }
  }

  private static func spelled(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }
  }
}
