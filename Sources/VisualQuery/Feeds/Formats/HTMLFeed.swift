/// An HTML page with products or stores of schema.org in its JSON-LD, or else in its microdata or Open Graph tags.
struct HTMLFeed: FeedFormatReader {
  let mapping: FeedMapping
  /// The remaining nodes, the next one last.
  private var nodes: [JSONValue] = []
  /// The remaining records of the last node, the next one last.
  private var ready: [FeedRecord] = []
  private var count = 0
  private let context: FeedContext

  init?(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(FeedError) {
    guard case .html = head else { return nil }
    self.context = context
    let page = String(decoding: try records.rest(), as: UTF8.self)
    var damaged = 0
    for script in Self.scripts(in: page) {
      // Some programs write HTML references into scripts, where they are not references.
      let json =
        (try? JSONValue(json: Array(script.utf8), limits: .document))
        ?? (try? JSONValue(json: Array(PlainText.text(script).utf8), limits: .document))
      if let json { nodes += SchemaOrgFeed.nodes(in: json) } else { damaged += 1 }
    }
    let hasScripts = !nodes.isEmpty
    if !hasScripts { nodes = PageMarkup.nodes(in: page) }
    mapping = FeedMapping(
      format: .html, name: hasScripts ? nil : "HTML page with microdata or Open Graph",
      fields: SchemaOrgFeed.fields)
    nodes.reverse()
    guard nodes.isEmpty else { return }
    let title = Self.title(of: page).map { ", titled '\($0)'" } ?? ""
    let fault = damaged > 0 ? "; \(damaged) of its JSON-LD scripts are not JSON" : ""
    throw FeedError(
      message:
        "'\(records.name)' is an HTML page\(title), without products in JSON-LD, microdata or Open Graph\(fault); is it an error page?"
    )
  }

  mutating func next(from records: inout RecordReader) -> FeedRecord? {
    if ready.isEmpty, let node = nodes.popLast() {
      count += 1
      ready = SchemaOrgFeed.records(of: node, line: count, context).reversed()
    }
    return ready.popLast()
  }

  /// Returns the contents of the scripts with JSON-LD.
  private static func scripts(in page: String) -> [String] {
    let bytes = Array(page.utf8)
    let lowercased = bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    var scripts: [String] = []
    var rest = lowercased[...]
    while let type = rest.firstRange(of: Array("application/ld+json".utf8)) {
      rest = rest[type.upperBound...]
      guard let open = rest.firstIndex(of: UInt8(ascii: ">")) else { break }
      rest = rest[(open + 1)...]
      let end = rest.firstRange(of: Array("</script".utf8))
      let contents = bytes[rest.startIndex..<(end?.lowerBound ?? bytes.endIndex)]
      var script = String(decoding: contents, as: UTF8.self).trimmed
      for mark in ["<!--", "//<![CDATA[", "<![CDATA["] where script.hasPrefix(mark) {
        script = String(script.dropFirst(mark.count))
      }
      for mark in ["-->", "//]]>", "]]>"] where script.hasSuffix(mark) {
        script = String(script.dropLast(mark.count))
      }
      scripts.append(script)
      guard let end else { break }
      rest = rest[end.upperBound...]
    }
    return scripts
  }

  private static func title(of page: String) -> String? {
    let start = String(page.prefix(1 << 16))
    guard let open = start.firstRange(of: "<title") ?? start.firstRange(of: "<h1"),
      let close = start[open.upperBound...].firstIndex(of: ">")
    else { return nil }
    let text = start[start.index(after: close)...].prefix { $0 != "<" }
    let title = PlainText.text(String(text.prefix(60))).trimmed
    return title.isEmpty ? nil : title
  }
}
