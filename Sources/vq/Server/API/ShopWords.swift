import VisualQuery

/// The words for types, properties and values that every shop has, in a language.
struct ShopWords: Sendable {
  /// The languages there are. The first one is for all others.
  static let languages = ["en", "de", "fr"]

  /// The language of the words.
  let language: String
  private let texts: [String: String]
  /// The position of the language among ``languages``.
  private let column: Int

  /// Finds the words of a language.
  ///
  /// - Parameter language: A BCP 47 tag, or `nil` for English.
  init(language: String?) {
    self.language = Self.known(language)
    let column = Self.languages.firstIndex(of: self.language) ?? 0
    self.column = column
    texts = Self.table.mapValues { $0[column] }
  }

  /// Returns the language among ``languages`` for a tag.
  static func known(_ language: String?) -> String {
    let primary = (language ?? "").prefix { $0 != "-" && $0 != "_" }.lowercased()
    return languages.contains(primary) ? primary : languages[0]
  }

  private func text(_ key: String) -> String { texts[key] ?? key }

  /// Returns the name of a type.
  func name(of type: EntityType) -> String { text("type.\(type.rawValue)") }

  /// Returns the name of several entities of a type.
  func plural(of type: EntityType) -> String { text("types.\(type.rawValue)") }

  /// Returns the title of the shortcut that opens an entity.
  func openTitle(of type: EntityType) -> String { text("open.\(type.rawValue)") }

  /// Returns the phrases that open an entity.
  func phrases(of type: EntityType) -> [String] {
    [text("phrase.\(type.rawValue)"), text("phrase.any.\(type.rawValue)")]
  }

  /// The names of properties.
  var properties: [String: String] { section("property.") }

  /// The names of the values of enumerations, by enumeration and value.
  var enumerations: [String: [String: String]] {
    func texts(of type: any WordedEnumeration.Type) -> [String: String] {
      EnumerationWords.words(of: type).mapValues { $0.all[column] }
    }
    return Dictionary(
      uniqueKeysWithValues: EnumerationWords.all.map { ($0.enumerationName, texts(of: $0)) })
  }

  private func section(_ prefix: String) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: texts.filter { $0.key.hasPrefix(prefix) }
        .map { (String($0.key.dropFirst(prefix.count)), $0.value) })
  }

  /// English, German and French.
  private static let table: [String: [String]] = [
    "type.product": ["Product", "Produkt", "Article"],
    "type.store": ["Store", "Filiale", "Magasin"],
    "types.product": ["Products", "Produkte", "Articles"],
    "types.store": ["Stores", "Filialen", "Magasins"],
    "open.product": ["Open product", "Produkt öffnen", "Ouvrir l’article"],
    "open.store": ["Open store", "Filiale öffnen", "Ouvrir le magasin"],
    "phrase.product": [
      "Show ${target} in ${applicationName}", "Zeige ${target} in ${applicationName}",
      "Montre ${target} dans ${applicationName}",
    ],
    "phrase.any.product": [
      "Open a product in ${applicationName}", "Öffne ein Produkt in ${applicationName}",
      "Ouvre un article dans ${applicationName}",
    ],
    "phrase.store": [
      "Show the store ${target} in ${applicationName}",
      "Zeige die Filiale ${target} in ${applicationName}",
      "Montre le magasin ${target} dans ${applicationName}",
    ],
    "phrase.any.store": [
      "Open a store in ${applicationName}", "Öffne eine Filiale in ${applicationName}",
      "Ouvre un magasin dans ${applicationName}",
    ],
    "property.title": ["Name", "Name", "Nom"],
    "property.subtitle": ["Details", "Details", "Détails"],
    "property.brand": ["Brand", "Marke", "Marque"],
    "property.price": ["Price", "Preis", "Prix"],
    "property.currency": ["Currency", "Währung", "Devise"],
    "property.availability": ["Availability", "Verfügbarkeit", "Disponibilité"],
    "property.labels": ["Category", "Kategorie", "Catégorie"],
    "property.group": ["Variants", "Varianten", "Variantes"],
    "property.address": ["Address", "Adresse", "Adresse"],
    "property.openingHours": ["Opening hours", "Öffnungszeiten", "Horaires"],
  ]
}
