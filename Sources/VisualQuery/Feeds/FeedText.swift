/// Reads the words of foreign feeds: availabilities, flags and categories.
enum FeedText {
  /// Returns whether a text is a value, rather than a word for none.
  static func isValue(_ text: String) -> Bool {
    !["", "-", "n/a", "#n/a", "na", "null", "none", "nan"].contains(text.trimmed.lowercased())
  }

  /// Returns whether a text is a day, such as `2026-12-24` or `24. 12. 2026`, with or without a time.
  static func isDate(_ text: String) -> Bool {
    let parts = text.split { !$0.isNumber }
    guard parts.count >= 3,
      !text.contains(where: { $0.isLetter && $0 != "t" && $0 != "T" && $0 != "z" && $0 != "Z" })
    else { return false }
    return [parts[0], parts[2]].contains {
      $0.count == 4 && ($0.hasPrefix("20") || $0.hasPrefix("19"))
    }
  }

  /// Returns whether a text is the id of a group, rather than a zero or a word for none.
  static func isGroup(_ text: String) -> Bool {
    isValue(text) && !text.trimmed.allSatisfy { $0 == "0" }
  }

  private static let yesWords = FeedData.wordSet("yes")
  private static let noWords = FeedData.wordSet("no")
  private static let hiddenWords = FeedData.wordSet("hidden")
  private static let colorWords = FeedData.wordSet("colors")

  /// Returns whether a text says yes or no, or `nil` if it says neither.
  static func flag(_ text: String) -> Bool? {
    let word = FeedData.plain(text)
    if noWords.contains(word) { return false }
    return yesWords.contains(word) ? true : nil
  }

  /// Returns whether a text says that a product is not published.
  static func isHidden(_ text: String) -> Bool {
    let word = FeedData.plain(text)
    return hiddenWords.contains(word) && text.trimmed != "1" || flag(text) == false
  }

  /// Returns whether a text is the name of a color: one word of the list, or several of which one is.
  static func isColor(_ text: String) -> Bool {
    if colorWords.contains(FeedData.plain(text)) { return true }
    let words = text.split { !$0.isLetter && !$0.isNumber }
    return (2...4).contains(words.count)
      && words.contains { colorWords.contains(FeedData.plain($0)) }
  }

  private static let otherThings = FeedData.wordSet("other things")

  /// Returns whether texts are the names of colors, rather than those of scents or flavors, of which some are colors, too.
  static func areColors(_ texts: Set<String>) -> Bool {
    let colors = texts.filter(isColor)
    let sure = colors.count { !otherThings.contains(FeedData.plain($0)) }
    return !texts.isEmpty && colors.count * 3 >= texts.count * 2 && sure * 2 >= texts.count
  }

  /// Returns whether texts are sizes.
  static func areSizes(_ texts: Set<String>) -> Bool {
    !texts.isEmpty && texts.count(where: isSize) * 3 >= texts.count * 2
  }

  /// Returns whether a text is a size of clothes or shoes.
  static func isSize(_ text: String) -> Bool {
    let word = text.trimmed.uppercased()
    if sizeWords.contains(word) { return true }
    let number = word.hasPrefix("EU") ? word.dropFirst(2).drop { $0 == " " } : word[...]
    return Double(number.replacing(",", with: ".")).map { (30...60).contains($0) } ?? false
  }

  private static let sizeWords: Set<String> = [
    "XXXS", "XXS", "XS", "S", "M", "L", "XL", "XXL", "XXXL", "XXXXL", "2XL", "3XL", "4XL", "5XL",
    "6XL", "S/M", "M/L", "L/XL", "ONE SIZE",
  ]

  private static let availabilityWords: [String: String] = {
    var words: [String: String] = [:]
    for section in FeedData.words {
      guard
        ["inStock", "outOfStock", "preOrder", "backOrder", "discontinued"].contains(section.head)
      else { continue }
      for word in section.entries.map(FeedData.plain) where words[word] == nil {
        words[word] = section.head
      }
    }
    return words
  }()

  /// Returns the native word for an availability, a flag or a number of pieces.
  static func availability(_ text: String) throws(FieldError) -> String {
    if let known = availabilityWords[FeedData.plain(text)] { return known }
    // In an address of schema.org, the word is the last part. In other texts it is mostly the first
    // part, before a time of delivery or a number of pieces.
    let parts = text.split(whereSeparator: { "/(,:;–".contains($0) })
    for part in (text.contains("://") ? parts.suffix(1) : parts.prefix(1)) + parts.suffix(1) {
      if let known = availabilityWords[FeedData.plain(part)] { return known }
    }
    // A number is a number of pieces only if the text has no letters: with a unit it may be a time
    // of delivery.
    if !text.contains(where: \.isLetter), let isInStock = isInStock(text) {
      return isInStock ? "inStock" : "outOfStock"
    }
    if let known = leadingAvailability(text) { return known }
    throw FieldError(
      field: "availability",
      reason: "is '\(text)'; expected for example in_stock, out_of_stock, preorder or backorder")
  }

  /// Returns the availability that the first words of a text say, such as `In stock: ships in 2 days`, unless a date follows.
  private static func leadingAvailability(_ text: String) -> String? {
    let words = text.split { !$0.isLetter && !$0.isNumber }
    if words.contains(where: { $0.count > 3 && $0.allSatisfy(\.isNumber) }) { return nil }
    for count in stride(from: min(words.count, 6), to: 0, by: -1) {
      let start = words[..<count].joined().lowercased()
      if start.count > 4, let known = availabilityWords[FeedData.plain(start)] { return known }
    }
    return nil
  }

  /// Returns whether a quantity is a mass or a volume, such as `500 g`, rather than a number of pieces.
  static func isMeasure(_ text: String) -> Bool {
    let unit = text.trimmed.drop { $0.isNumber || ".,'  x×*".contains($0) }.lowercased().filter {
      $0.isLetter
    }
    return measures.contains(unit)
  }

  private static let measures: Set<String> = [
    "g", "gr", "kg", "mg", "ml", "cl", "dl", "l", "lt", "ltr", "oz", "floz", "lb", "lbs", "gram",
    "grams", "gramm", "grammes", "gramos",
    "liter", "litre", "litres", "liters", "litros", "г", "кг", "мл", "л", "m", "cm", "mm", "м",
  ]

  /// Returns whether a quantity such as `12`, `1.234,00`, `10+`, `>10` or `5 pcs.` is more than zero, or `nil` if it is
  /// not one number.
  static func isInStock(_ quantity: String) -> Bool? {
    var rest = quantity.trimmed[...]
    if let first = rest.first, ">≥~".contains(first) { rest.removeFirst() }
    rest = rest.drop(while: \.isWhitespace)
    let isNegative = rest.first == "-" || rest.first == "−"
    if isNegative { rest.removeFirst() }
    let number = rest.prefix { $0.isNumber || ".,' \u{A0}\u{202F}".contains($0) }
    let unit = rest[number.endIndex...]
    guard number.contains(where: \.isNumber), unit.allSatisfy({ $0.isLetter || " +.".contains($0) })
    else { return nil }
    return !isNegative && number.contains { $0.isNumber && $0 != "0" }
  }

  /// Returns the labels in a category or a list of tags; of `Home > Kitchen > Mugs` the last two.
  static func words(_ text: String) -> [String] {
    if !isValue(text) { return [] }
    if text.first == "[", case .array(let values)? = try? JSONValue(json: Array(text.utf8)) {
      return values.flatMap { value in
        JSONFields.texts(in: value).flatMap { $0.hasPrefix("[") ? [] : words($0) }
      }
    }
    // Decodes references first, because the `;` at the end of `&gt;` or `&amp;` would separate
    // words.
    let text = PlainText.text(text)
    if text.contains(">") {
      return text.split(separator: ">").suffix(2).map { label(String($0)) }.filter { !$0.isEmpty }
    }
    // Leaves out numbers, because Google Merchant also allows the number of a category.
    return text.split(whereSeparator: { ",/|;".contains($0) }).map { label(String($0)) }
      .filter { Int($0) == nil && !$0.isEmpty }
  }

  /// Returns whether labels lack a part of the text that they are of, such as the first step of a path or the number of a category.
  static func isMore(_ text: String, than labels: [String]) -> Bool {
    if !isValue(text) || text.first == "[" { return false }
    let separators = text.contains(">") ? ">" : ",/|;"
    return text.split(whereSeparator: { separators.contains($0) })
      .count { $0.contains { !$0.isWhitespace } } > labels.count
  }

  /// Returns the labels in a list of category paths: of each the last two.
  static func categories(_ text: String, separator: Character, step: Character) -> [String] {
    PlainText.text(text).split(separator: separator).flatMap { path in
      path.split(separator: step).suffix(2).map { label(String($0)) }
    }.filter { !$0.isEmpty && $0 != "default category" }
  }

  /// Returns a word in lower case, as text, and without the rest of one that is too long for a
  /// label.
  private static func label(_ text: String) -> String {
    PlainText.text(text).lowercased().trimmed
  }

  /// Returns whether a word names the role of a row in the exports of shop systems, such as `variation`, rather than a
  /// category.
  static func isKind(_ word: String) -> Bool { kinds.contains(word.trimmed.lowercased()) }

  private static let kinds: Set<String> = [
    "simple", "variable", "variation", "configurable", "grouped", "external", "variant",
    "physical", "digital", "virtual", "downloadable",
  ]

  /// Returns the texts without duplicates, in their order.
  static func unique(_ texts: [String]) -> [String] {
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }
  }
}
