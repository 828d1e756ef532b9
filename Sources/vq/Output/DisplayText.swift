import PixelMatch

/// Functions on text for terminals: its width, where it may be cut, and what must be escaped.
enum DisplayText {
  /// Returns a number with its noun, such as `1 match` and `0 matches`.
  static func count(_ number: Int, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }

  /// Returns a number with a blank before each three digits, such as `1 209`.
  static func grouped(_ number: Int) -> String {
    let digits = Array("\(number)")
    let parts = stride(from: digits.count % 3, through: digits.count, by: 3)
    return zip([0] + parts, parts).map { String(digits[$0..<$1]) }.filter { !$0.isEmpty }
      .joined(separator: " ")
  }

  /// Returns a number of percent, without a needless fraction.
  static func percent(_ value: Double) -> String {
    "\(Int(exactly: value).map(String.init) ?? "\(value)") %"
  }

  /// Returns a confidence with two decimals, rounded down, so that a lower one is never shown as
  /// 1.00 or as the cut-off.
  static func confidence(_ value: Double) -> String {
    // 0.29 * 100 is slightly less than 29 in floating point and must not be rounded down to 28.
    let hundredths = Int(value * 100 + 1e-9)
    let digits = "\(hundredths % 100)"
    return "\(hundredths / 100)." + (digits.count == 1 ? "0" : "") + digits
  }

  /// Returns a text in which nothing moves the cursor, changes colors or reorders other text.
  ///
  /// Control characters, line separators and invisible direction marks are escaped, such as
  /// `\u{1B}`. Characters that join or shape letters and emoji are kept.
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

  /// Returns the width of an escaped text in columns.
  static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  /// Returns the width of a character in columns: 0, 1 or 2 for nearly all.
  ///
  /// An emoji of several scalars (flag, skin tone, family) has the width of one. Other characters
  /// have the sum of their parts, like Indic conjuncts in terminals.
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

  /// Returns a text of at most `limit` columns, with its end replaced by `…` if it is longer.
  static func truncated(_ text: String, to limit: Int) -> String {
    guard width(text) > limit else { return text }
    guard limit > 0 else { return "" }
    return beginning(of: text, columns: limit - 1) + "…"
  }

  /// Returns the lines of a text with words that fit into `limit` columns; a longer word is not
  /// broken.
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

  /// Returns a text padded with spaces to a number of columns.
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
    // The vowels and final consonants of Hangul are displayed within the square of the first
    // consonant.
    if 0x1160...0x11FF ~= scalar.value || 0xD7B0...0xD7FF ~= scalar.value { return 0 }
    if scalar.properties.isEmojiPresentation { return 2 }
    return wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  /// The scalars of East Asian width W or F, including unassigned gaps but not emoji.
  ///
  /// Source: Unicode 14, EastAsianWidth.txt, <https://www.unicode.org/reports/tr11/>.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
    0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF,
    0x20000...0x3FFFD,
  ]

  private static func isHostile(_ scalar: Unicode.Scalar) -> Bool {
    if FileName.byte(of: scalar) != nil { return true }
    return switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format:
      // Keeps joiners, which shape letters and emoji, and tags, which spell the flags of regions.
      !(scalar == "\u{200C}" || scalar == "\u{200D}" || 0xE0020...0xE007F ~= scalar.value)
    default: false
    }
  }

  private static func spelled(_ scalar: Unicode.Scalar) -> String {
    if let byte = FileName.byte(of: scalar) {
      return "\\x" + String(byte, radix: 16, uppercase: true)
    }
    return switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }
  }
}
