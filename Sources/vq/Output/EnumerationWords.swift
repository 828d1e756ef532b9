import VisualQuery

/// A text in each language that the server has.
struct Translations: Sendable, Hashable {
  let english: String
  let german: String
  let french: String

  init(_ english: String, _ german: String, _ french: String) {
    (self.english, self.german, self.french) = (english, german, french)
  }

  /// The texts in the order of the languages.
  var all: [String] { [english, german, french] }
}

/// An enumeration of answers whose values have words for people. `GET /v1/schema` gives them, and the page shows them.
protocol WordedEnumeration: CaseIterable, RawRepresentable<String>, Sendable {
  /// The name of the enumeration, which its field has in answers.
  static var enumerationName: String { get }
  /// The words for a value.
  var words: Translations { get }
}

/// All enumerations with words.
enum EnumerationWords {
  static let all: [any WordedEnumeration.Type] = [
    Availability.self, MatchTier.self, EntitySort.Order.self, Evidence.Kind.self,
    MatchResponse.EmptyReason.self, CatalogueDoctor.Finding.Kind.self,
    FeedbackStatement.State.self,
  ]

  /// Returns the words for all values of an enumeration.
  static func words<Values: WordedEnumeration>(of type: Values.Type) -> [String: Translations] {
    Dictionary(uniqueKeysWithValues: type.allCases.map { ($0.rawValue, $0.words) })
  }
}

extension Availability: WordedEnumeration {
  static var enumerationName: String { "availability" }
  var words: Translations {
    switch self {
    case .inStock: .init("In stock", "Auf Lager", "En stock")
    case .outOfStock: .init("Out of stock", "Nicht auf Lager", "En rupture de stock")
    case .preOrder: .init("Pre-order", "Vorbestellbar", "En précommande")
    case .backOrder: .init("Back-order", "Nachbestellbar", "En réapprovisionnement")
    case .discontinued: .init("Discontinued", "Nicht mehr erhältlich", "Plus commercialisé")
    }
  }
}

extension MatchTier: WordedEnumeration {
  static var enumerationName: String { "tier" }
  var words: Translations {
    switch self {
    case .code: .init("Same code", "Gleicher Code", "Même code")
    case .exact: .init("Same image", "Gleiches Bild", "Même image")
    case .near: .init("Same thing", "Dasselbe", "Le même objet")
    case .similar: .init("Looks alike", "Sieht ähnlich aus", "Ressemblant")
    case .label: .init("Same kind", "Gleiche Art", "Même genre")
    }
  }
}

extension EntitySort.Order: WordedEnumeration {
  static var enumerationName: String { "order" }
  var words: Translations {
    switch self {
    case .ascending: .init("Ascending", "Aufsteigend", "Croissant")
    case .descending: .init("Descending", "Absteigend", "Décroissant")
    }
  }
}

extension Evidence.Kind: WordedEnumeration {
  static var enumerationName: String { "evidence" }
  var words: Translations {
    switch self {
    case .prior: .init("Before looking", "Vor dem Vergleich", "Avant de comparer")
    case .hash: .init("Whole image", "Ganzes Bild", "Image entière")
    case .color: .init("Colors", "Farben", "Couleurs")
    case .texture: .init("Texture", "Textur", "Texture")
    case .votes: .init("Similar details", "Ähnliche Details", "Détails semblables")
    case .inliers: .init("Details in place", "Details am Platz", "Détails en place")
    case .agreement:
      .init("Share of details in place", "Anteil der Details am Platz", "Part des détails en place")
    case .alignedColor: .init("Colors in place", "Farben am Platz", "Couleurs en place")
    case .offColor: .init("Another color", "Andere Farbe", "Autre couleur")
    case .contradiction:
      .init(
        "A part in another color", "Ein Teil in anderer Farbe", "Une partie d’une autre couleur")
    case .inlierLead:
      .init("Details ahead of others", "Details vor anderen", "Détails devant les autres")
    case .labels: .init("Words", "Wörter", "Mots")
    case .embedding: .init("The shop’s model", "Modell des Shops", "Modèle de la boutique")
    case .support: .init("Its other images", "Seine anderen Bilder", "Ses autres images")
    case .patches:
      .init("Parts that look the same", "Gleich aussehende Teile", "Parties identiques")
    case .text: .init("What it says", "Was darauf steht", "Ce qui y est écrit")
    case .words: .init("What was asked for", "Was gefragt ist", "Ce qui est demandé")
    case .fit:
      .init("Learned in this shop", "In diesem Shop gelernt", "Appris dans cette boutique")
    case .stock: .init("Its product", "Sein Produkt", "Son article")
    case .lead: .init("Lead over others", "Vorsprung vor anderen", "Avance sur les autres")
    case .code: .init("Its code", "Sein Code", "Son code")
    case .pin: .init("Somebody said so", "Jemand hat es gesagt", "Quelqu’un l’a dit")
    }
  }
}

extension MatchResponse.EmptyReason: WordedEnumeration {
  static var enumerationName: String { "emptyReason" }
  var words: Translations {
    switch self {
    case .nothingAboveConfidence:
      .init(
        "Nothing in this shop is likely enough to be it.",
        "Nichts in diesem Shop ist es wahrscheinlich genug.",
        "Rien dans cette boutique n’y ressemble assez.")
    case .noUsableSignal:
      .init(
        "There is nothing in this question to search by.",
        "In dieser Frage ist nichts, wonach man suchen kann.",
        "Cette question ne contient rien à chercher.")
    case .filteredOut:
      .init(
        "Nothing passes the filters.", "Nichts erfüllt die Filter.", "Rien ne passe les filtres.")
    case .filterTimedOut:
      .init(
        "The filters took too long.", "Die Filter haben zu lange gedauert.",
        "Les filtres ont pris trop de temps.")
    case .emptyCatalogue:
      .init("The catalogue is empty.", "Der Katalog ist leer.", "Le catalogue est vide.")
    case .noImages:
      .init(
        "The shop has no images to compare with.", "Der Shop hat keine Bilder zum Vergleichen.",
        "La boutique n’a pas d’images à comparer.")
    case .deadlinePassed:
      .init(
        "The search took too long. A smaller image takes less.",
        "Die Suche hat zu lange gedauert. Ein kleineres Bild braucht weniger.",
        "La recherche a pris trop de temps. Une image plus petite en prend moins.")
    }
  }
}

extension CatalogueDoctor.Finding.Kind: WordedEnumeration {
  static var enumerationName: String { "findingKind" }
  var words: Translations {
    switch self {
    case .indistinguishable:
      .init(
        "Two entities with the same image", "Zwei Einträge mit demselben Bild",
        "Deux fiches avec la même image")
    case .placeholder:
      .init(
        "An image that many products share", "Ein Bild für viele Produkte",
        "Une image commune à beaucoup d’articles")
    case .repeatedMark:
      .init(
        "The same marks on different products", "Dieselben Zeichen auf verschiedenen Artikeln",
        "Les mêmes marques sur différents articles")
    case .oddVariant:
      .init(
        "Variants that look like no other of their group",
        "Varianten, die keiner anderen ihrer Gruppe gleichen",
        "Variantes qui ne ressemblent à aucune autre du groupe")
    case .sameDesign:
      .init(
        "Two groups with one design", "Zwei Gruppen mit demselben Muster",
        "Deux groupes avec le même modèle")
    case .collage:
      .init(
        "Images made of several images", "Bilder aus mehreren Bildern",
        "Images composées de plusieurs images")
    case .longPicture:
      .init("Very long images", "Sehr lange Bilder", "Images très longues")
    case .textPicture:
      .init("Images with only text", "Bilder nur mit Text", "Images avec du texte seulement")
    case .sameSiblings:
      .init(
        "Variants that no image tells apart", "Varianten mit demselben Bild",
        "Variantes avec la même image")
    case .lowResolution:
      .init("Images below 300 pixels", "Bilder unter 300 Pixeln", "Images sous 300 pixels")
    case .wordlessTitle: .init("Titles without words", "Titel ohne Wörter", "Titres sans mots")
    case .brokenLink:
      .init("Links that lead nowhere", "Links ins Leere", "Liens qui ne mènent nulle part")
    case .flatPicture:
      .init("Images without detail", "Bilder ohne Details", "Images sans détails")
    case .smallPicture: .init("Small images", "Kleine Bilder", "Petites images")
    case .noPicture: .init("Without an image", "Ohne Bild", "Sans image")
    case .unreadable:
      .init("Rows that cannot be read", "Unlesbare Zeilen", "Lignes illisibles")
    case .missingPicture:
      .init("Image files that are gone", "Fehlende Bilddateien", "Fichiers d’image manquants")
    case .staleImage:
      .init(
        "Images that their servers refuse", "Bilder, die ihr Server verweigert",
        "Images que leur serveur refuse")
    case .longText: .init("Long texts", "Lange Texte", "Textes longs")
    case .noLink: .init("Without a link", "Ohne Link", "Sans lien")
    case .insecureLink:
      .init("Links without encryption", "Links ohne Verschlüsselung", "Liens non chiffrés")
    case .unknownCurrency:
      .init("Unknown currencies", "Unbekannte Währungen", "Devises inconnues")
    case .misspeltField:
      .init(
        "Fields that are probably misspelt", "Vermutlich falsch geschriebene Felder",
        "Champs sans doute mal écrits")
    case .noPlace:
      .init("Stores without a location", "Filialen ohne Standort", "Magasins sans position")
    case .unknownStock:
      .init(
        "Unknown products in stock", "Unbekannte Produkte auf Lager", "Articles inconnus en stock")
    }
  }
}

extension FeedbackStatement.State: WordedEnumeration {
  static var enumerationName: String { "feedbackState" }
  var words: Translations {
    switch self {
    case .active: .init("Counts", "Zählt", "Compte")
    case .pending: .init("Waits to be accepted", "Wartet auf Zustimmung", "Attend un accord")
    }
  }
}
