internal import CExpat

/// Parses a stream of XML and collects the items in it: elements with given names, and in each the
/// texts of its child elements.
///
/// The memory is that of one chunk and its items. An item that is longer than the limit is skipped
/// and reported. Declarations of entities are rejected, so that none can be expanded or fetched.
@safe final class XMLItemParser {
  /// An item, or the reason why it cannot be read.
  struct Item: Sendable {
    /// The line of its first tag, from 1.
    let line: Int
    let fields: Result<[Field], FieldError>
    /// The number of the group that it is in, or `nil` if it is in none.
    var group: Int?
    /// The rest of the budget of the item.
    var allowance = FeedAllowance(FeedLimits())
  }

  /// The elements of a document whose items are in groups and whose texts have elements in them.
  struct Layout: Sendable {
    /// The name of the elements that items are in.
    let group: String
    /// The elements within items that also give a field when they end. The path of this field is a slash and their
    /// name.
    let ends: Set<String>
    /// The elements that are parts of a text.
    let inline: Set<String>
  }

  /// A child element of an item.
  struct Field: Sendable {
    /// The name as it is written, with its prefix.
    let name: String
    /// The text, or the target of a link that is written as an attribute.
    let text: String
    /// The path within the item, such as `imgs/main/@url`, if paths are wanted.
    var path = ""
    /// The number of the part of the item that it is in, such as a variant, or 0 if it is in none.
    var part = 0
  }

  /// A category that items refer to by its id.
  struct Category: Sendable {
    let name: String
    let parent: String?
  }

  /// The items that are complete and not taken yet, the oldest first.
  private(set) var items: [Item] = []
  private let names: Set<String>
  private let limit: Int
  /// True if the fields of an item are its attributes and all elements in it that have no children,
  /// rather than its own children.
  private let isDeep: Bool
  /// True if fields have their paths, and all attributes are fields.
  private let hasPaths: Bool
  /// True if blanks around texts are part of them.
  private let keepsBlanks: Bool
  private let layout: Layout?
  /// The elements that are parts of items with fields of their own.
  private let parts: Set<String>
  /// The depth of the part that is open, and the number of parts of the item so far.
  private var partDepth: Int?
  private var partCount = 0
  /// The attributes of the groups so far.
  private(set) var groups: [[String: String]] = []
  /// The number of lines before the first one that the parser sees.
  private let lineOffset: Int
  private let parser: XML_Parser

  private var depth = 0
  /// The depth of the item that is open.
  private var itemDepth: Int?
  private var itemLine = 0
  private var fields: [Field] = []
  private var text: [UInt8] = []
  private var byteCount = 0
  private var refusal: String?
  /// The rest of the budget of the open item, and the reason why it was exceeded.
  private var allowance: FeedAllowance
  private var excess: FieldError?
  /// The names of the open elements of an item, the attribute that says more, and the number of bytes of the path to the element.
  private var path:
    [(
      name: String, address: String?, component: String, isNamed: Bool, pathCount: Int,
      others: [String: String]
    )] = []
  /// The name of the parameter whose value comes next, as in `<PARAM_NAME>Barva</PARAM_NAME><VAL>red</VAL>`.
  private var parameter: (name: String, field: String?)?
  /// True if the last tag was a start tag, so that the open element has no others in it.
  private var isLeaf = false
  /// The categories that the document declares before its items, by their ids, as Yandex's YML has them.
  private(set) var categories: [String: Category]
  /// The category whose text is being read.
  private var openCategory: (id: String, parent: String?)?
  /// The encoding that the document declares, if it does.
  private(set) var encoding: String?

  /// Makes a parser.
  ///
  /// - Parameters:
  ///   - names: The names of the elements that are items.
  ///   - limit: The most bytes of text in an item.
  ///   - lineOffset: The number of lines before the first one that the parser sees.
  ///   - encoding: The encoding of the text, or `nil` if the document declares it.
  ///   - isDeep: True if the fields of an item are its attributes and all elements in it that have
  ///     no children, rather than its own children.
  ///   - hasPaths: True if fields have their paths, and all attributes are fields.
  ///   - keepsBlanks: True if blanks around texts are part of them.
  ///   - categories: The categories that the document declared so far.
  ///   - layout: The elements of a document with groups.
  ///   - parts: The elements that are parts of items, such as variants, if fields are at any depth.
  ///   - limits: The limits of what an item becomes.
  init(
    items names: Set<String>, limit: Int, lineOffset: Int = 0, encoding: String? = nil,
    isDeep: Bool = false, hasPaths: Bool = false, keepsBlanks: Bool = false,
    categories: [String: Category] = [:], layout: Layout? = nil, parts: Set<String> = [],
    limits: FeedLimits = FeedLimits()
  ) {
    allowance = FeedAllowance(limits)
    self.layout = layout
    self.parts = parts
    self.hasPaths = hasPaths
    self.keepsBlanks = keepsBlanks
    self.categories = categories
    self.names = names
    self.isDeep = isDeep
    self.limit = limit
    self.lineOffset = lineOffset
    // The call returns NULL only if memory is exhausted, and then a trap is right, as for any other
    // allocation.
    unsafe parser = XML_ParserCreate(encoding)!
    self.encoding = encoding
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    setHandlers()
  }

  deinit { unsafe XML_ParserFree(parser) }

  /// Returns the complete items and forgets them.
  func takeItems() -> [Item] {
    defer { items = [] }
    return items
  }

  /// Parses the next bytes.
  ///
  /// - Returns: The failure of the document, or `nil` if there is none.
  func parse(_ bytes: [UInt8], isLast: Bool = false) -> Failure? {
    let status = unsafe bytes.withUnsafeBytes { bytes in
      // Sound: expat reads `count` bytes and keeps no pointer to them.
      unsafe XML_Parse(
        parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(bytes.count),
        isLast ? 1 : 0)
    }
    guard status != XML_STATUS_OK else { return nil }
    let fault = unsafe String(cString: XML_ErrorString(XML_GetErrorCode(parser)))
    return unsafe Failure(
      reason: refusal ?? fault, isRefusal: refusal != nil, line: line,
      byteOffset: Int(XML_GetCurrentByteIndex(parser)),
      isWithinItem: itemDepth != nil, depth: depth, itemLine: itemLine)
  }

  /// The reason why a document cannot be parsed any further.
  struct Failure {
    let reason: String
    /// True if the document is well-formed but not accepted.
    let isRefusal: Bool
    let line: Int
    /// The number of bytes before the fault.
    let byteOffset: Int
    let isWithinItem: Bool
    /// The number of elements that are open.
    let depth: Int
    /// The line of the item that is open.
    let itemLine: Int
  }

  private var line: Int { unsafe lineOffset + Int(XML_GetCurrentLineNumber(parser)) }

  // MARK: Events

  /// Sound: expat calls the handlers within `XML_Parse`, while `self` is alive, with the pointer
  /// that was set; names and texts are valid for the length of a call and are copied.
  private func setHandlers() {
    unsafe XML_SetElementHandler(
      parser,
      { context, name, attributes in
        unsafe XMLItemParser.from(context).start(
          String(cString: name!), XMLItemParser.attributes(attributes))
      },
      { context, name in
        unsafe XMLItemParser.from(context).end(String(cString: name!))
      })
    unsafe XML_SetCharacterDataHandler(parser) { context, bytes, count in
      unsafe XMLItemParser.from(context).add(
        UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }
    unsafe XML_SetXmlDeclHandler(parser) { context, _, encoding, _ in
      let parser = unsafe XMLItemParser.from(context)
      parser.encoding = unsafe parser.encoding ?? encoding.map { unsafe String(cString: $0) }
    }
    unsafe XML_SetEntityDeclHandler(parser) { context, _, _, _, _, _, _, _, _ in
      unsafe XMLItemParser.from(context).refuse("declares entities, which are not accepted")
    }
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> XMLItemParser {
    unsafe Unmanaged<XMLItemParser>.fromOpaque(context!).takeUnretainedValue()
  }

  private static func attributes(
    _ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
  ) -> [String: String] {
    var attributes: [String: String] = [:]
    var index = 0
    while let name = unsafe list?[index], let value = unsafe list?[index + 1] {
      attributes[unsafe String(cString: name)] = unsafe String(cString: value)
      index += 2
    }
    return attributes
  }

  private func start(_ name: String, _ attributes: [String: String]) {
    depth += 1
    if let layout {
      if itemDepth == nil, name == layout.group, groups.count < Self.groupLimit {
        groups.append(attributes)
      }
      if itemDepth != nil, layout.inline.contains(name) { return addBlanks(name, attributes) }
    }
    if !isDeep, let itemDepth, depth > itemDepth + 1 {
      // The field of an item is all texts in its element.
      if !text.isEmpty { addBlank() }
    } else if beginsWithinText {
      textDepth = textDepth ?? depth
      return addBlank()
    } else {
      text = []
    }
    isLeaf = true
    guard let itemDepth else {
      if names.contains(name) {
        itemDepth = depth
        itemLine = line
        (fields, byteCount, path, parameter, textDepth) = ([], 0, [], nil, nil)
        (partDepth, partCount) = (nil, 0)
        (allowance, excess) = (FeedAllowance(allowance.limits), nil)
        if isDeep {
          for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            byteCount += value.utf8.count
            fields.append(Field(name: name, text: value, path: hasPaths ? "@\(name)" : ""))
          }
        }
      } else if name == "category", let id = attributes["id"] {
        openCategory = (id, attributes["parentId"])
      }
      return
    }
    if excess != nil { return }
    if isDeep {
      do throws(FieldError) {
        try allowance.check(level: depth - itemDepth)
        try FeedAllowance.check(name: name)
        for name in attributes.keys { try FeedAllowance.check(name: name) }
      } catch {
        return exceed(error)
      }
      // `<param name="Color">` is a field called Color; in `<image url="…"/>` the attribute is the text of the field.
      byteCount += name.utf8.count
      if partDepth == nil, parts.contains(name) {
        (partDepth, partCount) = (depth, partCount + 1)
        addPart(attributes)
      }
      if attributes.isEmpty {
        open((name, nil, hasPaths ? name : "", false, [:]))
        return
      }
      let ownName =
        Self.namedElements.contains(name) ? attributes["name"] ?? attributes["attribute-id"] : nil
      let known =
        Self.addresses.first { attributes[$0] != nil }
        ?? attributes.filter {
          $0.value.utf8.contains(UInt8(ascii: ".")) && FeedFindings.isImage($0.value)
        }.keys.min()
      let main = known ?? (ownName == nil ? XMLAttributes.main(of: attributes, in: name) : nil)
      let isUsed = { (key: String) in
        key == main || Self.usedAttributes.contains(key.lowercased()) || key.contains(":")
          || ownName != nil && ["name", "attribute-id"].contains(key)
      }
      open(
        (
          ownName ?? (hasPaths ? name : XMLAttributes.name(of: name, with: main, attributes)),
          main.flatMap { attributes[$0] },
          hasPaths ? ownName.map { "\(name)[\($0)]" } ?? name : "", ownName != nil,
          hasPaths ? [:] : attributes.filter { !isUsed($0.key) }
        ))
      byteCount += ownName?.utf8.count ?? 0
      addAttributes(attributes, of: name)
    }
    if isDeep { return }
    // The link of an Atom entry is its attribute `href`.
    if depth == itemDepth + 1, name == "link", let target = attributes["href"] {
      text = Array(target.utf8)
    } else {
      noteAttributes(attributes, of: name, isField: depth == itemDepth + 1)
    }
  }

  /// Separates the texts of two elements.
  private func addBlank() {
    byteCount += 1
    if byteCount <= limit { text.append(0x20) }
  }

  /// The depth of the outermost open element that is a part of a text, such as `<b>` in `Red <b>enamel</b> mug`.
  private var textDepth: Int?

  /// True if the element that begins is a part of the text of a field.
  private var beginsWithinText: Bool {
    guard isDeep, layout == nil, let itemDepth, depth > itemDepth + 1, excess == nil else {
      return false
    }
    return textDepth != nil || text.contains { $0 > 0x20 }
  }

  /// The attributes within the open field of an item whose elements are no fields of their own, with the names of their elements.
  private var noted: [(name: String, attributes: [String: String])] = []

  /// Notes the attributes of such an element. A feed of Meta has links into apps as `<applink property="ios_url" content="…"/>`.
  private func noteAttributes(_ attributes: [String: String], of name: String, isField: Bool) {
    if isField { noted = [] }
    if attributes.isEmpty || excess != nil { return }
    byteCount += attributes.reduce(name.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    guard byteCount <= limit else { return }
    if let property = attributes["property"], let content = attributes["content"] {
      noted.append((name, [property: content]))
    } else {
      noted.append((name, attributes))
    }
  }

  /// Notes that an element of an item is open.
  private func open(
    _ element: (
      name: String, address: String?, component: String, isNamed: Bool, others: [String: String]
    )
  ) {
    let before = path.last.map { $0.pathCount + 1 } ?? 0
    path.append(
      (
        element.name, element.address, element.component, element.isNamed,
        before + element.component.utf8.count, element.others
      ))
  }

  /// Gives up the item that is open, which becomes too much.
  private func exceed(_ error: FieldError) {
    excess = error
    (fields, path, parameter, text, textDepth) = ([], [], nil, [], nil)
  }

  /// Draws the names of a field from the allowance of the item: its path is as long as the item is deep, and its name may have
  /// that of the element around it.
  ///
  /// - Parameter count: The number of bytes of the path.
  private func drawNames(_ count: Int, of name: String) -> Bool {
    guard excess == nil else { return false }
    let names = name.utf8.count + (path.last?.name.utf8.count ?? 0)
    do throws(FieldError) {
      try allowance.draw(names + (hasPaths ? count : 0), for: String(name.prefix(100)))
      return true
    } catch {
      exceed(error)
      return false
    }
  }

  /// The most groups that are told apart.
  private static let groupLimit = 10_000

  /// Adds the blanks that an element within a text stands for.
  private func addBlanks(_ name: String, _ attributes: [String: String]) {
    let count =
      switch name {
      case "text:s": min(100, max(1, attributes["text:c"].flatMap { Int($0) } ?? 1))
      case "text:tab", "text:line-break": 1
      default: 0
      }
    byteCount += count
    if byteCount <= limit { text += Array(repeating: 0x20, count: count) }
  }

  /// The elements that are fields with the name in an attribute.
  private static let namedElements: Set<String> = [
    "param", "attribute", "property", "feature", "field", "PARAM", "a", "attr", "custom-attribute",
    "characteristic", "parameter", "spec", "option",
  ]
  /// The elements with the name and the value of a parameter in elements of their own.
  private static let pairElements: Set<String> = [
    "PARAM", "FEATURE", "param", "attribute", "property", "feature", "characteristic", "parameter",
    "spec", "option", "PARAMETER", "Param", "Attribute", "Property", "Feature", "Option",
  ]
  private static let parameterNames: Set<String> = [
    "PARAM_NAME", "FNAME", "name", "Name", "NAME", "attribute_name", "param_name", "key",
  ]
  private static let parameterValues: Set<String> = [
    "VAL", "FVALUE", "value", "Value", "VALUE", "attribute_value", "param_value", "val",
  ]
  /// The attributes with the text of an element that has none.
  private static let addresses = ["url", "href", "src", "path", "value", "amount", "content"]
  /// The attributes of elements within an item that are fields even if no mapping names them.
  private static let usedAttributes: Set<String> = ["currency", "currencycode", "currencyid"]

  /// Adds the attributes of a part, which are fields like those of an item.
  private func addPart(_ attributes: [String: String]) {
    for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
      byteCount += value.utf8.count
      guard byteCount <= limit, fields.count < fieldLimit else { return }
      fields.append(
        Field(name: name, text: value, path: hasPaths ? "@\(name)" : "", part: partCount))
    }
  }

  /// The number of the part that is open, or 0.
  private var part: Int { partDepth == nil ? 0 : partCount }

  /// Adds the attributes of an element within an item.
  private func addAttributes(_ attributes: [String: String], of element: String) {
    for (name, value) in attributes.sorted(by: { $0.key < $1.key })
    where hasPaths || Self.usedAttributes.contains(name.lowercased()) {
      byteCount += value.utf8.count
      guard byteCount <= limit, fields.count < fieldLimit else { return }
      guard drawNames((path.last?.pathCount ?? 0) + name.utf8.count, of: name) else { return }
      fields.append(
        Field(
          name: "\(element)@\(name)", text: value,
          path: hasPaths ? path.map(\.component).joined(separator: "/") + "/@\(name)" : "",
          part: part))
    }
  }

  /// Adds the attributes of an element without a text that are not its text, so that nothing of it is lost.
  private func addOthers(_ attributes: [String: String], of element: String) {
    for (name, value) in attributes.sorted(by: { $0.key < $1.key }) where excess == nil {
      byteCount += value.utf8.count
      guard byteCount <= limit, fields.count < fieldLimit, drawNames(0, of: element + name) else {
        return
      }
      fields.append(Field(name: "\(element).\(name)", text: value, part: part))
    }
  }

  private func add(_ bytes: UnsafeRawBufferPointer) {
    guard itemDepth != nil else {
      if openCategory != nil, text.count + bytes.count <= Self.categoryLimit {
        unsafe text.append(contentsOf: bytes)
      }
      return
    }
    byteCount += bytes.count
    if byteCount <= limit, excess == nil { unsafe text.append(contentsOf: bytes) }
  }

  private func end(_ name: String) {
    defer { depth -= 1 }
    guard let itemDepth else { return endCategory(name) }
    if layout?.inline.contains(name) == true { return }
    if let outermost = textDepth {
      if depth == outermost { textDepth = nil }
      return addBlank()
    }
    if excess != nil {
      if depth == itemDepth { finish() }
      return
    }
    if isDeep, depth > itemDepth,
      let (name, address, component, isNamed, pathCount, others) = path.popLast()
    {
      if isLeaf, byteCount <= limit, fields.count < fieldLimit, drawNames(pathCount, of: name) {
        let whole = String(decoding: text, as: UTF8.self)
        let own = keepsBlanks ? whole : whole.trimmed
        let parent = path.last?.name ?? ""
        if Self.parameterNames.contains(name), Self.pairElements.contains(parent), parameter == nil
        {
          parameter = (own, qualified(name))
        } else if Self.parameterValues.contains(name), let pair = parameter, !pair.name.isEmpty,
          Self.pairElements.contains(parent)
        {
          fields.append(
            Field(
              name: pair.name, text: own, path: hasPaths ? "\(parent)[\(pair.name)]" : "",
              part: part))
          parameter?.field = nil
        } else {
          fields.append(
            Field(
              name: isNamed ? name : qualified(name), text: own.isEmpty ? address ?? "" : own,
              path: hasPaths
                ? (path.map(\.component) + [component]).joined(separator: "/") : "", part: part))
          if own.isEmpty { addOthers(others, of: name) }
        }
      } else if !isLeaf, layout == nil, text.contains(where: { $0 > 0x20 }), byteCount <= limit,
        fields.count < fieldLimit, drawNames(pathCount, of: name)
      {
        // A text behind the elements of a field.
        fields.append(
          Field(
            name: qualified(name), text: String(decoding: text, as: UTF8.self).trimmed,
            path: hasPaths ? (path.map(\.component) + [component]).joined(separator: "/") : "",
            part: part))
      }
      if layout == nil { text = [] }
      if Self.pairElements.contains(name), let pair = parameter {
        // A name without a value is a field like any other.
        if let field = pair.field, !pair.name.isEmpty, fields.count < fieldLimit {
          fields.append(Field(name: field, text: pair.name, part: part))
        }
        parameter = nil
      }
      if layout?.ends.contains(name) == true, byteCount <= limit {
        fields.append(Field(name: name, text: "", path: "/" + name))
      }
      if depth == partDepth { partDepth = nil }
      isLeaf = false
    } else if depth == itemDepth + 1, byteCount <= limit {
      let own = String(decoding: text, as: UTF8.self).trimmed
      fields.append(Field(name: name, text: own))
      if own.isEmpty { for element in noted { addOthers(element.attributes, of: element.name) } }
      noted = []
    }
    if depth == itemDepth { finish() }
  }

  /// Ends the item that is open.
  private func finish() {
    do throws(FieldError) {
      for field in fields where field.name.hasSuffix("categoryId") {
        guard let path = categoryPath(field.text) else { continue }
        try allowance.draw(path.utf8.count, for: "category")
        fields.append(Field(name: "category", text: path))
      }
    } catch {
      exceed(error)
    }
    if byteCount > limit {
      excess = FieldError(
        field: nil, reason: "has more than \(limit) bytes, which is the limit")
    }
    items.append(
      Item(
        line: itemLine, fields: excess.map(Result.failure) ?? .success(fields),
        group: groups.isEmpty ? nil : groups.count - 1, allowance: allowance))
    (itemDepth, excess) = (nil, nil)
  }

  private func endCategory(_ name: String) {
    guard name == "category", let (id, parent) = openCategory else { return }
    openCategory = nil
    let text = String(decoding: text, as: UTF8.self).trimmed
    guard categories.count < Self.categoryCountLimit, !text.isEmpty, id.utf8.count <= 64 else {
      return
    }
    categories[id] = Category(name: text, parent: parent)
  }

  /// The most bytes of a category's name, and the most categories.
  private static let categoryLimit = 1024
  private static let categoryCountLimit = 100_000

  /// Returns the names of a category and the one above it, such as `Kitchen > Mugs`.
  private func categoryPath(_ id: String) -> String? {
    guard let own = categories[id] else { return nil }
    let above = own.parent.flatMap { categories[$0] }.map { $0.name + " > " } ?? ""
    return above + own.name
  }

  /// The most fields of an item whose fields are at any depth.
  private var fieldLimit: Int { hasPaths ? 1 << 16 : 4096 }

  /// The names of fields, by the name of the parent element and that of the element.
  private var qualifiedNames: [String: [String: String]] = [:]
  private var qualifiedCount = 0
  /// The most names that are remembered, and the most bytes of one.
  private static let (nameLimit, nameByteLimit) = (1 << 16, 256)

  /// Returns the name of a field: that of the element or of the list that it is part of, or else both the parent's
  /// name and its own.
  private func qualified(_ name: String) -> String {
    guard let parent = path.last?.name, !parts.contains(parent) else { return name }
    if let known = qualifiedNames[parent]?[name] { return known }
    let full = Self.qualified(name, in: parent)
    // The names are remembered, because a feed has few of them. The limit keeps other input
    // from filling memory.
    if qualifiedCount < Self.nameLimit, full.utf8.count <= Self.nameByteLimit {
      qualifiedNames[parent, default: [:]][name] = full
      qualifiedCount += 1
    }
    return full
  }

  private static func qualified(_ name: String, in parent: String) -> String {
    let own = ColumnVocabulary.targets(of: [name])[0]
    switch own {
    case .image?, .images?, .labels?, .attribute?: return name
    default: break
    }
    // Inside an element for an image, these children are its address. Inside one for a
    // category, only `item` is a label; an address there, for example, is not.
    switch ColumnVocabulary.targets(of: [parent])[0] {
    case .image?, .images?:
      return ["item", "url", "src", "main", "i", "link", "additional", "first", "loc"].contains(
        name.lowercased())
        ? parent : "\(parent).\(name)"
    case .labels?: return name.lowercased() == "item" ? parent : "\(parent).\(name)"
    default: return "\(parent).\(name)"
    }
  }

  private func refuse(_ reason: String) {
    refusal = reason
    unsafe _ = XML_StopParser(parser, XML_Bool(XML_FALSE))
  }
}
