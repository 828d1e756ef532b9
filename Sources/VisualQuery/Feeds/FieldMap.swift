/// The source of a field of an entity: a field of the feed, a fixed text, or a template of both.
struct FieldSource: Sendable, Hashable {
  /// A part of a template.
  enum Part: Sendable, Hashable {
    case text(String)
    /// The value of a field: a column, or the path of an element, an attribute or a key.
    case field(String)
  }

  let parts: [Part]

  /// Reads a source: `"EUR"` and, for currencies, `EUR` are fixed, a text with `{field}` in it is a template, and everything else
  /// is a field.
  init(_ text: String, for target: FeedTarget?) {
    let text = text.trimmed
    if text.count > 1, text.first == "\"", text.last == "\"" {
      parts = [.text(String(text.dropFirst().dropLast()))]
    } else if target == .currency, Currency.codes.contains(text) {
      parts = [.text(text)]
    } else if text.contains("{"), text.contains("}") {
      parts = Self.template(text)
    } else {
      parts = [.field(text)]
    }
  }

  private static func template(_ text: String) -> [Part] {
    var parts: [Part] = []
    var rest = text[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
      parts.append(.field(String(rest[rest.index(after: open)..<close]).trimmed))
      rest = rest[rest.index(after: close)...]
    }
    return rest.isEmpty ? parts : parts + [.text(String(rest))]
  }

  /// The fields of the feed.
  var fields: [String] {
    parts.compactMap { if case .field(let name) = $0 { name } else { nil } }
  }

  /// Returns the texts of the source in a record: of one field all, otherwise one.
  ///
  /// - Parameter values: The values of each field, in the order of ``FieldMap/fields``.
  func texts(_ values: (String) -> [String]) -> [String] {
    if parts.count == 1, case .field(let name) = parts[0] { return values(name) }
    var text = ""
    var isEmpty = true
    let found = parts.map { part in
      if case .field(let name) = part { values(name).first { !$0.isEmpty } ?? "" } else { "" }
    }
    for (index, part) in parts.enumerated() {
      switch part {
      case .text(let part): text += part
      case .field:
        var value = found[index]
        // Many models begin with their brand, which stands before them already.
        if let next = found[(index + 1)...].first(where: { !$0.isEmpty }), !value.isEmpty,
          "\(next) ".lowercased().hasPrefix("\(value) ".lowercased())
        {
          value = ""
          isEmpty = false
        }
        isEmpty = isEmpty && value.isEmpty
        text += value
      }
    }
    // If all fields of a template are missing, it has no value.
    if isEmpty, !fields.isEmpty { return [] }
    return [text.split(separator: " ").joined(separator: " ")]
  }
}

/// A field of an entity and the source that it is from.
public struct FieldAssignment: Sendable, Hashable {
  /// The source as it was written: the name of a column, a path, a fixed text or a template.
  package let column: String
  /// The name of the field of the entity, as it was written.
  let name: String
  /// The field of the entity, or `nil` if the source is the element or the list with the records.
  let target: FeedTarget?
  let source: FieldSource
  /// The words of the feed with their native words.
  var words: [String: String] = [:]
  /// True if the source has prices in cents with their currencies, such as `EUR 1490;US-USD 1690`.
  var isInCents = false

  /// The names that a column may become.
  package static let targetNames: [String] = (FeedTarget.named.keys + ["record"]).sorted()

  /// Makes an assignment; returns `nil` if the field of the entity is unknown. `attributes.NAME` is
  /// a property of variants, and `record` the element or the list with the records.
  public init?(target name: String, column: String) {
    let prefix = "attributes."
    if name == "record" {
      target = nil
    } else if name.hasPrefix(prefix), name.count > prefix.count {
      target = .attribute(String(name.dropFirst(prefix.count)))
    } else if let known = FeedTarget.named[name] {
      target = known
    } else {
      return nil
    }
    (self.name, self.column) = (name, column)
    source = FieldSource(column, for: target)
  }

  /// The name under which the text of the feed is kept: that of the source, without what only a mapping says.
  var keptName: String {
    let field = source.fields.first ?? column
    if FieldMap.isPattern(field) { return name }
    return field.hasPrefix("./") ? String(field.dropFirst(2)) : field
  }

  /// Returns the native word for a text of the feed, or `nil` if it is none of the words.
  func word(for text: String) -> String? {
    if words.isEmpty { return nil }
    let text = text.trimmed.lowercased()
    if let word = words[text] { return word }
    if let number = Int(text), number >= 0 {
      return words.first { key, _ in
        let ends = key.split(separator: "-").compactMap { Int($0) }
        return ends.count == 2 && ends[0] <= number && number <= ends[1]
      }?.value
    }
    return FeedText.isDate(text) ? words["date"] : nil
  }

  package var text: String { "\(name)=\(column)\(words.isEmpty ? "" : "\(words)")" }

  /// The word `none`, which removes a mapping.
  package static let none = FieldAssignment(target: "record", column: "none")!

  /// Reads assignments such as `id=SKU,title={brand} {model}`; returns `nil` if a part is none.
  package static func list(_ text: String) -> [FieldAssignment]? {
    if text == "none" { return [none] }
    var parts: [String] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: true).map(String.init) {
      // A comma separates assignments only if a field name and an equals sign follow: it may also
      // be part of a template or of a column's name.
      let name = part.prefix { $0 != "=" }.trimmed
      let begins = part.contains("=") && FieldAssignment(target: name, column: "x") != nil
      if begins || parts.isEmpty {
        parts.append(part)
      } else {
        parts[parts.count - 1] += "," + part
      }
    }
    let fields = parts.compactMap { part -> FieldAssignment? in
      guard let sign = part.firstIndex(of: "=") else { return nil }
      let column = String(part[part.index(after: sign)...])
      return column.isEmpty ? nil : FieldAssignment(target: part[..<sign].trimmed, column: column)
    }
    return fields.isEmpty || fields.count < parts.count ? nil : fields
  }
}

/// An option of all variants of a row: the field with its name, and the one with its values.
struct OptionList: Sendable, Hashable {
  let name: String
  let values: String
}

/// A mapping of the fields of a feed to those of entities.
struct FieldMap: Sendable, Hashable {
  /// The element or the list with the records.
  let record: String?
  let assignments: [FieldAssignment]
  /// The names of the fields that are kept unchanged, although their names are those of something else.
  let kept: Set<String>
  /// The fields of the feed that are used.
  let fields: [String]
  private let places: [String: Int]
  /// The fields that are assigned directly, rather than in templates only.
  private let taken: Set<Int>
  /// The names of the targets that are assigned.
  private let assigned: Set<String>

  /// True if a list of ids is not accepted as an id, because the format has the SKUs of all variants in one column.
  private let refusesLists: Bool

  /// The options of which a row lists the values.
  private let lists: [OptionList]

  init(
    _ assignments: [FieldAssignment], keeping kept: [String] = [], lists: [OptionList] = [],
    refusingLists: Bool = false
  ) {
    refusesLists = refusingLists
    self.lists = lists
    record = assignments.first { $0.target == nil }.flatMap { assignment in
      assignment.column.split(separator: "/").last.map(String.init)
    }
    self.assignments = assignments.filter { $0.target != nil }
    self.kept = Set(kept)
    let options = lists.flatMap { [$0.name, $0.values] }
    fields = FeedText.unique(self.assignments.flatMap(\.source.fields) + options)
    places = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1, $0) })
    taken = Set(
      (self.assignments.filter { $0.source.parts.count == 1 }.flatMap(\.source.fields) + options)
        .compactMap { [places] in places[$0] })
    assigned = Set(self.assignments.compactMap { $0.target?.name })
  }

  /// Returns the part of a column's name that the `*` of a pattern stands for, or `nil` if it does not fit: `image_*` and
  /// `*_image` have one at the end or at the beginning.
  static func rest(of name: String, fitting pattern: String) -> String? {
    if pattern.hasPrefix("*") {
      let end = pattern.dropFirst()
      return name.hasSuffix(end) ? String(name.dropLast(end.count)) : nil
    }
    let start = pattern.dropLast()
    return name.hasPrefix(start) ? String(name.dropFirst(start.count)) : nil
  }

  /// The patterns of the columns with the stock of one place, whose name is the rest of that of the column.
  var stockPatterns: [String] {
    assignments.filter { $0.target == .quantity }.flatMap(\.source.fields).filter(Self.isPattern)
  }

  /// Returns whether a source is a pattern of the names of columns.
  static func isPattern(_ source: String) -> Bool { source.hasPrefix("*") || source.hasSuffix("*") }

  /// Returns the targets of fields that the mapping leaves to their names.
  func others(_ targets: [FeedTarget?]) -> [FeedTarget?] {
    targets.map { target in target.map { assigned.contains($0.name) } == true ? nil : target }
  }

  /// Returns whether one of ``fields`` is assigned directly, rather than in a template only. It then has no other
  /// meaning.
  func isTaken(_ place: Int) -> Bool { taken.contains(place) }

  /// Returns whether a field of an entity is assigned.
  func assigns(_ target: FeedTarget) -> Bool { assigned.contains(target.name) }

  /// Returns the fields of the mapping that are at a path of a record.
  ///
  /// - Complexity: O(bytes of the path + bytes of ``fields``). The forms of the path are made once: an item may have thousands
  ///   of long paths.
  func places(of path: String, in record: String) -> [Int] {
    let (lowercased, plain) = (path.lowercased(), Self.withoutPrefixes(path))
    return fields.indices.filter {
      Self.matches(fields[$0], path, lowercased: lowercased, withoutPrefixes: plain, record)
    }
  }

  /// Returns whether a path that a caller wrote is that of a field: the whole path, or the end of it.
  ///
  /// `./name` is a field of the record itself only.
  private static func matches(
    _ wanted: String, _ path: String, lowercased: String, withoutPrefixes plain: String,
    _ record: String
  ) -> Bool {
    if wanted.hasPrefix("./") { return path == wanted.dropFirst(2) }
    var wanted = wanted[...]
    while let first = wanted.first, "/.".contains(first) { wanted.removeFirst() }
    if wanted.hasPrefix(record + "/") { wanted = wanted.dropFirst(record.count + 1) }
    if path == wanted || path.hasSuffix("/" + wanted) { return true }
    // A named parameter can also be assigned by its name alone, without the path before it.
    if path.hasSuffix("]"), let open = path.lastIndex(of: "[") {
      return path[path.index(after: open)...].dropLast() == wanted
    }
    let own = wanted.lowercased()
    return own == lowercased || lowercased.hasSuffix("/" + own) || plain == wanted
  }

  /// Returns a path without the prefixes of XML's namespaces.
  private static func withoutPrefixes(_ path: String) -> String {
    path.split(separator: "/").map { part in
      part.firstIndex(of: ":").map { String(part[part.index(after: $0)...]) } ?? String(part)
    }.joined(separator: "/")
  }

  /// Adds the fields of a record to an entity.
  ///
  /// - Parameter values: The values of each of ``fields``.
  func add(_ values: [[String]], to draft: inout ProductDraft) {
    var done: Set<FeedTarget> = []
    for assignment in assignments {
      guard let target = assignment.target else { continue }
      let isList = [.images, .labels, .visibility, .text].contains(target)
      if !isList, done.contains(target) { continue }
      var texts = assignment.source.texts { name in places[name].map { values[$0] } ?? [] }
      // Of the stocks of several places, one that is there is enough.
      if target == .quantity, let some = texts.first(where: { FeedText.isInStock($0) == true }) {
        texts = [some]
      }
      for text in texts {
        let word = assignment.word(for: text)
        if word == nil, !FeedText.isValue(text) { continue }
        if let word {
          // Keeps the original text, too: a number of days or a date says more than the word.
          if assignment.words[text.trimmed.lowercased()] == nil {
            draft.keep(assignment.keptName, .string(text))
          }
          if !FeedText.isValue(word) { continue }
        }
        if assignment.isInCents {
          guard let money = JSONMoney(cents: text) else {
            draft.keep(assignment.keptName, .string(text))
            continue
          }
          draft.add(.currency, "currency", money.currency ?? "")
          draft.add(target, assignment.keptName, money.amount)
          done.insert(target)
          break
        }
        if refusesLists, target == .id, text.contains(",") {
          draft.keep("skus", .array(text.split(separator: ",").map { .string($0.trimmed) }))
          continue
        }
        draft.add(target, assignment.keptName, word ?? text)
        done.insert(target)
        if !isList, target != .image { break }
      }
    }
    addLists(values, to: &draft)
  }

  /// Adds the options of which the record lists the values.
  private func addLists(_ values: [[String]], to draft: inout ProductDraft) {
    func text(_ field: String) -> String { places[field].flatMap { values[$0].first } ?? "" }
    var options: [(name: String, values: [String])] = []
    for list in lists {
      let own = text(list.values).split(separator: ",").map(\.trimmed).filter(FeedText.isValue)
      if own.isEmpty { continue }
      let written = text(list.name).trimmed
      var name = VariantOption.name(written.isEmpty ? list.values : written)
      if !VariantOption.isKnown(name), !options.contains(where: { $0.name == "color" }),
        FeedText.areColors(Set(own))
      {
        name = "color"
      }
      draft.setAttribute(name, own.joined(separator: ", "))
      options.append((name, own))
    }
    // With several options, it is unknown how the product codes are assigned to their combinations.
    guard options.count == 1, let option = options.first,
      let numbers = places["SKU"].flatMap({ values[$0].first })?.split(separator: ",").map(
        \.trimmed),
      numbers.count == option.values.count, numbers.count > 1
    else { return }
    draft.leaveOut("skus")
    draft.keep(
      "variants",
      .array(
        zip(numbers, option.values).map {
          .object(["sku": .string($0), option.name: .string($1)])
        }))
  }
}
