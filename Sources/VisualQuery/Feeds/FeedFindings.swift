/// A part of a feed that looks as if it should belong to an entity but was not used, or a value that replaces one
/// that the feed lacks.
package struct FeedFinding: Sendable, Hashable {
  /// The kind of a finding.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Amounts in a field that is not read, of an entity without a price.
    case price
    /// A reduced price that holds between dates only, which is kept and not used.
    case salePrice
    /// Addresses of images in a field that is not read, of an entity without an image.
    case images
    /// Words for an availability or a number of pieces in a field that is not read, of an entity without an availability.
    case availability
    /// An address of a page in a field that is not read, of an entity without a link.
    case url
    /// A day from which or until which a product is sold, which is kept and not used.
    case dates
    /// A text in another language, which is kept and not searched.
    case language
    /// A long text of a product that each of its many entities repeats, so that the index is much larger than the feed.
    case repeated
    /// An id that was made of the link, because the row has none of its own.
    case idFromLink
    /// An id that was made of the title.
    case idFromTitle
    /// A link into the app that is not used, because the shop does not accept its scheme.
    case appLink

    /// True if a part of the feed is lost for matching.
    package var isLoss: Bool {
      switch self {
      case .price, .images, .availability, .url: true
      case .salePrice, .dates, .language, .repeated, .idFromLink, .idFromTitle, .appLink: false
      }
    }
  }

  /// The kind of the finding.
  package let kind: Kind
  /// The field of the feed, or the scheme of a link into the app.
  package let field: String
}

/// Counts the findings of a feed.
package struct FeedFindings: Sendable {
  /// The number of entities by finding.
  package private(set) var counts: [FeedFinding: Int] = [:]
  /// The most fields that are told apart.
  private static let limit = 200

  /// True if something of the feed was lost for matching.
  var hasLoss: Bool { counts.keys.contains(where: \.kind.isLoss) }

  /// Looks at an entity and the record that it is from.
  mutating func add(_ value: EntityValue, _ draft: DraftRecord) {
    switch draft.idOrigin {
    case .link: count(.idFromLink, "id")
    case .title: count(.idFromTitle, "id")
    case .own, .code: break
    }
    if let family = draft.family, let field = family.repeatedField { count(.repeated, field) }
    guard case .product(let product) = value, !product.extra.isEmpty else { return }
    for (name, value) in product.extra {
      let meaning = meaning(of: name)
      if meaning.isTranslation { count(.language, name) }
      if meaning.isDay, let text = Self.text(value), FeedText.isDate(text) { count(.dates, name) }
    }
    if draft.isSaleDated { count(.salePrice, "price") }
    let wantsPrice = product.price == nil && !draft.warnings.contains { $0.field == "price" }
    let wantsImages = product.images.isEmpty
    let wantsAvailability =
      product.availability == nil && !draft.warnings.contains { $0.field == "availability" }
    let wantsURL = product.url == nil && !draft.warnings.contains { $0.field == "url" }
    guard wantsPrice || wantsImages || wantsAvailability || wantsURL else { return }
    for (name, value) in product.extra where !Self.ownNames.contains(name) {
      guard let text = Self.text(value) else { continue }
      if wantsPrice, Self.isAmount(text, name) { count(.price, name) }
      if Self.isImage(text) {
        if wantsImages { count(.images, name) }
      } else if wantsURL, Self.isPage(text, name) {
        count(.url, name)
      }
      if wantsAvailability, Self.isAvailability(text, name) { count(.availability, name) }
    }
  }

  /// Counts a link into the app that has a scheme which the shop does not accept.
  mutating func add(appScheme: String) { count(.appLink, appScheme) }

  /// The meaning of a field that is kept, by its name.
  private struct Meaning {
    /// True if it is a text in another language.
    let isTranslation: Bool
    /// True if it is a day from which or until which a product is sold.
    let isDay: Bool
  }

  /// The meanings of names so far.
  private var meanings: [String: Meaning] = [:]
  private static let dayWords = FeedData.wordSet("days of sale")

  private mutating func meaning(of name: String) -> Meaning {
    if let known = meanings[name] { return known }
    let plain = FeedData.plain(name)
    let meaning = Meaning(
      isTranslation: ColumnVocabulary.isTranslated(name),
      isDay: Self.dayWords.contains(where: plain.contains)
        && !["sale", "promo", "special", "discount"].contains(where: plain.contains))
    if meanings.count < 10 * Self.limit, name.utf8.count <= 1024 { meanings[name] = meaning }
    return meaning
  }

  private mutating func count(_ kind: FeedFinding.Kind, _ field: String) {
    let finding = FeedFinding(kind: kind, field: field)
    if counts.count < Self.limit || counts[finding] != nil { counts[finding, default: 0] += 1 }
  }

  /// The fields that formats make themselves.
  private static let ownNames: Set<String> = [
    "sku", "variants", "handle", "description", "shortDescription", "priceText",
    "availabilityText", "slug", "path",
  ]

  /// Returns the first text in a value: that of a list or an object, too.
  private static func text(_ value: JSONValue, depth: Int = 0) -> String? {
    switch value {
    case .string(let text): text
    case .integer, .number: value.text
    case .array(let values) where depth < 3: values.first.flatMap { text($0, depth: depth + 1) }
    case .object(let fields) where depth < 3:
      fields.sorted { $0.key < $1.key }.lazy.compactMap { text($0.value, depth: depth + 1) }
        .first { isImage($0) }
    default: nil
    }
  }

  private static let priceStems = [
    "price", "preis", "prix", "preci", "prezz", "prijs", "pris", "preç", "preco", "cena", "ceny",
    "цен", "цін", "pret",
    "preț", "fiyat", "τιμ", "מחיר", "سعر", "قیمت", "価格", "价", "價", "가격", "판매가", "ราคา", "giá",
    "harga", "kaina", "hinta", "hind",
    "cijena", "amount", "msrp", "rrp", "uvp", "pvp", "mrp", "tarif", "preu", "стоимост", "вартіст",
  ]
  private static let otherAmounts = [
    "cost", "shipping", "versand", "delivery", "lieferung", "tax", "vat", "mwst", "steuer",
    "weight", "gewicht", "poids", "peso",
    "length", "width", "height", "depth", "size", "rating", "lat", "lon", "percent", "discount",
    "quantity", "volume", "points",
    "breite", "höhe", "länge", "dostaw", "доставк", "вес", "score", "version", "rate", "unit",
    "вага", "einkauf", "purchase",
  ]

  /// Returns whether a field holds the price of a product.
  static func isAmount(_ text: String, _ name: String) -> Bool {
    guard text.utf8.count <= 24, text.contains(where: \.isNumber) else { return false }
    let name = FeedData.plain(name)
    guard !otherAmounts.contains(where: name.contains), let price = try? PriceText(text),
      price.amount != .invalid
    else { return false }
    if priceStems.contains(where: name.contains) { return true }
    if price.candidates != nil { return true }
    let fraction = text.split(whereSeparator: { $0 == "." || $0 == "," }).dropFirst().last
    return fraction?.count == 2
  }

  /// Returns whether a field holds a number that may be a price, by nothing but its value.
  static func isPlainAmount(_ text: String, _ name: String) -> Bool {
    let name = FeedData.plain(name)
    return text.utf8.count <= 12 && !otherAmounts.contains(where: name.contains)
      && Double(text.replacing(",", with: ".")).map { $0 > 0 && $0 < 10_000_000 } == true
  }

  private static let imageEndings = [".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif", ".heic"]

  /// Returns whether a text is the address or the path of an image.
  static func isImage(_ text: String) -> Bool {
    // Most texts are not file names. This test is cheap and excludes nearly all of them.
    guard text.utf8.contains(UInt8(ascii: ".")) else { return false }
    let path = text.prefix(2000).prefix { !"?#,|; \n".contains($0) }.lowercased()
    return path.count > 4 && imageEndings.contains { path.hasSuffix($0) || path.contains($0 + "/") }
  }

  private static func isPage(_ text: String, _ name: String) -> Bool {
    guard text.hasPrefix("http://") || text.hasPrefix("https://") else { return false }
    let name = FeedData.plain(name)
    return ["url", "link", "href", "page"].contains(where: name.contains)
      && !["image", "img", "video", "pdf", "thumb", "logo", "icon", "doc"].contains(
        where: name.contains)
  }

  private static let stockStems = [
    "stock", "availab", "lager", "bestand", "verfüg", "lieferb", "disponib", "dispon", "existenc",
    "наличи", "наявн", "dostęp",
    "dostup", "skladem", "voorraad", "beschikb", "giacenz", "saldo", "qty", "inventory",
  ]

  private static func isAvailability(_ text: String, _ name: String) -> Bool {
    guard text.utf8.count <= 60 else { return false }
    let known = (try? FeedText.availability(text)) != nil
    let name = FeedData.plain(name)
    if stockStems.contains(where: name.contains) { return known }
    return known && FeedText.flag(text) == nil && text.count > 6 && text.contains { $0.isLetter }
  }
}
