/// A format that is a mapping of fields, as the data file `formats.txt` has it.
struct KnownFormat: Sendable {
  /// The ways in which rows of a table belong together.
  enum Family: Sendable {
    /// A row is a variant if a column of it names a column of another row.
    case parent(column: String, key: String)
    /// A row without a column is a variant of the row before.
    case following(column: String)
    /// Rows with the same text in a column are variants of one product, whose fields are those of the first of them.
    case same(column: String)
  }

  /// The options of a variant.
  enum Options: Sendable {
    /// Columns whose names fit a pattern, called as the rest of their names.
    case pattern(String)
    /// A column such as `Color:Red|Size:M`.
    case list(String)
    /// A column with the names and one with the values.
    case pairs(names: String, values: String)
    /// Columns with a name, each before one with its value. Their names end with these words, without numbers.
    case columns([(name: String, value: String)])
  }

  let name: String
  private(set) var root: String?
  private(set) var record: String?
  /// The attribute that records have, or `nil` if it does not matter.
  private(set) var attribute: String?
  /// A part of the root's tag, such as its namespace, that is enough to recognize a document.
  private(set) var space: String?
  private(set) var columns: [String] = []
  private(set) var kindColumn: String?
  private(set) var productKind = ""
  private(set) var variantKind = ""
  private(set) var family: Family?
  private(set) var options: Options?
  /// The element with the folder or the address that names of images are beneath.
  private(set) var base: String?
  /// The mapping of records, and that of variants.
  let map: FieldMap
  let variantMap: FieldMap
  /// The fields with the images of variants. If there are any, the other image fields belong to the product.
  let variantImageFields: [String]

  /// The formats of XML and of tables.
  static let all: [KnownFormat] = FeedData.formats.map(KnownFormat.init)

  private init(_ section: FeedData.Section) {
    name = section.head
    var fields: [FieldAssignment] = []
    var variantFields: [FieldAssignment] = []
    var kept: [String] = []
    var lists: [OptionList] = []
    for line in section.lines.map(\.trimmed) where !line.isEmpty {
      if let sign = line.firstRange(of: " = "), !line.hasPrefix("options "),
        !line.hasPrefix("list "), !line.hasPrefix("pairs ")
      {
        var target = String(line[..<sign.lowerBound])
        let isVariant = target.hasPrefix("variant ")
        if isVariant { target = String(target.dropFirst("variant ".count)) }
        let parts = line[sign.upperBound...].split(separator: " | ", maxSplits: 1).map(String.init)
        guard var field = FieldAssignment(target: target, column: parts[0]) else {
          preconditionFailure("formats.txt: '\(line)' assigns an unknown field")
        }
        if parts.count > 1 { field.words = Self.words(parts[1]) }
        field.isInCents = parts.count > 1 && parts[1].trimmed == "cents"
        if isVariant { variantFields.append(field) } else { fields.append(field) }
        continue
      }
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      let rest = words.count > 1 ? words[1] : ""
      switch words[0] {
      case "xml":
        let parts = rest.split(separator: "/").map(String.init)
        let names = parts[1].split(separator: "@").map(String.init)
        (root, record, attribute) = (parts[0], names[0], names.count > 1 ? names[1] : nil)
      case "table": columns = rest.split(separator: ",").map(\.trimmed)
      case "kind":
        let parts = rest.split(separator: ":").map(\.trimmed)
        let kinds = parts[1].split(separator: ",").map(\.trimmed)
        (kindColumn, productKind, variantKind) = (parts[0], kinds[0], kinds[1])
      case "family":
        let parts = rest.split(separator: ">").map(\.trimmed)
        family = .parent(column: parts[0], key: parts[1])
      case "follows": family = .following(column: rest)
      case "same": family = .same(column: rest)
      case "pairs":
        let parts = rest.split(separator: "=").map { ColumnVocabulary.normalized(String($0)) }
        var pairs = [(name: parts[0], value: parts[1])]
        if case .columns(let before)? = options { pairs = before + pairs }
        options = .columns(pairs)
      case "options":
        let parts = rest.split(separator: "=").map(\.trimmed)
        options =
          rest.hasPrefix("in ")
          ? .list(String(rest.dropFirst("in ".count)))
          : parts.count == 2
            ? .pairs(names: parts[0], values: parts[1])
            : FieldMap.isPattern(rest) ? .pattern(rest) : .list(rest)
      case "list":
        let parts = rest.split(separator: "=").map(\.trimmed)
        lists.append(OptionList(name: parts[0], values: parts[1]))
      case "base": base = rest
      case "space": space = rest
      case "keep": kept.append(rest)
      default: preconditionFailure("formats.txt: '\(line)' is not understood")
      }
    }
    map = FieldMap(fields, keeping: kept, lists: lists, refusingLists: true)
    let own = Set(variantFields.compactMap(\.target?.name))
    variantImageFields = variantFields.filter { $0.target?.name == "images" }.flatMap(
      \.source.fields)
    variantMap = FieldMap(
      variantFields + fields.filter { !own.contains($0.target?.name ?? "") }, keeping: kept)
  }

  private static func words(_ text: String) -> [String: String] {
    var words: [String: String] = [:]
    for pair in text.split(separator: ",") {
      let parts = pair.split(separator: ":").map(\.trimmed)
      if parts.count == 2 { words[parts[0].lowercased()] = parts[1] }
    }
    return words
  }

  /// Returns the format of a document by its root and the elements in it.
  static func ofXML(_ outline: XMLOutline) -> KnownFormat? {
    func local(_ name: String) -> String {
      name.split(separator: ":").last.map(String.init) ?? name
    }
    let root = local(outline.root).lowercased()
    return all.first { format in
      guard format.root?.lowercased() == root, let record = format.record else { return false }
      if let space = format.space, outline.rootTag.contains(space) { return true }
      if let attribute = format.attribute, outline.attributes[record]?.contains(attribute) != true {
        return false
      }
      return outline.counts.keys.contains { local($0) == record } || root == "yml_catalog"
    }
  }

  /// Returns the format of a table by its columns.
  static func ofTable(_ header: TableHeader) -> KnownFormat? {
    let names = Set(header.normalized)
    return all.first { format in
      !format.columns.isEmpty
        && format.columns.allSatisfy { names.contains(ColumnVocabulary.normalized($0)) }
    }
  }
}
