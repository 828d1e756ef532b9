/// A variant of a product, whatever format it comes from.
struct ProductVariant: Sendable {
  /// The ids that its entity may have, the best one first.
  var ids: [String]
  var sku = ""
  /// The title of its own row, if that names the variant and not the product.
  var title = ""
  var price: PriceField?
  var salePrice: PriceField?
  /// The fields of a reduced price that holds between dates only.
  var datedSale: [String: JSONValue] = [:]
  var availability: String?
  var quantity: String?
  /// The places at which it is in stock, or `nil` if its row says nothing of places.
  var stockedAt: [String]?
  /// The values of its options, by the names of attributes, in their order.
  var options: [(name: String, value: String)] = []
  var images: [String] = []
  /// The address of its own page.
  var url: String?
  /// Its product codes, by the names of their fields.
  var codes: [(name: String, text: String)] = []
  let line: Int

  init(ids: [String] = [], line: Int) {
    self.ids = ids.filter { !$0.isEmpty }
    self.line = line
  }

  /// Makes a variant of a row or an object that has the fields of a product.
  init(_ draft: ProductDraft, line: Int) {
    self.init(ids: [draft.id], line: line)
    price = draft.price?.named(draft.currency)
    (salePrice, datedSale) = (draft.currentSalePrice?.named(draft.currency), draft.datedSale)
    (availability, quantity) = (draft.availability, draft.quantity)
    stockedAt = draft.stockedAt
    options = draft.attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    (images, url, codes) = (draft.imageNames, draft.url, draft.codes)
  }

  /// The value of an option, or an empty text if the variant does not have it.
  func value(of name: String) -> String { options.first { $0.name == name }?.value ?? "" }

  var color: String { value(of: "color") }

  /// About the number of bytes that it has.
  fileprivate var size: Int {
    let texts = ids + [sku, title, price?.text ?? "", salePrice?.text ?? "", url ?? ""]
    return FeedAllowance.size(of: texts) + FeedAllowance.size(of: images)
      + FeedAllowance.size(of: stockedAt ?? [])
      + options.reduce(0) { $0 + FeedAllowance.size(of: $1.name + $1.value) }
      + codes.reduce(0) { $0 + FeedAllowance.size(of: $1.text) }
      + FeedAllowance.size(of: datedSale)
  }

  /// The native word for the availability that its own fields say.
  fileprivate var availabilityWord: String? {
    if let availability { return try? FeedText.availability(availability) }
    return quantity.flatMap(FeedText.isInStock).map { $0 ? "inStock" : "outOfStock" }
  }

  /// The variant as a field of its product.
  fileprivate func json(_ context: FeedContext, currency: String?) -> JSONValue {
    var object: [String: JSONValue] = [:]
    if !sku.isEmpty { object["sku"] = .string(sku) }
    for code in codes { object[code.name] = .string(code.text) }
    for option in options { object[option.name] = .string(option.value) }
    let isReduced = salePrice.map { FeedText.isValue($0.text) && !$0.isZero } ?? false
    if let price = isReduced ? salePrice : price {
      object["price"] = (try? price.read(context.prices, currency)) ?? .string(price.text)
    }
    return .object(object)
  }
}

/// A product with its variants: what every format makes of the variants of a product, and the only
/// place where they become entities, one for each look. Variants that differ in size only are one entity.
///
/// Variants with a color or an image of their own are entities of the same `group`, and so are variants that differ in another
/// option that the images follow, such as a design. An image belongs to one of them only, since one that two entities share
/// would find neither with certainty: colors that share all images are one entity, and images that belong to no color make an
/// entity of their own, as do variants with neither. A color without an image is found by its words, and beneath the others of
/// its group; if all other colors have images, it takes those that are left.
struct ProductFamily: Sendable {
  /// The way in which entities of a look get their ids.
  enum Naming: Sendable {
    /// The id of the first variant.
    case variants
    /// The id of the product and the color, such as `tee/red`, or the number of the first variant.
    case colors
  }

  /// The fields that the variants share.
  var base: ProductDraft
  var naming: Naming
  /// True if an entity has the lowest price of its variants, rather than that of the first.
  var isPricedByCheapest = false
  /// The images of the product, each once, with the texts that describe them.
  private(set) var images: [(name: String, text: String)] = []
  private var imageNames: Set<[UInt8]> = []
  private(set) var variants: [ProductVariant] = []
  /// The names of the variants' options.
  private(set) var optionNames: Set<String> = []
  /// The rest of the budget of the product, from which each variant and each image is drawn.
  private(set) var allowance: FeedAllowance
  private var omissions = FamilyOmissions()
  /// The line of the product's first row.
  let line: Int

  /// Makes a product without variants.
  ///
  /// - Parameter allowance: What its rows may become.
  init(base: ProductDraft, line: Int, naming: Naming = .variants, allowance: FeedAllowance) {
    (self.base, self.line, self.naming) = (base, line, naming)
    self.allowance = allowance
  }

  /// Adds images of the product, of which those that are there stay as they are.
  mutating func addImages(_ names: [String], text: String = "") {
    for name in names where imageNames.insert(Array(name.utf8)).inserted {
      if allowance.draw(FeedAllowance.size(of: name) + FeedAllowance.size(of: text)) {
        images.append((name, text))
      } else {
        omissions.imageCount += 1
      }
    }
  }

  /// True if further variants are left out, because there are as many as a row may have.
  var isFull: Bool { variants.count >= allowance.limits.variantCount }

  /// Adds a variant, or leaves it out if there are too many.
  mutating func add(_ variant: ProductVariant) {
    if isFull { return omit(ids(ofOmitted: variant)) }
    optionNames.formUnion(variant.options.map(\.name))
    // The options of all variants are compared with each other, and with the images.
    let others = optionNames.count + variant.images.count
    if allowance.draw(variant.size), allowance.draw(variant.options.count, times: others) {
      variants.append(variant)
    } else {
      omissions.largeVariantCount += 1
      omissions.ids += ids(ofOmitted: variant)
    }
  }

  /// Adds a row about the stock of a variant at one place. The rows of a variant follow each other.
  mutating func addStock(_ variant: ProductVariant) {
    guard let last = variants.indices.last, variants[last].sku == variant.sku,
      variants[last].options.elementsEqual(variant.options, by: ==)
    else { return add(variant) }
    variants[last].quantity = variants[last].quantity ?? variant.quantity
    let known = variants[last].stockedAt ?? []
    guard let place = variant.stockedAt?.first, !known.contains(place),
      allowance.draw(FeedAllowance.size(of: place))
    else { return }
    variants[last].stockedAt = known + [place]
    variants[last].quantity = variant.quantity
  }

  /// Leaves out a variant beyond the largest number.
  mutating func omit(_ ids: [String]) {
    omissions.variantCount += 1
    omissions.ids += ids
  }

  /// Returns the ids that the entity of a variant may have.
  private func ids(ofOmitted variant: ProductVariant) -> [String] {
    if naming == .variants { return variant.ids }
    return variant.ids + variant.options.compactMap { colorID(of: $0.value) }
  }

  /// The most values of an attribute, and the most variants, that an entity lists.
  private static let valueLimit = 40
  private static let variantLimit = 500

  // MARK: Entities

  /// Returns the entities, with the lines they come from. The first one has the warnings about what was left out.
  func products(_ context: FeedContext) -> [(line: Int, record: DraftRecord)] {
    var family = self
    family.nameOptions()
    var products = family.entities(context)
    var part = FamilyPart(key: "\(line)/\(base.id)", omittedIDs: family.omissions.ids)
    let size = base.size
    if products.count * size > Self.repetitionFloor,
      products.count * size > Self.repetition * (size + variants.reduce(0) { $0 + $1.size })
    {
      part.repeatedField = base.longestField
    }
    for index in products.indices {
      products[index].record.family = part
      part.omittedIDs = []
    }
    if !products.isEmpty { products[0].record.warnings += family.omissions.warnings(of: family) }
    return products
  }

  /// The number of bytes, and the factor, from which on it is said that entities repeat the texts of their product.
  private static let (repetitionFloor, repetition) = (4 << 20, 16)

  /// Names an option `color` or `size` if its values are colors or sizes, whatever it is called, and no other option is.
  private mutating func nameOptions() {
    if variants.isEmpty { return }
    let names = FeedText.unique(variants.flatMap { $0.options.map(\.name) })
    for (known, areAll) in [("color", FeedText.areColors), ("size", FeedText.areSizes)]
    where !names.contains(known) {
      let name = names.first { name in
        let values = Set(variants.map { $0.value(of: name) }.filter { !$0.isEmpty })
        return !VariantOption.isKnown(name) && areAll(values)
      }
      guard let name else { continue }
      for index in variants.indices {
        variants[index].options = variants[index].options.map {
          ($0.name == name ? known : $0.name, $0.value)
        }
      }
    }
  }

  private mutating func entities(_ context: FeedContext) -> [(line: Int, record: DraftRecord)] {
    var looks = looks
    let claimed = Set(looks.flatMap(\.images))
    var rest = images.map(\.name).filter { !claimed.contains($0) }
    let unseen = looks.indices.filter { looks[$0].images.isEmpty }
    if unseen.count == 1, !claimed.isEmpty, looks[unseen[0]].isColor {
      (looks[unseen[0]].images, rest) = (rest, [])
    }
    let own = looks.filter { !$0.images.isEmpty || $0.isColor }
    guard looks.count > 1, !own.isEmpty else { return [(line, whole(context))] }
    let others = looks.filter { $0.images.isEmpty && !$0.isColor }.flatMap(\.variants)
    let hasRest = !rest.isEmpty || !others.isEmpty
    let ids = ids(of: own, besides: hasRest ? [base.id] : [])
    var products: [(line: Int, record: DraftRecord)] = []
    let size = base.size
    for (look, id) in zip(own, ids) {
      let ownSize = look.variants.reduce(FeedAllowance.size(of: look.images)) { $0 + $1.size }
      guard products.isEmpty || allowance.draw(size + ownSize) else {
        omissions.largeVariantCount += look.variants.count
        omissions.ids.append(id)
        continue
      }
      var draft = base
      draft.id = id
      draft.group = base.group ?? base.id
      draft.replaceImages(look.images)
      // The SKU of the product does not identify one of its looks.
      draft.leaveOut("sku")
      products.append((look.variants[0].line, record(draft, look.variants, context)))
    }
    if hasRest, products.isEmpty || allowance.draw(size + FeedAllowance.size(of: rest)) {
      var draft = base
      draft.group = base.group ?? base.id
      draft.replaceImages(rest)
      draft.price = draft.price ?? variants.first?.price
      // A product is not sold out while one of its variants is there.
      if others.isEmpty, ProductVariant(draft, line: line).availabilityWord == "outOfStock",
        let best = variants.first(where: { $0.availabilityWord == "inStock" })
      {
        (draft.availability, draft.quantity) = (best.availability, best.quantity)
      }
      products.append((line, record(draft, others, context)))
    } else if hasRest {
      omissions.largeVariantCount += others.count
      omissions.imageCount += rest.count
      omissions.ids.append(base.id)
    }
    return products
  }

  /// Returns one entity for all variants.
  private func whole(_ context: FeedContext) -> DraftRecord {
    var draft = base
    draft.replaceImages(FeedText.unique(images.map(\.name) + variants.flatMap(\.images)))
    return record(draft, variants, context)
  }

  /// Returns a different id for each look.
  private func ids(of looks: [Look], besides used: Set<String>) -> [String] {
    var used = used
    let colorIDs = naming == .colors ? colorIDs : []
    return looks.enumerated().map { index, look in
      let own = naming == .colors ? [colorIDs[look.first]] : look.variants[0].ids
      let id = own.first { !used.contains($0) } ?? "\(base.id)-\(index + 1)"
      used.insert(id)
      return id
    }
  }

  /// The ids of the variants by their colors. Colors may differ in marks only, such as `red/white` and `red / white`.
  private var colorIDs: [String] {
    var colors: [String: String] = [:]
    return variants.enumerated().map { index, variant in
      let color = variant.color.lowercased()
      let id = colorID(of: color) ?? "\(base.id)/\(index + 1)"
      guard let other = colors[id], other != color else {
        colors[id] = color
        return id
      }
      return "\(id)-\(index + 1)"
    }
  }

  /// Returns the id of the variants of a color, or `nil` if it has no letters.
  private func colorID(of color: String) -> String? {
    let words = color.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    return words.isEmpty ? nil : "\(base.id)/\(words)"
  }

  /// Returns the variant with the lowest price, of those whose prices are plain numbers.
  private static func cheapest(of variants: [ProductVariant]) -> ProductVariant? {
    variants.compactMap { variant in variant.price.flatMap { Double($0.text) }.map { (variant, $0) }
    }
    .min { $0.1 < $1.1 }?.0
  }

  /// Returns the entity of some variants: the price of the first, and the values of all of them.
  private func record(
    _ draft: ProductDraft, _ variants: [ProductVariant], _ context: FeedContext
  ) -> DraftRecord {
    var draft = draft
    if let first = variants.first {
      let hasTitle = variants.count < self.variants.count && !first.title.isEmpty
      if hasTitle, variants.allSatisfy({ $0.title == first.title }) { draft.title = first.title }
      let priced = isPricedByCheapest ? Self.cheapest(of: variants) ?? first : first
      draft.price = priced.price ?? draft.price
      draft.salePrice = priced.price == nil ? draft.salePrice : priced.salePrice
      for (name, value) in priced.datedSale { draft.keep(name, value) }
      if variants.count < self.variants.count || draft.url == nil {
        draft.url = first.url ?? draft.url
      }
    }
    let available =
      variants.first { $0.availabilityWord == "inStock" }
      ?? variants.first { $0.availabilityWord.map { $0 != "outOfStock" } ?? false }
    if let best = available ?? variants.first {
      // The number of pieces of a variant tells more than the word for the product.
      let isCounted = best.availability == nil && best.availabilityWord != nil
      draft.availability = isCounted ? nil : best.availability ?? draft.availability
      draft.quantity = best.quantity ?? draft.quantity
    }
    let places = variants.compactMap(\.stockedAt)
    if !variants.isEmpty {
      draft.stockedAt = places.isEmpty ? nil : FeedText.unique(places.flatMap(\.self))
    }
    for name in FeedText.unique(variants.flatMap { $0.options.map(\.name) }) {
      let values = FeedText.unique(
        variants.flatMap { $0.options.filter { $0.name == name }.map(\.value) })
      draft.setAttribute(name, values.prefix(Self.valueLimit).joined(separator: ", "))
    }
    draft.replaceCodes(variants.flatMap(\.codes))
    let skus = variants.map(\.sku).filter { !$0.isEmpty }
    if variants.count == 1 || Set(skus).count == 1, let sku = skus.first {
      draft.keep("sku", .string(sku))
    } else if variants.count > 1 {
      draft.keep(
        "variants",
        .array(
          variants.prefix(Self.variantLimit).map { $0.json(context, currency: base.currency) }))
    }
    return draft.finished(context)
  }

  // MARK: Looks

  /// The variants that look the same.
  private struct Look {
    var images: [String]
    var variants: [ProductVariant]
    /// The index of the first variant in the product.
    let first: Int
    var isColor: Bool { !variants[0].color.isEmpty }
  }

  /// The variants by their look, in the order of the rows.
  private var looks: [Look] {
    // Each variant is compared with each image once for each option.
    let (count, overflows) = (variants.count * images.count).multipliedReportingOverflow(
      by: max(1, optionNames.count))
    let described = DescribedImages(overflows || count > Self.comparisonLimit ? [] : images)
    let options = lookOptions(described)
    var keys: [String] = []
    var byKey: [String: [Int]] = [:]
    for (index, variant) in variants.enumerated() {
      let values = options.map { variant.value(of: $0).lowercased() }
      let key =
        values.allSatisfy(\.isEmpty)
        ? variant.images.joined(separator: "\n") : "\u{0}" + values.joined(separator: "\u{0}")
      if byKey[key] == nil { keys.append(key) }
      byKey[key, default: []].append(index)
    }
    var looks: [Look] = []
    var places: [String: Int] = [:]
    for key in keys {
      let indices = byKey[key] ?? []
      let variants = indices.map { self.variants[$0] }
      var own = FeedText.unique(variants.flatMap(\.images))
      if own.isEmpty, keys.count > 1 {
        own = described.names(showing: options.map { variants[0].value(of: $0) })
      }
      // Variants that share all images cannot be told apart, nor can those with neither an image nor a color.
      let place = own.isEmpty ? variants[0].color : "\u{0}" + own.joined(separator: "\n")
      let isAlike = !own.isEmpty || variants[0].color.isEmpty
      if isAlike, let same = places[place] {
        looks[same].variants += variants
      } else {
        if isAlike { places[place] = looks.count }
        looks.append(Look(images: own, variants: variants, first: indices[0]))
      }
    }
    return looks
  }

  /// The most comparisons of a variant with the description of an image.
  private static let comparisonLimit = 1 << 20

  /// Returns the options in which variants look different: the color, and others that the images follow.
  private func lookOptions(_ described: DescribedImages) -> [String] {
    let names = FeedText.unique(variants.flatMap { $0.options.map(\.name) })
    return names.filter {
      $0 == "color" || $0 != "size" && areImagesFollowing($0, described)
    }
  }

  /// Returns whether images depend on an option: of one color, different values have different images, and one value has
  /// always the same.
  private func areImagesFollowing(_ option: String, _ described: DescribedImages) -> Bool {
    var images: [String: [String: Set<String>]] = [:]
    for variant in variants {
      let value = variant.value(of: option)
      let (color, word) = (variant.color.lowercased(), value.lowercased())
      if value.isEmpty || variant.images.isEmpty && images[color]?[word] != nil { continue }
      let own =
        variant.images.isEmpty && value.contains { $0.isLetter } && value.count > 2
        ? described.names(showing: [variant.color, value]) : variant.images
      if own.isEmpty { continue }
      if let others = images[color]?[word], others != Set(own) { return false }
      images[color, default: [:]][word] = Set(own)
    }
    return images.values.contains { $0.count > 1 && Set($0.values).count == $0.count }
  }
}

/// The images of a product by the words of their names and descriptions.
private struct DescribedImages {
  private let images: [(name: String, words: [String])]
  /// The images with a word, in their order.
  private let places: [String: [Int]]

  init(_ images: [(name: String, text: String)]) {
    self.images = images.map { image in
      let file = image.name.split(separator: "/").last.map(String.init) ?? image.name
      return (image.name, Self.words(file + " " + image.text))
    }
    var places: [String: [Int]] = [:]
    for (index, image) in self.images.enumerated() {
      for word in Set(image.words) { places[word, default: []].append(index) }
    }
    self.places = places
  }

  /// Returns the images whose name or description has the values of all options in it, such as a color.
  func names(showing values: [String]) -> [String] {
    var shown: [Int]?
    for value in values where !value.isEmpty {
      let own = indices(showing: value)
      shown = shown.map { $0.filter(Set(own).contains) } ?? own
    }
    return (shown ?? []).map { images[$0].name }
  }

  private func indices(showing value: String) -> [Int] {
    let words = Self.words(value)
    let rarest = words.map { places[$0] ?? [] }.min { $0.count < $1.count } ?? []
    return rarest.filter { index in
      let image = images[index]
      return image.words.indices.contains { image.words[$0...].starts(with: words) }
    }
  }

  /// The most words of a description or a value that are compared.
  private static let wordLimit = 64

  private static func words(_ text: String) -> [String] {
    let words = text.prefix(1000).lowercased().split(maxSplits: wordLimit) {
      !$0.isLetter && !$0.isNumber
    }
    return words.prefix(wordLimit).map(String.init)
  }
}
