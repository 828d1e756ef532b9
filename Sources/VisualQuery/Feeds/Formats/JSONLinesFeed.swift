/// One object on each line: in the native form, a node of schema.org, or with fields that are
/// recognized by their names.
struct JSONLinesFeed: FeedFormatReader {
  let mapping = FeedMapping(format: .jsonLines)
  private(set) var leftOut: [String: Int] = [:]
  private let context: FeedContext
  /// The remaining variants of the last line, the next one last.
  private var variants: [FeedRecord] = []
  /// The form of the lines, which is told by the first one.
  private let form: DocumentLines?
  /// The id of the next document, which the line before it has.
  private var nextID: String?

  init?(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(FeedError) {
    switch head {
    case .empty: form = nil
    case .json(let start):
      try Self.checkForOwnFiles(start, records.name)
      form = context.map == nil ? DocumentLines(start) : nil
    default: return nil
    }
    self.context = context
  }

  /// Rejects files of `vq` that are not feeds, of which each line would be rejected.
  private static func checkForOwnFiles(
    _ start: ArraySlice<UInt8>, _ name: String
  ) throws(FeedError) {
    let line = String(decoding: start.prefix(1 << 12), as: UTF8.self).prefix { !$0.isNewline }
    let uses = [
      "vq.signed/": "the output of 'vq sign'; index it with 'vq index --signed'",
      "vq.refused/": "the output of 'vq sign'; index it with 'vq index --signed'",
      "vq.export/": "an export; take it in with 'vq catalogue import'",
    ]
    for (schema, use) in uses where line.contains("\"schema\":\"\(schema)") {
      throw FeedError(message: "'\(name)' is \(use)")
    }
  }

  mutating func next(from records: inout RecordReader) throws(FeedError) -> FeedRecord? {
    if let variant = variants.popLast() { return variant }
    while let record = try records.next() {
      if let form, case .bytes(let bytes, let line) = record {
        switch form.line(bytes, id: nextID) {
        case .action(let id): nextID = id
        case .other(let reason): leftOut[reason, default: 0] += 1
        case .document(let json):
          let own = bytes + Array((nextID ?? "").utf8)
          nextID = nil
          let context = context
          return FeedRecord(line: line, bytes: own) { () throws(FieldError) in
            form.areStores
              ? StoreRecord(try FeedEntities.checkedDepth(json)).draft.finished(context)
              : try JSONFields.draft(json, context, isDocument: true)
          }
        case .unknown: return self.record(record)
        }
        continue
      }
      return self.record(record)
    }
    return nil
  }

  private mutating func record(_ record: RecordReader.Record) -> FeedRecord {
    switch record {
    case .refused: return .unread(record)
    case .bytes(let bytes, let line):
      let context = context
      variants =
        context.map == nil ? SchemaOrgFeed.records(onLine: bytes, line, context).reversed() : []
      if let variant = variants.popLast() { return variant }
      return FeedRecord(line: line, bytes: bytes) { () throws(FieldError) in
        var reader = JSONReader(bytes, limits: .line)
        let json: JSONValue
        do throws(JSONError) {
          json = try reader.read(shouldStop: { false })
        } catch {
          throw FieldError(field: nil, reason: error.message)
        }
        var draft = try JSONFields.draft(json, context, isDocument: false)
        draft.warnings += JSONFields.warnings(ofRepeated: reader.repeatedNames)
        return draft
      }
    }
  }
}

/// Turns objects of JSON into entities.
enum JSONFields {
  /// Returns warnings of names that occur several times in one object.
  static func warnings(ofRepeated names: [String]) -> [FieldError] {
    names.map {
      FieldError(field: $0, reason: "occurs several times in one object; the first value counts")
    }
  }

  /// Returns the entity of an object: in the native form, a node of schema.org, or with fields that
  /// are recognized by their names.
  ///
  /// - Parameter isDocument: True if the object is part of a document. It need not say that it is a
  ///   product, as a line of JSON Lines with `id` and `title` must.
  static func draft(
    _ json: JSONValue, _ context: FeedContext, isDocument: Bool
  ) throws(FieldError) -> DraftRecord {
    if let map = context.map, case .object(let fields) = json {
      _ = try FeedEntities.checkedDepth(json)
      return mapped(fields, map).finished(context)
    }
    if SchemaOrgFeed.isNode(json) { return try SchemaOrgFeed.draft(json, context) }
    guard case .object(let fields) = json else { return DraftRecord(json: json) }
    let isNative = !isDocument && fields["id"] != nil && fields["title"] != nil || isNative(fields)
    if isNative {
      let names = isDocument ? ["type", "reason"] : ["type", "reason", "id", "title"]
      if names.contains(where: { fields[$0] != nil }) { return native(fields, context) }
      let targets = ColumnVocabulary.targets(of: fields.keys.sorted())
      guard targets.contains(.id) || targets.contains(.title) else {
        let names = fields.keys.sorted().prefix(5).map { "'\($0.prefix(40))'" }
        throw FieldError(
          field: nil,
          reason:
            "has none of the fields type, id and title; found \(names.joined(separator: ", "))")
      }
    }
    _ = try FeedEntities.checkedDepth(json)
    return foreign(fields, context).finished(context)
  }

  /// Returns whether an object has the native form, at least in part, or is a report of a rejected
  /// row.
  private static func isNative(_ fields: [String: JSONValue]) -> Bool {
    if case .string(let type)? = fields["type"], EntityType(rawValue: type) != nil { return true }
    if fields["reason"] != nil, fields["row"] != nil { return true }
    // A row without a type is read here, where the missing type is reported, unless its names are
    // those of another format.
    let targets = ColumnVocabulary.targets(of: fields.keys.sorted())
    return !(targets.contains(.id) && targets.contains(.title))
  }

  /// Returns a native object; a price that is a text or a number is read as in other formats.
  private static func native(
    _ fields: [String: JSONValue], _ context: FeedContext
  ) -> DraftRecord {
    guard let price = fields["price"] else { return DraftRecord(json: .object(fields)) }
    if case .object = price { return DraftRecord(json: .object(fields)) }
    var fields = fields
    var warnings: [FieldError] = []
    do throws(FieldError) {
      var currency: String?
      if case .string(let code)? = fields["currency"] { currency = code }
      fields["price"] = try Self.price(price, currency, context)
    } catch {
      // The text is kept, so that nothing of the row is lost.
      fields["priceText"] = fields["priceText"] ?? price
      fields["price"] = nil
      warnings.append(error)
    }
    return DraftRecord(json: .object(fields), warnings: warnings)
  }

  private static func price(
    _ value: JSONValue, _ currency: String?, _ context: FeedContext
  ) throws(FieldError) -> JSONValue? {
    switch value {
    case .string(let text): try context.prices.price(text, column: currency)
    case .integer, .number: try context.prices.price(number: value.text, column: currency)
    case .null: nil
    default:
      throw FieldError(field: "price", reason: "is \(value.kind); expected for example 14.90 EUR")
    }
  }

  /// Returns an object whose fields are recognized by their names.
  static func foreign(_ fields: [String: JSONValue], _ context: FeedContext) -> ProductDraft {
    var draft = ProductDraft()
    let names = fields.keys.sorted()
    for (name, target) in zip(names, ColumnVocabulary.targets(of: names)) {
      guard let value = fields[name], value != .null else { continue }
      add(target, name, value, to: &draft)
    }
    // WooCommerce exports use the SKU as id. Using it here, too, keeps a row from becoming a
    // second product beside that of the export.
    if JSONFamily.isWooCommerce(fields), let sku = firstText(["sku"], fields) { draft.id = sku }
    return draft
  }

  /// Returns an object whose fields a mapping assigns; the others are recognized by their names.
  private static func mapped(_ fields: [String: JSONValue], _ map: FieldMap) -> ProductDraft {
    var draft = ProductDraft()
    let names = fields.keys.sorted()
    let used = Set(map.fields)
    for (name, target) in zip(names, map.others(ColumnVocabulary.targets(of: names))) {
      guard let value = fields[name], value != .null, !used.contains(name) else { continue }
      add(target, name, value, to: &draft)
    }
    let images = Set(
      map.assignments.filter { $0.target == .image || $0.target == .images }.flatMap(
        \.source.fields))
    map.add(
      map.fields.map { path in
        values(at: path, in: .object(fields)).flatMap {
          images.contains(path) ? addresses(in: $0) : texts(in: $0)
        }
      }, to: &draft)
    return draft
  }

  /// Returns the values at a path such as `images/src` or `price.value`; lists on the way count with all their values.
  static func values(at path: String, in value: JSONValue) -> [JSONValue] {
    if case .object(let fields) = value, let own = fields[path] { return [own] }
    var values = [value]
    for step in path.split(whereSeparator: { "/.@".contains($0) }) {
      values = values.flatMap { items(of: $0) }.compactMap { item in
        guard case .object(let fields) = item else { return nil }
        return fields[String(step)]
      }
    }
    return values.flatMap(items)
  }

  private static func items(of value: JSONValue) -> [JSONValue] {
    if case .array(let values) = value { return values.flatMap(items) }
    return [value]
  }

  /// Returns the objects in a list that a caller names, wherever it is in a document, or `nil` if there is none.
  static func records(in value: JSONValue, _ name: String?) -> [JSONValue]? {
    guard let name else { return nil }
    switch value {
    case .array(let values):
      let found = values.compactMap { records(in: $0, name) }
      return found.isEmpty ? nil : found.flatMap(\.self)
    case .object(let fields):
      if let own = fields[name] { return items(of: own) }
      // A loop, because the first element of a lazy sequence is computed twice: at each level, the time would double.
      for (_, value) in fields.sorted(by: { $0.key < $1.key }) {
        if let found = records(in: value, name) { return found }
      }
      return nil
    default: return nil
    }
  }

  private static func add(
    _ target: FeedTarget?, _ name: String, _ value: JSONValue, to draft: inout ProductDraft
  ) {
    if isNested(value), addParts(of: value, name, to: &draft) { return }
    if target == .title, case .object(let languages) = value, languages.count > 1,
      languages.keys.allSatisfy(isLanguage)
    {
      for (tag, text) in languages {
        if case .string(let text) = text {
          draft.addTitle(text, in: tag.replacing("_", with: "-"))
        }
      }
    }
    guard let target else {
      if attributeLists.contains(ColumnVocabulary.normalized(name)),
        addAttributes(value, to: &draft)
      {
        return
      }
      return draft.keep(name, value)
    }
    switch target {
    case .quantity where isNested(value): draft.keep(name, value)
    case .otherID:
      if let text = texts(in: value).first { draft.addOtherID(name, text) }
      draft.keep(name, value)
    case .image: draft.add(.image, name, addresses(in: value).joined(separator: "\n"))
    case .images: draft.addImages(addresses(in: value).flatMap(ImageList.names))
    case .thumbnail: draft.add(.thumbnail, name, addresses(in: value).first ?? "")
    case .labels:
      for text in texts(in: value) {
        let words = FeedText.words(text)
        draft.addLabels(words)
        if FeedText.isMore(text, than: words) { draft.keep(name, value) }
      }
    case .price, .salePrice, .pricedIn:
      if case .object(let price) = value {
        if let money = JSONMoney.inUnits(of: price) {
          return add(money, target, name, to: &draft)
        }
        let names = price.keys.sorted()
        let targets = ColumnVocabulary.targets(of: names)
        guard
          ["amount", "value"].contains(where: { price[$0].map(isNested) == false })
            || zip(names, targets).contains(where: {
              $1 == .price && price[$0].map(isNested) == false
            })
        else {
          if let money = JSONMoney(in: value) { add(money, target, name, to: &draft) }
          return
        }
        for (name, inner) in zip(names, targets) {
          if let value = price[name], inner == .price || inner == .currency {
            add(inner == .price ? target : inner, name, value, to: &draft)
          }
        }
        // Each of them is added once: at each level of nested prices, the time would double.
        for name in ["amount", "value"]
        where !zip(names, targets).contains(where: { $0 == (name, .price) }) {
          if let value = price[name] { add(target, name, value, to: &draft) }
        }
      } else if case .array = value, let money = JSONMoney(in: value) {
        add(money, target, name, to: &draft)
      } else if case .number(let number) = value {
        draft.setPrice(number: JSONValue.number(number).text, isSale: target == .salePrice)
      } else {
        draft.add(target, name, texts(in: value).first ?? "")
      }
    default:
      draft.add(target, name, texts(in: value).first ?? "")
    }
  }

  /// Adds a price with its currency.
  private static func add(
    _ money: JSONMoney, _ target: FeedTarget, _ name: String, to draft: inout ProductDraft
  ) {
    if let currency = money.currency, draft.currency == nil {
      draft.add(.currency, "currency", currency)
    }
    draft.add(target, name, money.amount)
  }

  /// Returns whether a value is a list or an object, such as the stock of several stores.
  private static func isNested(_ value: JSONValue) -> Bool {
    switch value {
    case .array, .object: true
    default: false
    }
  }

  /// The objects in products that hold prices and stocks, by their normalized names.
  private static let partNames: Set<String> = [
    "pricing", "prices", "priceinfo", "stock", "inventory", "commerce", "pricesinfo", "pricerange",
    "pricerangev2",
  ]

  /// Adds the prices and stocks in an object of a product, such as `{"pricing": {"basePrice": {"value": "14.90"}}}`.
  ///
  /// - Returns: False if it has none, or is something else.
  private static func addParts(
    of value: JSONValue, _ name: String, to draft: inout ProductDraft
  ) -> Bool {
    guard partNames.contains(ColumnVocabulary.normalized(name)) else { return false }
    guard case .object(let parts) = value, JSONMoney.inUnits(of: parts) == nil else {
      guard let money = JSONMoney(in: value) else { return false }
      add(money, .price, name, to: &draft)
      return true
    }
    if parts["unlimited"] == .bool(true) {
      draft.add(.availability, name, "in stock")
      return true
    }
    let isReduced = parts["onSale"] != .bool(false)
    var hasPart = false
    let names = parts.keys.sorted()
    for (name, target) in zip(names, ColumnVocabulary.targets(of: names)) {
      guard let inner = parts[name], inner != .null else { continue }
      switch target {
      case .salePrice where !isReduced: continue
      case .price, .salePrice, .currency, .quantity, .availability:
        add(target, name, inner, to: &draft)
        hasPart = true
      default: continue
      }
    }
    if !hasPart, let money = JSONMoney(in: value) {
      add(money, .price, name, to: &draft)
      return true
    }
    return hasPart
  }

  /// The fields with attributes and their values, by their normalized names.
  private static let attributeLists: Set<String> = [
    "attributes", "attributecombinations", "optionvalues", "selectedoptions", "options",
    "specifications", "properties", "specs",
  ]

  /// Adds the attributes of an object such as `{"Color": "Red"}`, or of a list such as `[{"name": "Color", "options": ["Red"]}]`,
  /// as the REST API of WooCommerce has it.
  ///
  /// - Returns: False if the value is something else, which is kept.
  private static func addAttributes(_ value: JSONValue, to draft: inout ProductDraft) -> Bool {
    var pairs: [(name: String, value: String)] = []
    switch value {
    case .object(let object):
      for (name, value) in object.sorted(by: { $0.key < $1.key }) {
        guard !isNested(value) else { return false }
        if let text = texts(in: value).first { pairs.append((name, text)) }
      }
    case .array(let list):
      for item in list {
        guard case .object(let attribute) = item else { return false }
        let name = firstText(
          ["name", "option_display_name", "optionName", "attribute", "key"], attribute)
        let values = ["options", "option", "value", "value_name", "label", "values", "terms"].lazy
          .compactMap { attribute[$0] }.first
        if let name, let values {
          pairs.append((name, texts(in: values).joined(separator: ", ")))
        }
      }
    default: return false
    }
    for (name, text) in pairs {
      let known = ColumnVocabulary.targets(of: [name])[0]
      if known == .brand {
        draft.brand = draft.brand ?? text
      } else if ProductCode.isField(name) {
        draft.keep(name, .string(text))
      } else {
        draft.setAttribute(VariantOption.name(name), text)
      }
    }
    return true
  }

  /// Returns the text of the first of some fields that has one.
  static func firstText(_ names: [String], _ fields: [String: JSONValue]) -> String? {
    names.lazy.compactMap { fields[$0].flatMap { texts(in: $0).first } }.first {
      !$0.trimmed.isEmpty
    }
  }

  /// Returns the addresses of images: texts, or the addresses in objects.
  static func addresses(in value: JSONValue) -> [String] {
    switch value {
    case .string(let text): return [text]
    case .array(let values): return values.flatMap(addresses)
    case .object(let object):
      let names = [
        "src", "url", "contentUrl", "href", "link", "path", "file", "full", "large", "original",
        "@id", "location", "data", "attributes",
      ]
      for name in names {
        if let inner = object[name] { return addresses(in: inner) }
      }
      // The addresses may have other names, such as `url_standard`. That of the largest image counts.
      let images = object.sorted { $0.key < $1.key }.compactMap {
        key, value -> (rank: Int, isMain: Bool, names: [String])? in
        let own: [String]
        if case .string(let text) = value {
          own = FeedFindings.isImage(text) ? [text] : []
        } else {
          own = addresses(in: value)
        }
        return own.isEmpty ? nil : (sizeRank(of: key), key == "main", own)
      }
      // If no name tells a size, the addresses are those of different images.
      let isSized = images.contains { $0.rank != otherSize }
      guard isSized else {
        // The fields are sorted, and one called `main` has the first image.
        return FeedText.unique(
          (images.filter { $0.isMain } + images.filter { !$0.isMain }).flatMap(\.names))
      }
      return images.min { $0.rank < $1.rank }?.names ?? []
    default: return []
    }
  }

  private static let sizes = [
    ["original"], ["full", "zoom"], ["large", "big", "xl"], ["standard", "medium"], ["preview"],
  ]
  /// The rank of a name that says no size.
  private static let otherSize = sizes.count

  /// Returns the place of a name in the order of the sizes of images that it says, the largest first.
  private static func sizeRank(of name: String) -> Int {
    let (name, words) = (name.lowercased(), sizes)
    if ["thumb", "small", "tiny", "icon", "mini"].contains(where: name.contains) {
      return words.count + 1
    }
    return words.firstIndex { $0.contains(where: name.contains) } ?? words.count
  }

  /// Returns whether a key is that of a language, such as `de` or `de-CH`.
  static func isLanguage(_ key: String) -> Bool {
    let parts = key.split { "-_".contains($0) }
    return (1...2).contains(parts.count) && parts[0].count == 2
      && (parts.count == 1 || parts[1].count == 2)
      && LocaleMark.of(parts[0].lowercased()) != nil
  }

  /// Returns the texts in a value: texts, numbers, and the names of objects.
  static func texts(in value: JSONValue) -> [String] {
    switch value {
    case .string(let text): return [text]
    case .integer(let number): return ["\(number)"]
    case .number: return [value.text]
    case .bool(let flag): return [flag ? "true" : "false"]
    case .array(let values): return values.flatMap(texts)
    case .object(let object):
      for name in ["name", "title", "label", "value", "text", "en", "default", "id"] {
        if let inner = object[name] { return texts(in: inner) }
      }
      // A text in several languages, of which English is preferred.
      guard object.keys.allSatisfy(isLanguage) else { return [] }
      let key = object.keys.min {
        ($0.lowercased().hasPrefix("en") ? 0 : 1, $0) < (
          $1.lowercased().hasPrefix("en") ? 0 : 1, $1
        )
      }
      return key.flatMap { object[$0] }.map(texts) ?? []
    case .null: return []
    }
  }
}
