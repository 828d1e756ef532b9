/// Reads the items of an XML document one by one, and continues with the next item after an error.
struct XMLItemStream {
  private let names: Set<String>
  private let isDeep: Bool
  private let hasPaths: Bool
  private let parts: Set<String>
  private let limits: FeedLimits
  /// The beginnings of the items' first tags.
  private let tags: [[UInt8]]
  private var parser: XMLItemParser
  /// The items that are ready, the next one last.
  private var ready: [XMLItemParser.Item] = []
  /// The number of bytes that the parser received before the current chunk.
  private var parsedByteCount = 0
  /// The current line after an error, while the next item is searched for; otherwise `nil`.
  private var skippedTo: Int?
  /// The end of the skipped bytes, which may contain the beginning of the next item's tag.
  private var skippedEnd: [UInt8] = []
  private var references = HTMLReferenceReplacement()
  private var hasRecovered = false
  private var hasBegun = false
  private var hasItems = false
  private var isAtEnd = false

  /// Makes a stream of the elements with the given names.
  ///
  /// - Parameters:
  ///   - isDeep: True if the fields of an item are its attributes and all elements in it
  ///     that have no children, rather than its own children.
  ///   - hasPaths: True if fields have their paths, and all attributes are fields.
  ///   - parts: The elements that are parts of items.
  ///   - limits: The limits of what an item becomes.
  init(
    items names: Set<String>, isDeep: Bool = false, hasPaths: Bool = false,
    parts: Set<String> = [], limits: FeedLimits
  ) {
    self.limits = limits
    self.names = names
    self.parts = parts
    self.hasPaths = hasPaths
    self.isDeep = isDeep
    tags = names.sorted().map { Array("<\($0)".utf8) }
    parser = XMLItemParser(
      items: names, limit: RecordReader.recordLimit, isDeep: isDeep, hasPaths: hasPaths,
      parts: parts, limits: limits)
  }

  /// Returns the next item, or `nil` at the end.
  ///
  /// - Throws: ``FeedError``, also if the document declares
  ///   entities.
  mutating func next(
    from records: inout RecordReader
  ) throws(FeedError) -> XMLItemParser.Item? {
    while true {
      if let item = ready.popLast() { return item }
      if isAtEnd { return nil }
      if let own = try records.nextChunk() {
        var chunk = references.replaced(own)
        if !hasBegun {
          hasBegun = true
          let start = Self.start(of: chunk)
          // The reader decoded the text already, whatever the document declares.
          parser = XMLItemParser(
            items: names, limit: RecordReader.recordLimit,
            lineOffset: records.skippedLineCount
              + chunk[..<start].count { $0 == UInt8(ascii: "\n") },
            encoding: records.isTextDecoded ? "UTF-8" : nil, isDeep: isDeep, hasPaths: hasPaths,
            parts: parts, limits: limits)
          chunk.removeFirst(start)
        }
        try parse(chunk, records.name)
      } else {
        isAtEnd = true
        let rest = references.takeRest()
        if !rest.isEmpty { try parse(rest, records.name) }
        if skippedTo == nil, let failure = parser.parse([], isLast: true), !isEnd(failure) {
          add(parser.takeItems() + [refused(failure)])
        }
      }
    }
  }

  /// Returns the index of the declaration of a document, before which programs write blank lines and comments that XML does
  /// not allow there, or 0 if there is something else before it.
  private static func start(of chunk: [UInt8]) -> Int {
    let sample = chunk.prefix(4096)
    guard let declaration = sample.firstRange(of: Array("<?xml".utf8)) else {
      return sample.firstIndex { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) } ?? 0
    }
    var rest = sample[..<declaration.lowerBound]
    while let byte = rest.first {
      if [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains(byte) {
        rest.removeFirst()
      } else if rest.starts(with: "<!--".utf8), let end = rest.firstRange(of: Array("-->".utf8)) {
        rest = rest[end.upperBound...]
      } else {
        return 0
      }
    }
    return declaration.lowerBound
  }

  /// Parses a chunk. After each error, reading continues with the next item.
  private mutating func parse(_ chunk: [UInt8], _ name: String) throws(FeedError) {
    var rest = chunk[...]
    var items: [XMLItemParser.Item] = []
    while !rest.isEmpty, !isAtEnd {
      if let line = skippedTo {
        rest = skip(rest, from: line)
        if skippedTo != nil { break }
      }
      let failure = parser.parse(Array(rest))
      items += parser.takeItems()
      hasItems = hasItems || !items.isEmpty
      guard let failure else {
        parsedByteCount += rest.count
        break
      }
      if failure.isRefusal {
        throw FeedError(
          message: "'\(name)', line \(failure.line), \(failure.reason)")
      }
      if isEnd(failure) {
        isAtEnd = true
      } else {
        // Text after the end of the document is not an item, so it is not reported.
        if failure.depth > 0 || !hasItems { items.append(refused(failure)) }
        // Skips at least one byte, so that the search always advances.
        rest = rest.dropFirst(max(1, failure.byteOffset - parsedByteCount))
        skippedTo = failure.line
      }
    }
    add(items)
  }

  private mutating func add(_ items: [XMLItemParser.Item]) { ready = items.reversed() + ready }

  /// Skips to the first tag of an item and starts to parse there; otherwise skips everything.
  private mutating func skip(_ bytes: ArraySlice<UInt8>, from line: Int) -> ArraySlice<UInt8> {
    let text = skippedEnd + bytes
    guard let start = firstTag(in: text) else {
      let kept = text.suffix(tags.reduce(0) { max($0, $1.count) })
      skippedTo = line + text.dropLast(kept.count).count { $0 == UInt8(ascii: "\n") }
      skippedEnd = Array(kept)
      return []
    }
    let reached = line + text[..<start].count { $0 == UInt8(ascii: "\n") }
    parser = XMLItemParser(
      items: names, limit: RecordReader.recordLimit, lineOffset: reached - 1,
      encoding: parser.encoding, isDeep: isDeep, hasPaths: hasPaths, categories: parser.categories,
      parts: parts, limits: limits)
    // After skipping, it is unknown which tags are open, so the rest is enclosed in one new
    // element.
    let root = Array("<r>".utf8)
    _ = parser.parse(root)
    (parsedByteCount, skippedTo, skippedEnd, hasRecovered) = (root.count, nil, [], true)
    return text[start...]
  }

  private func firstTag(in bytes: [UInt8]) -> Int? {
    var index = bytes.startIndex
    while let open = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
      for tag in tags where bytes[open...].starts(with: tag) {
        let end = open + tag.count
        if end < bytes.count, [0x20, 0x09, 0x0A, 0x0D, 0x3E].contains(bytes[end]) { return open }
      }
      index = open + 1
    }
    return nil
  }

  /// Returns whether a failure is the end of the document: after an error, its last tags close
  /// elements whose first tags the parser has not seen.
  private func isEnd(_ failure: XMLItemParser.Failure) -> Bool {
    hasRecovered && failure.depth == 1 && !failure.isWithinItem
  }

  private func refused(_ failure: XMLItemParser.Failure) -> XMLItemParser.Item {
    XMLItemParser.Item(
      line: failure.isWithinItem ? failure.itemLine : failure.line,
      fields: .failure(
        FieldError(field: nil, reason: "is not well-formed XML: \(failure.reason)")))
  }
}
