/// The words beside the image of a question that tell which of several like things is meant: "this, but in green".
struct AskedWords: Sendable, Hashable {
  /// The words that say something, each once, in their order; a color by its name (``ColorWords``).
  let words: [String]
  /// The words that follow a negation: "but not red".
  let unwanted: Set<String>
  /// True if the filter of products asks for a color.
  let filtersColor: Bool

  /// The most words that are looked at.
  private static let limit = 32

  private static let negations: Set<String> = [
    "not", "nicht", "kein", "keine", "keinen", "pas", "niet", "inte", "ikke",
  ]

  /// Words that say nothing of a thing, in the languages of many shops.
  private static let fillers = Set(
    """
    this that these those it its the a an one ones but in with and of for same similar like as just please want would i you me my \
    need looking show have do from to at or is are color colored size version variant \
    there any other another instead got one's still available hi hello thanks \
    gibt es gibts noch dasselbe derselbe dieselbe statt lieber etwas haben habt ihr sie danke \
    dieser diese dieses diesen das der die den dem ein eine einen einer aber nur mit und von für wie gleich gleiche gleiches bitte \
    ich will möchte hätte gern gerne oder auch als aus farbe größe \
    ce cet cette ces le la les un une mais en avec et de du des pour comme même couleur taille je veux \
    este esta estos el los las uno una pero con y para como mismo misma color talla quiero \
    questo questa il lo gli ma di e per come stesso stessa colore taglia \
    deze dit het een maar met van voor zelfde kleur maat
    """.split(separator: " ").map { LabelText.normalized(String($0)) })

  /// Finds the words of a question.
  ///
  /// - Parameters:
  ///   - text: The words as they were said; empty for none.
  ///   - filter: The filter of products.
  /// - Returns: `nil` if neither says which of several like things is meant.
  init?(_ text: String, _ filter: EntityFilter?) {
    let text = String(text.unicodeScalars.prefix(SemanticContent.wordsLength))
    var (wanted, unwanted): ([String], Set<String>) = ([], [])
    var isNegated = false
    for word in EntityWords.words(of: text) where !Self.fillers.contains(word) {
      if Self.negations.contains(word) {
        isNegated = true
      } else if isNegated {
        unwanted.insert(word)
        isNegated = false
      } else if !wanted.contains(word), wanted.count < Self.limit {
        wanted.append(word)
      }
    }
    (words, self.unwanted) = (wanted, unwanted)
    filtersColor = filter.map(Self.asksForColor) ?? false
    if words.isEmpty && unwanted.isEmpty && !filtersColor { return nil }
  }

  /// Returns whether all that a filter accepts is of some color.
  private static func asksForColor(_ filter: EntityFilter) -> Bool {
    guard filter.mode == .and || filter.comparators.count == 1 else { return false }
    return filter.comparators.contains { comparator in
      let text: String
      switch comparator.comparison {
      case .equalTo(.text(let value)): text = value
      case .contains(let value), .hasPrefix(let value), .hasSuffix(let value): text = value
      default: return false
      }
      let words = EntityWords.words(of: text)
      return EntityWords.isColorField(comparator.property.name)
        || !words.isEmpty && words.allSatisfy { ColorWords.name(of: $0) != nil }
    }
  }
}

/// The words of the values of an entity, as far as they tell it from others.
struct EntityWords: Sendable {
  /// All words; a color by its name.
  private var words: Set<String> = []
  /// The words that are a whole value, or a part of one between commas.
  private var wholes: Set<String> = []
  /// The words that are colors.
  private var colors: Set<String> = []
  /// The words of the title without colors and numbers, in ascending order.
  let name: [String]

  /// The most bytes of a value that is looked at: longer ones are descriptions.
  private static let valueLimit = 200
  /// The extra weight of a word that is the whole value: of *green* and *dark green*, "green" means the former.
  private static let wholeShare = 0.25
  /// The weight of a shade of the color that is asked for, and of a color of which a shade is asked for.
  private static let (shadeShare, familyShare) = (0.5, 0.25)

  /// Reads the words of an entity: those of its texts in all languages, of what distinguishes the variants of a group, and of fields of
  /// the shop's own that are public or, if private ones may be looked at, tell how a thing looks.
  init(_ value: EntityValue, _ fields: ReadableFields) {
    let text = value.text
    name = LabelText.normalized(text.title).split(separator: " ").map(String.init)
      .filter { ColorWords.name(of: $0) == nil && $0.contains(where: \.isLetter) }.sorted()
    let texts = [text.title, text.subtitle].compactMap { $0 } + text.synonyms + text.labels
    for text in texts { add(text) }
    for (_, text) in text.localized {
      for text in [text.title, text.subtitle].compactMap({ $0 }) + text.synonyms {
        add(text)
      }
    }
    if case .product(let product) = value {
      if let brand = product.brand { add(brand) }
      for (field, text) in product.attributes { add(text, isColor: Self.isColorField(field)) }
    }
    for (field, json) in value.extra {
      let isColor = Self.isColorField(field)
      guard fields.allows(EntityProperty(field), for: .words),
        isColor || fields.shown.contains(field) || Self.isTelling(field)
      else { continue }
      for text in Self.texts(of: json) { add(text, isColor: isColor) }
    }
  }

  private mutating func add(_ text: String, isColor: Bool = false) {
    guard text.utf8.count <= Self.valueLimit, !text.contains("://") else { return }
    for part in text.split(whereSeparator: { ",;/|·()".contains($0) }) {
      let own = Self.words(of: String(part))
      words.formUnion(own)
      if own.count == 1 { wholes.insert(own[0]) }
      colors.formUnion(isColor ? own : own.filter { ColorWords.name(of: $0) != nil })
    }
  }

  private static func texts(of json: JSONValue) -> [String] {
    switch json {
    case .string(let text): [text]
    case .integer(let number): ["\(number)"]
    case .array(let elements): elements.prefix(64).flatMap(texts)
    default: []
    }
  }

  /// Returns the words of a text, normalized, numbers apart from their units; a color by its name.
  static func words(of text: String) -> [String] {
    LabelText.normalized(text).split(separator: " ").flatMap { word in
      var parts: [String] = []
      var wasNumber: Bool?
      for character in word {
        let isNumber = character.isNumber
        if wasNumber == isNumber {
          parts[parts.count - 1].append(character)
        } else {
          parts.append(String(character))
        }
        wasNumber = isNumber
      }
      return parts
    }.map { ColorWords.name(of: $0) ?? $0 }
  }

  /// Returns whether a field holds colors, by its name.
  static func isColorField(_ name: String) -> Bool {
    let name = LabelText.folded(name)
    return [
      "color", "colour", "farbe", "couleur", "colore", "kleur", "kolor", "farg", "farve", "cor",
    ]
    .contains { $0.count > 3 ? name.contains($0) : name == $0 }
  }

  /// Returns whether a field of the shop's own tells one variant from another, by its name.
  private static func isTelling(_ name: String) -> Bool {
    let name = LabelText.folded(name).filter(\.isLetter)
    return [
      "size", "material", "pattern", "category", "producttype", "googleproductcategory", "style",
      "finish",
      "flavor", "flavour", "scent", "capacity", "volume", "groesse", "große", "grosse", "taille",
      "talla", "taglia",
      "maat", "matiere", "motif", "muster", "geschmack", "duft", "sorte", "variant",
    ].contains { name == $0 || name == $0 + "s" }
  }

  /// Returns the number of asked words that the entity has, without those that are not wanted; more for whole values, less for shades.
  func agreement(with asked: AskedWords) -> Double {
    asked.words.reduce(-Double(asked.unwanted.count(where: has))) { $0 + share(of: $1) }
  }

  /// Returns whether the entity has an asked word, or a shade of it.
  func has(_ word: String) -> Bool { share(of: word) > 0 }

  /// Returns whether the entity is of a color that is asked for.
  func isOfColor(in asked: AskedWords) -> Bool {
    asked.words.contains { word in
      colors.contains(word) || ColorWords.name(of: word) != nil && share(of: word) > 0
    }
  }

  private func share(of word: String) -> Double {
    if words.contains(word) { return wholes.contains(word) ? 1 + Self.wholeShare : 1 }
    guard ColorWords.name(of: word) != nil else { return 0 }
    if colors.contains(where: { ColorWords.families(of: $0).contains(word) }) {
      return Self.shadeShare
    }
    return ColorWords.families(of: word).contains(where: colors.contains) ? Self.familyShare : 0
  }
}
