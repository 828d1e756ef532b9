/// The separators that the prices of a feed use: as the caller says, or as its certain prices show.
struct PriceConvention: Sendable, Hashable {
  /// The decimal mark of the given locale, or `nil` if none is given.
  var localeMark: Character?
  /// The decimal marks in certain prices.
  private var decimals: Set<Character> = []
  /// The separators of thousands in certain prices.
  private var groups: Set<Character> = []
  /// True if certain prices have more digits after the decimal mark than their currency.
  private var hasUnroundedAmounts = false

  init(localeMark: Character? = nil) { self.localeMark = localeMark }

  /// The text by which conventions are told apart.
  var text: String {
    let marks = [decimals, groups].map { $0.map(String.init).sorted().joined() }
    return "\(localeMark.map(String.init) ?? "") \(marks) \(hasUnroundedAmounts)"
  }

  /// Learns from an amount.
  mutating func add(_ amount: AmountText, currency: String?) {
    guard case .exact(let text, let decimal, let group) = amount else { return }
    if let decimal { decimals.insert(decimal) }
    if let group { groups.insert(group) }
    let fraction = text.split(separator: ".").dropFirst().first ?? ""
    // Some programs write more zeros than the currency has digits.
    let significant = fraction.reversed().drop { $0 == "0" }.count
    let limit = currency.map(Currency.minorDigits) ?? 2
    if decimal != nil, significant > max(2, limit) { hasUnroundedAmounts = true }
  }

  /// Returns the amount with a decimal point, or `nil` if the meaning of its separator stays open.
  func resolved(_ amount: AmountText, currency: String) -> String? {
    switch amount {
    case .invalid: nil
    case .exact(let text, _, _): Self.rounded(text, currency)
    case .ambiguous(let whole, let fraction, let mark):
      switch separatesThousands(mark, currency) {
      case nil: nil
      case true?: whole + fraction
      case false?: Self.rounded(whole + "." + fraction, currency)
      }
    }
  }

  /// Returns whether a point or a comma before three digits separates thousands, or `nil` if that
  /// stays open.
  private func separatesThousands(_ mark: Character, _ currency: String) -> Bool? {
    let other: Character = mark == "." ? "," : "."
    let minorDigits = Currency.minorDigits(of: currency)
    if minorDigits == 0 { return true }
    if let localeMark { return mark != localeMark }
    switch (decimals.contains(mark), decimals.contains(other)) {
    case (true, true): return nil
    case (false, true): return true
    case (true, false): return hasUnroundedAmounts || minorDigits == 3 ? false : nil
    case (false, false): break
    }
    if groups.contains(mark) { return true }
    guard let usual = Currency.decimalMark(of: currency) else { return nil }
    if mark != usual { return true }
    return minorDigits == 3 ? false : nil
  }

  /// Returns an amount without zeros beyond the digits of its currency after the point.
  private static func rounded(_ text: String, _ currency: String) -> String {
    let digits = max(2, Currency.minorDigits(of: currency))
    guard let point = text.firstIndex(of: ".") else { return text }
    var fraction = text[text.index(after: point)...]
    while fraction.utf8.count > digits, fraction.last == "0" { fraction.removeLast() }
    return String(text[...point] + fraction)
  }
}

/// The decimal marks of languages and regions.
enum LocaleMark {
  private static let languagesWithComma = Set(
    """
    de fr es it pt nl pl cs sk sv nb nn no da fi ru uk tr el hu ro bg hr sl sr mk bs sq lt lv et ca eu gl is be kk id \
    vi ka az
    """.split(separator: " ").map(String.init))
  private static let languagesWithPoint = Set(
    "en zh ja ko th he hi ms bn ta te ur ga cy fil sw mt".split(separator: " ").map(String.init))
  private static let regionsWithPoint = Set(
    "CH LI MX US PR DO GT HN NI SV PA PE".split(separator: " ").map(String.init))

  /// Returns the decimal mark of a locale such as `de`, `de-CH` or `en_US`, or `nil` if it is
  /// unknown.
  static func of(_ locale: String) -> Character? {
    let parts = locale.split(whereSeparator: { $0 == "-" || $0 == "_" }).map(String.init)
    guard let language = parts.first?.lowercased() else { return nil }
    let region = parts.dropFirst().last?.uppercased() ?? ""
    if languagesWithPoint.contains(language) { return region == "ZA" ? "," : "." }
    guard languagesWithComma.contains(language) else { return nil }
    return regionsWithPoint.contains(region) && language != "fr" ? "." : ","
  }
}

/// The notations of numbers that callers may name.
package enum PriceNotation {
  /// Returns whether the notation of a locale such as `de` or `de-CH` is known.
  package static func isKnown(_ locale: String) -> Bool { LocaleMark.of(locale) != nil }
}
