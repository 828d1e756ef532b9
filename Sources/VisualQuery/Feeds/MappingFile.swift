/// A mapping in a file: lines of TOML such as `title = "designation"`, or an object of JSON such as `{"title": "designation"}`.
package enum MappingFile {
  /// The endings of the names of mappings that stand beside their feeds.
  private static let endings = [".map.toml", ".map.json"]
  private static let byteLimit = 1 << 20

  /// Returns the path of the mapping beside a feed, or `nil` if there is none: that of `feed.xml` is `feed.map.toml`,
  /// `feed.map.json`, `feed.xml.map.toml` or `feed.xml.map.json`.
  package static func path(beside feed: String) -> String? {
    guard feed != "-", !feed.contains("://") else { return nil }
    var stem = feed[...]
    if stem.hasSuffix(".gz") { stem = stem.dropLast(3) }
    if let dot = stem.lastIndex(of: "."), !stem[dot...].contains("/") { stem = stem[..<dot] }
    let paths = endings.map { String(stem) + $0 } + endings.map { feed + $0 }
    return paths.first { FileStatus.exists($0) }
  }

  /// Reads a mapping.
  ///
  /// - Throws: ``FeedError``, which names the line.
  package static func assignments(path: String) throws(FeedError) -> [FieldAssignment] {
    var records = try RecordReader(path: path, limits: FeedLimits(byteCount: byteLimit))
    let bytes = try records.rest()
    let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    let pairs = first == UInt8(ascii: "{") ? try json(bytes, path) : try toml(bytes, path)
    var assignments: [FieldAssignment] = []
    for (line, target, source) in pairs {
      guard let assignment = FieldAssignment(target: target, column: source) else {
        throw error(
          path, line,
          "there is no field '\(target.prefix(40))'; expected for example title or images")
      }
      assignments.append(assignment)
    }
    guard !assignments.isEmpty else {
      throw error(path, 1, "assigns nothing; expected for example title = \"name\"")
    }
    return assignments
  }

  private static func json(
    _ bytes: [UInt8], _ path: String
  ) throws(FeedError) -> [(line: Int, target: String, source: String)] {
    guard
      case .object(let fields)? = try? JSONValue(json: bytes, limits: .line, shouldStop: { false })
    else {
      throw error(path, 1, "is not an object of JSON")
    }
    return fields.sorted { $0.key < $1.key }.flatMap { name, value in
      JSONFields.texts(in: value).map { (1, name, $0) }
    }
  }

  /// Reads lines of TOML: a name, `=`, and a string or a list of strings.
  private static func toml(
    _ bytes: [UInt8], _ path: String
  ) throws(FeedError) -> [(line: Int, target: String, source: String)] {
    var pairs: [(Int, String, String)] = []
    let text = String(decoding: bytes, as: UTF8.self)
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let line = line.trimmed
      if line.isEmpty || line.hasPrefix("#") { continue }
      guard let sign = line.firstIndex(of: "=") else {
        throw error(
          path, index + 1, "is '\(line.prefix(40))'; expected for example title = \"name\"")
      }
      let name = line[..<sign].trimmed.filter { $0 != "\"" }
      let value = line[line.index(after: sign)...].trimmed
      let strings = try strings(value, path, index + 1)
      pairs += strings.map { (index + 1, name, $0) }
    }
    return pairs
  }

  /// Reads a string or a list of strings in quotes, of which a comment may follow.
  private static func strings(
    _ text: String, _ path: String, _ line: Int
  ) throws(FeedError) -> [String] {
    var strings: [String] = []
    var rest = text[...]
    while let open = rest.firstIndex(where: { $0 == "\"" || $0 == "'" || $0 == "#" }),
      rest[open] != "#"
    {
      let mark = rest[open]
      var value = ""
      var index = rest.index(after: open)
      while index < rest.endIndex, rest[index] != mark {
        if rest[index] == "\\", mark == "\"", rest.index(after: index) < rest.endIndex {
          index = rest.index(after: index)
        }
        value.append(rest[index])
        index = rest.index(after: index)
      }
      guard index < rest.endIndex else {
        throw error(path, line, "has a string without its closing quote")
      }
      strings.append(value)
      rest = rest[rest.index(after: index)...]
    }
    guard !strings.isEmpty else { throw error(path, line, "has no string in quotes") }
    return strings
  }

  private static func error(_ path: String, _ line: Int, _ reason: String) -> FeedError {
    FeedError(message: "'\(path)', line \(line): \(reason)")
  }
}
