/// A document of JSON: a list of objects, objects one after another on several lines each, or an
/// object that has the products in a list, such as `{"products": […]}`.
///
/// The document is read as a whole, within the limits of documents.
struct JSONDocumentFeed: FeedFormatReader {
  let mapping: FeedMapping
  /// The remaining objects, the next one last.
  private var objects: [JSONValue]
  /// The names that occur several times in one object of the document. The report of the first record has them.
  private let repeatedNames: [String]
  private var count = 0
  private let context: FeedContext

  /// The fields that documents keep their products in.
  private static let lists = [
    "products", "items", "data", "entities", "results", "records", "rows", "entries", "catalog",
    "catalogue",
    "articles", "artikel", "produkte", "productos", "produits", "offers", "hits", "nodes",
    "_embedded", "edges",
    "variants",
  ]

  init?(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(CatalogueError) {
    guard case .json(let start) = head, Self.isDocument(start) else { return nil }
    let bytes = try records.rest()
    var objects: [JSONValue] = []
    var repeatedNames: [String] = []
    do throws(JSONError) {
      let values = try JSONSequence.values(in: bytes, &repeatedNames)
      if values.count == 1, case .object(let fields) = values[0], Self.isEmpty(fields) {
        objects = []
      } else {
        objects = values.flatMap(Self.objects)
      }
    } catch {
      if error.code != .cancelled {
        throw CatalogueError(
          code: .unreadableInput, message: "'\(records.name)' \(error.message)")
      }
      objects = []
    }
    self.objects = objects.reversed()
    self.repeatedNames = repeatedNames
    self.context = context
    let names = objects.prefix(100).reduce(into: Set<String>()) { names, object in
      if case .object(let fields) = object { names.formUnion(fields.keys) }
    }.sorted()
    mapping = FeedMapping(format: .json, names, ColumnVocabulary.targets(of: names))
  }

  mutating func next(from records: inout RecordReader) -> FeedRecord? {
    count += 1
    guard let object = objects.popLast() else { return nil }
    let context = context
    let repeated = count == 1 ? repeatedNames : []
    return FeedRecord(line: count, bytes: Array(object.text.utf8)) { () throws(FieldError) in
      var draft = try JSONFields.draft(object, context, isDocument: true)
      draft.warnings += JSONFields.warnings(ofRepeated: repeated)
      return draft
    }
  }

  /// Returns whether JSON is a document, rather than an object on each line.
  private static func isDocument(_ start: ArraySlice<UInt8>) -> Bool {
    let text = start.drop { [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    let line = text.prefix { $0 != 0x0A && $0 != 0x0D }
    let isWhole = line.count < text.count
    if text.first == UInt8(ascii: "[") {
      return line.count < 2 || isList(line) || isEmptyList(line) || !isJSON(line)
    }
    guard
      case .object(let fields)? = try? JSONValue(
        json: Array(line), limits: .document, shouldStop: { false })
    else {
      // A line that goes on behind the beginning is one of many, unless the object is broken over
      // several or begins with a list of products.
      return isWhole ? isBrokenOff(line) : beginsWithList(line)
    }
    return fields["id"] == nil && fields["row"] == nil
      && (list(of: fields) != nil || isEmpty(fields))
  }

  /// Returns whether a line is a list with something in it that is an object.
  private static func isList(_ line: ArraySlice<UInt8>) -> Bool {
    let next = line.dropFirst().first { $0 != 0x20 && $0 != 0x09 }
    return next == UInt8(ascii: "{") || next == UInt8(ascii: "[") && line.count > 2
  }

  private static func isEmptyList(_ line: ArraySlice<UInt8>) -> Bool {
    line.dropFirst().first { $0 != 0x20 && $0 != 0x09 } == UInt8(ascii: "]")
  }

  private static func isJSON(_ line: ArraySlice<UInt8>) -> Bool {
    (try? JSONValue(json: Array(line), limits: .document, shouldStop: { false })) != nil
  }

  /// Returns whether a line is the beginning of an object that goes on in the next one.
  private static func isBrokenOff(_ line: ArraySlice<UInt8>) -> Bool {
    let last = line.last { $0 != 0x20 && $0 != 0x09 }
    return last.map {
      [UInt8(ascii: "{"), UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: ":")].contains($0)
    }
      ?? false
  }

  /// Returns whether an object has a list of products near its beginning.
  private static func beginsWithList(_ line: ArraySlice<UInt8>) -> Bool {
    let start = String(decoding: line.prefix(4096), as: UTF8.self).filter { !$0.isWhitespace }
    return lists.contains { start.contains("\"\($0)\":[{") } && !start.hasPrefix("{\"type\":\"")
  }

  private static func list(of fields: [String: JSONValue]) -> [JSONValue]? {
    for name in lists {
      switch fields[name] {
      case .array(let values)?:
        if values.contains(where: { if case .object = $0 { true } else { false } }) {
          return values
        }
      case .object(let inner)?:
        if let values = list(of: inner) { return values }
      default: continue
      }
    }
    return nil
  }

  /// Returns whether a document has an empty list of products, and is none itself.
  private static func isEmpty(_ fields: [String: JSONValue]) -> Bool {
    guard fields["id"] == nil, list(of: fields) == nil, !isEntity(fields) else { return false }
    return lists.contains { name in
      switch fields[name] {
      case .array(let values)?: values.isEmpty
      case .object(let inner)?: isEmpty(inner)
      default: false
      }
    }
  }

  /// Returns the products in a value.
  private static func objects(in value: JSONValue) -> [JSONValue] {
    switch value {
    case .array(let values): return values.flatMap(objects)
    case .object(let own):
      let fields = withValues(own)
      if isEntity(fields) { return NestedVariants.products(of: fields) }
      if let node = fields["node"], case .object = node { return objects(in: node) }
      return list(of: fields).map { $0.flatMap(objects) } ?? [value]
    default: return [value]
    }
  }

  /// Returns an object with the values of its attributes as fields, as Akeneo keeps them:
  /// `{"values": {"name": [{"data": "Mug", "locale": "en_US"}]}}`. The first value counts.
  private static func withValues(_ fields: [String: JSONValue]) -> [String: JSONValue] {
    guard case .object(let values)? = fields["values"] else { return fields }
    var flat = fields
    flat["values"] = nil
    for (name, value) in values {
      guard case .array(let entries) = value, case .object(let first)? = entries.first,
        let data = first["data"]
      else { continue }
      // A price is a list with an amount for each currency.
      if case .array(let prices) = data, case .object(let price)? = prices.first,
        price["amount"] != nil
      {
        flat[name] = .object(price)
      } else {
        flat[name] = data
      }
    }
    return flat
  }

  /// Returns whether an object has a title and an id of its own.
  private static func isEntity(_ fields: [String: JSONValue]) -> Bool {
    let targets = ColumnVocabulary.targets(of: fields.keys.sorted())
    return targets.contains(.title) && targets.contains(.id)
      || SchemaOrgFeed.isNode(.object(fields))
  }
}

/// Reads values of JSON that follow each other, with blanks or commas between them.
enum JSONSequence {
  /// - Parameter repeatedNames: Receives the names that occur several times in one object.
  static func values(
    in bytes: [UInt8], _ repeatedNames: inout [String]
  ) throws(JSONError) -> [JSONValue] {
    var values: [JSONValue] = []
    var rest = bytes[...]
    while true {
      rest = rest.drop {
        [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF, UInt8(ascii: ",")].contains($0)
      }
      if rest.isEmpty { return values }
      let end = end(of: rest)
      var reader = JSONReader(Array(rest[..<end]), limits: .document)
      values.append(try reader.read(shouldStop: { Task.isCancelled }))
      if repeatedNames.isEmpty { repeatedNames = reader.repeatedNames }
      rest = rest[end...]
    }
  }

  /// Returns the index behind the first value.
  private static func end(of bytes: ArraySlice<UInt8>) -> Int {
    var depth = 0
    var isText = false
    var isEscaped = false
    for index in bytes.indices {
      let byte = bytes[index]
      if isText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isText = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isText = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth <= 0 { return index + 1 }
      default: continue
      }
    }
    return bytes.endIndex
  }
}

/// Makes products of the variants within an object, as Shopify's `products.json` and others have
/// them.
enum NestedVariants {
  /// Returns a product for each variant that has an image or a color of its own, otherwise the
  /// object itself.
  static func products(of fields: [String: JSONValue]) -> [JSONValue] {
    var fields = fields
    if case .object(let images)? = fields["image"], fields["images"] == nil {
      fields["images"] = .object(images)
    }
    guard case .array(let variants)? = fields["variants"], variants.count > 0,
      let id = ids(["handle", "id", "sku"], of: fields).first
    else { return [.object(fields)] }
    let names = optionNames(fields["options"])
    var base = fields
    for name in ["variants", "options"] { base[name] = nil }
    var looks: [Look] = []
    var places: [String: Int] = [:]
    let imagesByVariant = imagesByVariant(base)
    for case .object(let fields) in variants {
      let variant = Variant(fields: fields, attributes: attributes(of: fields, names))
      let image = fields["featured_image"] ?? fields["image"] ?? fields["images"]
      let images =
        image.map(JSONFields.addresses)
        ?? (fields["id"] ?? fields["image_id"]).flatMap { imagesByVariant[$0] } ?? []
      let color = variant.attributes["color"] ?? ""
      let key = ([color] + images).joined(separator: "\n")
      if let place = places[key] {
        looks[place].variants.append(variant)
      } else {
        places[key] = looks.count
        looks.append(Look(color: color, images: images, variants: [variant]))
      }
    }
    looks = joined(looks)
    var own = looks.filter { !$0.color.isEmpty || !$0.images.isEmpty }
    guard own.count > 1 else {
      let all = looks.flatMap(\.variants)
      var whole = completed(base, with: all)
      for name in ["sku", "price"] where base[name] != nil { whole[name] = base[name] }
      return [.object(whole)]
    }
    // An image belongs to one entity, as in exports of tables.
    let claimed = Set(own.flatMap(\.images))
    var unclaimed = [base["image"], base["images"]].compactMap(\.self)
      .flatMap(JSONFields.addresses).filter { !claimed.contains($0) }
    let unseen = own.indices.filter { own[$0].images.isEmpty }
    if unseen.count == 1, !claimed.isEmpty {
      (own[unseen[0]].images, unclaimed) = (FeedText.unique(unclaimed), [])
    }
    var used: Set<String> = []
    let products: [JSONValue] = own.enumerated().map { index, look in
      var product = completed(base, with: look.variants)
      product["images"] = .array(look.images.map(JSONValue.string))
      product["image"] = nil
      let own =
        ids(["sku", "id"], of: look.variants[0].fields).first { !used.contains($0) }
        ?? "\(id)-\(index + 1)"
      used.insert(own)
      product["id"] = .string(own)
      product["group"] = .string(id)
      return .object(product)
    }
    // Variants with neither a color nor an image of their own, next to those that have one.
    let others = looks.filter { $0.color.isEmpty && $0.images.isEmpty }.flatMap(\.variants)
    if others.isEmpty, unclaimed.isEmpty { return products }
    var rest = completed(base, with: others)
    rest["images"] = .array(FeedText.unique(unclaimed).map(JSONValue.string))
    rest["image"] = nil
    rest["group"] = .string(id)
    return products + [.object(rest)]
  }

  /// Returns the texts of some fields that are not empty.
  private static func ids(_ names: [String], of fields: [String: JSONValue]) -> [String] {
    names.compactMap { fields[$0].flatMap { JSONFields.texts(in: $0).first } }
      .filter { !$0.trimmed.isEmpty }
  }

  /// Returns the looks without those that have a color and no image, if another one has an image of that color: its
  /// variants take theirs, since they differ in size only.
  private static func joined(_ looks: [Look]) -> [Look] {
    var seen = looks.filter { $0.color.isEmpty || !$0.images.isEmpty }
    var unseen: [Look] = []
    for look in looks where !look.color.isEmpty && look.images.isEmpty {
      if let place = seen.firstIndex(where: { $0.color == look.color }) {
        seen[place].variants += look.variants
      } else {
        unseen.append(look)
      }
    }
    return unseen.isEmpty ? seen : seen + unseen
  }

  private struct Variant {
    let fields: [String: JSONValue]
    let attributes: [String: String]
  }

  /// The variants that look the same: those with one color and one list of images.
  private struct Look {
    let color: String
    var images: [String]
    var variants: [Variant]
  }

  /// The most options of a product.
  private static let optionLimit = 16
  /// The most values of an attribute, and the most variants, that an entity lists.
  private static let valueLimit = 40
  private static let variantLimit = 500

  /// Returns a product with the fields of some of its variants: the price of the first, and the values and codes of all.
  private static func completed(
    _ base: [String: JSONValue], with variants: [Variant]
  ) -> [String: JSONValue] {
    var product = base
    for name in ["sku", "price"] {
      if let value = variants.first?.fields[name], value != .null { product[name] = value }
    }
    let available = variants.compactMap { $0.fields["available"] }
    if let value = available.first(where: { $0 == .bool(true) }) ?? available.first {
      product["available"] = value
    }
    for name in Set(variants.flatMap(\.attributes.keys)) where base[name] == nil {
      let values = FeedText.unique(variants.compactMap { $0.attributes[name] })
      product[name] = .string(values.prefix(valueLimit).joined(separator: ", "))
    }
    for name in Set(variants.flatMap(\.fields.keys)).filter(ProductCode.isField) {
      let codes = FeedText.unique(
        variants.compactMap { $0.fields[name].flatMap { JSONFields.texts(in: $0).first } })
      if codes.isEmpty { continue }
      product[name] = codes.count == 1 ? .string(codes[0]) : .array(codes.map(JSONValue.string))
    }
    guard variants.count > 1 else { return product }
    product["sku"] = base["sku"]
    product["variants"] = .array(
      variants.prefix(variantLimit).map { variant in
        var object = variant.attributes.mapValues(JSONValue.string)
        for (name, value) in variant.fields
        where value != .null
          && (["sku", "price", "available"].contains(name) || ProductCode.isField(name))
        {
          object[name] = value
        }
        return .object(object)
      })
    return product
  }

  /// Returns the names of options: texts, or objects with a name.
  private static func optionNames(_ value: JSONValue?) -> [String] {
    guard case .array(let options)? = value else { return [] }
    return options.prefix(optionLimit).map { (JSONFields.texts(in: $0).first ?? "").lowercased() }
  }

  private static func attributes(
    of variant: [String: JSONValue], _ names: [String]
  ) -> [String: String] {
    var attributes: [String: String] = [:]
    for (index, name) in names.enumerated() {
      if let value = variant["option\(index + 1)"].flatMap({ JSONFields.texts(in: $0).first }),
        !name.isEmpty
      {
        attributes[VariantOption.name(name)] = value
      }
    }
    for name in ["color", "colour", "size", "material"] {
      if let value = variant[name].flatMap({ JSONFields.texts(in: $0).first }) {
        attributes[VariantOption.name(name)] = value
      }
    }
    return attributes
  }

  /// Returns the addresses of the images of a product that name variants, by the ids of these.
  private static func imagesByVariant(_ fields: [String: JSONValue]) -> [JSONValue: [String]] {
    guard case .array(let images)? = fields["images"] else { return [:] }
    var addresses: [JSONValue: [String]] = [:]
    for case .object(let image) in images {
      guard case .array(let ids)? = image["variant_ids"] else { continue }
      let own = JSONFields.addresses(in: .object(image))
      for id in Set(ids) { addresses[id, default: []] += own }
    }
    return addresses
  }
}

/// The names of the options of variants.
enum VariantOption {
  /// Returns the name of an attribute for an option: `color` for `Farbe`, otherwise the name in
  /// lower case.
  static func name(_ option: String) -> String {
    let name = option.lowercased().trimmed
    if case .attribute(let known)?? = ColumnVocabulary.targets(of: [name]).first { return known }
    return name
  }
}
