internal import PixelMatch

/// A document of JSON: a list of objects, objects one after another on several lines each, or an
/// object that has the products in a list, such as `{"products": […]}`.
///
/// The document is read as a whole, within the limits of documents.
struct JSONDocumentFeed: FeedFormatReader {
  let mapping: FeedMapping
  private(set) var leftOut: [String: Int] = [:]
  /// The remaining objects, the next one last.
  private var objects: [JSONValue]
  /// The remaining records of the last object, the next one last.
  private var ready: [FeedRecord] = []
  /// The names that occur several times in one object of the document. The report of the first record has them.
  private let repeatedNames: [String]
  private var count = 0
  /// True if the objects are stores.
  private var areStores = false
  private let context: FeedContext

  /// The fields that documents keep their products in.
  private static let lists = [
    "products", "items", "data", "entities", "results", "records", "rows", "entries", "catalog",
    "catalogue",
    "articles", "artikel", "produkte", "productos", "produits", "offers", "hits", "nodes",
    "_embedded", "edges", "productVariations",
    "variants", "stores", "locations", "branches", "shops", "outlets", "filialen", "features",
    "elements", "pois",
  ]

  init?(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(FeedError) {
    guard case .json(let start) = head, Self.isDocument(start) else { return nil }
    let bytes = try records.rest()
    var objects: [JSONValue] = []
    var repeatedNames: [String] = []
    do throws(JSONError) {
      let values = try JSONSequence.values(in: bytes, &repeatedNames)
      if values.count == 1, case .object(let fields) = values[0], Self.isEmpty(fields) {
        objects = []
      } else {
        objects =
          context.map == nil
          ? JSONFamily.withVariations(values.map(ContentDocuments.resolved).flatMap(Self.objects))
            .map(JSONShopObjects.usual)
          : values.flatMap {
            JSONFields.records(in: $0, context.map?.record) ?? Self.objects(in: $0)
          }
        if context.map == nil {
          leftOut = ContentDocuments.keepProducts(of: &objects)
          areStores = StoreRecord.areStores(objects)
        }
      }
    } catch {
      if error.code != .cancelled {
        throw FeedError(
          message: "'\(records.name)' \(error.message)")
      }
      objects = []
    }
    if objects.isEmpty, !leftOut.isEmpty {
      let types = leftOut.keys.sorted().prefix(3).joined(separator: ", ")
      throw FeedError(message: "'\(records.name)' has no products, only \(types)")
    }
    self.objects = objects.reversed()
    self.repeatedNames = repeatedNames
    self.context = context
    let names = objects.prefix(100).reduce(into: Set<String>()) { names, object in
      if case .object(let fields) = object { names.formUnion(fields.keys) }
    }.sorted()
    let targets = ColumnVocabulary.targets(of: names)
    mapping =
      areStores
      ? FeedMapping(
        format: .json, name: "JSON document of stores", fields: StoreRecord.fields(of: objects))
      : FeedMapping(format: .json, names, context.map?.others(targets) ?? targets, context.map)
  }

  mutating func next(from records: inout RecordReader) -> FeedRecord? {
    if ready.isEmpty, let object = objects.popLast() { ready = entities(of: object).reversed() }
    return ready.popLast()
  }

  /// Returns the records of an object: one for each look of a product with variants, otherwise one.
  private mutating func entities(of object: JSONValue) -> [FeedRecord] {
    let repeated = count == 0 ? repeatedNames : []
    var bytes = Array(object.text.utf8)
    let context = context
    if areStores {
      count += 1
      return [
        FeedRecord(line: count, bytes: bytes) { () throws(FieldError) in
          StoreRecord(try FeedEntities.checkedDepth(object)).draft.finished(context)
        }
      ]
    }
    if context.map == nil, var products = JSONFamily(object)?.products(context) {
      if !repeated.isEmpty {
        products[0].record.warnings += JSONFields.warnings(ofRepeated: repeated)
      }
      // Each entity has the hash of the object instead of its bytes, of which there would be as many copies as entities.
      let hash = "\(ContentHash.of(bytes))/"
      bytes = []
      return products.enumerated().map { index, product in
        count += 1
        // Omissions are reported in each run, and their entities never count as missing, so such a row is always read again.
        let isWhole = product.record.family?.omittedIDs.isEmpty ?? true
        return FeedRecord(line: count, bytes: isWhole ? Array("\(hash)\(index)".utf8) : nil) {
          () throws(FieldError) in
          product.record
        }
      }
    }
    count += 1
    return [
      FeedRecord(line: count, bytes: bytes) { () throws(FieldError) in
        var draft = try JSONFields.draft(object, context, isDocument: true)
        draft.warnings += JSONFields.warnings(ofRepeated: repeated)
        return draft
      }
    ]
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
      // The first line is not a whole object. If it ends within the sample, the object may
      // span several lines; if not, it is a row, unless it begins with a list of products.
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
    return lists.contains { start.contains("\"\($0)\":[{") }
      && (!start.hasPrefix("{\"type\":\"") || start.hasPrefix("{\"type\":\"FeatureCollection\""))
  }

  /// The most levels of objects around a list of products.
  private static let wrappingLimit = 8

  private static func list(
    of fields: [String: JSONValue], depth: Int = 0
  ) -> [JSONValue]? {
    if depth >= wrappingLimit { return nil }
    for name in lists {
      switch fields[name] {
      case .array(let values)?:
        if values.contains(where: { if case .object = $0 { true } else { false } }) {
          return values
        }
      case .object(let inner)?:
        if let values = list(of: inner, depth: depth + 1) { return values }
      default: continue
      }
    }
    if fields.count < 2 || ColumnVocabulary.targets(of: fields.keys.sorted()).contains(.title) {
      return wrapped(fields, depth: depth)
    }
    return named(fields) ?? wrapped(fields, depth: depth)
  }

  /// The most fields of a document that wraps its list in other objects.
  private static let wrapperLimit = 20

  /// Returns the list in an object that a document has under a name of its own.
  private static func wrapped(_ fields: [String: JSONValue], depth: Int) -> [JSONValue]? {
    guard fields.count <= wrapperLimit, fields["id"] == nil,
      !ColumnVocabulary.targets(of: fields.keys.sorted()).contains(.title)
    else { return nil }
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) where !lists.contains(name) {
      guard case .object(let inner) = value, !isEntity(inner) else { continue }
      if let list = list(of: inner, depth: depth + 1) { return list }
    }
    return nil
  }

  /// Returns the products of a document that has them by their ids: `{"m-1": {"name": "Mug"}, "m-2": …}`.
  private static func named(_ fields: [String: JSONValue]) -> [JSONValue]? {
    var products: [JSONValue] = []
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      guard case .object(var product) = value else { return nil }
      let targets = ColumnVocabulary.targets(of: product.keys.sorted())
      guard targets.contains(.title) else { return nil }
      if !targets.contains(.id) { product["id"] = .string(name) }
      products.append(.object(product))
    }
    return products
  }

  /// Returns whether a document has an empty list of products and is not a product itself.
  private static func isEmpty(_ fields: [String: JSONValue], depth: Int = 0) -> Bool {
    guard depth < wrappingLimit, fields["id"] == nil, list(of: fields) == nil, !isEntity(fields)
    else { return false }
    return lists.contains { name in
      switch fields[name] {
      case .array(let values)?: values.isEmpty
      case .object(let inner)?: isEmpty(inner, depth: depth + 1)
      default: false
      }
    }
  }

  /// Returns the products in a value.
  static func objects(in value: JSONValue) -> [JSONValue] {
    switch value {
    case .array(let values): return values.flatMap(objects)
    case .object(let own):
      let fields = withValues(own)
      if isEntity(fields) { return [.object(fields)] }
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
        [0x00, 0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF, UInt8(ascii: ",")].contains($0)
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

/// The names of the options of variants.
enum VariantOption {
  /// Returns whether the name of an attribute is one that the vocabulary has.
  static func isKnown(_ name: String) -> Bool {
    if case .attribute?? = ColumnVocabulary.targets(of: [name]).first { return true }
    return false
  }

  /// Returns the name of an attribute for an option: `color` for `Farbe`, otherwise the name in
  /// lower case.
  static func name(_ option: String) -> String {
    let name = option.lowercased().trimmed
    if case .attribute(let known)?? = ColumnVocabulary.targets(of: [name]).first { return known }
    return name
  }
}
