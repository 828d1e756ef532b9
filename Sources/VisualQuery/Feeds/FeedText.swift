/// Reads the words of foreign feeds: availabilities, flags and categories.
enum FeedText {
  /// Returns whether a text is a value, rather than a word for none.
  static func isValue(_ text: String) -> Bool {
    !["", "-", "n/a", "#n/a", "na", "null", "none", "nan"].contains(text.trimmed.lowercased())
  }

  /// Returns whether a text is the id of a group, rather than a zero or a word for none.
  static func isGroup(_ text: String) -> Bool {
    isValue(text) && !text.trimmed.allSatisfy { $0 == "0" }
  }

  /// Returns whether a text says yes or no, or `nil` if it says neither.
  static func flag(_ text: String) -> Bool? {
    switch text.trimmed.lowercased() {
    case "1", "true", "yes", "y", "ja", "oui", "si", "sí", "on", "enabled", "visible", "active":
      true
    case "0", "false", "no", "n", "nein", "non", "off", "disabled", "hidden", "inactive": false
    default: nil
    }
  }

  /// Returns whether a text says that a product is not published.
  static func isHidden(_ text: String) -> Bool {
    let words: Set<String> = [
      "draft", "archived", "unpublished", "inactive", "disabled", "private", "trash", "hidden",
      "deleted", "-1",
      "inaktiv", "inactif", "inactivo", "entwurf", "brouillon",
    ]
    let word = text.trimmed.lowercased()
    return words.contains(word) || flag(word) == false
  }

  private static let availabilities: [String: [String]] = [
    "inStock": [
      "instock", "instoreonly", "onlineonly", "limitedavailability", "limited", "lowstock",
      "available",
      "availablenow", "instockonline", "backinstock", "yes", "true", "y", "1", "auflager",
      "lieferbar",
      "sofortlieferbar", "sofortverfügbar", "verfügbar", "vorrätig", "ja", "enstock", "disponible",
      "oui",
      "endisponible", "disponibile", "disponível", "emestoque", "opvoorraad", "beschikbaar",
      "ilager",
      "pålager", "påtlager", "skladem", "dostępny", "dostepny", "вналичии", "естьвналичии",
      "onstock", "unlimited", "unbegrenzt",
    ],
    "outOfStock": [
      "outofstock", "soldout", "unavailable", "notavailable", "notinstock", "nostock", "no",
      "false", "n", "0",
      "oos", "ausverkauft", "nichtauflager", "nichtlieferbar", "nichtverfügbar", "vergriffen",
      "nein",
      "temporarilyoutofstock", "temporarilyunavailable", "rupturedestock", "enrupture", "épuisé",
      "indisponible", "agotado", "sinstock", "nodisponible", "esaurito", "nondisponibile",
      "esgotado",
      "uitverkocht", "nietopvoorraad", "slutsåld", "slutilager", "udsolgt", "utsolgt", "vyprodáno",
      "niedostępny", "нетвналичии", "неттовара",
    ],
    "preOrder": [
      "preorder", "presale", "preorderonly", "vorbestellbar", "vorbestellung", "précommande",
      "preventa",
      "comingsoon",
    ],
    "backOrder": [
      "backorder", "backordered", "onbackorder", "availablefororder", "availableonorder",
      "madetoorder", "onorder",
      "nachbestellt", "aufbestellung", "bestellbar", "surcommande",
    ],
    "discontinued": ["discontinued", "endoflife", "eol", "nichtmehrlieferbar"],
  ]

  private static let availabilityWords: [String: String] = {
    var words: [String: String] = [:]
    for (name, spellings) in availabilities { for word in spellings { words[word] = name } }
    return words
  }()

  /// Returns the native word for an availability, a flag or a number of pieces.
  static func availability(_ text: String) throws(FieldError) -> String {
    let word = text.split(separator: "/").last.map(String.init) ?? text
    let letters = word.lowercased().filter { $0.isLetter || $0.isNumber }
    if let known = availabilityWords[letters] { return known }
    // A number with a unit may be a time of delivery.
    if !text.contains(where: \.isLetter), let isInStock = isInStock(text) {
      return isInStock ? "inStock" : "outOfStock"
    }
    throw FieldError(
      field: "availability",
      reason: "is '\(text)'; expected for example in_stock, out_of_stock, preorder or backorder")
  }

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
    // `&gt;` and `&amp;` end with a mark that separates words.
    let text = PlainText.text(text)
    if text.contains(">") {
      return text.split(separator: ">").suffix(2).map { label(String($0)) }.filter { !$0.isEmpty }
    }
    // Merchant also names categories by number.
    return text.split(whereSeparator: { ",/|;".contains($0) }).map { label(String($0)) }
      .filter { Int($0) == nil && !$0.isEmpty }
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
  ]

  /// Returns the texts without duplicates, in their order.
  static func unique(_ texts: [String]) -> [String] {
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }
  }
}
