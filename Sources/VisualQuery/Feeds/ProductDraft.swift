internal import PixelMatch

/// The native form of a record, and the fields of the record that cannot be read.
struct DraftRecord: Sendable, Hashable {
  var json: JSONValue
  var warnings: [FieldError] = []
  /// True for a draft or an unpublished product, which is left out.
  var isHidden = false
  /// The ids that stand in for one that is missing, or that another product has.
  var substituteIDs: [String] = []
  /// True if a reduced price was left out, because it holds between dates only.
  var isSaleDated = false
  /// The field that the id is from.
  var idOrigin = IDOrigin.own
  /// The product that the record is one look of, or `nil` if it is a product of its own.
  var family: FamilyPart?

  /// The fields that an id may be from.
  enum IDOrigin: Sendable {
    /// A field for ids.
    case own
    /// A number of the maker or of all shops, which two products of a feed may share.
    case code
    case link, title
  }
}

/// Collects the fields of a foreign record and makes an entity in the native form of them.
///
/// A price or an availability that cannot be read is left out with a warning.
struct ProductDraft: Sendable {
  var type = EntityType.product
  /// The type as the record has it, if it is unknown; the report of the rejected row contains it.
  var unknownType: String?
  var id = ""
  var title = ""
  /// The title that counts if there is no other.
  private var otherTitle = ""
  /// The titles in other languages, by their tags.
  private var otherTitles: [String: String] = [:]
  /// The id that counts if there is no other, with the place of its name in the list.
  private var otherID: (rank: Int, text: String)?
  /// True if the record has the native form, which requires an id.
  var isNative = false
  var brand: String?
  var group: String?
  var url: String?
  var price: PriceField?
  var salePrice: PriceField?
  /// The name of the field with the reduced price.
  private var salePriceName = "salePrice"
  /// True if the reduction holds only between dates, which may have passed when the price is shown.
  private var isSaleDated = false
  /// The currency of a field of its own.
  var currency: String?
  var availability: String?
  var quantity: String?
  /// The places at which it is in stock, as the shop calls them; `nil` if the record says nothing of places.
  var stockedAt: [String]?
  private(set) var attributes: [String: String] = [:]
  private(set) var labels: [String] = []
  /// The text on the thing.
  private var lines: [String] = []
  private(set) var mainImages: [String] = []
  private(set) var images: [String] = []
  private var thumbnail: String?
  private var latitude: String?
  private var longitude: String?
  private var fields: [String: JSONValue] = [:]
  private var warnings: [FieldError] = []
  /// True if a field says that the product is a draft or is not published.
  private(set) var isHidden = false
  /// True if the id is a number that several products may share.
  private var isWeakID = false

  /// Adds a field of a row by its meaning. Empty fields count as absent.
  ///
  /// - Parameters:
  ///   - target: The meaning, or `nil` for a field that is kept unchanged.
  ///   - name: The name in the feed.
  mutating func add(_ target: FeedTarget?, _ name: String, _ text: String) {
    if text.isEmpty { return }
    switch target {
    case .type?: setType(text)
    case .id?:
      id = text.trimmed
      isWeakID = ColumnVocabulary.isWeakID(name)
      // If the id is the product code, the code must find the product, too.
      if ProductCode.isField(name), ProductCode(id) != nil { keep(name, .string(id)) }
    case .title? where title.isEmpty: title = text
    case .title?, .otherTitle?:
      // Of several titles, such as those of several languages, the first one counts.
      if otherTitle.isEmpty { otherTitle = text }
      if text != title { keep(name, .string(text)) }
      if let tag = ColumnVocabulary.language(of: name) { addTitle(text, in: tag) }
    case .otherID?:
      addOtherID(name, text)
      keepUnread(name, text)
    case .brand?: brand = text
    case .group?: group = text.trimmed
    case .url?: url = text.trimmed
    case .image?: mainImages += ImageList.names(in: text)
    case .images?: images += ImageList.names(in: text)
    case .thumbnail?: thumbnail = text
    case .labels?: addLabels(in: text, of: name)
    case .price?, .amount?: price = price ?? PriceField(text: text)
    case .pricedIn(let code)?: price = price ?? PriceField(text: text, currency: code)
    case .salePrice?: (salePrice, salePriceName) = (PriceField(text: text), name)
    case .currency?: currency = text
    case .availability?: availability = text
    case .quantity?:
      if FeedText.isMeasure(text) { keep(name, .string(text)) } else { quantity = text }
    case .attribute(let name)?: addAttribute(name, text)
    case .latitude?: latitude = text
    case .longitude?: longitude = text
    case .synonyms?, .stock?, .openingHours?: addList(target, text)
    case .featured?: setFeatured(text)
    case .subtitle?, .address?, .timeZone?: fields[target?.name ?? name] = .string(text)
    case .description?:
      fields["description"] = fields["description"] ?? .string(PlainText.description(text))
    case .text?: addLines(text)
    case .visibility?:
      isHidden = isHidden || FeedText.isHidden(text)
      keep(name, .string(text))
    case .hidden?:
      isHidden = isHidden || FeedText.flag(text) == true || FeedText.isDate(text)
      keep(name, .string(text))
    case nil: keepUnread(name, text)
    case .attributes?:
      keep(name, .string(text))
    }
  }

  /// Keeps a field without a meaning of its own under its name. A product code in a field with the name of a code
  /// becomes `gtin`, and text on the thing is added to its lines.
  private mutating func keepUnread(_ name: String, _ text: String) {
    if name == EntityValue.textField { return addLines(text) }
    // This is evaluated for every field that is kept, so the cheapest test comes first.
    if ProductCode(text) != nil, !ProductCode.isField(name), Self.isCodeName(name) {
      return keep("gtin", .string(text.trimmed))
    }
    // Programs write zeros for a day that is missing.
    isSaleDated =
      isSaleDated
      || text.utf8.contains { UInt8(ascii: "1")...UInt8(ascii: "9") ~= $0 }
        && Self.saleDates.contains(ColumnVocabulary.normalized(name))
    keep(name, .string(text))
  }

  /// Adds the title in another language, such as that of `name-de_DE`.
  mutating func addTitle(_ text: String, in tag: String) {
    let text = PlainText.text(text).trimmed
    if FeedText.isValue(text) { otherTitles[tag] = otherTitles[tag] ?? text }
  }

  /// Adds lines of text on the thing, which a cell of a table may separate by bars.
  private mutating func addLines(_ text: String) {
    lines += text.split(separator: "|").map(String.init)
  }

  /// Remembers the number of a field that counts if the one for ids is empty; of several, that with the surest name.
  mutating func addOtherID(_ name: String, _ text: String) {
    let rank = ColumnVocabulary.idRank(name)
    if rank < otherID?.rank ?? .max, !text.trimmed.isEmpty { otherID = (rank, text.trimmed) }
  }

  /// Leaves out what a row that is a product and its first variant says of the variant only.
  mutating func leaveOutVariant() {
    let words = attributes["color"].map(FeedText.words) ?? []
    labels.removeAll(where: words.contains)
    attributes = [:]
    for code in codes { leaveOut(code.name) }
  }

  /// The fields with the days between which a reduction holds, by their normalized names.
  private static let saleDates: Set<String> = [
    "salepriceeffectivedate", "salepricestartdate", "salepriceenddate", "datesalepricestarts",
    "datesalepriceends", "specialpricefromdate", "specialpricetodate", "specialfromdate",
    "specialtodate", "salepricedatesfrom", "salepricedatesto", "saledatesfrom", "saledatesto",
    "datesfrom", "datesto", "salefromdate", "saletodate", "salestartdate", "saleenddate",
    "salepricefrom", "salepriceto", "salepricevalidfrom", "salepricevalidto", "salestart",
    "saleend", "salepricestart", "salepriceend", "dateonsalefrom", "dateonsaleto",
    "discountfrom", "discountto", "discountfromyyyymmdd", "discounttoyyyymmdd", "discountstartdate",
    "discountenddate", "offerstartdate", "offerenddate", "promotionstartdate", "promotionenddate",
    "specialdatestart", "specialdateend", "specialpricestartdate", "specialpriceenddate",
    "specialpricefrom", "specialpriceto",
  ]

  private static let codeNames = FeedData.wordSet("codes")

  /// Returns whether a name such as `EAN / GTIN / UPC`, `upc_ean` or `Barkod` is that of a product code.
  private static func isCodeName(_ name: String) -> Bool {
    if codeNames.contains(FeedData.plain(name)) { return true }
    let words = name.lowercased().split { !$0.isLetter && !$0.isNumber }
    return words.contains { codeNames.contains(String($0)) }
  }

  /// Keeps a field unchanged.
  mutating func keep(_ name: String, _ value: JSONValue) {
    var name = Self.kept(name)
    // In the native form, `attributes` are an object.
    if name == "attributes", case .string = value { name = "attributesText" }
    if !name.isEmpty, fields[name] == nil { fields[name] = value }
  }

  /// The product codes that are kept, by the names of their fields.
  var codes: [(name: String, text: String)] {
    fields.sorted { $0.key < $1.key }.compactMap { name, value in
      guard case .string(let text) = value, ProductCode.isField(name) else { return nil }
      return (name, text)
    }
  }

  /// Leaves out a field that was kept.
  mutating func leaveOut(_ name: String) { fields[name] = nil }

  /// Keeps a field that may occur several times: the first text, or a list of all.
  mutating func keepRepeated(_ name: String, _ text: String) {
    switch fields[name] {
    case .string(let first)? where first != text:
      fields[name] = .array([.string(first), .string(text)])
    case .array(var texts)?:
      // Takes the list out of the fields, because it would otherwise be copied for each text.
      fields[name] = nil
      texts.append(.string(text))
      fields[name] = .array(texts)
    default: break
    }
  }

  /// About the number of bytes that an entity with these fields has, without its images.
  var size: Int {
    [title, otherTitle, id, brand, group, url].reduce(0) { $0 + FeedAllowance.size(of: $1 ?? "") }
      + FeedAllowance.size(of: labels) + FeedAllowance.size(of: lines)
      + FeedAllowance.size(of: stockedAt ?? [])
      + FeedAllowance.size(of: fields)
      + attributes.reduce(0) { $0 + FeedAllowance.size(of: $1.key + $1.value) }
  }

  /// The field that has the most bytes.
  var longestField: String? {
    fields.map { ($0.key, FeedAllowance.size(of: $0.value)) }.max { ($0.1, $1.0) < ($1.1, $0.0) }?.0
  }

  /// Keeps the codes of the product's variants, in place of its own.
  mutating func replaceCodes(_ codes: [(name: String, text: String)]) {
    for name in FeedText.unique(codes.map { Self.kept($0.name) }) {
      let texts = FeedText.unique(codes.filter { Self.kept($0.name) == name }.map(\.text))
      fields[name] = texts.count == 1 ? .string(texts[0]) : .array(texts.map(JSONValue.string))
    }
  }

  /// Returns the name under which a field is kept: `gtin` for a code whose own name filters cannot say.
  private static func kept(_ name: String) -> String {
    ProductCode.isField(name) && !(EntityProperty.storedExtra(name) != nil) ? "gtin" : name
  }

  /// Sets a property that distinguishes variants. A color is a label, too.
  mutating func setAttribute(_ name: String, _ text: String) {
    let value = PlainText.text(text.trimmed)
    if !FeedText.isValue(value) { return }
    attributes[name] = value
    if name == "color" { addLabels(FeedText.words(value)) }
  }

  /// The most characters of an attribute to which further values are added.
  private static let attributeLimit = 1000

  /// Adds a value of a property that a record may have several times.
  private mutating func addAttribute(_ name: String, _ text: String) {
    guard let known = attributes[name] else { return setAttribute(name, text) }
    let values = known.split(separator: ",").map(\.trimmed)
    let value = PlainText.text(text.trimmed)
    guard known.count < Self.attributeLimit, FeedText.isValue(value), value != known,
      !values.contains(value)
    else { return }
    setAttribute(name, "\(known), \(value)")
  }

  mutating func addLabels(_ texts: [String]) { labels += texts }

  /// Adds the labels in a category or a list of tags, and keeps a text that has more, such as a path of three categories.
  mutating func addLabels(in text: String, of name: String) {
    let words = FeedText.words(text)
    addLabels(words)
    if FeedText.isMore(text, than: words) { keep(name, .string(text)) }
  }

  /// The names of the images so far, the main one first.
  var imageNames: [String] {
    let all = FeedText.unique(mainImages + images)
    return all.isEmpty ? thumbnail.map(ImageList.names) ?? [] : all
  }

  mutating func addImages(_ names: [String]) { images += names }

  /// Places names of images beneath a folder or an address; those that are addresses stay as they are.
  mutating func placeImages(beneath base: String) {
    func placed(_ name: String) -> String {
      if name.contains("://") || name.hasPrefix("//") { return name }
      return base + "/" + name.drop { $0 == "/" }
    }
    (mainImages, images) = (mainImages.map(placed), images.map(placed))
    thumbnail = thumbnail.map(placed)
  }

  mutating func replaceImages(_ names: [String]) {
    (mainImages, images, thumbnail) = ([], names, nil)
  }

  /// Sets the price from a number, whose point is a decimal one.
  mutating func setPrice(number: String, isSale: Bool) {
    let field = PriceField(text: number, isNumber: true)
    if isSale { salePrice = field } else { price = price ?? field }
  }

  mutating func warn(_ field: String, _ reason: String) {
    warnings.append(FieldError(field: field, reason: reason))
  }

  private mutating func setType(_ text: String) {
    if let type = EntityType(rawValue: text.lowercased().trimmed) {
      self.type = type
    } else if !FeedText.isKind(text) {
      addLabels(in: text, of: "category")
    }
  }

  private mutating func setFeatured(_ text: String) {
    if let isFeatured = FeedText.flag(text) {
      fields["featured"] = .bool(isFeatured)
    } else {
      warn("featured", "is '\(text)'; expected true or false")
    }
  }

  private mutating func addList(_ target: FeedTarget?, _ text: String) {
    let parts = text.split(separator: "|").map(\.trimmed)
    fields[target?.name ?? ""] = .array(parts.filter { !$0.isEmpty }.map(JSONValue.string))
  }

  /// Returns the entity.
  func finished(_ context: FeedContext) -> DraftRecord {
    var object = fields
    var warnings = warnings
    object["type"] = .string(unknownType ?? type.rawValue)
    let ownTitle = title.trimmed
    let title = ownTitle.isEmpty ? otherTitle.trimmed : ownTitle
    let id = id.isEmpty && !isNative ? otherID?.text ?? "" : id
    let substitutes = isNative || !id.isEmpty && !isWeakID ? [] : substituteIDs(title)
    var idOrigin: DraftRecord.IDOrigin = isWeakID ? .code : .own
    if !id.isEmpty {
      object["id"] = .string(id)
    } else if let first = substitutes.first {
      object["id"] = .string(first)
      idOrigin = url == nil ? .title : .link
    }
    if !title.isEmpty { object["title"] = .string(PlainText.text(title)) }
    let translated = otherTitles.filter { $0.value != title }
    if !translated.isEmpty, object["localized"] == nil {
      object["localized"] = .object(
        translated.mapValues { JSONValue.object(["title": .string($0)]) })
    }
    object["brand"] = brand.map { .string(PlainText.text($0)) } ?? object["brand"]
    object["group"] = group.map(JSONValue.string) ?? object["group"]
    object["url"] = url.map(JSONValue.string) ?? object["url"]
    if isSaleDated, let salePrice {
      object[salePriceName] = object[salePriceName] ?? .string(salePrice.text)
    }
    let names = imageNames
    if !names.isEmpty { object["images"] = .array(names.map(JSONValue.string)) }
    let words = FeedText.unique(labels)
    if !words.isEmpty { object["labels"] = .array(words.map(JSONValue.string)) }
    if !lines.isEmpty { object[EntityValue.textField] = .array(lines.map(JSONValue.string)) }
    if !attributes.isEmpty {
      object["attributes"] = .object(attributes.mapValues(JSONValue.string))
    }
    // An empty list replaces the places that were known before.
    if let stockedAt {
      object[EntityValue.stockedAtField] = .array(stockedAt.map(JSONValue.string))
    }
    do throws(FieldError) {
      if let price = try readPrice(context.prices, &warnings) { object["price"] = price }
    } catch {
      warnings.append(error)
      // The text is kept, so that nothing of the row is lost.
      object["priceText"] = price.map { .string($0.text) }
    }
    do throws(FieldError) {
      if let word = try readAvailability() { object["availability"] = .string(word) }
    } catch {
      warnings.append(error)
      object["availabilityText"] = (availability ?? quantity).map(JSONValue.string)
    }
    addPlace(to: &object, &warnings)
    var record = DraftRecord(
      json: .object(object), warnings: warnings,
      isHidden: isHidden && !context.options.includesDrafts)
    (record.substituteIDs, record.idOrigin) = (substitutes, idOrigin)
    record.isSaleDated = isSaleDated && salePrice.map { FeedText.isValue($0.text) } == true
    return record
  }

  /// Returns the ids that a product without one of its own may have: its link, and its title.
  private func substituteIDs(_ title: String) -> [String] {
    var ids: [String] = []
    if let url, url.utf8.count <= EntityFields.idByteLimit { ids.append(url) }
    let words = PlainText.text(title).lowercased().split { !$0.isLetter && !$0.isNumber }
      .joined(separator: "-")
    if words.isEmpty { return ids }
    // Products with the same title are told apart by their images, or else by their prices.
    let hash = (imageNames.first ?? price?.text).map { mark in
      String(ContentHash.of(Array(mark.utf8)) & 0xFFFF_FFFF, radix: 16)
    }
    let forms = [words] + [hash.map { "\(words)-\($0)" }].compactMap(\.self)
    return ids + forms.filter { $0.utf8.count <= EntityFields.idByteLimit }
  }

  /// The reduced price, unless it holds between dates only.
  var currentSalePrice: PriceField? { isSaleDated ? nil : salePrice }

  /// The fields of a reduced price that holds between dates only, as they are kept.
  var datedSale: [String: JSONValue] {
    guard isSaleDated, let salePrice else { return [:] }
    var sale = fields.filter { Self.saleDates.contains(ColumnVocabulary.normalized($0.key)) }
    sale[salePriceName] = .string(salePrice.text)
    return sale
  }

  /// Returns the reduced price if there is one, otherwise the price.
  private func readPrice(
    _ prices: FeedPrices, _ warnings: inout [FieldError]
  ) throws(FieldError) -> JSONValue? {
    if let salePrice = currentSalePrice, FeedText.isValue(salePrice.text), !salePrice.isZero {
      do throws(FieldError) {
        return try salePrice.read(prices, currency)
      } catch {
        warnings.append(FieldError(field: "price", reason: "(reduced) \(error.reason)"))
      }
    }
    guard let price, FeedText.isValue(price.text) else { return nil }
    return try price.read(prices, currency)
  }

  private func readAvailability() throws(FieldError) -> String? {
    if let availability, FeedText.isValue(availability) {
      return try FeedText.availability(availability)
    }
    guard let quantity, FeedText.isValue(quantity) else { return nil }
    if let isInStock = FeedText.isInStock(quantity) { return isInStock ? "inStock" : "outOfStock" }
    return try FeedText.availability(quantity)
  }

  private func addPlace(to object: inout [String: JSONValue], _ warnings: inout [FieldError]) {
    guard let latitude, let longitude else {
      if latitude != nil || longitude != nil {
        warnings.append(FieldError(field: "geo", reason: "has only one of latitude and longitude"))
      }
      return
    }
    guard let north = Double(latitude), let east = Double(longitude), north.isFinite, east.isFinite
    else {
      warnings.append(
        FieldError(field: "geo", reason: "is '\(latitude)', '\(longitude)'; expected two numbers"))
      return
    }
    object["geo"] = .object(["latitude": .number(north), "longitude": .number(east)])
  }
}

/// A price as a field of a record has it.
struct PriceField: Sendable, Hashable {
  let text: String
  /// The currency that the name of the field says.
  var currency: String?
  /// True if the text is a JSON number, whose point is a decimal mark.
  var isNumber = false

  /// Returns the price with the currency that another field names, unless its own field names one.
  func named(_ other: String?) -> PriceField {
    PriceField(text: text, currency: currency ?? other, isNumber: isNumber)
  }

  /// True if the price is zero in any notation, which some programs write for a price that is missing.
  var isZero: Bool {
    let digits = text.compactMap(\.wholeNumberValue)
    return !digits.isEmpty && digits.allSatisfy { $0 == 0 }
  }

  /// Returns the price in the native form.
  ///
  /// - Parameter other: The currency that another field names.
  func read(_ prices: FeedPrices, _ other: String?) throws(FieldError) -> JSONValue {
    isNumber
      ? try prices.price(number: text, column: currency ?? other)
      : try prices.price(text, column: currency ?? other)
  }
}
