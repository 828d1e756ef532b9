/// A variant of a product, as one row has it.
struct VariantRow: Sendable {
  /// The id of the entity, if the variant becomes one.
  var id: String
  var sku = ""
  var price: PriceField?
  var salePrice: PriceField?
  /// The fields of a reduced price that holds between dates only.
  var datedSale: [String: JSONValue] = [:]
  var availability: String?
  var quantity: String?
  /// The values of its options, by the names of attributes, in their order.
  var options: [(name: String, value: String)] = []
  var images: [String] = []
  /// Its product codes, by the names of their fields.
  var codes: [(name: String, text: String)] = []
  let line: Int

  var color: String { options.first { $0.name == "color" }?.value ?? "" }
}

/// A product with its variants, which becomes one entity for each look: variants that differ in
/// size only are one entity.
///
/// Variants with a color or an image of their own are entities of the same `group`. An image belongs to
/// one of them only, since one that two entities share would find neither with certainty: colors that
/// share all images are one entity, and images that belong to no color make an entity of their own, as do
/// variants with neither. A color without an image is found by its words, and beneath the others of its
/// group; if all other colors have images, it takes those that are left.
struct VariantGroup: Sendable {
  /// The fields that the variants share.
  var base: ProductDraft
  /// The images of the product, each once, with the texts that describe them.
  private(set) var images: [(name: String, text: String)] = []
  private var imageNames: Set<[UInt8]> = []
  var variants: [VariantRow] = []
  /// The line of the product's first row.
  let line: Int

  init(base: ProductDraft, line: Int) { (self.base, self.line) = (base, line) }

  /// Adds images of the product, of which those that are there stay as they are.
  mutating func addImages(_ names: [String], text: String = "") {
    for name in names where imageNames.insert(Array(name.utf8)).inserted {
      images.append((name, text))
    }
  }

  /// The variants that look the same.
  private struct Look {
    var images: [String]
    var variants: [VariantRow]
    var isColor: Bool { !variants[0].color.isEmpty }
  }

  /// Returns the entities, with the lines they come from.
  func products(_ context: FeedContext) -> [(line: Int, record: DraftRecord)] {
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
    var products: [(line: Int, record: DraftRecord)] = own.map { look in
      var draft = base
      draft.id = look.variants[0].id
      draft.group = base.group ?? base.id
      draft.replaceImages(look.images)
      return (look.variants[0].line, record(draft, look.variants, context))
    }
    if !rest.isEmpty || !others.isEmpty {
      var draft = base
      draft.group = base.group ?? base.id
      draft.replaceImages(rest)
      draft.price = draft.price ?? variants.first?.price
      products.append((line, record(draft, others, context)))
    }
    return products
  }

  /// Returns one entity for all variants.
  private func whole(_ context: FeedContext) -> DraftRecord {
    var draft = base
    draft.replaceImages(FeedText.unique(images.map(\.name) + variants.flatMap(\.images)))
    return record(draft, variants, context)
  }

  /// The variants by their look, in the order of the rows.
  private var looks: [Look] {
    var keys: [String] = []
    var byKey: [String: [VariantRow]] = [:]
    for variant in variants {
      let key =
        variant.color.isEmpty
        ? variant.images.joined(separator: "\n") : "\u{0}" + variant.color.lowercased()
      if byKey[key] == nil { keys.append(key) }
      byKey[key, default: []].append(variant)
    }
    var looks: [Look] = []
    var places: [String: Int] = [:]
    let described = DescribedImages(images)
    for key in keys {
      let variants = byKey[key] ?? []
      var own = FeedText.unique(variants.flatMap(\.images))
      if own.isEmpty, keys.count > 1 { own = described.names(showing: variants[0].color) }
      // Variants that share all images cannot be told apart, nor can those with neither an image nor a color.
      let place = own.isEmpty ? variants[0].color : "\u{0}" + own.joined(separator: "\n")
      let isAlike = !own.isEmpty || variants[0].color.isEmpty
      if isAlike, let same = places[place] {
        looks[same].variants += variants
      } else {
        if isAlike { places[place] = looks.count }
        looks.append(Look(images: own, variants: variants))
      }
    }
    return looks
  }

  /// Returns the entity of some variants: the price of the first, and the values of all of them.
  private func record(
    _ draft: ProductDraft, _ variants: [VariantRow], _ context: FeedContext
  ) -> DraftRecord {
    var draft = draft
    if let first = variants.first {
      draft.price = first.price ?? draft.price
      draft.salePrice = first.price == nil ? draft.salePrice : first.salePrice
      for (name, value) in first.datedSale { draft.keep(name, value) }
    }
    let available =
      variants.first { $0.availabilityWord == "inStock" }
      ?? variants.first { $0.availabilityWord.map { $0 != "outOfStock" } ?? false }
    if let best = available ?? variants.first {
      draft.availability = best.availability ?? draft.availability
      draft.quantity = best.quantity ?? draft.quantity
    }
    for name in FeedText.unique(variants.flatMap { $0.options.map(\.name) }) {
      let values = FeedText.unique(
        variants.flatMap { $0.options.filter { $0.name == name }.map(\.value) })
      draft.setAttribute(name, values.prefix(40).joined(separator: ", "))
    }
    draft.replaceCodes(variants.flatMap(\.codes))
    let skus = variants.map(\.sku).filter { !$0.isEmpty }
    if variants.count == 1 || Set(skus).count == 1, let sku = skus.first {
      draft.keep("sku", .string(sku))
    } else if variants.count > 1 {
      draft.keep("variants", .array(variants.prefix(500).map { $0.json(context) }))
    }
    return draft.finished(context)
  }
}

extension VariantRow {
  /// The native word for the availability that its own fields say.
  fileprivate var availabilityWord: String? {
    if let availability { return try? FeedText.availability(availability) }
    return quantity.flatMap(FeedText.isInStock).map { $0 ? "inStock" : "outOfStock" }
  }

  /// The variant as a field of its product.
  fileprivate func json(_ context: FeedContext) -> JSONValue {
    var object: [String: JSONValue] = [:]
    if !sku.isEmpty { object["sku"] = .string(sku) }
    for code in codes { object[code.name] = .string(code.text) }
    for option in options { object[option.name] = .string(option.value) }
    if let price { object["price"] = (try? price.read(context.prices, nil)) ?? .string(price.text) }
    return .object(object)
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

  /// Returns the images whose name or description has a color in it.
  func names(showing color: String) -> [String] {
    let color = Self.words(color)
    let rarest = color.map { places[$0] ?? [] }.min { $0.count < $1.count } ?? []
    return rarest.map { images[$0] }.filter { image in
      image.words.indices.contains { image.words[$0...].starts(with: color) }
    }.map(\.name)
  }

  private static func words(_ text: String) -> [String] {
    text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
  }
}

/// Entities that were made of several rows and wait to be read.
struct RecordQueue: Sendable {
  private var records: [FeedRecord] = []
  private var position = 0

  mutating func add(_ products: [(line: Int, record: DraftRecord)]) {
    records += products.map { FeedRecord(line: $0.line, $0.record) }
  }

  mutating func next() -> FeedRecord? {
    guard position < records.count else {
      (records, position) = ([], 0)
      return nil
    }
    defer { position += 1 }
    return records[position]
  }
}
