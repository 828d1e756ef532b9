/// The fields of a feed, with what they would become: a mapping to start from.
///
/// Fields are recognized by their names, and those that are missing by their values: what is different in each record is the id, and
/// what looks like an address of an image, an amount or a name is one.
package struct FeedColumns: Sendable {
  /// A field with the values of the first records.
  private struct Field {
    /// The name of a column, or the path of an element, an attribute or a key.
    let path: String
    /// The name by which it is recognized.
    let name: String
    var values: [String] = []
  }

  /// The columns of a table, or the paths of a document.
  package let names: [String]
  /// The assignments that are recognized, in the order of the fields.
  package let assignments: [(target: String, column: String)]
  /// The element with the records, unless it is found without being named.
  private let record: String?

  /// The most records that are looked at.
  private static let recordCount = 200

  /// Reads the beginning of a feed.
  ///
  /// - Parameters:
  ///   - path: The file of the feed.
  ///   - encoding: The name of the encoding of the text, or `nil` if it is recognized.
  ///   - sheet: The sheet of a workbook, as in ``FeedOptions/sheet``.
  /// - Throws: ``FeedError``, also if the file has no fields.
  package init(
    path: String, encoding: String? = nil, sheet: String? = nil
  ) throws(FeedError) {
    var records = try RecordReader.opening(path, FeedOptions(encoding: encoding, sheet: sheet))
    var fields: [Field] = []
    var record: String?
    let count: Int
    switch try FeedHead(of: &records) {
    case .table(let header):
      let rows = try header.sample(of: &records)
      count = rows.count
      fields = header.columns.enumerated().map { column, name in
        Field(path: name.trimmed, name: name, values: rows.map { $0[column].trimmed })
      }
    case .xml(let start): (fields, count, record) = try Self.elements(start, path)
    case .json: (fields, count, record) = try Self.keys(try records.rest(), path)
    case .empty, .folder, .html:
      throw FeedError(
        message: "'\(path)' has no fields; a mapping names those of a table, of XML or of JSON")
    }
    self.record = record
    names = fields.map(\.path)
    var targets = ColumnVocabulary.targets(of: fields.map(\.name)).map {
      $0 == .otherTitle || $0 == .otherID ? nil : $0
    }
    Self.addByValues(fields, count, &targets)
    assignments = zip(fields, targets).compactMap { field, target in
      guard let target else { return nil }
      let known = FeedTarget.named.filter { $0.value == target }.keys.min {
        ($0.count, $0) < ($1.count, $1)
      }
      return known.map { ($0, field.path) }
    }
  }

  // MARK: Fields

  private static func elements(
    _ start: String, _ path: String
  ) throws(FeedError) -> (fields: [Field], count: Int, record: String?) {
    let outline = XMLOutline(start)
    let known = outline.itemName(among: XMLFeed.itemNames)
    guard let item = known ?? outline.repeatedName else {
      throw FeedError(
        message: "'\(path)' is XML in which no element with others in it occurs twice")
    }
    let parser = XMLItemParser(
      items: [item], limit: RecordReader.recordLimit, encoding: "UTF-8", isDeep: true,
      hasPaths: true)
    let begin =
      start.firstRange(of: "<?xml")?.lowerBound ?? start.firstIndex(of: "<") ?? start.startIndex
    _ = parser.parse(Array(start[begin...].utf8))
    let items = parser.takeItems().prefix(recordCount).compactMap { try? $0.fields.get() }
    var fields: [Field] = []
    var places: [String: Int] = [:]
    for field in items.joined() {
      if places[field.path] == nil {
        places[field.path] = fields.count
        fields.append(Field(path: field.path, name: field.name))
      }
      if let place = places[field.path] { fields[place].values.append(field.text) }
    }
    return (fields, items.count, known == nil ? item : nil)
  }

  private static func keys(
    _ bytes: [UInt8], _ path: String
  ) throws(FeedError) -> (fields: [Field], count: Int, record: String?) {
    var repeated: [String] = []
    let values: [JSONValue]
    do throws(JSONError) {
      values = try JSONSequence.values(in: bytes, &repeated)
    } catch {
      throw FeedError(message: "'\(path)' \(error.message)")
    }
    var fields: [Field] = []
    var places: [String: Int] = [:]
    func add(_ value: JSONValue, _ path: [String]) {
      switch value {
      case .object(let object) where path.count < 4:
        for (key, value) in object.sorted(by: { $0.key < $1.key }) { add(value, path + [key]) }
      case .array(let values) where path.count < 4: for value in values { add(value, path) }
      case .string, .integer, .number, .bool:
        let name = path.joined(separator: "/")
        if places[name] == nil {
          places[name] = fields.count
          fields.append(
            Field(path: name, name: path.count == 1 ? name : path.joined(separator: " ")))
        }
        if let place = places[name] {
          fields[place].values.append(JSONFields.texts(in: value).first ?? "")
        }
      default: return
      }
    }
    var objects = values.flatMap(JSONDocumentFeed.objects)
    var record: String?
    // The records are assumed to be the longest list, whatever its name is.
    if objects.count == 1, let list = longestList(in: objects[0]) { (record, objects) = list }
    for object in objects.prefix(recordCount) { add(object, []) }
    return (fields, min(objects.count, recordCount), record)
  }

  /// Returns the list with the most objects in a document, with its key.
  private static func longestList(
    in value: JSONValue, depth: Int = 0
  ) -> (name: String, objects: [JSONValue])? {
    guard case .object(let fields) = value, depth < 6 else { return nil }
    var best: (name: String, objects: [JSONValue])?
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      var found = longestList(in: value, depth: depth + 1)
      if case .array(let values) = value {
        let objects = values.filter { if case .object = $0 { true } else { false } }
        if objects.count > 1 { found = (name, objects) }
      }
      if let found, found.objects.count > best?.objects.count ?? 0 { best = found }
    }
    return best
  }

  // MARK: Values

  /// Assigns the fields that no name tells by their values.
  private static func addByValues(_ fields: [Field], _ count: Int, _ targets: inout [FeedTarget?]) {
    func first(_ isOne: (Field) -> Bool) -> Int? {
      fields.indices.first { targets[$0] == nil && !fields[$0].values.isEmpty && isOne(fields[$0]) }
    }
    func all(_ field: Field, _ isOne: (String) -> Bool) -> Bool {
      let values = field.values.filter { !$0.isEmpty }
      return !values.isEmpty && values.count { isOne($0) } * 10 >= values.count * 9
    }
    if !targets.contains(.image), !targets.contains(.images) {
      for index in fields.indices
      where targets[index] == nil && all(fields[index], FeedFindings.isImage) {
        targets[index] = .images
      }
    }
    if !targets.contains(.url), let index = first({ all($0) { $0.hasPrefix("http") } }) {
      targets[index] = .url
    }
    if !targets.contains(where: { if case .pricedIn? = $0 { true } else { $0 == .price } }),
      let index = first({ field in all(field) { FeedFindings.isAmount($0, field.name) } })
    {
      targets[index] = .price
    }
    if !targets.contains(.id),
      let index = best(fields, targets, { isUnique($0, count) && all($0, isID) })
    {
      targets[index] = .id
    }
    let hasPrice = targets.contains { if case .pricedIn? = $0 { true } else { $0 == .price } }
    if !hasPrice,
      let index = first({ field in
        all(field) { FeedFindings.isPlainAmount($0, field.name) }
      })
    {
      targets[index] = .price
    }
    if !targets.contains(.attribute("color")), let index = first({ all($0, FeedText.isColor) }) {
      targets[index] = .attribute("color")
    }
    let names = fields.indices.filter { targets[$0] == nil && all(fields[$0], isName) }
    if !targets.contains(.title),
      let index = names.max(by: { distinct(fields[$0]) < distinct(fields[$1]) })
    {
      targets[index] = .title
    }
  }

  private static func best(_ fields: [Field], _ targets: [FeedTarget?], _ isOne: (Field) -> Bool)
    -> Int?
  {
    let found = fields.indices.filter { targets[$0] == nil && isOne(fields[$0]) }
    let named = found.first { index in
      let name = FeedData.plain(fields[index].name)
      return ["id", "code", "kod", "ref", "nr", "num", "sku", "art"].contains { name.contains($0) }
    }
    return named ?? found.first
  }

  private static func isUnique(_ field: Field, _ count: Int) -> Bool {
    field.values.count == count && Set(field.values).count == count && !field.values.contains("")
  }

  private static func isID(_ text: String) -> Bool {
    text.utf8.count <= 64 && !text.contains(" ") && !text.contains("://")
      && text.contains { $0.isNumber || $0.isLetter }
  }

  private static func isName(_ text: String) -> Bool {
    (3...200).contains(text.count) && text.contains { $0.isLetter } && !text.contains("://")
      && !FeedFindings.isImage(text)
      && FeedText.flag(text) == nil && !FeedText.isColor(text)
  }

  private static func distinct(_ field: Field) -> Double {
    let words = field.values.filter { $0.contains(" ") }.count
    return Double(Set(field.values).count + words) / Double(max(1, field.values.count))
  }

  /// The value of `--map` with the recognized fields, and placeholders for a title if there is none.
  package var mapping: String {
    var parts = assignments.map { target, column in
      "\(target)=\(column.contains("=") ? column.replacing(",", with: " ") : column)"
    }
    if !assignments.contains(where: { $0.target == "title" }) {
      parts.insert("title=COLUMN", at: 0)
    }
    if !assignments.contains(where: { $0.target == "id" }) { parts.insert("id=COLUMN", at: 0) }
    if let record { parts.insert("record=\(record)", at: 0) }
    return parts.joined(separator: ",")
  }
}
