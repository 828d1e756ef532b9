/// The products of an HTML page whose tags say what they are: microdata of schema.org (`itemprop`), or Open Graph if there is none.
enum PageMarkup {
  /// Returns the nodes of schema.org that a page has in its tags.
  static func nodes(in page: String) -> [JSONValue] {
    let tags = tags(in: page)
    let nodes = microdata(tags).filter { !SchemaOrgFeed.nodes(in: $0).isEmpty }
    if !nodes.isEmpty { return nodes }
    return openGraph(tags).map { [$0] } ?? []
  }

  // MARK: Tags

  private struct Tag {
    let name: String
    let attributes: [String: String]
    var isEnd = false
    /// The text between the tag and the next one.
    var text = ""
  }

  /// The most tags of a page.
  private static let tagLimit = 100_000
  /// The elements without an end tag.
  private static let voids: Set<String> = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
  ]

  private static func tags(in page: String) -> [Tag] {
    var tags: [Tag] = []
    let bytes = Array(page.utf8)
    var rest = bytes[...]
    while let open = rest.firstIndex(of: UInt8(ascii: "<")), tags.count < tagLimit {
      if !tags.isEmpty {
        tags[tags.count - 1].text += String(decoding: rest[..<open], as: UTF8.self)
      }
      rest = rest[(open + 1)...]
      if rest.starts(with: "!--".utf8) {
        rest = rest.firstRange(of: Array("-->".utf8)).map { rest[$0.upperBound...] } ?? []
        continue
      }
      guard let close = end(of: rest) else { break }
      let tag = Self.tag(String(decoding: rest[..<close], as: UTF8.self))
      rest = rest[(close + 1)...]
      tags.append(tag)
      if ["script", "style"].contains(tag.name), !tag.isEnd {
        rest = rest.firstRange(of: Array("</\(tag.name)".utf8)).map { rest[$0.lowerBound...] } ?? []
      }
    }
    return tags
  }

  /// Returns the index of the end of a tag, whose attributes may have the same character.
  private static func end(of bytes: ArraySlice<UInt8>) -> Int? {
    var quote: UInt8?
    for (index, byte) in zip(bytes.indices, bytes) {
      if byte == quote {
        quote = nil
      } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if quote == nil, byte == UInt8(ascii: ">") {
        return index
      }
    }
    return nil
  }

  private static func tag(_ text: String) -> Tag {
    let isEnd = text.hasPrefix("/")
    var rest = text.drop { $0 == "/" }
    let name = rest.prefix { !$0.isWhitespace && $0 != "/" }
    rest = rest[name.endIndex...]
    var attributes: [String: String] = [:]
    while true {
      rest = rest.drop { $0.isWhitespace || $0 == "/" }
      let key = rest.prefix { !$0.isWhitespace && !"=/".contains($0) }
      if key.isEmpty { break }
      rest = rest[key.endIndex...].drop(while: \.isWhitespace)
      var value: Substring = ""
      if rest.first == "=" {
        rest = rest.dropFirst().drop(while: \.isWhitespace)
        if let quote = rest.first, quote == "\"" || quote == "'" {
          value = rest.dropFirst().prefix { $0 != quote }
          rest = rest[value.endIndex...].dropFirst()
        } else {
          value = rest.prefix { !$0.isWhitespace }
          rest = rest[value.endIndex...]
        }
      }
      let plain = String(key).lowercased()
      attributes[plain] = attributes[plain] ?? PlainText.text(String(value))
    }
    return Tag(name: name.lowercased(), attributes: attributes, isEnd: isEnd)
  }

  // MARK: Microdata

  /// An element that is open, with the item or the property that it is.
  private struct Open {
    let name: String
    /// The item, if the element is one.
    var item: [String: [JSONValue]]?
    /// The names of the property of the item around it.
    let properties: [String]
    var text = ""
  }

  /// The most elements that are open, and the bytes from which on a property takes no more text.
  private static let (depthLimit, textLimit) = (256, 1 << 16)
  /// The most properties that one text is part of.
  private static let propertyDepth = 3

  private static func microdata(_ tags: [Tag]) -> [JSONValue] {
    var open: [Open] = []
    var items: [JSONValue] = []
    func give(_ value: JSONValue, _ names: [String]) {
      guard let place = open.lastIndex(where: { $0.item != nil }) else { return }
      for name in names { open[place].item?[name, default: []].append(value) }
    }
    func close(_ element: Open) {
      if let item = element.item {
        let node = JSONValue.object(item.mapValues { $0.count == 1 ? $0[0] : .array($0) })
        if element.properties.isEmpty || !open.contains(where: { $0.item != nil }) {
          items.append(node)
        } else {
          give(node, element.properties)
        }
      } else if !element.properties.isEmpty {
        let text = element.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        give(.string(PlainText.text(text)), element.properties)
      }
    }
    for tag in tags {
      if tag.isEnd {
        if let place = open.lastIndex(where: { $0.name == tag.name }) {
          while open.count > place, let element = open.popLast() { close(element) }
        }
      } else if open.count < depthLimit {
        let names = tag.attributes["itemprop"]?.split(whereSeparator: \.isWhitespace).map(
          String.init)
        var element = Open(name: tag.name, item: nil, properties: names ?? [])
        if tag.attributes["itemscope"] != nil {
          let type =
            tag.attributes["itemtype"]?.split(separator: "/").last.map(String.init) ?? "Thing"
          element.item = ["@type": [.string(type)]]
          if voids.contains(tag.name) { close(element) } else { open.append(element) }
        } else if let names, let value = value(of: tag) {
          give(.string(value), names)
          if !voids.contains(tag.name) {
            open.append(Open(name: tag.name, item: nil, properties: []))
          }
        } else if !voids.contains(tag.name) {
          open.append(element)
        }
      }
      // The text belongs to the innermost properties around it: a page could have it in hundreds.
      let around = open.indices.filter { !open[$0].properties.isEmpty && open[$0].item == nil }
      for place in around.suffix(Self.propertyDepth)
      where open[place].text.utf8.count < Self.textLimit {
        open[place].text += tag.text + " "
      }
    }
    while let element = open.popLast() { close(element) }
    return items
  }

  /// Returns the value of a property that an attribute has, or `nil` if it is the text of the element.
  private static func value(of tag: Tag) -> String? {
    let names =
      switch tag.name {
      case "meta": ["content"]
      case "a", "link", "area": ["href", "content"]
      case "img", "audio", "video", "source", "embed", "iframe": ["src", "data-src", "content"]
      case "data", "meter": ["value", "content"]
      case "time": ["datetime", "content"]
      default: ["content"]
      }
    return names.lazy.compactMap { tag.attributes[$0] }.first
  }

  // MARK: Open Graph

  private static func openGraph(_ tags: [Tag]) -> JSONValue? {
    var values: [String: [String]] = [:]
    for tag in tags where tag.name == "meta" && !tag.isEnd {
      guard let name = tag.attributes["property"] ?? tag.attributes["name"],
        let content = tag.attributes["content"]
      else { continue }
      values[name.lowercased(), default: []].append(content)
    }
    func first(_ names: String...) -> JSONValue? {
      names.lazy.compactMap { values[$0]?.first }.first.map(JSONValue.string)
    }
    let isProduct = ["product", "og:product", "product.item"].contains(
      values["og:type"]?.first ?? "")
    guard isProduct || values["product:price:amount"] != nil || values["og:price:amount"] != nil,
      let title = first("og:title")
    else { return nil }
    var node: [String: JSONValue] = ["@type": .string("Product"), "name": title]
    node["url"] = first("og:url")
    node["ios_url"] = first("al:ios:url")
    node["sku"] = first("product:retailer_item_id", "product:sku")
    node["brand"] = first("product:brand", "og:brand")
    node["color"] = first("product:color")
    node["description"] = first("og:description")
    node["inProductGroupWithID"] = first("product:item_group_id")
    let images =
      (values["og:image:secure_url"] ?? values["og:image"] ?? values["og:image:url"] ?? [])
    if !images.isEmpty { node["image"] = .array(images.map(JSONValue.string)) }
    var offer: [String: JSONValue] = [:]
    offer["price"] = first("product:sale_price:amount", "product:price:amount", "og:price:amount")
    offer["priceCurrency"] = first("product:price:currency", "og:price:currency")
    offer["availability"] = first("product:availability", "og:availability")
    if !offer.isEmpty { node["offers"] = .object(offer) }
    return .object(node)
  }
}
