internal import Synchronization

/// The names that shops give to the fields of their products, in the languages that exports are
/// found in, as the data file `columns.txt` has them.
///
/// Names are compared in lower case and without blanks and punctuation: `Image_Link`, `imageLink`
/// and `image link` are one name. Of several fields with the same meaning, the one whose name is
/// first in the list counts.
enum ColumnVocabulary {
  /// Returns a name in the form of the lists: letters and digits in lower case, without the prefix
  /// `g:`.
  static func normalized(_ name: String) -> String {
    var name = name.lowercased().trimmed
    if name.hasPrefix("\u{FEFF}") { name.removeFirst() }
    if name.hasPrefix("g:") { name.removeFirst(2) }
    return FeedData.plain(name)
  }

  /// Returns whether a name has the prefix of Google Merchant. Such a name has precedence over the same name without
  /// the prefix: `g:id` is an id of the shop, and `id` may be that of an Atom entry.
  private static func isMerchant(_ name: String) -> Bool { name.lowercased().hasPrefix("g:") }

  /// The names of one meaning, the surest first.
  private struct Entry {
    let target: FeedTarget
    let names: [String]
    /// True if further fields with this meaning are used as well.
    let isRepeatable: Bool
    /// The number of names that always have this meaning. The names after them may mean something else as well.
    let sureCount: Int
  }

  private static let entries: [Entry] = FeedData.columns.compactMap { section in
    let words = section.head.split(separator: " ").map(String.init)
    guard let name = words.first, let target = targetsOfSections[name] ?? FeedTarget.named[name]
    else {
      return nil
    }
    let names = section.entries
    let sure = names.prefix { $0 != "~" }.map(normalized).filter { !$0.isEmpty }
    let others = names.drop { $0 != "~" }.map(normalized).filter { !$0.isEmpty }
    return Entry(
      target: target, names: sure + others, isRepeatable: words.count > 1, sureCount: sure.count)
  }

  /// Returns the place of a name in the list of names for ids, or a larger number for other names.
  static func idRank(_ name: String) -> Int {
    let meaning = meanings(of: [name])[0]
    return meaning.place?.rank ?? meaning.loose.map { _ in Int.max - 1 } ?? .max
  }

  private static let targetsOfSections: [String: FeedTarget] = [
    "thumbnail": .thumbnail, "pattern": .attribute("pattern"), "visibility": .visibility,
    "hidden": .hidden,
  ]

  /// The fields of the native form, by their names there.
  private static let native: [String: FeedTarget] = [
    "type": .type, "id": .id, "title": .title, "subtitle": .subtitle, "synonyms": .synonyms,
    "labels": .labels, "images": .images, "url": .url, "group": .group, "brand": .brand,
    "price": .price, "price.amount": .amount, "price.currency": .currency,
    "availability": .availability, "featured": .featured, "address": .address,
    "geo.latitude": .latitude, "geo.longitude": .longitude, "openinghours": .openingHours,
    "timezone": .timeZone, "stock": .stock,
  ]

  /// The place of each name in its list.
  private static let places: [String: (entry: Int, rank: Int)] = {
    var places: [String: (entry: Int, rank: Int)] = [:]
    for (index, entry) in entries.enumerated() {
      for (rank, name) in entry.names.enumerated() where places[name] == nil {
        places[name] = (index, rank)
      }
    }
    return places
  }()

  /// The places of names with diacritics, by the names without them, as programs write the names of elements: `nazev`.
  private static let plainPlaces: [String: (entry: Int, rank: Int)] = {
    var plain: [String: (entry: Int, rank: Int)] = [:]
    for (name, place) in places where !name.utf8.allSatisfy({ $0 < 0x80 }) {
      let folded = LabelText.folded(name)
      guard folded.utf8.allSatisfy({ $0 < 0x80 }), folded.count > 3, places[folded] == nil else {
        continue
      }
      if let other = plain[folded], (other.entry, other.rank) < (place.entry, place.rank) {
        continue
      }
      plain[folded] = place
    }
    return plain
  }()

  /// Returns what each field becomes, in the order of the fields; `nil` for one that is kept
  /// unchanged.
  ///
  /// - Parameter names: The names of the fields, as the feed has them.
  static func targets(of names: [String]) -> [FeedTarget?] {
    let meanings = meanings(of: names)
    var targets: [FeedTarget?] = names.map { _ in nil }
    var best: [Int: (rank: Int, column: Int)] = [:]
    for (column, meaning) in meanings.enumerated() {
      guard let place = meaning.place else {
        targets[column] = meaning.target
        continue
      }
      let entry = entries[place.entry]
      if entry.isRepeatable {
        targets[column] = entry.target
      } else if let other = best[place.entry],
        other.rank < place.rank
          || other.rank == place.rank
            && (isMerchant(names[other.column]) || !isMerchant(names[column]))
      {
        // If several columns have the same name for an image, each of them names one image.
        targets[column] =
          entry.target == .image && other.rank == place.rank
          ? .images : substitute(entry, place.rank)
        continue
      } else {
        if let other = best[place.entry] { targets[other.column] = substitute(entry, other.rank) }
        targets[column] = entry.target
        best[place.entry] = (place.rank, column)
      }
    }
    let hasImages = targets.contains { $0 == .image || $0 == .images }
    let hasPrice = targets.contains {
      if case .pricedIn? = $0 { true } else { $0 == .price || $0 == .amount }
    }
    // A column whose name is known only after its language, remark or part was removed is used only
    // if no other column has the exact name.
    for (column, meaning) in meanings.enumerated()
    where meaning.place == nil && meaning.target == nil {
      guard let loose = meaning.loose else {
        targets[column] = (hasImages ? nil : meaning.image) ?? (hasPrice ? nil : meaning.price)
        continue
      }
      let target = entries[loose.entry].target
      if loose.isTranslated, !isText(target) { continue }
      if entries[loose.entry].isRepeatable {
        if target == .visibility || target == .hidden || target == .images && hasImages { continue }
        targets[column] = target
      } else if let other = best[loose.entry], isSure(other.rank, entries[loose.entry]) {
        targets[column] = substitute(entries[loose.entry], 0)
      } else {
        if let other = best[loose.entry] {
          targets[other.column] = substitute(entries[loose.entry], other.rank)
        }
        targets[column] = target
        best[loose.entry] = (looseRank, column)
      }
    }
    return targets
  }

  /// The rank of a name that is only known without its language, remark or part.
  private static let looseRank = Int.max

  private static func isSure(_ rank: Int, _ entry: Entry) -> Bool {
    rank < entry.sureCount || rank == looseRank
  }

  /// Returns the target of a further field with the meaning of an entry, which counts if the first is empty, or `nil` if the
  /// field is kept unchanged.
  private static func substitute(_ entry: Entry, _ rank: Int) -> FeedTarget? {
    switch entry.target {
    case .title: .otherTitle
    case .id where isSure(rank, entry): .otherID
    default: nil
    }
  }

  /// Returns the tag of the language of a name such as `name-de_DE` or `title_fr`, or `nil` if it has none.
  static func language(of name: String) -> String? {
    guard let stem = withoutLanguage(name), !name.hasPrefix("translations.") else { return nil }
    let tag = name.trimmed.dropFirst(stem.count).filter { $0 != ")" && $0 != "(" }
      .split { "-_: .".contains($0) }.map(String.init)
    guard let language = tag.first?.lowercased(), LocaleMark.of(language) != nil else { return nil }
    return tag.count > 1 ? "\(language)-\(tag[1].uppercased())" : language
  }

  /// Returns whether a name is that of a text in some language, such as `title_fr`.
  static func isTranslated(_ name: String) -> Bool {
    meanings(of: [name])[0].loose.map { $0.isTranslated && isText(entries[$0.entry].target) }
      ?? false
  }

  /// The names of fields with numbers that several products may share, such as those of makers.
  private static let weakIDs: Set<String> = [
    "mpn", "manufacturerpartnumber", "vendorcode", "asin", "gtin", "gtin13", "ean", "ean13", "upc",
    "barcode", "isbn", "model", "modelnumber", "modelcode", "partnumber",
  ]

  /// Returns whether a name is that of numbers that several products may share.
  static func isWeakID(_ name: String) -> Bool { meanings(of: [name])[0].isWeakID }

  /// The meaning of a name by itself, without regard to the other names of a record.
  private struct Meaning {
    /// The place in the lists.
    var place: (entry: Int, rank: Int)?
    /// The target of a name that is composed of one in the lists.
    var target: FeedTarget?
    /// The entry that is meant if no other name has it.
    var loose: (entry: Int, isTranslated: Bool)?
    /// The target of a name that looks like that of an image, or of a price.
    var image: FeedTarget?
    var price: FeedTarget?

    /// True if it is the name of numbers that several products may share.
    let isWeakID: Bool

    init(_ name: String) {
      let normal = normalized(name)
      isWeakID = weakIDs.contains(normal)
      place = places[normal]
      if place != nil { return }
      target = numberedImage(normal) ?? pricedColumn(name)
      if target != nil { return }
      loose = looseEntry(name)
      if loose == nil { (image, price) = (imageColumn(name), pricedName(name)) }
    }
  }

  /// The meanings of names so far: feeds have the same few in each record.
  private static let known = Mutex<[String: Meaning]>([:])
  private static let knownLimit = 8192
  /// The most bytes of a name that is remembered.
  private static let knownByteLimit = 1024

  private static func meanings(of names: [String]) -> [Meaning] {
    known.withLock { known in
      names.map { name in
        if let meaning = known[name] { return meaning }
        let meaning = Meaning(name)
        if known.count < knownLimit, name.utf8.count <= knownByteLimit { known[name] = meaning }
        return meaning
      }
    }
  }

  /// Returns the entry of a name without its language, a remark in brackets, a prefix of XML, or a word such as `product`
  /// before it.
  private static func looseEntry(_ name: String) -> (entry: Int, isTranslated: Bool)? {
    if let place = withoutLanguage(name).flatMap({ places[normalized($0)] }) {
      return (place.entry, true)
    }
    let plain = withoutRemarks(name)
    // A name such as `Brand / Manufacturer` consists of two. Only the parts that are unmistakable names of a field
    // are used here.
    for part in parts(of: plain) {
      guard let place = places[normalized(String(part))] else { continue }
      let entry = entries[place.entry]
      let isAddress = [.url, .image, .images].contains(entry.target)
      if place.rank < entry.sureCount, !isAddress { return (place.entry, false) }
    }
    var forms = [plain]
    if let colon = plain.firstIndex(of: ":") {
      forms.append(String(plain[plain.index(after: colon)...]))
    }
    let steps = plain.split(separator: ".").map(String.init)
    if steps.count > 1, name.contains("#") {
      forms += [steps.last ?? "", steps.first ?? ""]
    } else if steps.count == 2, parentWords.contains(normalized(steps[0])) {
      forms.append(steps[1])
    }
    for form in forms {
      let normal = normalized(form)
      if let place = places[normal] ?? plainPlaces[normal] { return (place.entry, false) }
      for prefix in ["product", "item", "article", "artikel", "produkt", "offer", "sku", "the"]
      where normal.hasPrefix(prefix) {
        if let place = places[String(normal.dropFirst(prefix.count))] {
          return (place.entry, false)
        }
      }
    }
    return nil
  }

  /// The elements around fields that say nothing about them, as in `<general><id>`.
  private static let parentWords: Set<String> = [
    "general", "base", "basic", "basics", "main", "core", "data", "info", "details", "detail",
    "meta",
    "product", "item", "article", "offer", "names", "titles", "identification", "identifiers",
    "ids",
    "identifier", "common", "master", "header", "head", "texts", "content", "productinfo",
    "productdata", "page", "card", "website", "site", "web", "artikel", "produkt", "descriptions",
    "description",
  ]

  /// Returns the names in one such as `EAN / GTIN`, or none if there is only one.
  private static func parts(of name: String) -> [Substring] {
    let parts = name.split { "/|".contains($0) }
    return parts.count > 1 ? parts : []
  }

  /// Returns a name without the parts in brackets and the numbers of Amazon's templates: `Price (incl. VAT) *`,
  /// `item_name[language_tag=en_US]#1.value`.
  private static func withoutRemarks(_ name: String) -> String {
    var plain = ""
    var depth = 0
    for character in name {
      if "([{".contains(character) { depth += 1 }
      if depth == 0 { plain.append(character) }
      if ")]}".contains(character) { depth = max(0, depth - 1) }
    }
    guard plain.contains("#") else { return plain }
    let parts = plain.split(separator: ".").map { part in
      String(part.prefix { $0 != "#" })
    }.filter { $0 != "value" && $0 != "media_location" }
    return parts.map { part in
      // Removes the number from names such as `other_product_image_locator_1`.
      part.last?.isNumber == true ? String(part.prefix { !$0.isNumber }) : part
    }.joined(separator: ".")
  }

  /// The words of the names of image columns, and those at their ends.
  private static let imageWords = [
    "image", "img", "picture", "photo", "foto", "bild", "imagen", "imagem", "immagine", "imagine",
    "afbeelding",
    "obraz", "zdjec", "zdjęci", "obrazek", "obrázek", "media",
  ]
  private static let addressWords: Set<String> = [
    "url", "urls", "link", "links", "src", "href", "path", "location", "uri", "address", "locator",
  ]

  /// Returns the target of names such as `cover_media_url` and `product_media_gallery_image_url_1`.
  private static func imageColumn(_ name: String) -> FeedTarget? {
    let words = words(of: withoutRemarks(name)).filter { word in !word.allSatisfy(\.isNumber) }
    guard words.count > 1, addressWords.contains(words[words.count - 1]),
      words.contains(where: { word in imageWords.contains { word.hasPrefix($0) } }),
      !words.contains("video")
    else { return nil }
    return words.contains { ["small", "thumb", "thumbnail", "mini", "icon"].contains($0) }
      ? .thumbnail : .images
  }

  /// Returns the words of a name in lower case: those of `mainImageURL` and `main_image_url` are the same.
  private static func words(of name: String) -> [String] {
    var words: [String] = []
    var word = ""
    var last: Character = " "
    for character in name {
      let begins = character.isUppercase && last.isLowercase
      if !(character.isLetter || character.isNumber) || begins, !word.isEmpty {
        words.append(word.lowercased())
        word = ""
      }
      if character.isLetter || character.isNumber { word.append(character) }
      last = character
    }
    return word.isEmpty ? words : words + [word.lowercased()]
  }

  /// Returns the target of `priceUAH`, `price_rub` and `priceRUAH`, whose end is a currency.
  private static func pricedName(_ name: String) -> FeedTarget? {
    let normal = normalized(name)
    for length in [3, 4] where normal.count > length {
      let stem = String(normal.dropLast(length))
      guard let place = places[stem], entries[place.entry].target == .price else { continue }
      let code = normal.suffix(3).uppercased()
      if Currency.codes.contains(code) { return .pricedIn(code) }
    }
    return nil
  }

  private static func isText(_ target: FeedTarget) -> Bool {
    switch target {
    case .title, .description, .url, .labels, .attribute, .subtitle: true
    default: false
    }
  }

  /// Countries that stand for their languages.
  private static let countries: Set<String> = [
    "ua", "cz", "gr", "jp", "cn", "kr", "dk", "se", "si", "ee", "by", "kz", "gb", "us", "at", "br",
    "tw", "rs", "me",
  ]

  /// Returns a name such as `name-en_US`, `name(de)`, `title_fr` or `translations.DEFAULT.name`
  /// without its language.
  private static func withoutLanguage(_ name: String) -> String? {
    if name.hasPrefix("translations.") { return name.split(separator: ".").last.map(String.init) }
    var rest = name.trimmed[...]
    if rest.last == ")" { rest.removeLast() }
    let parts = rest.split(whereSeparator: { "-_(: .".contains($0) })
    for count in [2, 1] where parts.count > count {
      let language = parts[parts.count - count]
      // These two-letter words are rarely meant as language codes.
      let isWord = ["id", "is", "no", "to", "in", "it"].contains(language.lowercased())
      let isCountry = countries.contains(language.lowercased())
      guard language.count == 2, !isWord, isCountry || LocaleMark.of(language.lowercased()) != nil,
        count == 1 || parts[parts.count - 1].count == 2
      else { continue }
      return String(rest[..<language.startIndex])
    }
    return nil
  }

  /// Returns the targets of fields in the native form. Other names have the targets that shops' names have, unless a
  /// native field has the same target.
  static func nativeTargets(of names: [String]) -> [FeedTarget?] {
    let own = names.map { name -> FeedTarget? in
      let name = name.trimmed
      let prefix = "attributes."
      if name.hasPrefix(prefix) { return .attribute(String(name.dropFirst(prefix.count))) }
      return native[name.lowercased()]
    }
    let taken = Set(own.compactMap { $0?.name })
    return zip(own, targets(of: names)).map { own, other in
      if let own { return own }
      guard let other, !taken.contains(other.name) else { return nil }
      switch other {
      case .image, .images, .url, .price, .currency, .availability: return other
      default: return nil
      }
    }
  }

  /// Returns the target of `image 2`, `Product Image File - 1`, `other_image_url3` and the like.
  private static func numberedImage(_ name: String) -> FeedTarget? {
    guard name.contains(where: \.isNumber) else { return nil }
    let base = String(name.filter { !$0.isNumber })
    if base == "productimagefile" || base == "productimageurl" { return .images }
    guard let place = places[base] else { return nil }
    let target = entries[place.entry].target
    return target == .image || target == .images ? .images : nil
  }

  /// Returns the target of `price-EUR`, `Price (USD)`, `Preis in €` and the like.
  private static func pricedColumn(_ name: String) -> FeedTarget? {
    let words = name.lowercased().split { !($0.isLetter || $0.isNumber || $0.isCurrencySymbol) }
      .map(String.init).filter { $0 != "in" }
    guard words.count >= 2, let place = places[words.dropLast().joined()],
      entries[place.entry].target == .price,
      let code = Currency.candidates(for: words[words.count - 1])?.first, !code.isEmpty
    else { return nil }
    return .pricedIn(code)
  }
}
