/// Prices as people of a language write them, such as `1.234,50 €`.
///
/// The marks are those of CLDR (<https://cldr.unicode.org>). The digits stay those of the shop. A language
/// that is not here has the plain form, `1234.50 EUR`.
package enum LocalizedPrice {
  /// The marks of a language.
  private struct Marks {
    let group: String
    let decimal: String
    /// True if the currency comes first.
    let isPrefix: Bool
    /// The text between the currency and the amount.
    let gap: String
    /// The number of digits at which thousands are separated.
    var leastGrouped = 4
  }

  private static let space = "\u{A0}"
  private static let narrowSpace = "\u{202F}"
  private static let continental = Marks(group: ".", decimal: ",", isPrefix: false, gap: space)
  private static let spaced = Marks(group: space, decimal: ",", isPrefix: false, gap: space)

  private static let marks: [String: Marks] = [
    "en": Marks(group: ",", decimal: ".", isPrefix: true, gap: ""),
    "de": continental, "da": continental,
    "it": Marks(group: ".", decimal: ",", isPrefix: false, gap: space, leastGrouped: 5),
    "es": Marks(group: ".", decimal: ",", isPrefix: false, gap: space, leastGrouped: 5),
    "de-at": Marks(group: space, decimal: ",", isPrefix: true, gap: space),
    "de-ch": Marks(group: "’", decimal: ".", isPrefix: true, gap: space),
    "it-ch": Marks(group: "’", decimal: ".", isPrefix: true, gap: space),
    "fr": Marks(group: narrowSpace, decimal: ",", isPrefix: false, gap: space),
    "nl": Marks(group: ".", decimal: ",", isPrefix: true, gap: space),
    "pt": Marks(group: ".", decimal: ",", isPrefix: true, gap: space),
    "pt-pt": Marks(group: space, decimal: ",", isPrefix: false, gap: space, leastGrouped: 5),
    "pl": Marks(group: space, decimal: ",", isPrefix: false, gap: space, leastGrouped: 5),
    "sv": spaced, "fi": spaced, "cs": spaced, "nb": spaced, "no": spaced, "uk": spaced,
    "ru": spaced, "sk": spaced,
    "ja": Marks(group: ",", decimal: ".", isPrefix: true, gap: ""),
  ]

  /// The signs of currencies whose sign is the same in every language.
  private static let signs = ["EUR": "€", "GBP": "£", "JPY": "¥"]
  /// The languages in which a dollar is that of the United States.
  private static let dollarLanguages: Set<String> = ["en", "en-us"]

  /// Returns the text of a price.
  ///
  /// - Parameter language: A BCP 47 tag, or `nil` for the plain form.
  package static func text(_ price: Price, in language: String?) -> String {
    let plain = "\(price.amount) \(price.currency)"
    guard let language, let marks = marks(of: language) else { return plain }
    let parts = price.amount.split(
      separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let amount = grouped(parts[0], marks) + (parts.count > 1 ? marks.decimal + parts[1] : "")
    let isDollar = price.currency == "USD" && dollarLanguages.contains(tag(language))
    let sign = isDollar ? "$" : signs[price.currency] ?? price.currency
    // A space separates letters from digits in every language, even in those that write a symbol
    // without one.
    let gap = marks.gap.isEmpty && sign.last?.isLetter == true ? space : marks.gap
    return marks.isPrefix ? sign + gap + amount : amount + gap + sign
  }

  private static func tag(_ language: String) -> String {
    String(language.map { $0 == "_" ? "-" : $0 }).lowercased()
  }

  /// The marks of the longest tag that is known: those of `de-ch`, then those of `de`.
  private static func marks(of language: String) -> Marks? {
    var tag = Substring(tag(language))
    while true {
      if let marks = marks[String(tag)] { return marks }
      guard let end = tag.lastIndex(of: "-") else { return nil }
      tag = tag[..<end]
    }
  }

  private static func grouped(_ digits: Substring, _ marks: Marks) -> String {
    guard digits.count >= marks.leastGrouped else { return String(digits) }
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text += marks.group }
      text.append(digit)
    }
    return text
  }
}
