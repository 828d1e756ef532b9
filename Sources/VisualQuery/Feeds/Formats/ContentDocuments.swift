/// The documents of systems that keep contents, such as Contentful, Sanity and Strapi, and fixtures of Django: products stand among
/// documents of other types, their values are by language, and images are references.
enum ContentDocuments {
  /// The field with the type of a document.
  private static let typeField = "_type"
  /// The field with the id of a document. Objects without one may have types of another kind, such as that of a product.
  private static let idField = "_id"

  // MARK: Contentful

  /// Returns the entries of a space of Contentful with the values of one language and the addresses of images. Other documents stay as
  /// they are.
  static func resolved(_ document: JSONValue) -> JSONValue {
    guard case .object(let fields) = document else { return document }
    let entries = objects(fields["entries"] ?? fields["items"]).filter { isEntry($0) }
    guard !entries.isEmpty else { return document }
    var included: [String: JSONValue] = [:]
    if case .object(let own)? = fields["includes"] { included = own }
    let space = Space(
      assets: objects(fields["assets"]) + objects(included["Asset"]),
      entries: entries + objects(included["Entry"]), locale: defaultLocale(fields["locales"]))
    // Interfaces for apps give published entries only, and then none says so.
    let saysPublished = entries.contains { system($0)["publishedVersion"] != nil }
    return .object([
      "items": .array(
        entries.map { entry in
          let system = system(entry)
          var product = space.values(of: entry)
          product["id"] = product["id"] ?? system["id"]
          product[idField] = product["id"]
          product[typeField] = type(of: system)
          let isPublished = system["publishedVersion"] != nil || !saysPublished
          if !isPublished || system["archivedVersion"] != nil {
            product["published"] = .bool(false)
          }
          return .object(product)
        })
    ])
  }

  /// The entries and the images of a space.
  private struct Space {
    private var assets: [JSONValue: JSONValue] = [:]
    private var names: [JSONValue: JSONValue] = [:]
    private let locale: String?

    init(assets: [[String: JSONValue]], entries: [[String: JSONValue]], locale: String?) {
      self.locale = locale
      for asset in assets {
        guard let id = system(asset)["id"], case .object(let fields)? = asset["fields"],
          case .object(let file)? = fields["file"].map(value), let address = file["url"]
        else { continue }
        self.assets[id] = address
      }
      for entry in entries {
        guard let id = system(entry)["id"], case .object(let fields)? = entry["fields"] else {
          continue
        }
        let name = ["name", "title", "label"].lazy.compactMap { fields[$0] }.first
        names[id] = name.map(value)
      }
    }

    /// Returns a value in the language of the space.
    private func value(_ value: JSONValue) -> JSONValue {
      guard case .object(let languages) = value, !languages.isEmpty,
        languages.keys.allSatisfy(JSONFields.isLanguage)
      else { return value }
      let keys = languages.keys.sorted()
      let key = keys.first { $0 == locale } ?? keys.first { $0.hasPrefix("en") } ?? keys[0]
      return languages[key] ?? value
    }

    func values(of entry: [String: JSONValue]) -> [String: JSONValue] {
      guard case .object(let fields)? = entry["fields"] else { return [:] }
      var values: [String: JSONValue] = [:]
      var translations: [String: [String: JSONValue]] = [:]
      for (name, value) in fields {
        values[name] = target(of: self.value(value))
        guard case .object(let languages) = value, languages.count > 1,
          languages.keys.allSatisfy(JSONFields.isLanguage),
          ["name", "title"].contains(name)
        else { continue }
        for (language, text) in languages where text != values[name] {
          if case .string = text { translations[language, default: [:]]["title"] = text }
        }
      }
      if !translations.isEmpty {
        values["localized"] = .object(translations.mapValues(JSONValue.object))
      }
      return values
    }

    /// Returns the address of an image or the name of an entry in place of a link to it.
    private func target(of value: JSONValue) -> JSONValue {
      switch value {
      case .array(let values): return .array(values.map(target))
      case .object(let fields):
        guard case .object(let link)? = fields["sys"], link["type"] == .string("Link"),
          let id = link["id"]
        else { return value }
        return (link["linkType"] == .string("Asset") ? assets[id] : names[id]) ?? value
      default: return value
      }
    }
  }

  private static func isEntry(_ object: [String: JSONValue]) -> Bool {
    guard case .object? = object["fields"] else { return false }
    let system = system(object)
    return system["type"] == .string("Entry") || system["contentType"] != nil
  }

  private static func system(_ object: [String: JSONValue]) -> [String: JSONValue] {
    if case .object(let system)? = object["sys"] { system } else { [:] }
  }

  private static func type(of system: [String: JSONValue]) -> JSONValue? {
    guard case .object(let link)? = system["contentType"] else { return nil }
    return self.system(link)["id"]
  }

  private static func defaultLocale(_ value: JSONValue?) -> String? {
    let locales = objects(value)
    let own = locales.first { $0["default"] == .bool(true) } ?? locales.first
    return own.flatMap { JSONFields.firstText(["code"], $0) }
  }

  private static func objects(_ value: JSONValue?) -> [[String: JSONValue]] {
    guard case .array(let values)? = value else { return [] }
    return values.compactMap { if case .object(let object) = $0 { object } else { nil } }
  }

  // MARK: Sanity, Strapi and Django

  /// Gives a document the form of other products: its stable id, the files of its images, and whether it is a draft.
  static func simplify(_ fields: inout [String: JSONValue]) {
    if isFixture(fields), case .object(let inner)? = fields["fields"],
      case .string(let model)? = fields["model"]
    {
      let key = fields["pk"]
      fields = inner
      fields["id"] = fields["id"] ?? key
      fields[typeField] = .string(model)
    }
    // Strapi numbers a document again when it is published, and keeps the other id.
    if case .string(let id)? = fields["documentId"], fields["id"] != nil {
      fields["id"] = .string(id)
      if fields["publishedAt"] == .null { fields["published"] = .bool(false) }
    }
    guard case .string? = fields[typeField], case .string(let id)? = fields["_id"] else { return }
    fields = fields.mapValues { sanity($0) }
    if id.hasPrefix("drafts.") || id.hasPrefix("versions.") { fields["published"] = .bool(false) }
  }

  private static func isFixture(_ fields: [String: JSONValue]) -> Bool {
    fields.count <= 3 && fields["model"] != nil && fields["fields"] != nil
      && (fields["pk"] != nil || fields.count == 2)
  }

  /// The most levels of values that are looked at.
  private static let depthLimit = 8

  /// Returns a value of Sanity with texts in place of slugs, and names of files in place of images, as its exports have them.
  private static func sanity(_ value: JSONValue, depth: Int = 0) -> JSONValue {
    guard depth < depthLimit else { return value }
    switch value {
    case .array(let values): return .array(values.map { sanity($0, depth: depth + 1) })
    case .object(let fields):
      if let current = fields["current"], fields[typeField] == .string("slug") { return current }
      if case .string(let asset)? = fields["_sanityAsset"],
        let start = asset.firstRange(of: "@file://")
      {
        let path = asset[start.upperBound...]
        return .string(String(path.hasPrefix("./") ? path.dropFirst(2) : path))
      }
      if case .object(let asset)? = fields["asset"] {
        if let address = asset["url"] { return address }
        if case .string(let reference)? = asset["_ref"], let file = file(of: reference) {
          return .string(file)
        }
      }
      return value
    default: return value
    }
  }

  /// Returns the file of an image such as `image-abc-960x1280-jpg` in an export.
  private static func file(of reference: String) -> String? {
    guard reference.hasPrefix("image-"), let dash = reference.lastIndex(of: "-") else { return nil }
    let name = reference[..<dash].dropFirst("image-".count)
    return name.isEmpty ? nil : "images/\(name).\(reference[reference.index(after: dash)...])"
  }

  // MARK: Types

  /// Keeps the products of documents of several types.
  ///
  /// - Returns: The numbers of the others, by the words for them.
  static func keepProducts(of objects: inout [JSONValue]) -> [String: Int] {
    let types = objects.map(type)
    let names = Set(types.compactMap(\.self))
    guard !names.isEmpty, objects.contains(where: isDocument) || names.contains(where: isOfProgram)
    else { return [:] }
    var kept = names.filter(isProductType)
    if kept.isEmpty {
      // Without such a name, what has a price is a product.
      for (object, type) in zip(objects, types) {
        if let type, hasPrice(object) { kept.insert(type) }
      }
    }
    // Fixtures name the program before the type.
    if kept.isEmpty, !names.contains(where: isOfProgram) { return [:] }
    var leftOut: [String: Int] = [:]
    objects = zip(objects, types).compactMap { object, type in
      guard let type, !kept.contains(type) else { return withoutType(object) }
      leftOut["documents of the type '\(type.prefix(40))'", default: 0] += 1
      return nil
    }
    return leftOut
  }

  /// Returns the type of a document, or `nil` if it is not one of such a system.
  static func type(of object: JSONValue) -> String? {
    guard case .object(let fields) = object else { return nil }
    guard case .string(let type)? = fields[typeField] else { return nil }
    return type
  }

  /// Returns a document without its type, which is no category.
  static func withoutType(_ object: JSONValue) -> JSONValue {
    guard case .object(var fields) = object else { return object }
    fields[typeField] = nil
    if fields[idField] == fields["id"] { fields[idField] = nil }
    return .object(fields)
  }

  private static func isDocument(_ object: JSONValue) -> Bool {
    guard case .object(let fields) = object else { return false }
    return fields[idField] != nil
  }

  /// Returns whether a type is one of a fixture of Django, such as `shop.product`.
  private static func isOfProgram(_ type: String) -> Bool { type.contains(".") }

  private static func hasPrice(_ object: JSONValue) -> Bool {
    guard case .object(let fields) = object else { return false }
    return ColumnVocabulary.targets(of: fields.keys.sorted()).contains(.price)
  }

  /// The names of types that are products, and the words of those that are about products.
  private static let products: Set<String> = [
    "item", "items", "good", "goods", "sku", "merchandise",
  ]
  private static let others = [
    "category", "variant", "type", "page", "review", "setting", "tag", "collection", "group",
    "list",
    "attribute", "image", "media", "asset", "translation", "channel", "query",
  ]

  /// Returns whether the name of a type is one of products, such as `product` or `shop.produkt`.
  static func isProductType(_ type: String) -> Bool {
    let name = FeedData.plain(type)
    return products.contains(name)
      || name.contains("produ") && !others.contains(where: name.contains)
        && !name.hasPrefix("sanity")
  }
}
